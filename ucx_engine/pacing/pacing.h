/*
 * pacing.h - pacings: when a step may start.
 *
 * A pacing is a function over the plan of a rank.  It adds signals, waits and dependencies to the plan of a direct
 * route or of a schedule.  So the executor knows no pacings, and irr_plan_check proves that the exchange ends.  Plans
 * of grids have no pacing: the two ends of a message have it in different steps, and their sends wait for receives.
 *
 * A rank sends in the order of its plan: a send that may not start yet delays those after it.  A pacing therefore adds
 * what several sends wait for to the first of them only, and adds to a signal only what the signal before did not wait
 * for.  So each step is waited for a fixed number of times.  Among the sends of a stage, and among its receives, the
 * numbers ascend.
 *
 * A message that never arrives stops the steps after it, on other ranks too.  Pure.  Cost: O(n) time for a plan of n
 * steps.
 */
#ifndef IRR_PACING_H
#define IRR_PACING_H

#include "plan/plan.h"

struct irr_signals;

typedef struct irr_pacing_params {
    size_t grants;                       /* grant: as in irr_settings_t */
    const struct irr_signals *signals;   /* sync: signals and waits; NULL: none */
} irr_pacing_params_t;

typedef struct irr_pacing {
    const char *name;
    /* Adds the pacing to a plan; NULL: nothing is added. */
    irr_status_t (*add)(irr_plan_t *plan, const irr_pacing_params_t *params);
    bool syncs;                               /* uses `signals` */
} irr_pacing_t;

extern const irr_pacing_t irr_pacing_free;
extern const irr_pacing_t irr_pacing_loose;
extern const irr_pacing_t irr_pacing_grant;
extern const irr_pacing_t irr_pacing_sync;

/* Returns the pacing of an enum value, or NULL for IRR_PACING_AUTO and values outside the enum. */
const irr_pacing_t *irr_pacing_of(irr_pacing_kind_t pacing);

/* Adds a pacing to a plan without one.  IRR_ERR_NO_MEMORY: the plan has to be built again. */
irr_status_t irr_pacing_add(const irr_pacing_t *pacing, const irr_pacing_params_t *params, irr_plan_t *plan);

/* ---- for pacings ---- */

/* Returns the first step of a kind and stage from step `from` on, or plan->nsteps. */
size_t irr_pacing_next(const irr_plan_t *plan, irr_step_kind_t kind, int stage, size_t from);

/* Makes each send wait for all sends, and if `receives` for all receives, with a lower number in its stage. */
irr_status_t irr_pacing_in_turn(irr_plan_t *plan, bool receives);

#endif
