/*
 * algorithms.c - the table of algorithms, and building a plan with one of its rows.
 *
 * An algorithm is a route and an order; the pace is chosen by the window parameters, because any pace
 * goes with any row.  Row 0 is "auto", so that 0 is the default everywhere.
 */
#include "plan/algorithms.h"

#include <string.h>

static const irr_algorithm_t algorithms[] = {
    { "auto", NULL, NULL,
      "chosen by the engine from what all ranks know alike" },
    { "a1", &irr_route_direct, &irr_order_rotate,
      "direct messages; in step k to rank + k and from rank - k (Liu, Wang, Prasanna 3.1.1)" },
    { "ac", &irr_route_direct, &irr_order_natural,
      "direct messages to ranks 0, 1, 2 and so on, without a schedule (Ranka, Wang, Kumar 4)" },
};

enum { ROW_AUTO, ROW_A1, ROWS = sizeof(algorithms) / sizeof(algorithms[0]) };

const char *irr_algorithm_name(int i)
{
    return i >= 0 && i < ROWS ? algorithms[i].name : NULL;
}

const char *irr_algorithm_text(int i)
{
    return i >= 0 && i < ROWS ? algorithms[i].text : NULL;
}

int irr_algorithm_find(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(algorithms[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/*
 * The one place where "auto" becomes an algorithm.  All ranks must come to the same row, so it may look at
 * the number of ranks alone; with direct routes only, a1 spreads the receivers and is never the worse one.
 */
static int choose(int ranks)
{
    (void)ranks;
    return ROW_A1;
}

const irr_algorithm_t *irr_algorithm_resolve(int algorithm, int ranks)
{
    int row = algorithm == ROW_AUTO ? choose(ranks) : algorithm;

    return row > ROW_AUTO && row < ROWS ? &algorithms[row] : NULL;
}

irr_status_t irr_plan_build(int algorithm, const irr_problem_t *problem, irr_plan_t *plan)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(algorithm, problem->ranks);

    if (row == NULL) {
        return IRR_ERR_BAD_PARAM;
    }
    irr_plan_reset(plan, problem);
    return row->route->build(problem, row->order, plan);
}

irr_plan_bounds_t irr_plan_bounds(int algorithm, int ranks)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(algorithm, ranks);

    return row != NULL ? row->route->bounds(ranks) : (irr_plan_bounds_t){ 0, 0, 0 };
}
