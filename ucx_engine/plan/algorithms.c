/*
 * algorithms.c - the table of algorithms: the strategies that users choose by name; see strategy.h.
 *
 * Row 0 is "auto", so a zeroed algorithm is the default.  A grid has the order `priority`, which is rotation if all
 * rows are complete.
 */
#include "plan/strategy.h"

#include <string.h>
#include <strings.h>

#define DIRECT(its_order, its_pacing) \
    { .route = &irr_route_direct, .order = &irr_order_##its_order, .pacing = &irr_pacing_##its_pacing }
#define GRID(its_shape, is_balanced)                                                                   \
    { .route = &irr_route_grid, .order = &irr_order_priority, .pacing = &irr_pacing_free,              \
      .shape = IRR_SHAPE_##its_shape, .balanced = is_balanced }

static const struct {
    const char *name;
    irr_strategy_t strategy;
    const char *text;   /* one sentence, with the source */
} rows[] = {
    { "auto", DIRECT(rotate, free),
      "in a job what is found to be fastest, Open MPI's own at first; but with a schedule file or a matrix dump, as "
      "outside of jobs, direct, or tree where ranks are on several hosts of a topology file" },
    { "direct", DIRECT(rotate, free),
      "direct messages; in step k to rank + k and from rank - k (Liu, Wang, Prasanna 3.1.1)" },
    { "natural", DIRECT(natural, free),
      "direct messages to ranks 0, 1, 2 and so on, without a schedule (Ranka, Wang, Kumar 4)" },
    { "spread", GRID(LINE, true),
      "spread evenly over all ranks, then collected (Liu, Wang, Prasanna 3.1.2)" },
    { "grid", GRID(SQUARE, false),
      "along the rows and then the columns of a square (Liu, Wang, Prasanna 3.1.3), for any number of ranks" },
    { "balanced-grid", GRID(SQUARE, true),
      "spread along rows and columns, then collected along rows and columns (Liu, Wang, Prasanna 3.2)" },
    { "hybrid", { .route = &irr_route_grid, .order = &irr_order_priority, .pacing = &irr_pacing_free,
                  .shape = IRR_SHAPE_SQUARE, .direct_from = IRR_DIRECT_DEFAULT },
      "long messages as direct, the others as grid, both at once" },
    { "bruck", GRID(HALVES, false),
      "along dimensions of two ranks each (Liu, Wang, Prasanna 5), as the algorithm of Bruck" },
    { "node", { .route = &irr_route_node, .order = &irr_order_priority, .pacing = &irr_pacing_free,
                .direct_from = IRR_NODE_DIRECT_DEFAULT },
      "to a leader of the node, in one message from node to node, and to the rank; long messages as direct" },
    { "xor", DIRECT(xor, loose),
      "linear permutation: in step k rank i sends to i xor k, or to (i + k) mod P where P is no power of two" },
    { "random", DIRECT(random, loose),
      "random scheduling: in each step the ranks, from a random one on, take a receiver that is free" },
    { "random-sorted", DIRECT(random_sorted, loose),
      "random scheduling; each rank looks at its longest messages first" },
    { "random-heap", DIRECT(random_heap, loose),
      "random scheduling with heaps: the longest message that has a free receiver goes, and long ones are split" },
    { "optimal", DIRECT(optimal, grant),
      "preemptive open shop: messages are split so that the busiest port never waits" },
    { "redistribution", DIRECT(redistribution, loose),
      "block-cyclic redistribution: steps in which messages are equally long, or ranks send equally much" },
    { "tree", DIRECT(tree, sync),
      "no two messages of a step on one link of a tree of switches (Faraj, Yuan), for any counts" },
};

enum { ROW_AUTO, ROW_DIRECT, ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Names in the papers, and names of releases before 0.3.0, which scripts of users may contain. */
static const char *const older[][2] = {
    { "a1", "direct" }, { "board", "direct" }, { "ac", "natural" }, { "a2", "spread" }, { "a3", "grid" },
    { "a4", "balanced-grid" }, { "multistage", "bruck" }, { "lp", "xor" }, { "rs_n", "random" },
    { "rs_n_sort", "random-sorted" }, { "rs_nh", "random-heap" }, { "redist", "redistribution" }, { "aapc", "tree" }
};

static bool is_row(int i)
{
    return i >= 0 && i < (int)ROWS;
}

const char *irr_algorithm_name(int i)
{
    return is_row(i) ? rows[i].name : NULL;
}

const char *irr_algorithm_text(int i)
{
    return is_row(i) ? rows[i].text : NULL;
}

const irr_strategy_t *irr_algorithm_strategy(int algorithm)
{
    return is_row(algorithm) ? &rows[algorithm].strategy : NULL;
}

const char *irr_algorithm_newer(const char *name)
{
    for (size_t i = 0; i < sizeof(older) / sizeof(older[0]); i++) {
        if (strcasecmp(older[i][0], name) == 0) {
            return older[i][1];
        }
    }
    return name;
}

int irr_algorithm_find(const char *name)
{
    name = irr_algorithm_newer(name);
    for (int i = 0; i < (int)ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/*
 * In a job, the component calls the engine with "auto" only if a setting requires the engine; otherwise Open MPI serves
 * at first.  With a topology, "auto" is tree, because a user who sets a topology wants it to be used; otherwise it is
 * direct.
 */
int irr_algorithm_resolve(int algorithm, int hosts)
{
    if (algorithm != ROW_AUTO) {
        return algorithm;
    }
    return hosts > 1 ? irr_algorithm_find("tree") : ROW_DIRECT;
}

bool irr_algorithm_asks_topology(int algorithm)
{
    return algorithm == ROW_AUTO || rows[algorithm].strategy.order->uses_tree;
}
