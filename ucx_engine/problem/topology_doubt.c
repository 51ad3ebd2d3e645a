/*
 * topology_doubt.c - finds a LinkSpeed that is most likely given in another unit than the speed of a host's link; see
 * topology.h.
 *
 * The LinkSpeed of the top switch is ignored, because the top has no link to a parent.
 */
#include "problem/topology.h"

#include "core/alloc.h"

#include <inttypes.h>

/* Returns the first switch whose link to its parent is faster than the links of all hosts below it together, or -1. */
static int find(const irr_topology_t *topology, uint64_t *below)
{
    for (int h = 0; h < topology->hosts; h++) {
        for (int v = topology->parent[h]; v >= 0; v = topology->parent[v]) {
            below[v]++;
        }
    }
    for (int v = topology->hosts; v < topology->vertices; v++) {
        if (topology->parent[v] >= 0 && irr_topology_speed(topology, v) > 1 &&
            irr_topology_speed(topology, v) > below[v]) {
            return v;
        }
    }
    return -1;
}

irr_status_t irr_topology_doubt(const irr_topology_t *topology, char *text, size_t size)
{
    int vertex = -1;

    if (!topology->node_speeds) {
        uint64_t *below = irr_alloc_zero((size_t)topology->vertices, sizeof(*below));

        if (below == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        vertex = find(topology, below);
        irr_free(below);
    }
    text[0] = '\0';
    if (vertex >= 0) {
        const uint64_t speed = irr_topology_speed(topology, vertex);

        snprintf(text, size, "LinkSpeed %" PRIu64 " of switch '%.64s' without NodeSpeed counts as %" PRIu64
                 " times a host's link; leave LinkSpeed out, or add NodeSpeed in its unit",
                 speed, topology->names[vertex], speed);
    }
    return IRR_OK;
}
