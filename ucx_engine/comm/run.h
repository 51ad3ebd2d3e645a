/*
 * run.h - the plan of an exchange without a relay, or of what goes beside one, the problem that it is for, and the
 * executor that runs it.
 *
 * A plan is built again only where problem, schedule or way are not those of the last time.  A rank that has several
 * blocks for another one needs more pieces than there was room for before.
 *
 * Cost: O(n) time for a problem of n blocks, and no allocation but where there are more of them for a rank than before.
 */
#ifndef IRR_RUN_H
#define IRR_RUN_H

#include "comm/cache.h"
#include "exec/exec.h"
#include "problem/blocks.h"

/* Zeroed is empty.  May not be moved. */
typedef struct irr_run {
    irr_blocks_memory_t blocks;      /* of the problem, with room for two a rank, */
    const irr_neighbors_t *neighbors;   /* and whose they may be */
    bool                in_place;    /* and whether it is in place */
    size_t              more;        /* of them, beyond the first one of their rank */
    irr_plan_t          plan;
    irr_plan_mark_t     mark;        /* its end, as it was built */
    uint64_t            built;       /* what it is for: the serial of a schedule, or IRR_RUN_... */
    const irr_way_t    *built_way;
    irr_exec_t          exec;
    unsigned char      *scratch;     /* of a plan in pairs (route/pairs.h), */
    size_t              scratch_max; /* and its length */
} irr_run_t;

/* No plan, or one without a schedule. */
enum { IRR_RUN_NOTHING, IRR_RUN_ALONE };

/* Room for any plan of a communicator without a schedule, if each message is one block.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_run_reserve(irr_run_t *run, const irr_comm_t *comm);
void         irr_run_fini(irr_run_t *run);

/* As irr_run_take, for another problem than the last one. */
bool irr_run_take_new(irr_run_t *run, const irr_problem_t *problem);

/* What is built next is for this problem.  False, and nothing has changed: its lists are not good. */
static inline bool irr_run_take(irr_run_t *run, const irr_problem_t *problem)
{
    return (run->neighbors == problem->neighbors && run->in_place == problem->in_place &&
            irr_blocks_repeat(&run->blocks, problem)) || irr_run_take_new(run, problem);
}

/*
 * Long messages beside a relay, which this rank sends, as a new plan, or receives, as more steps of the plan: but those
 * from these ranks.  Within what was reserved for the plan.
 */
irr_status_t irr_run_add_long(irr_run_t *run, const irr_comm_t *comm, irr_step_kind_t kind,
                              const irr_problem_t *problem, const bool *but);

/* As irr_run_build, where the plan is not that of the last time. */
irr_status_t irr_run_build_new(irr_run_t *run, const irr_comm_t *comm, const irr_way_t *way,
                               const irr_cache_entry_t *entry, const irr_problem_t *problem);

/*
 * Builds the plan for the problem that was taken: by a strategy of the communicator, and with the entry that it goes
 * with if it has a schedule, else NULL.  IRR_ERR_NO_MEMORY: the communicator has to fail.
 */
static inline irr_status_t irr_run_build(irr_run_t *run, const irr_comm_t *comm, const irr_way_t *way,
                                         const irr_cache_entry_t *entry, const irr_problem_t *problem)
{
    const irr_cache_entry_t *used = irr_way_is_scheduled(way) ? entry : NULL;

    return run->built_way == way && run->built == (used != NULL ? used->serial : IRR_RUN_ALONE)
               ? IRR_OK : irr_run_build_new(run, comm, way, used, problem);
}

#endif
