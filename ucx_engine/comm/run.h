/*
 * run.h - the plan of an exchange without a relay, or of the long messages beside a relay; the problem of the plan; and
 * the executor that runs the plan.
 *
 * A plan is rebuilt only if the problem, the schedule or the strategy has changed since the last exchange. Plan and
 * executor grow with the blocks of the problem, not with the ranks of the communicator.
 *
 * Cost: O(n) time and memory for a problem of n blocks. No allocation if an earlier problem was at least as large.
 */
#ifndef IRR_RUN_H
#define IRR_RUN_H

#include "comm/cache.h"
#include "exec/exec.h"
#include "problem/blocks.h"

/* A zeroed object is empty. The object must not move. */
typedef struct irr_run {
    irr_blocks_memory_t blocks;      /* copy of the blocks of the problem */
    const irr_neighbors_t *neighbors;   /* neighbors of the problem */
    bool                in_place;    /* the problem is in place */
    irr_plan_t          plan;
    irr_plan_mark_t     mark;        /* end of the built plan; receives of long messages follow */
    uint64_t            built;       /* serial of the cache entry that the plan was built for, or IRR_RUN_... */
    const irr_strategy_t *built_strategy;
    irr_exec_t          exec;
    unsigned char      *scratch;     /* scratch of a plan in pairs (route/pairs.h) */
    size_t              scratch_max; /* length of the scratch */
} irr_run_t;

/* Values of `built`: no plan, or a plan without a schedule. */
enum { IRR_RUN_NOTHING, IRR_RUN_ALONE };

void irr_run_fini(irr_run_t *run);

/* Frees problem and plan, but not the executor, which runs another plan of the problem from now on. */
void irr_run_forget(irr_run_t *run);

/* The part of irr_run_take for a changed problem. */
bool irr_run_take_new(irr_run_t *run, const irr_problem_t *problem);

/* Sets the problem of the next plan. Returns false, and changes nothing, if its block lists are invalid. */
static inline bool irr_run_take(irr_run_t *run, const irr_problem_t *problem)
{
    return (run->neighbors == problem->neighbors && run->in_place == problem->in_place &&
            irr_blocks_repeat(&run->blocks, problem)) || irr_run_take_new(run, problem);
}

/*
 * Adds the long messages beside a relay to the plan. IRR_STEP_SEND begins a new plan with the messages to send.
 * IRR_STEP_RECV appends the messages to receive. but: by rank, true for ranks to leave out; NULL leaves out no rank.
 * May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_run_add_long(irr_run_t *run, const irr_comm_t *comm, irr_step_kind_t kind,
                              const irr_problem_t *problem, const bool *but);

/* The part of irr_run_build for a plan that must be rebuilt. */
irr_status_t irr_run_build_new(irr_run_t *run, const irr_comm_t *comm, const irr_strategy_t *strategy,
                               const irr_cache_entry_t *entry, const irr_problem_t *problem);

/*
 * Builds the plan of the current problem with a strategy of the communicator. entry: the cache entry of the schedule,
 * or NULL. On IRR_ERR_NO_MEMORY the caller must fail the communicator.
 */
static inline irr_status_t irr_run_build(irr_run_t *run, const irr_comm_t *comm, const irr_strategy_t *strategy,
                                         const irr_cache_entry_t *entry, const irr_problem_t *problem)
{
    const irr_cache_entry_t *used = irr_strategy_is_scheduled(strategy) ? entry : NULL;

    return run->built_strategy == strategy && run->built == (used != NULL ? used->serial : IRR_RUN_ALONE)
               ? IRR_OK : irr_run_build_new(run, comm, strategy, used, problem);
}

#endif
