/*
 * comm_route.h - what a communicator needs for the route of its algorithm.
 */
#ifndef IRR_COMM_ROUTE_H
#define IRR_COMM_ROUTE_H

#include "comm/engine.h"

/* Does the algorithm ask which ranks share a node? */
bool irr_comm_route_needs_nodes(const irr_settings_t *settings, int ranks);

/* False: the dims make more stages than a tag can tell. */
bool irr_comm_route_fits(const irr_settings_t *settings, int ranks);

/*
 * Reserves all that exchanges need to end alike on all ranks.  labels: by rank, equal on ranks that share a node, for
 * an algorithm that needs them.  Fails with IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels);
void         irr_comm_route_fini(irr_comm_t *comm);

/* The pace of its exchanges.  Depends on the settings and the number of ranks, so it is alike on all ranks. */
const irr_pace_t *irr_comm_pace(const irr_comm_t *comm);

#endif
