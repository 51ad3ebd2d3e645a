/*
 * placement.h - which host of a topology each rank is on, and the part of the topology that the ranks use.
 */
#ifndef IRR_PLACEMENT_H
#define IRR_PLACEMENT_H

#include "problem/topology.h"

/*
 * host_of[r] becomes the host of rank r, whose name is names[r]: any number of ranks a host, any hosts of the
 * topology; irr_topology_find says which names are the same.  IRR_ERR_NOT_SUPPORTED: a rank's host is not there,
 * or several hosts have that name; reason, of size bytes, names the rank and its host.  IRR_ERR_NO_MEMORY: reason
 * says so.  host_of, which has room for all ranks, is then undefined.  O((hosts + ranks) log hosts).
 */
irr_status_t irr_placement(const irr_topology_t *topology, const char *const *names, int ranks, int *host_of,
                           char *reason, size_t size);

/*
 * The part of a topology that messages between ranks can use: the hosts that have one, and the switches and links
 * between them, all with names and speeds as they were, hosts and switches in the order they were in.  A switch is
 * left out if no rank is below it, or if all are below one and the same of its switches.  One that has a single
 * child left stays: each link of the part is one of the file, so whoever reads about it knows it, and what goes
 * over two links one behind the other contends on neither or on both.
 *
 * host_of[r], the host of rank r, becomes its host in the part, which is the caller's to irr_topology_fini.
 * IRR_ERR_BAD_PARAM: no ranks, or a host that there is not; IRR_ERR_NO_MEMORY: nothing has changed.
 * O(vertices + ranks).
 */
irr_status_t irr_topology_cut(const irr_topology_t *topology, int ranks, int *host_of, irr_topology_t *part);

#endif
