/*
 * test_tree.c - trees of switches: paths, loads, capacities and contention, and the order of Faraj and Yuan.
 */
#include "irr_test.h"
#include "tree_scene.h"

#include "order/tree/phases.h"

static tree_scene_t scene;

/* ---- trees ---- */

IRR_TEST(test_paths, "the path in the example of the paper")
{
    static const int expected[] = { 2 * 10, 2 * 0, 2 * 6, 2 * 9 + 1, 2 * 3 + 1, 2 * 13 + 1 };
    irr_tree_t tree;
    int path[16];

    tree_scene_shape(&scene, "paper");
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(tree.longest, 8);
    CU_ASSERT_EQUAL_FATAL(irr_tree_path(&tree, 0, 3, path), 6);
    CU_ASSERT_EQUAL(memcmp(path, expected, sizeof(expected)), 0);
    CU_ASSERT_EQUAL(irr_tree_path(&tree, 2, 2, path), 0);
    CU_ASSERT_EQUAL(irr_tree_path(&tree, 0, 1, path), 4);
    irr_tree_fini(&tree);
}

IRR_TEST(test_refused, "a graph that is not a tree, and a rank without a host, are refused")
{
    static const struct { int host_of[2], ranks, vertex, parent, top; } rows[] = {   /* changes of the paper's tree */
        { { 0, 1 }, 0, 0, 6, 7 }, { { 0, 1 }, 7, 0, 6, 7 }, { { 0, 6 }, 2, 0, 6, 7 }, { { 0, -1 }, 2, 0, 6, 7 },
        { { 0, 1 }, 2, 0, 1, 7 }, { { 0, 1 }, 2, 0, 10, 7 }, { { 0, 1 }, 2, 0, -1, 7 }, { { 0, 1 }, 2, 0, 6, 6 },
        { { 0, 1 }, 2, 7, 9, 6 }   /* the last row is a ring beside a tree */
    };
    irr_tree_t tree = { .ranks = 77 };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        tree_scene_shape(&scene, "paper");
        scene.parent[rows[i].top] = -1;
        scene.parent[rows[i].vertex] = rows[i].parent;
        CU_ASSERT_EQUAL(irr_tree_init(&tree, &scene.topology, rows[i].ranks == 2 ? rows[i].host_of : NULL,
                                      rows[i].ranks), IRR_ERR_BAD_PARAM);
    }
    tree_scene_shape(&scene, "paper");
    scene.speed[7] = 0;
    CU_ASSERT_EQUAL(irr_tree_init(&tree, &scene.topology, NULL, 6), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(tree.ranks, 77);
}

/* Returns `bytes` times `to` divided by `from`, rounded up. */
static uint64_t scaled(uint64_t bytes, uint64_t to, uint64_t from)
{
    return (bytes * to + from - 1) / from;
}

/*
 * Checks a link for the uniform exchange. Its load is the number of ranks below the link times the number of other
 * ranks. It carries as many messages at a time as its speed relative to the slowest host with a rank, and at most one
 * for each rank on the side with fewer ranks.
 */
static void expect_link(const irr_tree_t *tree, int v, uint64_t base, uint64_t bytes, const uint64_t *loads)
{
    const uint64_t below = (uint64_t)tree->below[v], others = (uint64_t)scene.ranks - below;
    const uint64_t most = below < others ? below : others, speed = v < tree->links ? scene.speed[v] : base;
    const uint64_t width = speed / base < most ? speed / base : most, capacity = width > 1 ? width : 1;

    CU_ASSERT(tree->speed[v] == speed && tree->capacity[v] == (int)capacity);
    for (int e = 2 * v; e <= 2 * v + 1; e++) {
        CU_ASSERT_EQUAL(loads[e], bytes * below * others);
        CU_ASSERT_EQUAL(irr_tree_load(tree, e, bytes), capacity > 1 ? scaled(bytes, 1, capacity)
                        : speed < base ? scaled(bytes, base, speed) : bytes);
    }
}

/* The busiest link takes the speeds of links into account. */
IRR_TEST(test_loads, "loads, capacities and the busiest link of the uniform exchange")
{
    uint64_t state = irr_test_seed(), loads[2 * (SCENE_VERTICES + SCENE_RANKS)];

    for (int run = 0; run < 600; run++) {
        const uint64_t bytes = 1 + irr_test_below(&state, 1000);
        uint64_t base = UINT64_MAX, most = 0;
        irr_matrix_t matrix;
        irr_tree_bound_t bound;
        irr_tree_t tree;

        tree_scene_any(&scene, &state, 40);
        tree = tree_scene_tree(&scene);
        matrix = tree_scene_uniform(scene.ranks, bytes);
        irr_test_must(irr_tree_loads(&tree, &matrix, loads));
        for (int r = 0; r < scene.ranks; r++) {
            base = scene.speed[scene.host_of[r]] < base ? scene.speed[scene.host_of[r]] : base;
        }
        CU_ASSERT_EQUAL(tree.base, base);
        for (int v = 0; v < tree.vertices; v++) {
            const uint64_t load = scaled(loads[2 * v], base, tree.speed[v]);

            expect_link(&tree, v, base, bytes, loads);
            most = load > most ? load : most;
        }
        irr_test_must(irr_tree_bound(&tree, &matrix, &bound));
        CU_ASSERT_EQUAL(bound.bytes, most);
        CU_ASSERT_EQUAL(irr_tree_at_base(&tree, bound.edge, loads[bound.edge]), bound.bytes);
        irr_matrix_fini(&matrix);
        irr_tree_fini(&tree);
    }
}

IRR_TEST(test_large_speeds, "the largest speeds and lengths do not overflow")
{
    irr_matrix_t matrix = tree_scene_uniform(2, INT64_MAX / 2);
    irr_tree_bound_t bound;
    irr_tree_t tree;

    tree_scene_shape(&scene, "chain:1,1");
    scene.speed[0] = scene.speed[1] = UINT64_MAX;
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_tree_bound(&tree, &matrix, &bound));
    CU_ASSERT(bound.bytes == UINT64_MAX && bound.edge == 2 * 3);
    irr_tree_fini(&tree);
    scene.speed[0] = scene.speed[1] = 1;
    scene.speed[3] = UINT64_MAX;
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_tree_bound(&tree, &matrix, &bound));
    CU_ASSERT(bound.bytes == INT64_MAX / 2 && bound.edge == 0 && tree.capacity[3] == 1);
    irr_tree_fini(&tree);
    irr_matrix_fini(&matrix);
}

/*
 * A link between switches carries as many messages at a time as its speed, and the link of a host carries one. Messages
 * inside a host use no link.
 */
IRR_TEST(test_contention, "contention is detected on links, and does not exist within a host")
{
    static const struct {
        const char        *shape;
        uint64_t           uplinks;
        int                second;    /* host of rank 1 */
        irr_transmission_t list[4];   /* length 0 marks an unused transmission */
        int                first_clash, second_clash, edge;
    } rows[] = {
        { "chain:2,2", 1, 1, { { 1, 0, 2, 0, 5, 0 }, { 1, 3, 1, 0, 5, 0 }, { 2, 1, 3, 0, 5, 0 } }, 0, 0, -1 },
        { "chain:2,2", 1, 1, { { 1, 0, 2, 0, 5, 0 }, { 1, 3, 1, 0, 5, 0 }, { 1, 1, 3, 0, 5, 0 } }, 0, 2, 2 * 5 + 1 },
        { "chain:2,2", 1, 0, { { 1, 0, 1, 0, 5, 0 }, { 1, 1, 2, 0, 5, 0 }, { 1, 2, 0, 0, 5, 0 } }, 0, 0, -1 },
        { "chain:4,4", 3, 1, { { 1, 0, 4, 0, 5, 0 }, { 1, 1, 5, 0, 5, 0 }, { 1, 2, 6, 0, 5, 0 }, { 2, 3, 7, 0, 5, 0 } },
          0, 0, -1 },
        { "chain:4,4", 3, 1, { { 1, 0, 4, 0, 5, 0 }, { 1, 1, 5, 0, 5, 0 }, { 1, 2, 6, 0, 5, 0 }, { 1, 3, 7, 0, 5, 0 } },
          2, 3, 2 * 9 + 1 },
        { "chain:4,4", 4, 1, { { 1, 0, 4, 0, 5, 0 }, { 1, 1, 5, 0, 5, 0 }, { 1, 2, 6, 0, 5, 0 }, { 1, 3, 7, 0, 5, 0 } },
          0, 0, -1 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_transmission_t list[4];
        irr_schedule_t schedule = { .steps = 2, .list = list, .count = rows[i].list[3].step > 0 ? 4 : 3 };
        irr_tree_clash_t clash = { .edge = -1 };
        const bool clean = rows[i].edge < 0;
        irr_tree_t tree;

        tree_scene_shape(&scene, rows[i].shape);
        tree_scene_uplinks(&scene, rows[i].uplinks);
        scene.host_of[1] = rows[i].second;
        schedule.ranks = scene.ranks;
        memcpy(list, rows[i].list, sizeof(list));
        tree = tree_scene_tree(&scene);
        CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, NULL), clean ? IRR_OK : IRR_ERR_INVALID_PLAN);
        CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), clean ? IRR_OK : IRR_ERR_INVALID_PLAN);
        CU_ASSERT_EQUAL(clash.edge, rows[i].edge);
        CU_ASSERT(clean || ((int)clash.first == rows[i].first_clash && (int)clash.second == rows[i].second_clash));
        schedule.ranks--;
        CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_ERR_BAD_PARAM);
        irr_tree_fini(&tree);
    }
}

/* ---- phases ---- */

/* Asserts lemma 1, the number of phases, no contention, and that each message is sent once. */
static void expect_phases(uint64_t bytes)
{
    irr_tree_t tree = tree_scene_tree(&scene);
    irr_matrix_t matrix = tree_scene_uniform(scene.ranks, bytes);
    irr_schedule_t schedule;
    irr_tree_bound_t bound;
    irr_tree_root_t root;

    irr_test_must(irr_tree_all_to_all(&tree, bytes, &schedule));
    irr_test_must(irr_tree_bound(&tree, &matrix, &bound));
    irr_test_must(irr_tree_root_find(&tree, &root));
    CU_ASSERT(scene.ranks == 1 || 2 * root.first[1] <= scene.ranks);
    CU_ASSERT_EQUAL(schedule.steps, irr_tree_phases(&root));
    CU_ASSERT_EQUAL((uint64_t)schedule.steps * bytes, bound.bytes);
    CU_ASSERT_EQUAL(irr_schedule_splits(&schedule, &matrix), 0);
    tree_scene_expect(&tree, &schedule, &matrix);
    irr_tree_root_fini(&root);
    irr_schedule_fini(&schedule);
    irr_matrix_fini(&matrix);
    irr_tree_fini(&tree);
}

/* Tests known trees, and random trees with one rank or many ranks per host. */
IRR_TEST(test_trees, "phases of known trees, and of random trees of up to 64 hosts")
{
    static const char *const shapes[] = {
        "single:1", "single:2", "single:3", "chain:1,1", "star:0,1,1", "star:1,5", "chain:8,0,0,8", "star:8,8,8,8",
        "chain:8,8,8,8", "star:1,24"
    };
    uint64_t state = irr_test_seed() + 1;

    for (size_t i = 0; i < IRR_TEST_COUNT(shapes); i++) {
        tree_scene_shape(&scene, shapes[i]);
        expect_phases(1000);
    }
    for (int run = 0; run < 7000; run++) {
        tree_scene_random(&scene, &state, run % 8 == 0 ? 64 : 12);
        if (run % 2 == 0) {
            tree_scene_crowd(&scene, &state, run % 8 == 0 ? 64 : 12);
        }
        expect_phases(1 + irr_test_below(&state, 100));
    }
}

IRR_TEST(test_ring, "on one switch the order is the ring, with P - 1 phases")
{
    tree_scene_shape(&scene, "single:64");
    for (int ranks = 1; ranks <= 64; ranks++) {
        irr_schedule_t schedule;
        irr_tree_t tree;
        size_t wrong = 0;

        scene.ranks = ranks;
        tree = tree_scene_tree(&scene);
        irr_test_must(irr_tree_all_to_all(&tree, 1, &schedule));
        CU_ASSERT_EQUAL(schedule.steps, ranks - 1);
        for (size_t i = 0; i < schedule.count; i++) {
            const irr_transmission_t *t = &schedule.list[i];

            wrong += t->to != (t->from + t->step) % ranks;
        }
        CU_ASSERT_EQUAL(wrong, 0);
        irr_schedule_fini(&schedule);
        irr_tree_fini(&tree);
    }
}

/* ---- table 4 of the paper ---- */

/*
 * Writes the messages of a phase as a row of the table: the global messages from the subtrees t0, t1 and t2, then the
 * local messages of t0, t1 and t2. "-" is no message.
 */
static void print_phase(const irr_schedule_t *schedule, int phase, char *text)
{
    static const int subtree[] = { 0, 0, 0, 1, 1, 2 };
    char columns[6][8] = { "-", "-", "-", "-", "-", "-" };

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        const bool local = subtree[t->from] == subtree[t->to];

        if (t->step == phase) {
            snprintf(columns[subtree[t->from] + (local ? 3 : 0)], 8, "%d>%d", t->from, t->to);
        }
    }
    sprintf(text, "%s %s %s %s %s %s", columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]);
}

/* Machines 0 to 2 are t0,0 to t0,2; machines 3 and 4 are t1,0 and t1,1; machine 5 is t2,0. */
IRR_TEST(test_table, "table 4 of the paper")
{
    static const char *const table[] = {
        "0>4 3>5 5>1 1>0 - -", "1>3 4>5 5>2 2>1 - -", "2>4 - 5>0 0>2 - -", "0>3 3>2 - 2>0 - -", "1>4 3>0 - 0>1 4>3 -",
        "2>3 3>1 - 1>2 - -", "0>5 4>0 - - - -", "1>5 4>1 5>3 - 3>4 -", "2>5 4>2 5>4 - - -"
    };
    irr_schedule_t schedule;
    irr_tree_t tree;
    char text[64];

    tree_scene_shape(&scene, "paper");
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_tree_all_to_all(&tree, 7, &schedule));
    CU_ASSERT(schedule.count == 30 && schedule.steps == (int)IRR_TEST_COUNT(table));
    for (int phase = 1; phase <= schedule.steps; phase++) {
        print_phase(&schedule, phase, text);
        CU_ASSERT_STRING_EQUAL(text, table[phase - 1]);
    }
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
}

/* ---- limits ---- */

IRR_TEST(test_limits, "invalid and overflowing lengths are refused")
{
    irr_schedule_t schedule = { .ranks = 77 };
    uint64_t loads[64];
    irr_matrix_t matrix = tree_scene_uniform(4, INT64_MAX);
    irr_tree_t tree;

    tree_scene_shape(&scene, "single:3");
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(irr_tree_all_to_all(&tree, 0, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_tree_all_to_all(&tree, INT64_MAX, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(schedule.ranks, 77);
    CU_ASSERT_EQUAL(irr_tree_loads(&tree, &matrix, loads), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    matrix = tree_scene_uniform(3, INT64_MAX);
    CU_ASSERT_EQUAL(irr_tree_loads(&tree, &matrix, loads), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    irr_tree_fini(&tree);
}

IRR_TEST_MAIN("tree", 120)
