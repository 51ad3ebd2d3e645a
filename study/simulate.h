/*
 * simulate.h - the time of the plans of all ranks on a machine: the executor runs them on a timed fabric.
 */
#ifndef IRR_SIMULATE_H
#define IRR_SIMULATE_H

#include "study/plans.h"
#include "study/timed.h"

typedef struct irr_simulated {
    double ns;         /* time when the last rank ends */
    size_t messages;   /* number of messages of the rank that sends most */
} irr_simulated_t;

/*
 * Runs the plans, which must pass irr_plan_check.  Rank r starts after start[r] ns; start may be NULL.
 * IRR_ERR_NO_MEMORY; IRR_ERR_TIMEOUT: the exchange does not end.  Memory and time are proportional to steps and pieces:
 * about 400 bytes and one to two microseconds for a step.
 */
irr_status_t irr_simulate(const irr_plans_t *plans, const irr_timed_config_t *config, const double *start,
                          irr_simulated_t *simulated);

#endif
