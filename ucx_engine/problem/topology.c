/*
 * topology.c - creates and frees a topology, and finds its hosts by name; see topology.h.
 *
 * A host may have its short name or its name with the domain, both in Slurm's files and in Open MPI.  Two names
 * therefore match if one of them is the other name followed by a domain.
 */
#include "problem/topology.h"

#include "core/alloc.h"
#include "problem/names.h"

#include <stdio.h>
#include <string.h>

irr_status_t irr_topology_init(irr_topology_t *topology)
{
    const size_t vertices = (size_t)topology->vertices;
    const irr_array_t arrays[] = {
        IRR_ARRAY(topology->parent, vertices), IRR_ARRAY(topology->speed, vertices),
        IRR_ARRAY(topology->names, vertices)
    };

    return IRR_ALLOC_ARRAYS(arrays);
}

void irr_topology_fini(irr_topology_t *topology)
{
    for (int v = 0; topology->names != NULL && v < topology->vertices; v++) {
        irr_free(topology->names[v]);
    }
    irr_free(topology->parent);   /* frees the other arrays too */
    *topology = (irr_topology_t){ .hosts = 0 };
}

irr_status_t irr_topology_star(int hosts, irr_topology_t *topology)
{
    enum { NAME_BYTES = 16 };
    irr_topology_t made = { .hosts = hosts, .vertices = hosts + 1 };
    irr_status_t status = irr_topology_init(&made);

    for (int v = 0; status == IRR_OK && v < made.vertices; v++) {
        made.parent[v] = v < hosts ? hosts : -1;
        made.speed[v] = 1;
        made.names[v] = irr_alloc(NAME_BYTES, 1);
        if (made.names[v] == NULL) {
            status = IRR_ERR_NO_MEMORY;
        } else {
            snprintf(made.names[v], NAME_BYTES, v < hosts ? "node%d" : "switch", v);
        }
    }
    if (status != IRR_OK) {
        irr_topology_fini(&made);
        return status;
    }
    *topology = made;
    return IRR_OK;
}

irr_status_t irr_hosts_init(const irr_topology_t *topology, irr_hosts_t *hosts)
{
    irr_sorted_name_t *sorted = irr_alloc((size_t)topology->hosts, sizeof(*sorted));

    if (sorted == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_names_sort(topology->names, (size_t)topology->hosts, sorted);
    *hosts = (irr_hosts_t){ topology, sorted };
    return IRR_OK;
}

void irr_hosts_fini(irr_hosts_t *hosts)
{
    irr_free(hosts->sorted);
    *hosts = (irr_hosts_t){ .sorted = NULL };
}

/* Returns whether a name is a numeric address; the dots of an address do not separate domains. */
static bool is_address(const char *name)
{
    return name[strspn(name, "0123456789.")] == '\0' || strchr(name, ':') != NULL;
}

/* Finds the host whose name is the first `length` bytes of `name`, followed by a dot and a domain. */
static int find_longer(const irr_hosts_t *hosts, const char *name, size_t length)
{
    const size_t count = (size_t)hosts->topology->hosts;
    char start[IRR_NAME_MAX + 2];
    size_t at;
    int found = 0, host = IRR_HOST_NONE;

    memcpy(start, name, length);
    start[length++] = '.';
    at = irr_names_search(hosts->sorted, count, start, length);
    for (; found < 2 && at < count && strncmp(hosts->sorted[at].name, start, length) == 0; at++) {
        host = hosts->sorted[at].index;
        found++;
    }
    return found < 2 ? host : IRR_HOST_SEVERAL;
}

int irr_topology_find(const irr_hosts_t *hosts, const char *name)
{
    const size_t count = (size_t)hosts->topology->hosts, length = strlen(name);
    int host = irr_names_find(hosts->sorted, count, name, length);

    if (host >= 0 || length > IRR_NAME_MAX || is_address(name)) {
        return host >= 0 ? host : IRR_HOST_NONE;
    }
    host = find_longer(hosts, name, length);
    for (size_t cut = length; host == IRR_HOST_NONE && cut > 1; cut--) {
        if (name[cut - 1] == '.') {
            const int shorter = irr_names_find(hosts->sorted, count, name, cut - 1);

            host = shorter >= 0 ? shorter : IRR_HOST_NONE;
        }
    }
    return host;
}
