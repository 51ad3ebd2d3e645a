/*
 * traffic.h - converts a count matrix to the few numbers of the model of exchanges (choose/model.h).
 */
#ifndef IRR_STUDY_TRAFFIC_H
#define IRR_STUDY_TRAFFIC_H

#include "choose/model.h"
#include "problem/matrix.h"

/*
 * Returns the numbers of the model for an exchange of these counts by a persistent request.  node_ranks: number of
 * ranks on a node.  The model assumes a processor for each rank.  Time O(P * P) for P ranks.
 */
irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks);

#endif
