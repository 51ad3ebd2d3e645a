/*
 * lambda_search.h - the search for the best fixed lambda: Ranka, Wang and Kumar, section 6.1.
 *
 * Each rank may schedule with another lambda; the one with the least time wins, and all compute its schedule
 * again, or receive it.  Candidate 0 of n is lambda 1, the last one 3/4, and the others lie between, evenly.
 */
#ifndef IRR_LAMBDA_SEARCH_H
#define IRR_LAMBDA_SEARCH_H

#include "order/lambda.h"
#include "order/order.h"
#include "problem/matrix.h"

/* More are hardly better: from 1 down to 3/4, a lambda of 32 ranks changes by 8 messages. */
#define IRR_LAMBDA_CANDIDATES 16

/* So many for so many ranks. */
int irr_lambda_candidates(int ranks);

irr_lambda_t irr_lambda_candidate(int candidate, int candidates);

/*
 * RS_NH with that candidate in place of params->lambda, and its estimated time, in bytes: the makespan, and
 * params->latency for each step.  Errors as of irr_order_schedule.
 */
irr_status_t irr_lambda_try(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, int candidate,
                            int candidates, uint64_t *time, irr_schedule_t *schedule);

/* Does the first win?  The least time does, then the lowest candidate, so any order of comparisons ends alike. */
bool irr_lambda_wins(uint64_t time, int candidate, uint64_t other_time, int other);

/* All candidates, one after the other. */
irr_status_t irr_lambda_search(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, int candidates,
                               int *winner, irr_schedule_t *schedule);

#endif
