/* strategy.c - a strategy from settings, and plans for a strategy; see strategy.h. */
#include "plan/strategy.h"

#include <string.h>

/* ---- settings ---- */

irr_settings_t irr_settings_default(void)
{
    return (irr_settings_t){
        .slice_min = IRR_SLICE_MIN_DEFAULT,
        .direct_bytes = IRR_BYTES_AUTO,
        .lead_bytes = IRR_BYTES_AUTO,
        .piece_bytes = IRR_BYTES_AUTO,
        .shm = true,
        .scheduled = { .seed = 1, .lambda = IRR_LAMBDA_DEFAULT, .latency = IRR_LATENCY_DEFAULT }
    };
}

irr_strategy_t irr_strategy_of(const irr_settings_t *settings, int hosts)
{
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_resolve(settings->algorithm, hosts));

    if (settings->pacing != IRR_PACING_AUTO && strategy.route == &irr_route_direct) {
        strategy.pacing = irr_pacing_of(settings->pacing);
    }
    strategy.grants = settings->grants > 0 ? settings->grants : IRR_GRANTS_DEFAULT;
    strategy.lead = settings->lead_bytes != IRR_BYTES_AUTO ? settings->lead_bytes : IRR_LEAD_DEFAULT;
    strategy.piece_max = settings->piece_bytes != IRR_BYTES_AUTO ? settings->piece_bytes : 0;
    strategy.compose = settings->compose;
    strategy.window_messages = settings->window_messages;
    strategy.window_bytes = settings->window_bytes;
    strategy.dims = settings->dims;
    strategy.slice_min = settings->slice_min;
    if (strategy.direct_from > 0 && settings->direct_bytes != IRR_BYTES_AUTO) {
        strategy.direct_from = settings->direct_bytes;
    }
    strategy.overlap = settings->overlap;
    return strategy;
}

irr_strategy_t irr_strategy_unscheduled(const irr_strategy_t *strategy)
{
    irr_strategy_t unscheduled = *strategy;

    if (irr_strategy_is_scheduled(strategy)) {
        unscheduled.route = &irr_route_direct;
        unscheduled.order = &irr_order_rotate;
        unscheduled.direct_from = 0;
    }
    if (strategy->pacing->syncs) {
        unscheduled.pacing = &irr_pacing_loose;
    }
    return unscheduled;
}

/* ---- grids ---- */

/* Makes a grid of dimensions of size 2; the last dimension has the remaining one or two ranks. */
static void halve(int ranks, irr_grid_t *grid)
{
    grid->levels = 1;
    for (int left = ranks; left > 2 && grid->levels < IRR_GRID_LEVELS_MAX; left = (left + 1) / 2) {
        grid->columns[grid->levels - 1] = 2;
        grid->levels++;
    }
}

static void lay_out(const irr_strategy_t *strategy, int ranks, irr_grid_t *grid)
{
    if (strategy->shape == IRR_SHAPE_LINE) {
        grid->levels = 1;
        grid->columns[0] = ranks;
    } else if (strategy->dims.count > 0) {
        grid->levels = strategy->dims.count;
        memcpy(grid->columns, strategy->dims.size, (size_t)strategy->dims.count * sizeof(strategy->dims.size[0]));
    } else if (strategy->shape == IRR_SHAPE_HALVES) {
        halve(ranks, grid);
    } else {
        grid->columns[0] = irr_grid_square_columns(ranks);
    }
}

irr_status_t irr_strategy_grid(const irr_strategy_t *strategy, int ranks, const irr_nodes_t *nodes, irr_grid_t *grid)
{
    irr_grid_t made = { .levels = 2, .balanced = strategy->balanced, .direct_from = strategy->direct_from };
    int stages;

    if (irr_strategy_is_scheduled(strategy)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (strategy->route == &irr_route_grid) {
        lay_out(strategy, ranks, &made);
    } else if (strategy->route == &irr_route_node && nodes != NULL) {
        made.nodes = nodes;
        made.levels = 3;
    } else {
        return IRR_ERR_BAD_PARAM;
    }
    stages = irr_strategy_is_split(strategy) ? irr_grid_direct_stage(&made) : irr_grid_stages(&made);
    if (stages > IRR_STAGES_MAX) {
        return IRR_ERR_BAD_PARAM;
    }
    *grid = made;
    return IRR_OK;
}

/* ---- plans ---- */

irr_status_t irr_share_init(irr_share_t *share, const irr_strategy_t *strategy, const irr_local_schedule_t *local,
                            int rank)
{
    irr_status_t status;

    memset(share, 0, sizeof(*share));
    status = irr_schedule_own(&local->schedule, rank, strategy->piece_max, &share->own);
    if (status == IRR_OK && strategy->pacing->syncs) {
        status = irr_signals_build(&local->schedule, &local->syncs, rank, &share->own, strategy->lead,
                                          &share->signals);
    }
    return status;
}

void irr_share_fini(irr_share_t *share)
{
    irr_signals_fini(&share->signals);
    irr_schedule_fini(&share->own);
}

irr_status_t irr_strategy_build(const irr_strategy_t *strategy, const irr_problem_t *problem, const irr_share_t *share,
                                const irr_forward_t *forward, irr_plan_t *plan)
{
    const irr_pacing_params_t params = {
        .grants = strategy->grants, .signals = share != NULL ? &share->signals : NULL
    };
    irr_status_t status;

    if (irr_strategy_forwards(strategy)) {
        status = irr_forward_plan_build(forward, &share->own, problem, plan);
    } else if (irr_strategy_is_scheduled(strategy)) {
        status = irr_direct_plan_build(&share->own, problem, plan);
    } else if (irr_strategy_is_local(strategy)) {
        irr_plan_reset(plan, problem);
        status = strategy->route->build(problem, strategy->order, plan);
    } else {
        return IRR_ERR_BAD_PARAM;
    }
    return status == IRR_OK ? irr_pacing_add(strategy->pacing, &params, plan) : status;
}
