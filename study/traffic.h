/*
 * traffic.h - a count matrix in the few numbers that the model of exchanges knows (choose/model.h).
 */
#ifndef IRR_STUDY_TRAFFIC_H
#define IRR_STUDY_TRAFFIC_H

#include "choose/model.h"
#include "problem/matrix.h"

/* The traffic of a matrix, by a persistent request of ranks that each have a processor.  O(P * P). */
irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks);

#endif
