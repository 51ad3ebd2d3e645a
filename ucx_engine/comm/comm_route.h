/*
 * comm_route.h - allocates the objects that a communicator needs to run its algorithm.
 *
 * The route of an algorithm is the way of a message: direct, or through other ranks that forward it. The ranks of a
 * grid forward in stages.
 */
#ifndef IRR_COMM_ROUTE_H
#define IRR_COMM_ROUTE_H

#include "comm/comm_files.h"

/* Returns true if the algorithm must know which ranks share a node, or a host of the topology file. */
bool irr_comm_route_needs_labels(const irr_comm_params_t *params, const irr_comm_files_t *files);

/* Returns true if the algorithm is redistribution, but the setting with its parameters is missing. */
bool irr_comm_route_lacks(const irr_settings_t *settings);

/* Returns false if settings->dims make more stages than fit in the tag of a message (exec/tag.h). */
bool irr_comm_route_fits(const irr_settings_t *settings, int ranks);

/*
 * Allocates the memory with which each exchange can end on all ranks, even if a rank later lacks memory. labels: by
 * rank, equal on ranks that share a node or a host of the topology; NULL if irr_comm_route_needs_labels is false. If
 * files->schedule is for another number of ranks, it is ignored. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels, const irr_comm_files_t *files);
void         irr_comm_route_fini(irr_comm_t *comm);

#endif
