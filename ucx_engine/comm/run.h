/*
 * run.h - a run: a plan, the problem for which it was built, and the executor that runs it.
 *
 * The problem is what a rank sends and receives in an exchange, as lists of blocks. The plan is the list of its steps.
 * If ranks forward messages of other ranks, the relay (exec/relay.h) has another plan for these messages; the run then
 * has only the long messages, which are sent directly.
 *
 * A plan is built again only if the problem, the schedule or the strategy has changed since the last exchange.
 *
 * Cost: O(n) time and memory for a problem of n blocks. No allocation if an earlier problem had at least as many
 * blocks.
 */
#ifndef IRR_RUN_H
#define IRR_RUN_H

#include "comm/cache.h"
#include "exec/exec.h"
#include "problem/blocks.h"

/* A zeroed object is empty. The object must stay at its address, because the transport has pointers into it. */
typedef struct irr_run {
    irr_blocks_memory_t blocks;      /* copy of the blocks of the problem */
    const irr_neighbors_t *neighbors;   /* of the problem */
    bool                in_place;    /* of the problem */
    irr_plan_t          plan;
    irr_plan_mark_t     mark;        /* end of the sends of long messages in the plan; the receives of long messages
                                        follow */
    uint64_t            built;       /* serial of the schedule of the plan (comm/cache.h), or a value below */
    const irr_strategy_t *built_strategy;   /* strategy that the plan was built for */

    irr_exec_t          exec;
    unsigned char      *scratch;     /* memory of a plan in place for data on its way (route/pairs.h) */
    size_t              scratch_max; /* in bytes */
} irr_run_t;

/* Values of irr_run_t.built that are no serial. NOTHING: there is no plan. ALONE: the plan has no schedule. */
enum { IRR_RUN_NOTHING, IRR_RUN_ALONE };

void irr_run_fini(irr_run_t *run);

/* Frees problem and plan, but not the executor, which will run a plan of the relay instead. */
void irr_run_forget(irr_run_t *run);

/* Private to irr_run_take: handles a changed problem. */
bool irr_run_take_new(irr_run_t *run, const irr_problem_t *problem);

/* Sets the problem of the next plan. If its lists of blocks are not valid, returns false and changes nothing. */
static inline bool irr_run_take(irr_run_t *run, const irr_problem_t *problem)
{
    return (run->neighbors == problem->neighbors && run->in_place == problem->in_place &&
            irr_blocks_repeat(&run->blocks, problem)) || irr_run_take_new(run, problem);
}

/*
 * Adds long messages to the plan. kind IRR_STEP_SEND: begins a new plan with the messages to send. kind IRR_STEP_RECV:
 * appends the messages to receive. but: by rank, true to leave out the message from this rank; NULL: no message is left
 * out. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_run_add_long(irr_run_t *run, const irr_comm_t *comm, irr_step_kind_t kind,
                              const irr_problem_t *problem, const bool *but);

/* Private to irr_run_build: builds the plan again. */
irr_status_t irr_run_build_new(irr_run_t *run, const irr_comm_t *comm, const irr_strategy_t *strategy,
                               const irr_cache_entry_t *entry, const irr_problem_t *problem);

/*
 * Builds the plan of the current problem with a strategy, unless the present plan is the same. entry: the schedule, or
 * NULL. On IRR_ERR_NO_MEMORY the caller must fail the communicator, because other ranks wait for this rank.
 */
static inline irr_status_t irr_run_build(irr_run_t *run, const irr_comm_t *comm, const irr_strategy_t *strategy,
                                         const irr_cache_entry_t *entry, const irr_problem_t *problem)
{
    const irr_cache_entry_t *used = irr_strategy_is_scheduled(strategy) ? entry : NULL;

    return run->built_strategy == strategy && run->built == (used != NULL ? used->serial : IRR_RUN_ALONE)
               ? IRR_OK : irr_run_build_new(run, comm, strategy, used, problem);
}

#endif
