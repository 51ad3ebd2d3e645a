/*
 * grid_plans.h - the plans of all ranks for a grid route, built in one place.
 *
 * In a job, a rank knows in advance only its sends in the first stage; it learns during the exchange what to forward.
 * The plans of this file are complete from the start, because one process knows the counts of all ranks.  Tools display
 * these plans, and prove them correct.
 */
#ifndef IRR_GRID_PLANS_H
#define IRR_GRID_PLANS_H

#include "route/grid.h"
#include "study/plans.h"

/*
 * Builds the plans of a strategy with this grid for a matrix, and passes the steps of each rank and stage to `take`;
 * see irr_plans_each.
 */
irr_status_t irr_grid_plans_each(const irr_grid_t *grid, const irr_strategy_t *strategy, const irr_matrix_t *matrix,
                                 irr_plans_take_t take, void *context);

#endif
