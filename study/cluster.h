/*
 * cluster.h - the switches of a machine without a topology file.
 */
#ifndef IRR_CLUSTER_H
#define IRR_CLUSTER_H

#include "problem/machine.h"
#include "problem/topology.h"

/*
 * Creates a topology of `nodes` nodes without names, from two constants of the machine: switch_nodes and taper.  If
 * switch_nodes is 0 or not below `nodes`, all nodes are at one switch.  Otherwise each switch has switch_nodes nodes,
 * the last one may have fewer, and all switches are below a top switch.  The link from a switch to the top has the
 * speed of switch_nodes nodes divided by the taper.  The caller frees *topology with irr_topology_fini.  Errors:
 * IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if `nodes` is not positive.
 */
irr_status_t irr_cluster_init(const irr_machine_t *machine, int nodes, irr_topology_t *topology);

#endif
