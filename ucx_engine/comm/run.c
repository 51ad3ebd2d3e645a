/*
 * run.c - see run.h.
 */
#include "comm/run.h"

#include "comm/comm_route.h"

static irr_status_t reserve(irr_run_t *run, irr_plan_bounds_t bounds)
{
    irr_status_t status = irr_plan_reserve(&run->plan, bounds);

    return status == IRR_OK ? irr_exec_reserve(&run->exec, bounds) : status;
}

irr_status_t irr_run_reserve(irr_run_t *run, const irr_comm_t *comm)
{
    irr_way_t ways[] = { comm->alone, comm->alone };
    irr_status_t status = irr_blocks_memory_reserve(&run->blocks, 2 * (size_t)comm->ranks);

    ways[1].pace = &irr_pace_loose;   /* by which a trial may find that exchanges without a schedule go best */
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && status == IRR_OK && comm->direct; i++) {
        status = reserve(run, irr_way_bounds(&ways[i], comm->ranks, 0, NULL, NULL));
    }
    return status;
}

void irr_run_fini(irr_run_t *run)
{
    irr_exec_fini(&run->exec);
    irr_plan_fini(&run->plan);
    irr_blocks_memory_fini(&run->blocks);
}

bool irr_run_take(irr_run_t *run, const irr_problem_t *problem)
{
    size_t sent, received;

    if (irr_blocks_repeat(&run->blocks, problem)) {
        run->merged = false;
        return true;
    }
    if (!irr_blocks_are_good(problem->send, problem->ranks, &sent) ||
        !irr_blocks_are_good(problem->recv, problem->ranks, &received)) {
        return false;
    }
    run->merged = false;
    run->built = IRR_RUN_NOTHING;
    run->more = sent + received;
    (void)irr_blocks_remember(&run->blocks, problem);   /* if not, the next one is built again, too */
    return true;
}

/* Where there is no memory for several blocks a rank, each becomes one. */
static irr_status_t make_room(irr_run_t *run, const irr_way_t *way, const irr_share_t *share,
                              const irr_forward_t *forward, irr_problem_t *problem)
{
    const int ranks = problem->ranks;
    irr_status_t status = reserve(run, irr_way_bounds(way, ranks, run->more, share, forward));

    if (status == IRR_OK || run->blocks.max < 2 * (size_t)ranks) {
        return status;
    }
    irr_blocks_merge(&run->blocks, problem);
    run->merged = true;
    return reserve(run, irr_way_bounds(way, ranks, 0, share, forward));
}

irr_status_t irr_run_build(irr_run_t *run, const irr_comm_t *comm, const irr_way_t *way,
                           const irr_cache_entry_t *entry, irr_problem_t *problem)
{
    const bool scheduled = irr_way_is_scheduled(way);
    const uint64_t wanted = scheduled ? entry->serial : IRR_RUN_ALONE;
    const irr_share_t *share = scheduled ? &entry->share[way - comm->schedules.way] : NULL;
    const irr_forward_t *forward = scheduled ? &entry->forward : NULL;
    irr_status_t status;

    if (run->built == wanted && run->built_way == way) {
        return IRR_OK;
    }
    status = make_room(run, way, share, forward, problem);
    if (status == IRR_OK) {
        status = irr_way_build(way, problem, share, forward, &run->plan);
    }
    run->built_way = way;
    run->built = status == IRR_OK ? wanted : IRR_RUN_NOTHING;
    return status;
}
