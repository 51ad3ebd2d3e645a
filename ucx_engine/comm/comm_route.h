/*
 * comm_route.h - the objects that a communicator needs for the route of its algorithm.
 */
#ifndef IRR_COMM_ROUTE_H
#define IRR_COMM_ROUTE_H

#include "comm/comm_files.h"

/* Returns true if the algorithm must know which ranks share a node, or share a host of the topology. */
bool irr_comm_route_needs_labels(const irr_comm_params_t *params, const irr_comm_files_t *files);

/* Returns true if the algorithm is redistribution and no redistribution is set. */
bool irr_comm_route_lacks(const irr_settings_t *settings);

/* Returns false if settings->dims make more stages than a tag can hold. */
bool irr_comm_route_fits(const irr_settings_t *settings, int ranks);

/*
 * Allocates all memory that exchanges need to end alike on all ranks. labels: by rank, equal on ranks that share a node
 * or a host of the topology; NULL if irr_comm_route_needs_labels is false. A schedule in files for another number of
 * ranks is ignored. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels, const irr_comm_files_t *files);
void         irr_comm_route_fini(irr_comm_t *comm);

#endif
