/*
 * grid_plans.h - the plans of all ranks for a grid route, built in one place.
 *
 * In a job, a rank knows in advance only its sends in the first stage.  These plans are complete, so they need the
 * problems of all ranks.  Tools display the plans, and prove that they are correct.
 */
#ifndef IRR_GRID_PLANS_H
#define IRR_GRID_PLANS_H

#include "route/grid.h"
#include "study/plans.h"

/*
 * Builds plans[r] for problems[r].  The problems must agree with each other, and the plans must be initialised or
 * reset.  A balanced grid cuts messages into slices of at least slice_min bytes; with 0 slices may have any length, as
 * in the paper.  Returns IRR_OK, or IRR_ERR_NO_MEMORY and leaves the plans unchanged.
 */
irr_status_t irr_grid_plans_build(const irr_grid_t *grid, size_t slice_min, irr_overlap_t overlap,
                                  const irr_problem_t *problems, int ranks, irr_plan_t *plans);

/* Builds the plans for a matrix, and passes the steps of each rank and stage to `take`; see irr_plans_each. */
irr_status_t irr_grid_plans_each(const irr_grid_t *grid, size_t slice_min, irr_overlap_t overlap,
                                 const irr_matrix_t *matrix, irr_plans_take_t take, void *context);

#endif
