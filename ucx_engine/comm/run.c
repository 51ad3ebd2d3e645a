/* run.c - builds the plan of an exchange, and keeps it for the next exchange; see run.h. */
#include "comm/run.h"

#include "comm/comm_route.h"

#include "core/alloc.h"
#include "route/direct.h"
#include "route/pairs.h"

void irr_run_fini(irr_run_t *run)
{
    irr_free(run->scratch);
    irr_exec_fini(&run->exec);
    irr_plan_fini(&run->plan);
    irr_blocks_memory_fini(&run->blocks);
}

void irr_run_forget(irr_run_t *run)
{
    irr_plan_fini(&run->plan);
    irr_blocks_memory_fini(&run->blocks);
    run->built = IRR_RUN_NOTHING;
}

bool irr_run_take_new(irr_run_t *run, const irr_problem_t *problem)
{
    if (!irr_blocks_are_good(problem->send, problem->ranks) || !irr_blocks_are_good(problem->recv, problem->ranks)) {
        return false;
    }
    run->neighbors = problem->neighbors;
    run->in_place = problem->in_place;
    run->built = IRR_RUN_NOTHING;
    (void)irr_blocks_remember(&run->blocks, problem);   /* without memory, the next exchange builds its plan again */
    return true;
}

irr_status_t irr_run_add_long(irr_run_t *run, const irr_comm_t *comm, irr_step_kind_t kind,
                              const irr_problem_t *problem, const bool *but)
{
    const irr_direct_side_t side = {
        .kind = kind, .stage = irr_comm_direct_stage(comm), .least = comm->unscheduled.direct_from, .but = but
    };

    if (kind == IRR_STEP_SEND) {
        irr_plan_reset(&run->plan, problem);
    }
    return irr_direct_add_side(problem, &irr_order_rotate, &side, &run->plan);
}

/* Builds the plan of an exchange in place (MPI_IN_PLACE). */
static irr_status_t build_pairs(irr_run_t *run, const irr_problem_t *problem)
{
    irr_status_t status = irr_pairs_build(problem, &irr_pairs_limits, &run->plan);

    return status == IRR_OK ? irr_renew(&run->scratch, &run->scratch_max, run->plan.scratch_bytes) : status;
}

/* Builds the plan. If a relay moves the short messages, the plan has only the sends of the long messages. */
static irr_status_t build(irr_run_t *run, const irr_comm_t *comm, const irr_strategy_t *strategy,
                          const irr_cache_entry_t *entry, const irr_problem_t *problem)
{
    const irr_share_t *share = entry != NULL ? &entry->share : NULL;
    const irr_forward_t *forward = entry != NULL ? &entry->forward : NULL;
    irr_status_t status;

    if (problem->in_place) {
        return build_pairs(run, problem);
    }
    if (!irr_strategy_is_split(strategy)) {
        return irr_strategy_build(strategy, problem, share, forward, &run->plan);
    }
    status = irr_run_add_long(run, comm, IRR_STEP_SEND, problem, NULL);
    run->mark = irr_plan_mark(&run->plan);
    return status;
}

irr_status_t irr_run_build_new(irr_run_t *run, const irr_comm_t *comm, const irr_strategy_t *strategy,
                               const irr_cache_entry_t *entry, const irr_problem_t *problem)
{
    const irr_exec_env_t env = { .channel = comm->channel, .compose = strategy->compose };
    irr_status_t status = build(run, comm, strategy, entry, problem);

    if (status == IRR_OK) {
        status = irr_exec_reserve(&run->exec, irr_exec_size(&env, &run->plan));
    }
    run->built_strategy = strategy;
    run->built = status == IRR_OK ? (entry != NULL ? entry->serial : IRR_RUN_ALONE) : IRR_RUN_NOTHING;
    return status;
}
