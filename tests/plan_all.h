/*
 * plan_all.h - the plans of all ranks with a row of the table, for tests.
 */
#ifndef IRR_PLAN_ALL_H
#define IRR_PLAN_ALL_H

#include "irr_test.h"
#include "plan/algorithms.h"
#include "study/plans.h"

#include <stdlib.h>

/* Nodes of 1, 2, 3, 1, 2, 3 ... ranks, whose ranks lie scattered. */
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

/* Long messages are split where the order splits any; redist has a message for each pair of ranks. */
static inline irr_status_t irr_plan_all_scheduled(const irr_scheduled_t *row, const irr_matrix_t *matrix,
                                                  irr_plans_t *plans)
{
    const irr_scheduled_params_t params = {
        .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE / 2 },
        .redistribution = { .x = 1, .p = matrix->ranks, .y = 1, .q = matrix->ranks }
    };
    irr_schedule_t schedule;
    irr_status_t status = irr_scheduled_build(row, matrix, &params, &schedule);

    if (status == IRR_OK) {
        status = irr_plans_schedule(&schedule, matrix, plans);
        irr_schedule_fini(&schedule);
    }
    return status;
}

static inline irr_status_t irr_plan_all_with(const irr_settings_t *settings, const irr_matrix_t *matrix,
                                             irr_plans_t *plans)
{
    const irr_scheduled_t *scheduled = irr_algorithm_scheduled(settings->algorithm);
    irr_nodes_t nodes;
    irr_status_t status;

    if (scheduled != NULL) {
        return irr_plan_all_scheduled(scheduled, matrix, plans);
    }
    status = irr_plan_all_nodes(matrix->ranks, &nodes);
    if (status == IRR_OK) {
        status = irr_plans_build(settings, &nodes, matrix, plans);
        irr_nodes_fini(&nodes);
    }
    return status;
}

static inline irr_status_t irr_plan_all(int algorithm, size_t slice_min, const irr_matrix_t *matrix,
                                        irr_plans_t *plans)
{
    const irr_settings_t settings = { .algorithm = algorithm, .slice_min = slice_min };

    return irr_plan_all_with(&settings, matrix, plans);
}

#endif
