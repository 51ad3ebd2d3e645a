/*
 * cluster.h - the switches of a machine without a topology file.
 */
#ifndef IRR_CLUSTER_H
#define IRR_CLUSTER_H

#include "problem/machine.h"
#include "problem/topology.h"

/*
 * Creates a topology of `nodes` nodes without names.  The nodes are at one switch, or `switch_nodes` nodes are at each
 * switch, below one top switch.  The speed of the link above a switch is the sum of the speeds of its nodes divided by
 * the taper.  The caller frees *topology with irr_topology_fini.  Errors: IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if
 * `nodes` is not positive.
 */
irr_status_t irr_cluster_init(const irr_machine_t *machine, int nodes, irr_topology_t *topology);

#endif
