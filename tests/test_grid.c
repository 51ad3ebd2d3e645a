/*
 * test_grid.c - grids of any number of ranks: geometry, the priority schedule, and the plans of all ranks.
 *
 * The golden figures are from the JPDC paper: figure 8 (P = 18), figure 10 (P = 61) and table 3. test_proof.c checks
 * lemma 1.
 */
#include "matrix_scene.h"
#include "plan_all.h"

#include "plan/strategy.h"
#include "study/grid_plans.h"

enum { RANKS_MAX = 300, NONE = -1 };

static irr_grid_level_t square_level(int ranks, int level, int rank)
{
    irr_grid_t grid = { .levels = 2, .columns = { irr_grid_square_columns(ranks) } };

    return irr_grid_level(&grid, ranks, level, rank);
}

IRR_TEST(test_square, "number of columns of a square grid")
{
    static const struct { int ranks, columns; } rows[] = {
        { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 2 }, { 5, 2 }, { 6, 3 }, { 7, 3 }, { 8, 3 }, { 9, 3 }, { 11, 3 }, { 12, 4 },
        { 16, 4 }, { 17, 5 }, { 18, 5 }, { 19, 4 }, { 20, 5 }, { 61, 8 }, { 64, 8 }, { 71, 8 }, { 72, 9 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_EQUAL(irr_grid_square_columns(rows[i].ranks), rows[i].columns);
    }
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        irr_grid_level_t level = square_level(ranks, 0, 0);

        CU_ASSERT(level.rows.rest <= level.rows.rows - 1);
    }
}

/* Figure 8: P = 18, C = 5, r = 3: row 3 sends to its pseudo-nodes in columns 3 and 4 through rows 0, 1, 2. */
IRR_TEST(test_figure_8, "figure 8: messages for pseudo-nodes")
{
    irr_grid_level_t level = square_level(18, 0, 0);

    CU_ASSERT_EQUAL(level.rows.columns, 5);
    CU_ASSERT_EQUAL(level.rows.rest, 3);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(irr_grid_hop(&level, 15 + i, 3), 5 * i + 3);
        CU_ASSERT_EQUAL(irr_grid_hop(&level, 15 + i, 4), 5 * i + 4);
    }
}

/* Figure 10: receivers by step and sender, for the third row of P = 61 and node 58, which sends to that row. */
IRR_TEST(test_figure_10, "figure 10: the revised schedule")
{
    static const int senders[] = { 16, 17, 18, 19, 20, 21, 22, 23, 58 };
    static const int figure[][9] = {
        { 17, 18, 19, 20, 21, 22, 23, 16, 59 },
        { 18, 19, 20, 21, 22, 23, 16, 17, 60 },
        { 19, 20, NONE, 22, 23, 16, 17, 18, 21 },
        { 20, NONE, 21, 23, 16, 17, 18, 19, 22 },
        { NONE, 21, 22, 16, 17, 18, 19, 20, 23 },
        { 21, 22, 23, 17, 18, 19, 20, NONE, 56 },
        { 22, 23, 16, 18, 19, 20, NONE, 21, 57 },
        { 23, 16, 17, NONE, NONE, NONE, 21, 22, NONE }
    };
    irr_grid_level_t level = square_level(61, 0, 0);

    for (int step = 1; step <= 8; step++) {
        for (int i = 0; i < 9; i++) {
            int receiver = NONE;

            for (int column = 0; column < 8; column++) {
                if (column != senders[i] % 8 && irr_priority_step(level.rows, senders[i], column) == step) {
                    receiver = irr_grid_hop(&level, senders[i], column);
                }
            }
            CU_ASSERT_EQUAL(receiver, figure[step - 1][i]);
        }
    }
}

/* Row exchanges: in each of C steps a rank sends and receives one message, to and from the right column. */
IRR_TEST(test_no_contention, "no contention for 1 to 300 ranks")
{
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        irr_grid_level_t level = square_level(ranks, 0, 0);
        int steps = level.rows.columns + 1;
        char *sent = calloc((size_t)(ranks * steps), 1), *received = calloc((size_t)(ranks * steps), 1);

        for (int t = 0; t < ranks; t++) {
            for (int column = 0; column < level.rows.columns; column++) {
                int to = irr_grid_hop(&level, t, column), step = irr_priority_step(level.rows, t, column);

                if (column == t % level.rows.columns) {
                    continue;
                }
                CU_ASSERT_FATAL(to >= 0 && to < ranks && to != t && step >= 1 && step < steps);
                CU_ASSERT_EQUAL(to % level.rows.columns, column);
                CU_ASSERT_EQUAL(sent[t * steps + step]++, 0);
                CU_ASSERT_EQUAL(received[to * steps + step]++, 0);
            }
        }
        free(received);
        free(sent);
    }
}

/* The columns of a level are groups of ranks. Every rank is a member of one column. */
IRR_TEST(test_levels, "each rank is a member of one column of each level")
{
    const irr_grid_t grid = { .levels = 3, .columns = { 4, 3 } };

    for (int ranks = 1; ranks <= 60; ranks++) {
        for (int rank = 0; rank < ranks; rank++) {
            for (int i = 0; i < 3; i++) {
                irr_grid_level_t level = irr_grid_level(&grid, ranks, i, rank);
                int member = irr_grid_member(&level, rank), members = 0;

                CU_ASSERT(member >= 0 && member < level.size);
                CU_ASSERT_EQUAL(irr_grid_rank(&level, member), rank);
                for (int column = 0; column < level.rows.columns; column++) {
                    members += irr_grid_column_size(&level, column);
                }
                CU_ASSERT_EQUAL(members, level.size);
            }
        }
    }
}

IRR_TEST(test_cut, "a complete column gets R / P of a message, an incomplete column (R - 1) / P, rounded down")
{
    irr_grid_level_t level = square_level(18, 0, 0);
    size_t cuts[6];

    irr_grid_cut(&level, 7, 1800, 0, cuts);
    for (int k = 0; k < 5; k++) {
        int column = irr_grid_cut_column(&level, 7, k);

        CU_ASSERT_EQUAL(column, (7 + k) % 5);
        CU_ASSERT_EQUAL(cuts[k + 1] - cuts[k], column < 3 ? 400 : 300);
    }
    irr_grid_cut(&level, 0, 1, 0, cuts);
    CU_ASSERT_EQUAL(cuts[4], 0);
    CU_ASSERT_EQUAL(cuts[5], 1);
    irr_grid_cut(&level, 0, 1000, 256, cuts);
    for (int k = 1; k < 5; k++) {
        CU_ASSERT_EQUAL(cuts[k] % 256, 0);
    }
    CU_ASSERT_EQUAL(cuts[5], 1000);
    irr_grid_cut(&level, 0, SIZE_MAX, 0, cuts);
    CU_ASSERT_EQUAL(cuts[5], SIZE_MAX);
    CU_ASSERT(cuts[1] > SIZE_MAX / 5 && cuts[1] < SIZE_MAX / 4);
}

IRR_TEST(test_startups, "table 3: number of messages per rank if every rank sends to every other rank")
{
    static const struct { const char *algorithm; int ranks, messages; } rows[] = {
        { "direct", 64, 63 }, { "spread", 16, 2 * 15 }, { "grid", 64, 2 * 7 }, { "balanced-grid", 64, 4 * 7 },
        { "bruck", 64, 6 }, { "bruck", 33, 6 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_matrix_t matrix = matrix_scene_pattern("uniform", rows[i].ranks, 90, 1);
        irr_plans_t plans;
        int most = 0;

        irr_test_must(irr_plan_all(irr_algorithm_find(rows[i].algorithm), 0, &matrix, &plans));
        for (int r = 0; r < rows[i].ranks; r++) {
            most = (int)plans.plans[r].nsends > most ? (int)plans.plans[r].nsends : most;
        }
        CU_ASSERT_EQUAL(most, rows[i].messages);
        irr_plans_fini(&plans);
        irr_matrix_fini(&matrix);
    }
}

/* ---- leaders ---- */

enum { NODES_MAX = 5, NODE_RANKS_MAX = 4, UNIT_MAX = 40 };

typedef struct led {
    const irr_nodes_t *nodes;
    int                between[NODES_MAX][NODES_MAX];   /* messages of stage 2 */
    int                sent[NODES_MAX * NODE_RANKS_MAX];   /* number of sent messages of stage 2, by rank */
    bool               good;
} led_t;

/*
 * Messages of stages 1 and 3 stay within a node. Blocks between ranks of a node travel in stage 1. Stage 2 has one
 * message per pair of nodes.
 */
static bool look_at_message(void *context, const irr_plans_message_t *message)
{
    led_t *led = context;
    const irr_nodes_t *nodes = led->nodes;
    const int from = irr_nodes_of(nodes, message->from), to = irr_nodes_of(nodes, message->to);

    if (message->stage == 4) {   /* stage 4 has the direct messages */
        led->good = led->good && message->nslices == 1 && message->slices[0].source == message->from;
        return true;
    }
    led->good = led->good && (from == to) == (message->stage != 2);
    if (message->stage == 2) {
        led->good = led->good && ++led->between[from][to] == 1;
        led->sent[message->from]++;
    }
    for (size_t i = 0; i < message->nslices; i++) {
        const irr_slice_t *slice = &message->slices[i];
        const bool inside = irr_nodes_of(nodes, slice->source) == irr_nodes_of(nodes, slice->destination);

        led->good = led->good && (!inside || (message->stage == 1 && message->to == slice->destination)) &&
                    (message->stage != 3 || message->to == slice->destination);
    }
    return true;
}

/* A rank is leader for as many nodes as the other ranks of its node, or for one node more. */
static void expect_shares(const led_t *led)
{
    for (int r = 0; r < led->nodes->ranks; r++) {
        const int size = irr_nodes_size(led->nodes, irr_nodes_of(led->nodes, r)), others = led->nodes->count - 1;

        CU_ASSERT(led->sent[r] <= (others + size - 1) / size);
    }
}

static void check_leaders(const irr_nodes_t *nodes, const irr_matrix_t *matrix, size_t direct_from)
{
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_find("node"));
    const irr_plans_known_t known = { .matrix = matrix, .nodes = nodes };
    led_t led = { .nodes = nodes, .good = true };
    irr_plans_t plans;
    char reason[256] = "";

    strategy.direct_from = direct_from;
    irr_test_must(irr_plans_build(&strategy, &known, &plans));
    CU_ASSERT_EQUAL(irr_plan_check(plans.plans, plans.problems, nodes->ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    CU_ASSERT_EQUAL(irr_plans_each_message(&plans, look_at_message, &led), IRR_OK);
    CU_ASSERT_TRUE(led.good);
    expect_shares(&led);
    irr_plans_fini(&plans);
}

/* Checks nodes of these sizes. Ranks are in order or in random order. Counts are random, and a third of them are 0. */
static void try_leaders(const int *sizes, int count, uint64_t *state)
{
    int labels[NODES_MAX * NODE_RANKS_MAX], ranks = 0;
    irr_matrix_t matrix;
    irr_nodes_t nodes;

    for (int node = 0; node < count; node++) {
        for (int i = 0; i < sizes[node]; i++) {
            labels[ranks++] = node;
        }
    }
    for (int i = ranks - 1; i > 0 && irr_test_below(state, 2) > 0; i--) {
        const int other = (int)irr_test_below(state, (uint64_t)i + 1), label = labels[i];

        labels[i] = labels[other];
        labels[other] = label;
    }
    irr_test_must(irr_nodes_init(&nodes, ranks, labels));
    matrix = matrix_scene_mixed(ranks, UNIT_MAX, state);
    check_leaders(&nodes, &matrix, irr_test_below(state, 2) * irr_test_below(state, UNIT_MAX));
    irr_matrix_fini(&matrix);
    irr_nodes_fini(&nodes);
}

IRR_TEST_SEEDED(test_leaders, "messages through leaders, for 1 to 5 nodes of 1 to 4 ranks")
{
    for (int count = 1, layouts = NODE_RANKS_MAX; count <= NODES_MAX; count++, layouts *= NODE_RANKS_MAX) {
        for (int layout = 0; layout < layouts; layout++) {
            int sizes[NODES_MAX], left = layout;

            for (int node = 0; node < count; node++, left /= NODE_RANKS_MAX) {
                sizes[node] = 1 + left % NODE_RANKS_MAX;
            }
            try_leaders(sizes, count, state);
        }
    }
}

/* ---- nodes ---- */

/* Compares node and place of each rank with the labels, and the ranks of each node with its places. */
static void check_nodes(int ranks, const int *labels)
{
    irr_nodes_t nodes;
    int count = 0;

    irr_test_must(irr_nodes_init(&nodes, ranks, labels));
    for (int r = 0; r < ranks; r++) {
        const int node = irr_nodes_of(&nodes, r), place = irr_nodes_index(&nodes, r);
        int lowest = 0, before = 0;

        while (labels[lowest] != labels[r]) {
            lowest++;
        }
        for (int i = lowest; i < r; i++) {
            before += labels[i] == labels[r];
        }
        CU_ASSERT_EQUAL(node, lowest < r ? irr_nodes_of(&nodes, lowest) : count);
        count += lowest == r;
        CU_ASSERT_EQUAL(place, before);
        CU_ASSERT_EQUAL(irr_nodes_member(&nodes, node, place), r);
        CU_ASSERT(place < irr_nodes_size(&nodes, node));
    }
    CU_ASSERT_EQUAL(nodes.count, count);
    CU_ASSERT_EQUAL(irr_nodes_first(&nodes, 0), 0);
    CU_ASSERT_EQUAL(irr_nodes_first(&nodes, count), ranks);
    irr_nodes_fini(&nodes);
}

/* Regular nodes, and nodes in which one rank is on another node. */
IRR_TEST_SEEDED(test_nodes, "ranks of nodes, and their places in the nodes")
{
    int labels[20];

    for (int i = 0; i < 400; i++) {
        const int ranks = 1 + (int)irr_test_below(state, 20), count = 1 + (int)irr_test_below(state, 5);
        const int block = 1 + (int)irr_test_below(state, 6);

        for (int r = 0; r < ranks; r++) {
            labels[r] = 7 - r / block % count;
        }
        if (irr_test_below(state, 2) > 0) {
            labels[irr_test_below(state, (uint64_t)ranks)] = (int)irr_test_below(state, 9);
        }
        check_nodes(ranks, labels);
    }
}

IRR_TEST_MAIN("grid", 120)
