/*
 * way.c - a strategy from settings, and plans for a strategy; see way.h.
 */
#include "plan/way.h"

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

irr_way_t irr_way_of(const irr_settings_t *settings, int hosts)
{
    irr_way_t way = *irr_algorithm_way(irr_algorithm_resolve(settings->algorithm, hosts));

    if (settings->pace != IRR_PACE_AUTO && way.route == &irr_route_direct) {
        way.pace = irr_pace_of(settings->pace);
    }
    way.grants = settings->grants > 0 ? settings->grants : IRR_GRANTS_DEFAULT;
    way.lead = settings->lead_bytes != IRR_BYTES_AUTO ? settings->lead_bytes : IRR_LEAD_DEFAULT;
    way.piece_max = settings->piece_bytes != IRR_BYTES_AUTO ? settings->piece_bytes : 0;
    way.compose = settings->compose;
    way.window_messages = settings->window_messages;
    way.window_bytes = settings->window_bytes;
    way.dims = settings->dims;
    way.slice_min = settings->slice_min;
    if (way.direct_from > 0 && settings->direct_bytes != IRR_BYTES_AUTO) {
        way.direct_from = settings->direct_bytes;
    }
    way.overlap = settings->overlap;
    return way;
}

irr_way_t irr_way_alone(const irr_way_t *way)
{
    irr_way_t alone = *way;

    if (irr_way_is_scheduled(way)) {
        alone.route = &irr_route_direct;
        alone.order = &irr_order_rotate;
        alone.direct_from = 0;
    }
    if (way->pace->syncs) {
        alone.pace = &irr_pace_loose;
    }
    return alone;
}

/* ---- grids ---- */

/* Lays out as many dimensions of two as leave at most two ranks for the last one. */
static void halve(int ranks, irr_grid_t *grid)
{
    grid->levels = 1;
    for (int left = ranks; left > 2 && grid->levels < IRR_GRID_LEVELS_MAX; left = (left + 1) / 2) {
        grid->columns[grid->levels - 1] = 2;
        grid->levels++;
    }
}

static void lay_out(const irr_way_t *way, int ranks, irr_grid_t *grid)
{
    if (way->shape == IRR_SHAPE_LINE) {
        grid->levels = 1;
        grid->columns[0] = ranks;
    } else if (way->dims.count > 0) {
        grid->levels = way->dims.count;
        memcpy(grid->columns, way->dims.size, (size_t)way->dims.count * sizeof(way->dims.size[0]));
    } else if (way->shape == IRR_SHAPE_HALVES) {
        halve(ranks, grid);
    } else {
        grid->columns[0] = irr_grid_square_columns(ranks);
    }
}

irr_status_t irr_way_grid(const irr_way_t *way, int ranks, const irr_nodes_t *nodes, irr_grid_t *grid)
{
    irr_grid_t made = { .levels = 2, .balanced = way->balanced, .direct_from = way->direct_from };
    int stages;

    if (irr_way_is_scheduled(way)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (way->route == &irr_route_grid) {
        lay_out(way, ranks, &made);
    } else if (way->route == &irr_route_node && nodes != NULL) {
        made.nodes = nodes;
        made.levels = 3;
    } else {
        return IRR_ERR_BAD_PARAM;
    }
    stages = irr_way_is_split(way) ? irr_grid_direct_stage(&made) : irr_grid_stages(&made);
    if (stages > IRR_STAGES_MAX) {
        return IRR_ERR_BAD_PARAM;
    }
    *grid = made;
    return IRR_OK;
}

/* ---- plans ---- */

irr_status_t irr_share_init(irr_share_t *share, const irr_way_t *way, const irr_excerpt_t *excerpt, int rank)
{
    irr_status_t status;

    memset(share, 0, sizeof(*share));
    status = irr_schedule_own(&excerpt->schedule, rank, way->piece_max, &share->own);
    if (status == IRR_OK && way->pace->syncs) {
        status = irr_signals_build(&excerpt->schedule, &excerpt->syncs, rank, &share->own, way->lead,
                                          &share->signals);
    }
    return status;
}

void irr_share_fini(irr_share_t *share)
{
    irr_signals_fini(&share->signals);
    irr_schedule_fini(&share->own);
}

static irr_pace_params_t pace_params(const irr_way_t *way, const irr_share_t *share)
{
    return (irr_pace_params_t){ .grants = way->grants, .signals = share != NULL ? &share->signals : NULL };
}

irr_status_t irr_way_build(const irr_way_t *way, const irr_problem_t *problem, const irr_share_t *share,
                           const irr_forward_t *forward, irr_plan_t *plan)
{
    const irr_pace_params_t params = pace_params(way, share);
    irr_status_t status;

    if (irr_way_forwards(way)) {
        status = irr_forward_plan_build(forward, &share->own, problem, plan);
    } else if (irr_way_is_scheduled(way)) {
        status = irr_direct_plan_build(&share->own, problem, plan);
    } else if (irr_way_is_local(way)) {
        irr_plan_reset(plan, problem);
        status = way->route->build(problem, way->order, plan);
    } else {
        return IRR_ERR_BAD_PARAM;
    }
    return status == IRR_OK ? irr_pace_add(way->pace, &params, plan) : status;
}

irr_plan_bounds_t irr_way_bounds(const irr_way_t *way, int ranks, size_t more, const irr_share_t *share,
                                 const irr_forward_t *forward)
{
    const irr_pace_params_t params = pace_params(way, share);
    irr_plan_bounds_t bounds;

    if (irr_way_forwards(way)) {
        bounds = irr_forward_plan_bounds(forward, &share->own);
    } else if (irr_way_is_scheduled(way)) {
        bounds = irr_direct_plan_bounds(&share->own);
    } else {
        bounds = (irr_way_is_split(way) ? &irr_route_direct : way->route)->bounds(ranks);
    }
    bounds.steps += more;
    bounds.pieces += 2 * more;
    return irr_pace_bounds(way->pace, &params, bounds);
}
