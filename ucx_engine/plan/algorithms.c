/*
 * algorithms.c - the table of algorithms, and building a plan with one of its rows.
 *
 * An algorithm is a route and an order; the pace is a choice of its own, because any pace goes with any direct
 * row.  A grid has the priority order, which is rotation where all rows are complete.  Row 0 is "auto", so that 0
 * is the default everywhere.  The table goes on with that of the scheduled orders.
 */
#include "plan/algorithms.h"

#include <string.h>

static const irr_algorithm_t algorithms[] = {
    { "auto", NULL, NULL, IRR_SHAPE_NONE, false,
      "aapc where ranks are on several hosts of a topology file; else a1, or in a job Open MPI's own unless a schedule "
      "file or a matrix dump is given" },
    { "a1", &irr_route_direct, &irr_order_rotate, IRR_SHAPE_NONE, false,
      "direct messages; in step k to rank + k and from rank - k (Liu, Wang, Prasanna 3.1.1)" },
    { "ac", &irr_route_direct, &irr_order_natural, IRR_SHAPE_NONE, false,
      "direct messages to ranks 0, 1, 2 and so on, without a schedule (Ranka, Wang, Kumar 4)" },
    { "a2", NULL, NULL, IRR_SHAPE_LINE, true,
      "spread evenly over all ranks, then collected (Liu, Wang, Prasanna 3.1.2)" },
    { "a3", NULL, NULL, IRR_SHAPE_SQUARE, false,
      "along the rows and then the columns of a square (Liu, Wang, Prasanna 3.1.3), for any number of ranks" },
    { "a4", NULL, NULL, IRR_SHAPE_SQUARE, true,
      "spread along rows and columns, then collected along rows and columns (Liu, Wang, Prasanna 3.2)" },
    { "multistage", NULL, NULL, IRR_SHAPE_HALVES, false,
      "along dimensions of two ranks each (Liu, Wang, Prasanna 5), as the algorithm of Bruck" },
    { "node", NULL, NULL, IRR_SHAPE_NODES, false,
      "inside the node to the rank that serves the destination's place, then from node to node" },
};

enum { ROW_AUTO, ROW_A1, ROWS = sizeof(algorithms) / sizeof(algorithms[0]) };

const irr_scheduled_t *irr_algorithm_scheduled(int algorithm)
{
    return algorithm >= ROWS ? irr_scheduled_at(algorithm - ROWS) : NULL;
}

const char *irr_algorithm_name(int i)
{
    const irr_scheduled_t *scheduled = irr_algorithm_scheduled(i);

    if (scheduled != NULL) {
        return scheduled->name;
    }
    return i >= 0 && i < ROWS ? algorithms[i].name : NULL;
}

const char *irr_algorithm_text(int i)
{
    const irr_scheduled_t *scheduled = irr_algorithm_scheduled(i);

    if (scheduled != NULL) {
        return scheduled->text;
    }
    return i >= 0 && i < ROWS ? algorithms[i].text : NULL;
}

int irr_algorithm_find(const char *name)
{
    for (int i = 0; irr_algorithm_name(i) != NULL; i++) {
        if (strcmp(irr_algorithm_name(i), name) == 0) {
            return i;
        }
    }
    return -1;
}

bool irr_algorithm_asks_topology(int algorithm)
{
    return algorithm == ROW_AUTO || irr_algorithm_scheduled(algorithm) == irr_scheduled_find("aapc");
}

/*
 * This and choose are where "auto" becomes an algorithm.  All ranks must come to the same row, so they may look at
 * the number of ranks, and the topology with the places of all ranks, alone.  Who gives a topology wants it used.
 */
int irr_algorithm_on_hosts(int algorithm, int hosts)
{
    return algorithm == ROW_AUTO && hosts > 1 ? irr_algorithm_find("aapc") : algorithm;
}

/* A job does not come to this unless something needs the engine: the component leaves auto to Open MPI else. */
static int choose(int ranks)
{
    (void)ranks;
    return ROW_A1;
}

int irr_algorithm_alone(int algorithm)
{
    return irr_algorithm_scheduled(algorithm) != NULL ? ROW_A1 : algorithm;
}

const irr_algorithm_t *irr_algorithm_resolve(int algorithm, int ranks)
{
    int row = algorithm == ROW_AUTO ? choose(ranks) : algorithm;

    return row > ROW_AUTO && row < ROWS ? &algorithms[row] : NULL;
}

irr_pacing_t irr_algorithm_pacing(const irr_settings_t *settings, int ranks)
{
    const irr_scheduled_t *scheduled = irr_algorithm_scheduled(settings->algorithm);
    const irr_algorithm_t *row = irr_algorithm_resolve(settings->algorithm, ranks);

    if (scheduled == NULL && (row == NULL || row->route == NULL)) {
        return IRR_PACE_FREE;
    }
    if (settings->pace != IRR_PACE_AUTO) {
        return settings->pace;
    }
    return scheduled != NULL ? scheduled->pace : IRR_PACE_FREE;
}

/* ---- grids ---- */

/* As many dimensions of two as it takes to leave at most two ranks for the last one. */
static void halve(int ranks, irr_grid_t *grid)
{
    grid->levels = 1;
    for (int left = ranks; left > 2 && grid->levels < IRR_GRID_LEVELS_MAX; left = (left + 1) / 2) {
        grid->columns[grid->levels - 1] = 2;
        grid->levels++;
    }
}

static void use_dims(const irr_dims_t *dims, irr_grid_t *grid)
{
    grid->levels = dims->count;
    memcpy(grid->columns, dims->size, (size_t)dims->count * sizeof(dims->size[0]));
}

irr_status_t irr_algorithm_grid(const irr_algorithm_t *row, int ranks, const irr_dims_t *dims,
                                const irr_nodes_t *nodes, irr_grid_t *grid)
{
    bool given = dims->count > 0 && (row->shape == IRR_SHAPE_SQUARE || row->shape == IRR_SHAPE_HALVES);
    irr_grid_t made = { .levels = 2, .balanced = row->balanced };

    if (row->shape == IRR_SHAPE_NONE || (row->shape == IRR_SHAPE_NODES && nodes == NULL)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (given) {
        use_dims(dims, &made);
    } else if (row->shape == IRR_SHAPE_LINE) {
        made.levels = 1;
        made.columns[0] = ranks;
    } else if (row->shape == IRR_SHAPE_SQUARE) {
        made.columns[0] = irr_grid_square_columns(ranks);
    } else if (row->shape == IRR_SHAPE_HALVES) {
        halve(ranks, &made);
    } else {
        made.nodes = nodes;
    }
    if (irr_grid_stages(&made) > IRR_STAGES_MAX) {
        return IRR_ERR_BAD_PARAM;
    }
    *grid = made;
    return IRR_OK;
}

/* ---- plans of direct rows ---- */

irr_status_t irr_plan_build(int algorithm, const irr_problem_t *problem, irr_plan_t *plan)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(algorithm, problem->ranks);

    if (row == NULL || row->route == NULL) {
        return IRR_ERR_BAD_PARAM;
    }
    irr_plan_reset(plan, problem);
    return row->route->build(problem, row->order, plan);
}

irr_plan_bounds_t irr_plan_bounds(int algorithm, int ranks)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(algorithm, ranks);

    return row != NULL && row->route != NULL ? row->route->bounds(ranks) : (irr_plan_bounds_t){ 0, 0, 0 };
}
