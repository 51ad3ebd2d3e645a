/*
 * simulate.h - simulates the plans of all ranks on a machine, to find the time of an exchange.
 *
 * The simulation starts the steps of a rank in the order in which the engine starts them (exec/exec.h), on a simulated
 * network (study/timed.h).  The engine limits the messages in flight; the simulation does not.  It stores no buffers
 * and no offsets.  For each step it stores the peer, the number of bytes, the number of pieces and the dependencies.  A
 * plan is a *line* if it has one stage, no step depends on another step, and each message has one piece.  For a line
 * the simulation stores only the peers and bytes of the sends, and the sum of the bytes of the copies.
 */
#ifndef IRR_SIMULATE_H
#define IRR_SIMULATE_H

#include "study/plans.h"
#include "study/timed.h"

typedef struct irr_simulated {
    double ns;         /* time when the last rank has completed its plan */
    size_t messages;   /* number of messages of the rank that sends most */
} irr_simulated_t;

typedef struct irr_simulation irr_simulation_t;

/* Creates a simulation whose ranks have no steps.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_simulation_create(int ranks, irr_simulation_t **simulation_p);
void         irr_simulation_destroy(irr_simulation_t *simulation);

/*
 * Appends the steps of a plan from index `first` on to the simulation, which is the context.  last: the plan has no
 * further steps.  The plans must pass irr_plan_check.  The steps are copied: a step takes 40 bytes of memory, and a
 * range of consecutive dependencies 8.  A send of a line takes 8 bytes; if all sends of a line equal those of rank 0,
 * with receivers counted from the sending rank, they take no memory.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_simulation_take(void *context, const irr_plan_t *plan, size_t first, bool last);

/*
 * Simulates one exchange with these plans.  Rank r starts after start[r] ns; if start is NULL, all ranks start at time
 * 0.  Returns IRR_ERR_TIMEOUT if the exchange does not end.  May return IRR_ERR_NO_MEMORY.  Takes about 100 bytes of
 * memory for a message in flight, and about one microsecond of processor time for each message.
 */
irr_status_t irr_simulation_run(irr_simulation_t *simulation, const irr_timed_config_t *config, const double *start,
                                irr_simulated_t *simulated);

#endif
