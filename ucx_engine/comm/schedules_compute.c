/*
 * schedules_compute.c - rank 0 computes the schedule for a count matrix, and writes each rank its part; see
 * schedules_learn.h.
 */
#include "comm/schedules_learn.h"

#include "core/deadline.h"
#include "core/log.h"

#define NS_PER_MS UINT64_C(1000000)

/*
 * Computes the schedule and, for a pacing that delays messages until others are complete, which messages wait for
 * which.
 */
static irr_status_t compute(const irr_schedules_t *schedules, const irr_matrix_t *matrix,
                            const irr_deadline_t *deadline, irr_computed_t *computed)
{
    const irr_strategy_t *strategy = &schedules->strategy;
    const irr_nodes_t *nodes = irr_schedules_nodes(schedules);
    irr_scheduled_params_t params = schedules->params;
    irr_matrix_t forwarded = { .ranks = 0 };
    irr_status_t status = nodes != NULL ? irr_forward_matrix(nodes, matrix, &forwarded) : IRR_OK;

    params.deadline = deadline;
    if (status == IRR_OK) {
        status = irr_order_schedule(strategy->order, nodes != NULL ? &forwarded : matrix, &params, &computed->schedule);
    }
    irr_matrix_fini(&forwarded);
    if (status == IRR_OK && strategy->pacing->syncs) {
        status = irr_syncs_find_any(schedules->params.tree, &computed->schedule, deadline, &computed->syncs);
    }
    return status;
}

/* Informs the user, once, that a schedule was not computed in time. */
static void warn_late(irr_schedules_t *schedules)
{
    if (!schedules->warned) {
        irr_log(IRR_LOG_INFO, "the computation of a schedule of %d ranks takes more than %zu ms (%sschedule_ms), "
                "so exchanges with these counts run without a schedule", schedules->ranks, schedules->limit_ms,
                irr_log_prefix());
    }
    schedules->warned = true;
}

irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *entries)
{
    const irr_deadline_t deadline = {
        .now_ns = schedules->now_ns,
        .end_ns = schedules->now_ns(NULL) + (uint64_t)schedules->limit_ms * NS_PER_MS
    };
    irr_computed_t computed = { .declined = false };
    irr_status_t status = compute(schedules, matrix, schedules->limit_ms > 0 ? &deadline : NULL, &computed);

    if (status == IRR_ERR_TIMEOUT) {
        warn_late(schedules);
    }
    if (status != IRR_OK && status != IRR_ERR_NO_MEMORY) {
        irr_computed_fini(&computed);
        computed.declined = true;
        status = IRR_OK;
    }
    if (status == IRR_OK) {
        status = irr_assignments_write(&computed, matrix, irr_schedules_nodes(schedules), matrix_bytes, entries);
    }
    irr_computed_fini(&computed);
    return status;
}
