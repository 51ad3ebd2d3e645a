/*
 * algorithms.c - the table of algorithms: the strategies that users choose by name; see strategy.h.
 *
 * Row 0 is "auto", so a zeroed algorithm is the default.  All grids have the order `priority` (order/priority.h).
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
    const char *text;   /* what the algorithm does, and its paper */
} rows[] = {
    { "auto", DIRECT(rotate, free), "in a job, the fastest algorithm that trials find; until then Open MPI serves "
      "the calls. Outside of jobs, and with a schedule file or a matrix dump: tree if a topology file places the "
      "ranks on several hosts, otherwise direct" },
    { "direct", DIRECT(rotate, free),
      "each message goes directly from sender to receiver; in step k rank i sends to rank i + k and receives from rank "
      "i - k, modulo P ranks (Liu, Wang, Prasanna 3.1.1)" },
    { "natural", DIRECT(natural, free),
      "each message goes directly; each rank sends to ranks 0, 1, 2 and so on (Ranka, Wang, Kumar 4)" },
    { "spread", GRID(LINE, true),
      "each message is cut into slices, one for each rank; the ranks forward the slices to their receivers (Liu, Wang, "
      "Prasanna 3.1.2)" },
    { "grid", GRID(SQUARE, false),
      "the ranks form a square; each message travels along a row of the square, then along a column; for any number of "
      "ranks (Liu, Wang, Prasanna 3.1.3)" },
    { "balanced-grid", GRID(SQUARE, true),
      "as grid, but slices of each message first spread along a row and a column, so that all ranks forward about "
      "equally many bytes (Liu, Wang, Prasanna 3.2)" },
    { "hybrid", { .route = &irr_route_grid, .order = &irr_order_priority, .pacing = &irr_pacing_free,
                  .shape = IRR_SHAPE_SQUARE, .direct_from = IRR_DIRECT_DEFAULT },
      "long messages as with direct, and at the same time the others as with grid" },
    { "bruck", GRID(HALVES, false),
      "as grid, but with about log2(P) dimensions of two ranks each, as in Bruck's algorithm (Liu, Wang, Prasanna 5)" },
    { "node", { .route = &irr_route_node, .order = &irr_order_priority, .pacing = &irr_pacing_free,
                .direct_from = IRR_NODE_DIRECT_DEFAULT },
      "one rank of a node collects the messages of its node for another node, and sends them as one message to a "
      "rank there, which distributes them; long messages as with direct" },
    { "xor", DIRECT(xor, loose), "in step k rank i sends to rank i xor k, or to rank i + k modulo P if P is not a "
      "power of two (linear permutation of Ranka, Wang, Kumar)" },
    { "random", DIRECT(random, loose),
      "in each step the ranks, beginning with a random rank, choose a receiver that no other rank has chosen (Ranka, "
      "Wang, Kumar)" },
    { "random-sorted", DIRECT(random_sorted, loose),
      "as random, but each rank first looks for a receiver of its longest messages (Ranka, Wang, Kumar)" },
    { "random-heap", DIRECT(random_heap, loose),
      "in each step each rank sends its longest message that has a free receiver; long messages are split, so that the "
      "messages of a step have similar lengths (Ranka, Wang, Kumar)" },
    { "optimal", DIRECT(optimal, grant),
      "messages are split so that the busiest rank never waits; the shortest schedule if the start of a message costs "
      "nothing (preemptive open shop)" },
    { "redistribution", DIRECT(redistribution, loose),
      "the steps of a block-cyclic redistribution; within a step all messages are equally long, or all ranks send "
      "equally many bytes (Guo, Pan)" },
    { "tree", DIRECT(tree, sync), "for clusters whose switches form a tree; in a step no two messages share a link "
      "in the same direction, unless the link is faster than the links of the hosts (Faraj, Yuan, extended to any "
      "counts)" },
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
        if (strcasecmp(rows[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/*
 * In a job the engine gets "auto" only if a setting, such as a schedule file, requires the engine; otherwise Open MPI
 * serves the calls at first.  With a topology "auto" means tree, because a user who sets a topology wants it to be
 * used.
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
