/*
 * pacing.h - pacings: the condition under which a message may start.
 *
 * A pacing is a function that adds signals, waits and dependencies to the plan of a rank.  The executor (exec/exec.h)
 * therefore needs no code for pacings, and irr_plan_check (study/check.h) can prove that the exchange ends.  The plan
 * must come from a direct route or from a schedule.  Plans of grids have no pacing for two reasons: the number of
 * a message's step may differ at its sender and at its receiver, and sends of grids already wait for receives.
 *
 * A rank sends in the order of its plan, so a send that may not start yet delays all later sends.  If several sends
 * must wait for the same step, a dependency of the first of these sends is therefore enough.  Signals are sent in
 * order, too.  The number of dependencies on a step is thus bounded by a constant.  The sends of a stage have ascending
 * step numbers, and so have its receives.
 *
 * If a message never arrives, the steps that wait for it never start.  Cost: O(n) time for a plan of n steps.
 */
#ifndef IRR_PACING_H
#define IRR_PACING_H

#include "plan/plan.h"

struct irr_signals;

typedef struct irr_pacing_params {
    size_t grants;                       /* pacing grant: maximum number of open grants, and of sends; 0: default */
    const struct irr_signals *signals;   /* pacing sync: the signals and waits of the rank; NULL: none */
} irr_pacing_params_t;

typedef struct irr_pacing {
    const char *name;
    /* Adds the pacing to a plan; NULL: the pacing adds nothing. */
    irr_status_t (*add)(irr_plan_t *plan, const irr_pacing_params_t *params);
    bool syncs;                               /* true: the pacing needs `signals` */
} irr_pacing_t;

extern const irr_pacing_t irr_pacing_free;
extern const irr_pacing_t irr_pacing_loose;
extern const irr_pacing_t irr_pacing_grant;
extern const irr_pacing_t irr_pacing_sync;

/* Returns the pacing of an enum value, or NULL for IRR_PACING_AUTO and values outside the enum. */
const irr_pacing_t *irr_pacing_of(irr_pacing_kind_t pacing);

/*
 * Adds a pacing to a plan that has no pacing.  After IRR_ERR_NO_MEMORY the plan is incomplete and must be built again.
 */
irr_status_t irr_pacing_add(const irr_pacing_t *pacing, const irr_pacing_params_t *params, irr_plan_t *plan);

/* ---- for pacings ---- */

/* Returns the first step, from step `from` on, that has this kind and stage, or plan->nsteps. */
size_t irr_pacing_next(const irr_plan_t *plan, irr_step_kind_t kind, int stage, size_t from);

/*
 * Makes each send wait for all sends of its stage with a lower number.  receives true: also for all receives of its
 * stage with a lower number.
 */
irr_status_t irr_pacing_in_step_order(irr_plan_t *plan, bool receives);

#endif
