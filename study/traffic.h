/*
 * traffic.h - converts a count matrix to the few numbers of the model of exchanges (choose/model.h).
 */
#ifndef IRR_STUDY_TRAFFIC_H
#define IRR_STUDY_TRAFFIC_H

#include "choose/model.h"
#include "problem/matrix.h"

/*
 * Returns the numbers of the model for a matrix of counts, for ranks on nodes of node_ranks ranks.  The exchange is a
 * persistent request, and each rank has one processor.  Time: O(P * P).
 */
irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks);

#endif
