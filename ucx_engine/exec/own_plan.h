/*
 * own_plan.h - a few messages by a plan of their own.  The room for them is made before, so that they can go where
 * memory is lacking.
 */
#ifndef IRR_OWN_PLAN_H
#define IRR_OWN_PLAN_H

#include "exec/exec.h"

/* Zeroed is empty. */
typedef struct irr_own_plan {
    irr_plan_t plan;
    irr_exec_t exec;   /* that runs it */
} irr_own_plan_t;

/* Bounds: most that go at a time.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_own_plan_init(irr_own_plan_t *own, int ranks, int rank, irr_plan_bounds_t bounds);
void         irr_own_plan_fini(irr_own_plan_t *own);

/* Forgets the messages of the last time, which are over. */
void irr_own_plan_clear(irr_own_plan_t *own);

/* One more message, within the bounds. */
void irr_own_plan_add(irr_own_plan_t *own, const irr_step_params_t *params);

/* Starts all; irr_exec_progress goes on.  Offsets in SCRATCH are addresses if env->scratch is NULL. */
void irr_own_plan_start(irr_own_plan_t *own, const irr_exec_env_t *env);

#endif
