/*
 * plans.c - see plans.h.  O(P^2) time and memory for the problems, plus the cost of the plans.
 */
#include "study/plans.h"

#include "core/alloc.h"
#include "order/tree/syncs.h"
#include "route/pairs.h"
#include "study/grid_plans.h"

/* Sets the blocks of one side of one rank.  Returns false if their offsets overflow. */
static bool lay_out(const irr_matrix_t *matrix, int rank, bool sends, irr_block_t *list, irr_blocks_t *blocks)
{
    uint64_t position = 0;
    size_t count = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t length = sends ? *irr_matrix_at(matrix, rank, i) : *irr_matrix_at(matrix, i, rank);

        if (length > 0) {
            list[count++] = (irr_block_t){ .rank = i, .offset = (ptrdiff_t)position, .length = (size_t)length };
        }
        if (__builtin_add_overflow(position, length, &position) || position > PTRDIFF_MAX) {
            return false;
        }
    }
    *blocks = (irr_blocks_t){ .list = list, .count = count };
    return true;
}

static irr_status_t state_problems(const irr_matrix_t *matrix, irr_plans_t *plans)
{
    for (int r = 0; r < matrix->ranks; r++) {
        irr_block_t *send = plans->blocks + (size_t)(2 * r) * (size_t)matrix->ranks, *recv = send + matrix->ranks;

        plans->problems[r] = (irr_problem_t){ .ranks = matrix->ranks, .rank = r };
        if (!lay_out(matrix, r, true, send, &plans->problems[r].send) ||
            !lay_out(matrix, r, false, recv, &plans->problems[r].recv)) {
            return IRR_ERR_BAD_PARAM;
        }
    }
    return IRR_OK;
}

/* ---- in place ---- */

static irr_status_t build_pairs(irr_plans_t *plans)
{
    irr_status_t status = IRR_OK;

    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        irr_problem_t *problem = &plans->problems[r];

        for (size_t i = 0; i < problem->send.count || i < problem->recv.count; i++) {
            const irr_block_t *sent = &problem->send.list[i], *received = &problem->recv.list[i];

            if (problem->send.count != problem->recv.count || sent->rank != received->rank ||
                sent->length != received->length) {
                return IRR_ERR_BAD_PARAM;
            }
        }
        problem->send = problem->recv;
        problem->in_place = true;
        status = irr_pairs_build(problem, &irr_pairs_limits, &plans->plans[r]);
    }
    return status;
}

/* ---- by a schedule ---- */

static irr_status_t build_one(const irr_strategy_t *strategy, const irr_plans_known_t *known,
                              const irr_local_schedules_t *locals, const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_local_schedule_t local = { .schedule = { .ranks = 0 } };
    irr_share_t share = { .own = { .ranks = 0 } };
    irr_forward_t forward = { .step = NULL };
    irr_status_t status = irr_local_schedules_take(locals, problem->rank, &local);

    if (status == IRR_OK) {
        status = irr_share_init(&share, strategy, &local, problem->rank);
    }
    if (status == IRR_OK && irr_strategy_forwards(strategy)) {
        status = irr_forward_init(&forward, known->nodes, known->matrix, problem->send, problem->rank);
    }
    if (status == IRR_OK) {
        status = irr_strategy_build(strategy, problem, &share, &forward, plan);
    }
    irr_forward_fini(&forward);
    irr_share_fini(&share);
    irr_local_schedule_fini(&local);
    return status;
}

static irr_status_t build_scheduled(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    irr_syncs_t syncs = { .list = NULL };
    irr_local_schedules_t locals = { .schedule = NULL };
    irr_status_t status = strategy->pacing->syncs ? irr_syncs_find_any(known->tree, known->schedule, NULL, &syncs)
        : IRR_OK;

    if (status == IRR_OK) {
        status = irr_local_schedules_init(&locals, known->schedule, &syncs);
    }
    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        status = build_one(strategy, known, &locals, &plans->problems[r], &plans->plans[r]);
    }
    irr_local_schedules_fini(&locals);
    irr_syncs_fini(&syncs);
    return status;
}

/* ---- any strategy ---- */

static irr_status_t build(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    irr_status_t status = IRR_OK;
    irr_grid_t grid;

    if (known->in_place) {
        return irr_strategy_is_local(strategy) && strategy->pacing == &irr_pacing_free ? build_pairs(plans)
            : IRR_ERR_BAD_PARAM;
    }
    if (irr_strategy_is_scheduled(strategy)) {
        return known->schedule != NULL ? build_scheduled(strategy, known, plans) : IRR_ERR_BAD_PARAM;
    }
    if (!irr_strategy_is_local(strategy)) {
        status = irr_strategy_grid(strategy, plans->ranks, known->nodes, &grid);
        return status != IRR_OK ? status : irr_grid_plans_build(&grid, strategy->slice_min, strategy->overlap,
                                                                plans->problems, plans->ranks, plans->plans);
    }
    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        status = irr_strategy_build(strategy, &plans->problems[r], NULL, NULL, &plans->plans[r]);
    }
    return status;
}

irr_status_t irr_plans_open(const irr_matrix_t *matrix, irr_plans_t *plans)
{
    size_t ranks = (size_t)matrix->ranks;
    irr_status_t status;

    *plans = (irr_plans_t){ .ranks = matrix->ranks };
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(plans->problems, ranks), IRR_ARRAY(plans->plans, ranks),
        IRR_ARRAY(plans->blocks, 2 * ranks * ranks) }));
    return status == IRR_OK ? state_problems(matrix, plans) : status;
}

irr_status_t irr_plans_build(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    irr_plans_t made;
    irr_status_t status = irr_plans_open(known->matrix, &made);

    if (status == IRR_OK) {
        status = build(strategy, known, &made);
    }
    if (status != IRR_OK) {
        irr_plans_fini(&made);
        return status;
    }
    *plans = made;
    return IRR_OK;
}

void irr_plans_fini(irr_plans_t *plans)
{
    for (int r = 0; plans->plans != NULL && r < plans->ranks; r++) {
        irr_plan_fini(&plans->plans[r]);
    }
    irr_free(plans->problems);   /* also frees the other arrays */
    *plans = (irr_plans_t){ .ranks = 0 };
}
