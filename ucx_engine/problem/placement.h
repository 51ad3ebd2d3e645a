/* placement.h - the host of each rank in a topology, and the subtree of the topology that the ranks use. */
#ifndef IRR_PLACEMENT_H
#define IRR_PLACEMENT_H

#include "problem/topology.h"

/*
 * Sets host_of[r] to the host whose name matches names[r], the host name of rank r.  A host may have any number of
 * ranks; irr_topology_find compares names.  Returns IRR_ERR_NOT_SUPPORTED if the topology lacks the host of a rank, or
 * if several hosts match.  May return IRR_ERR_NO_MEMORY.  On an error reason[size] has the cause, with rank and host,
 * and host_of is undefined.  O((hosts + ranks) log hosts).
 */
irr_status_t irr_placement(const irr_topology_t *topology, const char *const *names, int ranks, int *host_of,
                           char *reason, size_t size);

/*
 * Returns the subtree of a topology that messages between ranks can use: the hosts with ranks, and the switches and
 * links between them, with their names, speeds and order.  Switches without ranks below them are left out, and so are
 * top switches with all ranks below one child switch.  A switch inside the tree stays, even if only one of its children
 * stays.  Each link of the subtree is therefore a link of the topology.
 *
 * On entry, host_of[r] is the host of rank r in the topology; on return, it is the host's number in the subtree.  The
 * caller frees *subtree with irr_topology_fini.  Returns IRR_ERR_BAD_PARAM if there are no ranks or a host does not
 * exist.  May return IRR_ERR_NO_MEMORY.  After an error nothing has changed.  O(vertices + ranks).
 */
irr_status_t irr_topology_cut(const irr_topology_t *topology, int ranks, int *host_of, irr_topology_t *subtree);

#endif
