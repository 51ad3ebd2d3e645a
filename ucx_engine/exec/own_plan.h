/*
 * own_plan.h - a small plan with an executor of its own, for messages of the engine itself. Room is reserved
 * beforehand, so the messages can be sent even when memory is exhausted.
 */
#ifndef IRR_OWN_PLAN_H
#define IRR_OWN_PLAN_H

#include "exec/exec.h"

/* A zeroed object is empty. */
typedef struct irr_own_plan {
    irr_plan_t plan;
    irr_exec_t exec;   /* runs the plan */
} irr_own_plan_t;

/* bounds: an upper bound for all messages that are sent and received at a time. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_own_plan_init(irr_own_plan_t *own, int ranks, int rank, irr_plan_room_t bounds);
void         irr_own_plan_fini(irr_own_plan_t *own);

/* Removes the messages of the last run. The run must be over. */
void irr_own_plan_clear(irr_own_plan_t *own);

/* Adds a message. The messages must stay within the bounds of irr_own_plan_init. */
void irr_own_plan_add(irr_own_plan_t *own, const irr_step_params_t *params);

/*
 * Starts all messages. irr_exec_progress continues the run. Offsets in SCRATCH are addresses if env->scratch is NULL.
 */
void irr_own_plan_start(irr_own_plan_t *own, const irr_exec_env_t *env);

#endif
