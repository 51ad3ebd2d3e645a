/*
 * comm_route.h - what a communicator needs for the route of its algorithm.
 */
#ifndef IRR_COMM_ROUTE_H
#define IRR_COMM_ROUTE_H

#include "comm/comm_files.h"

/* Does the algorithm ask which ranks share a node, or on which host of a topology they are? */
bool irr_comm_route_needs_labels(const irr_comm_params_t *params, const irr_comm_files_t *files);

/* The algorithm is redist, and there is no redistribution. */
bool irr_comm_route_lacks(const irr_settings_t *settings);

/* False: the dims make more stages than a tag can tell. */
bool irr_comm_route_fits(const irr_settings_t *settings, int ranks);

/*
 * Reserves all that exchanges need to end alike on all ranks.  labels, by rank, for an algorithm that needs them: equal
 * on ranks that share a node, or the hosts of the topology in files.  A schedule in files of another number of ranks
 * has no effect.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels, const irr_comm_files_t *files);
void         irr_comm_route_fini(irr_comm_t *comm);

#endif
