/*
 * simulate.h - the time of the plans of all ranks on a machine.
 *
 * The simulation starts steps in the order of the executor (exec/exec.h), on a simulated network (study/timed.h).  The
 * executor has a window, which limits the messages in flight; the simulation has no such limit.  It stores no buffers
 * and no offsets.  For each step it stores the peer, the number of bytes, the number of pieces and the dependencies.  A
 * plan is a *line* if it has one stage, no step depends on another step, and each message has one piece.  For a line
 * the simulation stores only the peers and bytes of the sends, and the sum of the bytes of the copies.
 */
#ifndef IRR_SIMULATE_H
#define IRR_SIMULATE_H

#include "study/plans.h"
#include "study/timed.h"

typedef struct irr_simulated {
    double ns;         /* time when the last rank ends */
    size_t messages;   /* number of messages of the rank that sends most */
} irr_simulated_t;

typedef struct irr_simulation irr_simulation_t;

/* Creates a simulation whose ranks have no steps.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_simulation_create(int ranks, irr_simulation_t **simulation_p);
void         irr_simulation_destroy(irr_simulation_t *simulation);

/*
 * Takes the steps of a plan from index `first` on; the context is the simulation.  The plans must pass irr_plan_check.
 * Nothing is borrowed.  Takes 40 bytes of memory for a step and 4 for a dependency.  A line takes 8 bytes for a send,
 * or nothing if its sends equal those of rank 0, with receivers counted from the sending rank.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_simulation_take(void *context, const irr_plan_t *plan, size_t first, bool last);

/*
 * Runs the plans once.  Rank r starts after start[r] ns; start may be NULL.  Returns IRR_ERR_TIMEOUT if the exchange
 * does not end.  May return IRR_ERR_NO_MEMORY.  Takes about 100 bytes of memory for a message in flight, and about one
 * microsecond of processor time for each message.
 */
irr_status_t irr_simulation_run(irr_simulation_t *simulation, const irr_timed_config_t *config, const double *start,
                                irr_simulated_t *simulated);

#endif
