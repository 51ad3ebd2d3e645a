/*
 * schedule_plans.h - the plans of all ranks for a schedule: direct messages in the steps that it says.
 */
#ifndef IRR_SCHEDULE_PLANS_H
#define IRR_SCHEDULE_PLANS_H

#include "order/schedule.h"
#include "plan/plan.h"

/*
 * Builds plans[r] for problems[r]: the problems of a matrix, and a sorted schedule that passes irr_schedule_check
 * for it.  Plans are initialised or reset.  IRR_ERR_NO_MEMORY: the plans are good for irr_plan_fini only.
 */
irr_status_t irr_schedule_plans_build(const irr_schedule_t *schedule, const irr_problem_t *problems,
                                      irr_plan_t *plans);

#endif
