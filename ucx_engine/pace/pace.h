/*
 * pace.h - when may a step start?
 *
 * A pace is a function over the plan of a rank: it adds tells, awaits and dependencies to the plan of a direct route or
 * of a schedule, so that the executor knows no pace and irr_plan_check proves that the exchange ends.  Plans of grids
 * go without: their ends have a message in different steps, and their sends wait for receives.
 *
 * A rank sends in the order of its plan: a send that may not start yet holds up those behind it.  So a pace says of the
 * first send of several alone what it waits for, and of a tell what the one before it did not wait for; with that each
 * step is waited for a fixed number of times.  Among its sends and among its receives, the numbers of a stage ascend.
 *
 * What never comes holds up what is behind it, on other ranks too.  Pure.  Cost: O(n) time for a plan of n steps.
 */
#ifndef IRR_PACE_H
#define IRR_PACE_H

#include "plan/plan.h"

struct irr_signals;

typedef struct irr_pace_params {
    size_t grants;                       /* of `grant`, as in irr_settings_t */
    const struct irr_signals *signals;   /* of `sync`; NULL: none */
} irr_pace_params_t;

typedef struct irr_pace {
    const char *name;
    /* What it adds to a plan, and the most that the plan has then; NULL: nothing. */
    irr_status_t (*add)(irr_plan_t *plan, const irr_pace_params_t *params);
    irr_plan_bounds_t (*bounds)(irr_plan_bounds_t plain, const irr_pace_params_t *params);
    bool syncs;                               /* has a use for them */
} irr_pace_t;

extern const irr_pace_t irr_pace_free;
extern const irr_pace_t irr_pace_loose;
extern const irr_pace_t irr_pace_grant;
extern const irr_pace_t irr_pace_sync;

/* The pace of that name (pace/pace.c); NULL for IRR_PACE_AUTO, which is none, and for what is not in the map. */
const irr_pace_t *irr_pace_of(irr_pacing_t pacing);

/* Adds a pace to a plan that has none.  IRR_ERR_NO_MEMORY, not within the bounds: the plan is to be built again. */
irr_status_t irr_pace_add(const irr_pace_t *pace, const irr_pace_params_t *params, irr_plan_t *plan);

/* The most that a plan within `plain` has with the pace. */
irr_plan_bounds_t irr_pace_bounds(const irr_pace_t *pace, const irr_pace_params_t *params, irr_plan_bounds_t plain);

/* ---- for paces ---- */

/* The first step of a kind and stage from step `from` on; plan->nsteps if there is none. */
size_t irr_pace_next(const irr_plan_t *plan, irr_step_kind_t kind, int stage, size_t from);

/* Makes each send wait for the sends, and for the receives if they count, that have a lower number in its stage. */
irr_status_t irr_pace_in_turn(irr_plan_t *plan, bool receives);

#endif
