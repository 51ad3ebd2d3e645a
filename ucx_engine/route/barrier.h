/*
 * barrier.h - a dissemination barrier among all ranks as steps of a plan.
 */
#ifndef IRR_BARRIER_H
#define IRR_BARRIER_H

#include "plan/plan.h"

/*
 * Appends the barrier to a stage, with steps of the schedule from `number` on: it starts when the steps `deps` are
 * over.  *done: the step that is over when the barrier is; as given with one rank.  Fails where irr_plan_add does.
 * ceil(log2 P) empty messages.
 */
irr_status_t irr_barrier_add(irr_plan_t *plan, int stage, int number, const size_t *deps, size_t ndeps,
                             size_t *done);

#endif
