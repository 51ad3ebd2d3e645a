/*
 * cluster.h - the switches of a machine without a topology file.
 */
#ifndef IRR_CLUSTER_H
#define IRR_CLUSTER_H

#include "problem/machine.h"
#include "problem/topology.h"

/*
 * Creates a topology of `nodes` nodes without names: at one switch, or with `switch_nodes` at each switch and one
 * switch above all.  The link above a switch has the speed of its nodes together divided by the taper.  The caller
 * frees *topology with irr_topology_fini.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM: no nodes.
 */
irr_status_t irr_cluster_init(const irr_machine_t *machine, int nodes, irr_topology_t *topology);

#endif
