/*
 * plans.c - see plans.h.  O(P^2) time and memory for the problems, plus what the plans take.
 */
#include "study/plans.h"

#include "core/alloc.h"
#include "plan/algorithms.h"
#include "route/forward.h"
#include "study/grid_plans.h"

/* Lays the blocks of one side of one rank out; false if they do not fit an offset. */
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

static irr_status_t build(const irr_settings_t *settings, const irr_nodes_t *nodes, irr_plans_t *plans)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(settings->algorithm, plans->ranks);
    irr_status_t status = row != NULL ? IRR_OK : IRR_ERR_BAD_PARAM;
    irr_grid_t grid;

    if (row != NULL && row->route == NULL) {
        status = irr_algorithm_grid(row, plans->ranks, &settings->dims, nodes, &grid);
        return status != IRR_OK ? status : irr_grid_plans_build(&grid, settings->slice_min, settings->overlap,
                                                                plans->problems, plans->ranks, plans->plans);
    }
    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        status = irr_plan_build(settings->algorithm, &plans->problems[r], &plans->plans[r]);
    }
    return status;
}

/* All but the plans, which are empty; to be closed in any case. */
static irr_status_t open_plans(const irr_matrix_t *matrix, irr_plans_t *plans)
{
    size_t ranks = (size_t)matrix->ranks;

    *plans = (irr_plans_t){ .ranks = matrix->ranks };
    plans->problems = irr_alloc_zero(ranks, sizeof(*plans->problems));
    plans->plans = irr_alloc_zero(ranks, sizeof(*plans->plans));
    plans->blocks = irr_alloc_zero(2 * ranks, ranks * sizeof(*plans->blocks));
    if (plans->problems == NULL || plans->plans == NULL || plans->blocks == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    return state_problems(matrix, plans);
}

/* Hands them over if all went well. */
static irr_status_t close_plans(irr_plans_t *made, irr_status_t status, irr_plans_t *plans)
{
    if (status != IRR_OK) {
        irr_plans_fini(made);
        return status;
    }
    *plans = *made;
    return IRR_OK;
}

irr_status_t irr_plans_build(const irr_settings_t *settings, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                             irr_plans_t *plans)
{
    irr_plans_t made;
    irr_status_t status = open_plans(matrix, &made);

    if (status == IRR_OK) {
        status = build(settings, nodes, &made);
    }
    return close_plans(&made, status, plans);
}

irr_status_t irr_plans_schedule(const irr_schedule_t *schedule, const irr_matrix_t *matrix, irr_plans_t *plans)
{
    irr_plans_t made;
    irr_status_t status = open_plans(matrix, &made);

    if (status == IRR_OK) {
        status = irr_schedule_plans_build(schedule, made.problems, made.plans);
    }
    return close_plans(&made, status, plans);
}

/*
 * Without pieces and signals, which a job has with pace sync: they say when a message may go, and in how many parts,
 * not through whom, and the proof is about the latter.
 */
static irr_status_t forward(const irr_schedule_t *schedule, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                            const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_forward_t forward;
    irr_schedule_t own;
    irr_status_t status = irr_forward_init(&forward, nodes, matrix, problem->send, problem->rank);

    if (status != IRR_OK) {
        return status;
    }
    status = irr_schedule_own(schedule, problem->rank, 0, &own);
    if (status == IRR_OK) {
        status = irr_forward_plan_build(&forward, &own, problem, plan);
        irr_schedule_fini(&own);
    }
    irr_forward_fini(&forward);
    return status;
}

irr_status_t irr_plans_forward(const irr_schedule_t *schedule, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                               irr_plans_t *plans)
{
    irr_plans_t made;
    irr_status_t status = open_plans(matrix, &made);

    for (int r = 0; r < matrix->ranks && status == IRR_OK; r++) {
        status = forward(schedule, nodes, matrix, &made.problems[r], &made.plans[r]);
    }
    return close_plans(&made, status, plans);
}

void irr_plans_fini(irr_plans_t *plans)
{
    for (int r = 0; plans->plans != NULL && r < plans->ranks; r++) {
        irr_plan_fini(&plans->plans[r]);
    }
    irr_free(plans->blocks);
    irr_free(plans->plans);
    irr_free(plans->problems);
    *plans = (irr_plans_t){ .ranks = 0 };
}
