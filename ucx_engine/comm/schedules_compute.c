/*
 * schedules_compute.c - rank 0 computes the schedules of a matrix for all ranks; see schedules_learn.h.
 */
#include "comm/schedules_learn.h"

/*
 * Of the ranks' hosts, or, where the schedule lets messages meet on a link within a step, or nothing is known of them,
 * of a switch with all ranks: each of them receives from one at a time.
 */
irr_status_t irr_schedules_find_syncs(const irr_schedules_t *schedules, const irr_schedule_t *schedule,
                                      irr_syncs_t *syncs)
{
    const irr_tree_t *tree = schedules->params.tree;
    irr_status_t status = tree != NULL ? irr_tree_check(tree, schedule, NULL) : IRR_ERR_INVALID_PLAN;
    irr_tree_t star;

    if (status == IRR_OK) {
        return irr_syncs_find(tree, schedule, syncs);
    }
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_tree_init_star(&star, schedule->ranks);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(&star, schedule, syncs);
        irr_tree_fini(&star);
    }
    return status;
}

/* Is a way of this route in the trial; one with syncs, if they are asked for? */
static bool any_way(const irr_schedules_t *schedules, const irr_tune_t *tune, int route, bool with_syncs)
{
    bool any = false;

    for (int i = 0; i < schedules->ways; i++) {
        any = any || (irr_tune_has(tune, i) && irr_schedules_needs(schedules, i, route) &&
                      (schedules->way[i].pace->syncs || !with_syncs));
    }
    return any;
}

/* The schedule of a route, and what goes with it. */
static irr_status_t compute(const irr_schedules_t *schedules, const irr_tune_t *tune, int route,
                            const irr_matrix_t *matrix, irr_computed_t *computed)
{
    const bool forwards = route == IRR_ASSIGNS_FORWARDED;
    irr_schedule_t *schedule = &computed->schedule[route];
    irr_matrix_t forwarded = { .ranks = 0 };
    irr_status_t status = forwards ? irr_forward_matrix(&schedules->nodes, matrix, &forwarded) : IRR_OK;

    if (status == IRR_OK) {
        status = irr_scheduled_build(schedules->row, forwards ? &forwarded : matrix, &schedules->params, schedule);
    }
    irr_matrix_fini(&forwarded);
    if (status == IRR_OK && any_way(schedules, tune, route, true)) {
        status = irr_schedules_find_syncs(schedules, schedule, &computed->syncs[route]);
    }
    computed->made[route] = status == IRR_OK;
    return status;
}

/* A route that has too many messages for a schedule is out, as long as others are left. */
static irr_status_t compute_all(const irr_schedules_t *schedules, const irr_matrix_t *matrix, irr_computed_t *computed)
{
    irr_status_t status = schedules->row != NULL ? IRR_OK : IRR_ERR_NOT_SUPPORTED;
    irr_tune_t tune;

    irr_schedules_tune(schedules, &tune);
    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        if (any_way(schedules, &tune, route, false)) {
            status = compute(schedules, &tune, route, matrix, computed);
        }
        if (status == IRR_ERR_NOT_SUPPORTED) {
            irr_schedules_drop(schedules, route, &tune);
            status = tune.left > 0 ? IRR_OK : status;
        }
    }
    return status;
}

irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *parts)
{
    irr_computed_t computed = { .verdict = IRR_VERDICT_SCHEDULED };
    irr_status_t status = compute_all(schedules, matrix, &computed);

    if (status != IRR_OK && status != IRR_ERR_NO_MEMORY) {
        irr_computed_fini(&computed);
        computed.verdict = IRR_VERDICT_DECLINED;
        status = IRR_OK;
    }
    if (status == IRR_OK) {
        status = irr_assignments_write(&computed, matrix, &schedules->nodes, matrix_bytes, parts);
    }
    irr_computed_fini(&computed);
    return status;
}
