/*
 * grid_plans.h - the plans of all ranks for a grid route, made in one place.
 *
 * A rank alone knows only what it sends in the first stage, so these plans need the problems of all ranks: what
 * tools show and prove, and what a frozen run of the route executes.
 */
#ifndef IRR_GRID_PLANS_H
#define IRR_GRID_PLANS_H

#include "plan/plan.h"
#include "route/grid.h"

/*
 * Builds plans[r] for problems[r], which agree with each other; plans are initialised or reset.  A message is cut
 * in slices of at least slice_min bytes where a balanced grid spreads it (0: to the byte, as published).  Fails
 * with IRR_ERR_NO_MEMORY only, with the plans as they were.
 */
irr_status_t irr_grid_plans_build(const irr_grid_t *grid, size_t slice_min, irr_overlap_t overlap,
                                  const irr_problem_t *problems, int ranks, irr_plan_t *plans);

#endif
