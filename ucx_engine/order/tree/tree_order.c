/*
 * tree_order.c - the order of algorithm tree: contention-free steps on a tree of switches.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters
 *
 * If all messages have the same length and the busiest link carries one message at a time, the steps are the paper's
 * phases (phases.c), which are as short as the busiest link allows, and split no message.  Otherwise the steps are
 * those of tree_weighted.c.  Cost: see phases.c and tree_weighted.c, plus O(P * P) for P ranks.
 */
#include "order/order.h"
#include "order/tree/phases.h"
#include "order/tree/tree_weighted.h"

static bool is_uniform(const irr_matrix_t *matrix)
{
    uint64_t length = matrix->ranks > 1 ? *irr_matrix_at(matrix, 0, 1) : 0;

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            if (i != j && *irr_matrix_at(matrix, i, j) != length) {
                return false;
            }
        }
    }
    return length > 0;
}

/* Returns whether a link with the most messages has capacity 1; equal messages then need as many steps as phases. */
static bool has_single(const irr_tree_t *tree)
{
    int64_t most = 0, longest = 0;

    for (int v = 0; v < tree->vertices; v++) {
        const int64_t messages = (int64_t)tree->below[v] * (tree->ranks - tree->below[v]);
        const int64_t takes = (messages + tree->capacity[v] - 1) / tree->capacity[v];

        most = messages > most ? messages : most;
        longest = takes > longest ? takes : longest;
    }
    return longest == most;
}

static irr_status_t build(const irr_tree_t *tree, const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                          irr_schedule_t *schedule)
{
    if (has_single(tree) && is_uniform(matrix)) {
        return irr_tree_phased(tree, matrix, schedule);
    }
    return irr_tree_weighted(tree, matrix, params->max_steps, params->deadline, schedule);
}

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    irr_tree_t star;
    irr_status_t status;

    if (params->tree != NULL) {
        return build(params->tree, matrix, params, schedule);
    }
    status = irr_tree_init_star(&star, matrix->ranks);
    if (status == IRR_OK) {
        status = build(&star, matrix, params, schedule);
        irr_tree_fini(&star);
    }
    return status;
}

const irr_order_t irr_order_tree = {
    .name = "tree", .contention_free = true, .uses_tree = true, .schedule = make_schedule
};
