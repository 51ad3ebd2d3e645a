/*
 * errand.h - a few messages by a plan of their own.  The room for them is made before, so that they can go where memory
 * is lacking.
 */
#ifndef IRR_ERRAND_H
#define IRR_ERRAND_H

#include "exec/exec.h"

/* Zeroed is empty. */
typedef struct irr_errand {
    irr_plan_t plan;
    irr_exec_t exec;   /* that runs it */
} irr_errand_t;

/* Bounds: most that go at a time.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_errand_init(irr_errand_t *errand, int ranks, int rank, irr_plan_bounds_t bounds);
void         irr_errand_fini(irr_errand_t *errand);

/* Forgets the messages of the last time, which are over. */
void irr_errand_clear(irr_errand_t *errand);

/* One more message, within the bounds. */
void irr_errand_add(irr_errand_t *errand, const irr_step_params_t *params);

/* Starts all; irr_exec_progress goes on.  Offsets in SCRATCH are addresses if env->scratch is NULL. */
void irr_errand_start(irr_errand_t *errand, const irr_exec_env_t *env);

#endif
