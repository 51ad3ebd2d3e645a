/*
 * own_plan.h - a small plan (list of messages) and the executor that runs it, for messages of the engine itself. All
 * memory is allocated at init, so that the messages can be sent even if memory is later missing.
 */
#ifndef IRR_OWN_PLAN_H
#define IRR_OWN_PLAN_H

#include "exec/exec.h"

/* A zeroed object is empty. */
typedef struct irr_own_plan {
    irr_plan_t plan;
    irr_exec_t exec;
} irr_own_plan_t;

/* bounds: an upper bound for the messages of one run. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_own_plan_init(irr_own_plan_t *own, int ranks, int rank, irr_plan_room_t bounds);
void         irr_own_plan_fini(irr_own_plan_t *own);

/* Removes the messages of the last run, which must be over. */
void irr_own_plan_clear(irr_own_plan_t *own);

/* Adds a message. The messages must stay within the bounds of irr_own_plan_init. */
void irr_own_plan_add(irr_own_plan_t *own, const irr_step_params_t *params);

/*
 * Starts all messages; irr_exec_progress(&own->exec) continues the run. If env->scratch is NULL, offsets in the buffer
 * SCRATCH are addresses.
 */
void irr_own_plan_start(irr_own_plan_t *own, const irr_exec_env_t *env);

#endif
