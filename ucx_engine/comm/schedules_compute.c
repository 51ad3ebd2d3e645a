/*
 * schedules_compute.c - rank 0 computes the schedules of a matrix for all ranks; see schedules_learn.h.
 */
#include "comm/schedules_learn.h"

#include "core/deadline.h"
#include "core/log.h"

#define NS_PER_MS UINT64_C(1000000)

/* A way of this route that is in the trial, one with syncs if they are asked for; NULL: there is none. */
static const irr_way_t *find_way(const irr_schedules_t *schedules, const irr_tune_t *tune, int route, bool with_syncs)
{
    for (int i = 0; i < schedules->ways; i++) {
        if (irr_tune_has(tune, i) && irr_schedules_needs(schedules, i, route) &&
            (schedules->way[i].pace->syncs || !with_syncs)) {
            return &schedules->way[i];
        }
    }
    return NULL;
}

/* The schedule of a route, and what goes with it. */
static irr_status_t compute(const irr_schedules_t *schedules, const irr_tune_t *tune, int route,
                            const irr_matrix_t *matrix, const irr_deadline_t *deadline, irr_computed_t *computed)
{
    irr_scheduled_params_t params = schedules->params;
    const irr_way_t *way = find_way(schedules, tune, route, false);
    const bool forwards = route == IRR_ASSIGNS_FORWARDED;
    irr_schedule_t *schedule = &computed->schedule[route];
    irr_matrix_t forwarded = { .ranks = 0 };
    irr_status_t status = forwards ? irr_forward_matrix(&schedules->nodes, matrix, &forwarded) : IRR_OK;

    params.deadline = deadline;
    if (status == IRR_OK) {
        status = irr_order_schedule(way->order, forwards ? &forwarded : matrix, &params, schedule);
    }
    irr_matrix_fini(&forwarded);
    if (status == IRR_OK && find_way(schedules, tune, route, true) != NULL) {
        status = irr_syncs_find_any(schedules->params.tree, schedule, deadline, &computed->syncs[route]);
    }
    computed->made[route] = status == IRR_OK;
    return status;
}

/* Tells once that a schedule was not done in time. */
static void tell_late(irr_schedules_t *schedules, int route)
{
    if (!schedules->told) {
        irr_log(IRR_LOG_INFO, "a schedule of %d ranks by the route %s was not done in %zu ms (%sschedule_ms), so "
                "exchanges with these counts go without it", schedules->ranks,
                route == IRR_ASSIGNS_FORWARDED ? "node" : "direct", schedules->limit_ms, irr_log_prefix());
    }
    schedules->told = true;
}

/*
 * A route that has no schedule, or none in time, is out, as long as others are left.  The one that forwards comes
 * first, as it has fewer messages, and has half of the time.
 */
static irr_status_t compute_all(irr_schedules_t *schedules, const irr_matrix_t *matrix, irr_computed_t *computed)
{
    const uint64_t since = schedules->now_ns(NULL), limit = (uint64_t)schedules->limit_ms * NS_PER_MS;
    irr_deadline_t deadline = { .now_ns = schedules->now_ns };
    irr_status_t status = IRR_OK;
    irr_tune_t tune;

    irr_schedules_tune(schedules, &tune);
    for (int route = IRR_ASSIGNS - 1; route >= 0 && status == IRR_OK; route--) {
        deadline.end_ns = since + (route == IRR_ASSIGNS_FORWARDED ? limit / 2 : limit);
        if (find_way(schedules, &tune, route, false) != NULL) {
            status = compute(schedules, &tune, route, matrix, limit > 0 ? &deadline : NULL, computed);
        }
        if (status == IRR_ERR_TIMEOUT) {
            tell_late(schedules, route);
        }
        if (status == IRR_ERR_NOT_SUPPORTED || status == IRR_ERR_TIMEOUT) {
            irr_schedules_drop(schedules, route, &tune);
            status = tune.left > 0 ? IRR_OK : status;
        }
    }
    return status;
}

irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *parts)
{
    irr_computed_t computed = { .declined = false };
    irr_status_t status = compute_all(schedules, matrix, &computed);

    if (status != IRR_OK && status != IRR_ERR_NO_MEMORY) {
        irr_computed_fini(&computed);
        computed.declined = true;
        status = IRR_OK;
    }
    if (status == IRR_OK) {
        status = irr_assignments_write(&computed, matrix, &schedules->nodes, matrix_bytes, parts);
    }
    irr_computed_fini(&computed);
    return status;
}
