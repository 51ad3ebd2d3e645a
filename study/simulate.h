/*
 * simulate.h - how long the plans of all ranks take on a machine: the executor runs them on a timed fabric.
 */
#ifndef IRR_SIMULATE_H
#define IRR_SIMULATE_H

#include "study/plans.h"
#include "study/timed.h"

typedef struct irr_simulated {
    double ns;         /* until the last rank has ended */
    size_t messages;   /* that the rank sends that sends most */
} irr_simulated_t;

/*
 * All ranks start at 0; start (may be NULL): rank r has work of start[r] ns first.  Plans must pass
 * irr_plan_check.  IRR_ERR_NO_MEMORY; IRR_ERR_TIMEOUT: they do not come to an end.  Set on success.
 * Memory and time in proportion to steps and pieces: some 400 bytes and a microsecond or two a step.
 */
irr_status_t irr_simulate(const irr_plans_t *plans, const irr_timed_config_t *config, const double *start,
                          irr_simulated_t *simulated);

#endif
