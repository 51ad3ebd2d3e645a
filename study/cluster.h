/*
 * cluster.h - the switches of a machine whose cables nobody has listed.
 */
#ifndef IRR_CLUSTER_H
#define IRR_CLUSTER_H

#include "problem/machine.h"
#include "problem/topology.h"

/*
 * So many nodes, without names: at one switch, or with `switch_nodes` at each, and one above all, to which such a
 * switch has a link of as much as its nodes together by the taper.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM: no nodes.
 * On success the caller's to irr_topology_fini.
 */
irr_status_t irr_cluster_init(const irr_machine_t *machine, int nodes, irr_topology_t *topology);

#endif
