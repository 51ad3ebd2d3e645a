/*
 * cluster.c - see cluster.h.  The speed of a link is a relative integer: taper for the link of a node, switch_nodes for
 * the link of a switch.
 */
#include "study/cluster.h"

irr_status_t irr_cluster_init(const irr_machine_t *machine, int nodes, irr_topology_t *topology)
{
    const bool flat = machine->switch_nodes == 0 || machine->switch_nodes >= (uint64_t)nodes;
    const int size = flat ? nodes : (int)machine->switch_nodes;
    irr_topology_t made = { .hosts = nodes };
    irr_status_t status;

    if (nodes < 1) {
        return IRR_ERR_BAD_PARAM;
    }
    made.vertices = nodes + (flat ? 0 : (nodes + size - 1) / size) + 1;
    status = irr_topology_init(&made);
    if (status != IRR_OK) {
        return status;
    }
    for (int v = 0; v < made.vertices; v++) {
        made.parent[v] = v < nodes && !flat ? nodes + v / size : made.vertices - 1;
        made.speed[v] = v < nodes ? machine->taper : (uint64_t)size;
    }
    made.parent[made.vertices - 1] = -1;
    *topology = made;
    return IRR_OK;
}
