/*
 * plan_all.h - builds the plans of all ranks by an algorithm, for tests.  The algorithm is a row of plan/algorithms.c.
 */
#ifndef IRR_PLAN_ALL_H
#define IRR_PLAN_ALL_H

#include "irr_test.h"
#include "problem/matrix.h"
#include "study/plans.h"

/* Makes nodes that have 1, 2, 3, 1, 2, 3 ... ranks.  The ranks of a node are not consecutive. */
static inline irr_status_t irr_plan_all_nodes(int ranks, irr_nodes_t *nodes)
{
    int *labels = malloc((size_t)ranks * sizeof(*labels)), rank = 0;
    irr_status_t status;

    CU_ASSERT_PTR_NOT_NULL_FATAL(labels);
    for (int node = 0; rank < ranks; node++) {
        for (int i = 0; i <= node % 3 && rank < ranks; i++, rank++) {
            labels[ranks % 7 != 0 ? rank * 7 % ranks : rank] = node;
        }
    }
    status = irr_nodes_init(nodes, ranks, labels);
    free(labels);
    return status;
}

/* Returns the i-th order that computes a schedule, or NULL if i is not below the number of these orders. */
static inline const irr_order_t *irr_plan_all_order(int i)
{
    static const irr_order_t *const orders[] = {
        &irr_order_xor, &irr_order_random, &irr_order_random_sorted, &irr_order_random_heap, &irr_order_optimal,
        &irr_order_redistribution, &irr_order_tree
    };

    return i >= 0 && i < (int)(sizeof(orders) / sizeof(orders[0])) ? orders[i] : NULL;
}

/* Returns the schedule of an algorithm.  The caller frees it with irr_schedule_fini. */
static inline irr_schedule_t irr_plan_all_schedule(const char *name, const irr_matrix_t *matrix,
                                                   const irr_scheduled_params_t *params)
{
    irr_schedule_t schedule = { 0 };
    const irr_order_t *row = irr_algorithm_strategy(irr_algorithm_find(name))->order;

    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL_FATAL(irr_order_schedule(row, matrix, params, &schedule), IRR_OK);
    return schedule;
}

/* Builds the plan of one rank.  The algorithm must need only the counts of this rank. */
static inline irr_status_t irr_plan_one(int algorithm, const irr_problem_t *problem, irr_plan_t *plan)
{
    return irr_strategy_build(irr_algorithm_strategy(algorithm), problem, NULL, NULL, plan);
}

/* The type of irr_plans_build and of the other functions that build the plans of all ranks. */
typedef irr_status_t irr_plan_all_fn_t(const irr_strategy_t *strategy, const irr_plans_known_t *known,
                                       irr_plans_t *plans);

/*
 * Builds the plans of all ranks. If the order can split messages, long messages are split. Redistribution has a message
 * for each pair of ranks.
 */
static inline irr_status_t irr_plan_all_by(irr_plan_all_fn_t *build, const irr_settings_t *settings,
                                           const irr_matrix_t *matrix, irr_plans_t *plans)
{
    const irr_scheduled_params_t params = {
        .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE / 2 },
        .redistribution = { .x = 1, .p = matrix->ranks, .y = 1, .q = matrix->ranks }
    };
    irr_settings_t free = *settings;
    irr_schedule_t schedule = { .ranks = 0 };
    irr_status_t status = IRR_OK;
    irr_nodes_t nodes;
    irr_strategy_t strategy;

    free.pacing = IRR_PACING_FREE;
    strategy = irr_strategy_of(&free, 1);
    if (irr_strategy_is_scheduled(&strategy)) {
        status = irr_order_schedule(strategy.order, matrix, &params, &schedule);
    }
    if (status == IRR_OK) {
        status = irr_plan_all_nodes(matrix->ranks, &nodes);
    }
    if (status == IRR_OK) {
        const irr_plans_known_t known = { .matrix = matrix, .nodes = &nodes, .schedule = &schedule };

        status = build(&strategy, &known, plans);
        irr_nodes_fini(&nodes);
    }
    irr_schedule_fini(&schedule);
    return status;
}

static inline irr_status_t irr_plan_all_with(const irr_settings_t *settings, const irr_matrix_t *matrix,
                                             irr_plans_t *plans)
{
    return irr_plan_all_by(irr_plans_build, settings, matrix, plans);
}

static inline irr_status_t irr_plan_all(int algorithm, size_t slice_min, const irr_matrix_t *matrix,
                                        irr_plans_t *plans)
{
    const irr_settings_t settings = { .algorithm = algorithm, .slice_min = slice_min };

    return irr_plan_all_with(&settings, matrix, plans);
}

#endif
