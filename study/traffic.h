/*
 * traffic.h - converts a count matrix to the few numbers of the model of exchanges (choose/model.h).
 */
#ifndef IRR_STUDY_TRAFFIC_H
#define IRR_STUDY_TRAFFIC_H

#include "choose/model.h"
#include "problem/matrix.h"

/* Returns the traffic of a matrix, for a persistent request of ranks that have one processor each.  O(P * P). */
irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks);

#endif
