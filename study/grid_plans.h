/*
 * grid_plans.h - builds the plans of all ranks for a grid, in which ranks forward messages.
 *
 * A rank of a job knows in advance only its sends in the first stage; the messages that it receives state what it has
 * to forward.  Here one process knows the counts of all ranks, so it builds complete plans, which tools display and
 * prove correct.
 */
#ifndef IRR_GRID_PLANS_H
#define IRR_GRID_PLANS_H

#include "route/grid.h"
#include "study/plans.h"

/*
 * Builds the plans of a strategy with this grid for a matrix, and passes the steps of each rank and stage to `take`.
 * Memory and errors: those of irr_plans_each.
 */
irr_status_t irr_grid_plans_each(const irr_grid_t *grid, const irr_strategy_t *strategy, const irr_matrix_t *matrix,
                                 irr_plans_take_t take, void *context);

#endif
