/*
 * schedules_keep.c - what a rank keeps of a schedule: its own part, in each way that the schedule may run; see
 * schedules_learn.h.
 *
 * Ways of a kind share a schedule: one of the messages as they are, and one of what the ranks of hosts forward.
 */
#include "comm/schedules_learn.h"

#include "core/alloc.h"
#include "order/syncs.h"
#include "route/schedule_plans.h"

enum { DIRECT, FORWARDED, ROUTES };

/* What the ways of a route share; zeroed is empty. */
typedef struct shared {
    irr_schedule_t schedule;
    irr_syncs_t    syncs;
} shared_t;

static void shared_fini(shared_t *shared)
{
    irr_syncs_fini(&shared->syncs);
    irr_schedule_fini(&shared->schedule);
}

/* ---- syncs ---- */

/*
 * Of the ranks' hosts, or, where the schedule lets messages meet on a link within a step, or nothing is known of them,
 * of a switch with all ranks: each of them receives from one at a time.
 */
static irr_status_t find_syncs(const irr_schedules_t *schedules, shared_t *shared)
{
    const irr_tree_t *tree = schedules->params.tree;
    irr_status_t status = tree != NULL ? irr_tree_check(tree, &shared->schedule, NULL) : IRR_ERR_INVALID_PLAN;
    irr_tree_t star;

    if (status == IRR_OK) {
        return irr_syncs_find(tree, &shared->schedule, &shared->syncs);
    }
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_tree_init_star(&star, shared->schedule.ranks);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(&star, &shared->schedule, &shared->syncs);
        irr_tree_fini(&star);
    }
    return status;
}

/* ---- one way ---- */

/* Makes room to run a plan of such bounds. */
static irr_status_t reserve(irr_schedules_t *schedules, irr_plan_bounds_t bounds, size_t scratch)
{
    irr_status_t status = irr_plan_reserve(schedules->plan, bounds);

    if (status == IRR_OK) {
        status = irr_exec_reserve(schedules->exec, bounds);
    }
    return status == IRR_OK ? irr_grow(&schedules->scratch, &schedules->scratch_max, scratch, 1) : status;
}

/* forward: NULL if the way does not. */
static irr_status_t keep_way(irr_schedules_t *schedules, const shared_t *shared, const irr_forward_t *forward,
                             const irr_tune_way_t *way, irr_cache_way_t *kept)
{
    irr_status_t status = irr_schedule_own(&shared->schedule, schedules->rank, way->piece_max, &kept->own);
    irr_pace_params_t params = { .grants = way->grants, .syncs = &kept->syncs };
    irr_plan_bounds_t bounds;

    if (status == IRR_OK && way->pace->syncs) {
        status = irr_schedule_syncs_build(&shared->schedule, &shared->syncs, schedules->rank, &kept->own, way->lead,
                                          &kept->syncs);
    }
    if (status != IRR_OK) {
        return status;
    }
    kept->forwards = forward != NULL;
    bounds = forward != NULL ? irr_forward_plan_bounds(forward, &kept->own) : irr_schedule_plan_bounds(&kept->own);
    bounds = irr_pace_bounds(way->pace, &params, bounds);
    return reserve(schedules, bounds, forward != NULL ? irr_forward_scratch(forward) : 0);
}

irr_status_t irr_schedules_keep(irr_schedules_t *schedules, const irr_schedule_t *schedule, irr_cache_entry_t *entry)
{
    shared_t shared = { .schedule = *schedule };
    irr_status_t status = schedules->way[0].pace->syncs ? find_syncs(schedules, &shared) : IRR_OK;

    if (status == IRR_OK) {
        status = keep_way(schedules, &shared, NULL, &schedules->way[0], &entry->way[0]);
    }
    irr_syncs_fini(&shared.syncs);
    return status;
}

/* ---- all ways ---- */

/* Is this a way in the trial that needs a schedule, by this route? */
static bool needs(const irr_schedules_t *schedules, const irr_tune_t *tune, int i, bool forwards)
{
    const irr_tune_way_t *way = &schedules->way[i];

    return irr_tune_has(tune, i) && way->forwards == forwards && !way->alone;
}

/* Is there any; one with syncs, if they are asked for? */
static bool any_way(const irr_schedules_t *schedules, const irr_tune_t *tune, bool forwards, bool with_syncs)
{
    bool any = false;

    for (int i = 0; i < schedules->ways; i++) {
        any = any || (needs(schedules, tune, i, forwards) && (schedules->way[i].pace->syncs || !with_syncs));
    }
    return any;
}

static irr_status_t build(irr_schedules_t *schedules, const irr_matrix_t *matrix, const irr_lambda_t *lambda,
                          irr_schedule_t *schedule)
{
    irr_scheduled_params_t params = schedules->params;
    uint64_t since = irr_clock_ns();
    irr_status_t status;

    params.lambda = *lambda;
    status = irr_scheduled_build(schedules->row, matrix, &params, schedule);
    irr_schedules_charge(since, &schedules->env.counters->schedule_ns);
    return status;
}

static irr_status_t share(irr_schedules_t *schedules, const irr_tune_t *tune, bool forwards,
                          const irr_lambda_t *lambda, shared_t *shared)
{
    irr_matrix_t forwarded = { .ranks = 0 };
    irr_status_t status = IRR_OK;

    if (!any_way(schedules, tune, forwards, false)) {
        return IRR_OK;
    }
    if (forwards) {
        status = irr_forward_matrix(&schedules->nodes, &schedules->matrix, &forwarded);
    }
    if (status == IRR_OK) {
        status = build(schedules, forwards ? &forwarded : &schedules->matrix, lambda, &shared->schedule);
    }
    if (status == IRR_OK && any_way(schedules, tune, forwards, true)) {
        status = find_syncs(schedules, shared);
    }
    irr_matrix_fini(&forwarded);
    return status;
}

/*
 * The schedules that the ways in the trial need.  A route may have too many messages for a schedule, as all ranks see;
 * then its ways are out, as long as others are left.
 */
static irr_status_t share_all(irr_schedules_t *schedules, irr_tune_t *tune, const irr_lambda_t *lambda,
                              shared_t shared[ROUTES])
{
    irr_status_t status = IRR_OK;

    for (int route = DIRECT; route < ROUTES && status == IRR_OK; route++) {
        const bool forwards = route == FORWARDED;

        status = share(schedules, tune, forwards, lambda, &shared[route]);
        for (int i = 0; i < schedules->ways && status == IRR_ERR_NOT_SUPPORTED; i++) {
            if (needs(schedules, tune, i, forwards)) {
                irr_tune_drop(tune, i);
            }
        }
        status = status == IRR_ERR_NOT_SUPPORTED && tune->left > 0 ? IRR_OK : status;
    }
    return status;
}

static irr_status_t keep_ways(irr_schedules_t *schedules, const shared_t shared[ROUTES], irr_cache_entry_t *entry)
{
    const irr_tune_t *tune = &entry->tune;
    irr_status_t status = IRR_OK;

    if (any_way(schedules, tune, true, false)) {
        status = irr_forward_init(&entry->forward, &schedules->nodes, &schedules->matrix, schedules->rank);
    }
    for (int i = 0; i < schedules->ways && status == IRR_OK; i++) {
        const irr_tune_way_t *way = &schedules->way[i];

        if (needs(schedules, tune, i, way->forwards)) {
            status = keep_way(schedules, &shared[way->forwards], way->forwards ? &entry->forward : NULL, way,
                              &entry->way[i]);
        }
    }
    return status;
}

irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_lambda_t *lambda, irr_cache_entry_t *entry)
{
    shared_t shared[ROUTES] = { { .schedule = { .ranks = 0 } } };
    irr_status_t status;

    irr_tune_init(&entry->tune, schedules->ways, schedules->favourite);
    if (!schedules->timed) {
        irr_tune_settle(&entry->tune);
    }
    status = share_all(schedules, &entry->tune, lambda, shared);
    if (status == IRR_OK) {
        schedules->env.counters->schedules_built++;
        status = keep_ways(schedules, shared, entry);
    }
    shared_fini(&shared[FORWARDED]);
    shared_fini(&shared[DIRECT]);
    return status;
}
