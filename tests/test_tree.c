/*
 * test_tree.c - trees of switches: paths, loads and contention, and the order of Faraj and Yuan.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "tree_scene.h"

#include "order/tree/phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tree_scene_t scene;

/* ---- trees ---- */

static void test_paths(void)
{
    static const int expected[] = { 2 * 10, 2 * 0, 2 * 6, 2 * 9 + 1, 2 * 3 + 1, 2 * 13 + 1 };
    irr_tree_t tree;
    int path[16];

    tree_scene_paper(&scene);
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(tree.longest, 8);
    CU_ASSERT_EQUAL_FATAL(irr_tree_path(&tree, 0, 3, path), 6);
    CU_ASSERT_EQUAL(memcmp(path, expected, sizeof(expected)), 0);
    CU_ASSERT_EQUAL(irr_tree_path(&tree, 2, 2, path), 0);
    CU_ASSERT_EQUAL(irr_tree_path(&tree, 0, 1, path), 4);
    irr_tree_fini(&tree);
}

static void expect_refused(const irr_topology_t *topology, const int *host_of, int ranks)
{
    irr_tree_t tree = { .ranks = 77 };

    CU_ASSERT_EQUAL(irr_tree_init(&tree, topology, host_of, ranks), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(tree.ranks, 77);
}

static void test_refused(void)
{
    const int outside[] = { 0, 6 }, negative[] = { 0, -1 };

    tree_scene_paper(&scene);
    expect_refused(&scene.topology, NULL, 0);
    expect_refused(&scene.topology, NULL, 7);
    expect_refused(&scene.topology, outside, 2);
    expect_refused(&scene.topology, negative, 2);
    scene.parent[0] = 1;
    expect_refused(&scene.topology, NULL, 6);
    scene.parent[0] = 10;
    expect_refused(&scene.topology, NULL, 6);
    scene.parent[0] = -1;
    expect_refused(&scene.topology, NULL, 6);
    scene.parent[0] = 6;
    scene.parent[7] = 9;
    expect_refused(&scene.topology, NULL, 6);
    scene.parent[6] = -1;
    expect_refused(&scene.topology, NULL, 6);
}

/* Loads of the uniform exchange are known: ranks below times the others. */
static void test_loads(void)
{
    uint64_t state = irr_test_seed(), loads[2 * (SCENE_VERTICES + SCENE_RANKS)];

    for (int run = 0; run < 300; run++) {
        irr_tree_t tree;
        irr_tree_bound_t bound;
        irr_matrix_t matrix;
        uint64_t most = 0;

        tree_scene_random(&scene, &state, 24);
        tree_scene_crowd(&scene, &state, 40);
        tree = tree_scene_tree(&scene);
        matrix = tree_scene_uniform(scene.ranks, 3);
        irr_test_must(irr_tree_loads(&tree, &matrix, loads));
        for (int e = 0; e < 2 * tree.vertices; e++) {
            const int below = tree.below[e / 2];

            CU_ASSERT_EQUAL(loads[e], 3 * (uint64_t)below * (uint64_t)(scene.ranks - below));
            most = loads[e] > most ? loads[e] : most;
        }
        irr_test_must(irr_tree_bound(&tree, &matrix, &bound));
        CU_ASSERT_EQUAL(bound.bytes, most);
        CU_ASSERT_EQUAL(loads[bound.edge], most);
        irr_matrix_fini(&matrix);
        irr_tree_fini(&tree);
    }
}

/* Hosts 0 and 1, and 2 and 3, on two switches: what goes across meets on one link. */
static void test_contention_is_seen(void)
{
    irr_schedule_t schedule = { .ranks = 4 };
    irr_tree_clash_t clash = { .edge = -1 };
    irr_tree_t tree;

    tree_scene_shape(&scene, "chain:2,2");
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 1, 0, 2, 0, 5, 0 }));
    irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 1, 3, 1, 0, 5, 0 }));
    irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 2, 1, 3, 0, 5, 0 }));
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_OK);
    CU_ASSERT_EQUAL(clash.edge, -1);
    schedule.list[2].step = 1;
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, NULL), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_ERR_INVALID_PLAN);
    CU_ASSERT(clash.first == 0 && clash.second == 2 && clash.edge == 2 * 5 + 1);
    schedule.ranks = 3;
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_ERR_BAD_PARAM);
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);

    scene.host_of[1] = 0;   /* messages of one host use no link */
    schedule = (irr_schedule_t){ .ranks = 4 };
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 1, 0, 1, 0, 5, 0 }));
    irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 1, 1, 2, 0, 5, 0 }));
    irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 1, 2, 0, 0, 5, 0 }));
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_OK);
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
}

/* ---- the root ---- */

static void expect_root(int vertex, int subtrees, int largest)
{
    irr_tree_t tree = tree_scene_tree(&scene);
    irr_tree_root_t root;

    irr_test_must(irr_tree_root_find(&tree, &root));
    CU_ASSERT_EQUAL(root.vertex, vertex);
    CU_ASSERT_EQUAL(root.subtrees, subtrees);
    CU_ASSERT_EQUAL(root.first[1], largest);
    irr_tree_root_fini(&root);
    irr_tree_fini(&tree);
}

/* Puts so many ranks on the first hosts. */
static void crowd(const int *counts, int hosts)
{
    scene.ranks = 0;
    for (int h = 0; h < hosts; h++) {
        for (int n = 0; n < counts[h]; n++) {
            scene.host_of[scene.ranks++] = h;
        }
    }
}

static void test_root(void)
{
    const int unequal[] = { 5, 1, 2 }, half[] = { 4, 2, 2 }, lonely[] = { 3 }, two[] = { 1, 1 };

    tree_scene_paper(&scene);
    expect_root(7, 3, 3);
    tree_scene_shape(&scene, "single:5");
    expect_root(5, 5, 1);
    tree_scene_shape(&scene, "chain:1,1");
    expect_root(3, 2, 1);
    tree_scene_shape(&scene, "star:8,8,8,8");
    expect_root(32, 11, 8);
    tree_scene_shape(&scene, "chain:8,0,0,8");
    expect_root(16, 9, 8);
    tree_scene_shape(&scene, "single:3");   /* a host with more than half of the ranks is the root */
    crowd(unequal, 3);
    expect_root(0, 6, 3);
    crowd(half, 3);
    expect_root(3, 3, 4);
    crowd(lonely, 1);
    expect_root(0, 3, 1);
    crowd(two, 2);
    expect_root(3, 2, 1);
    crowd(two, 1);
    expect_root(3, 1, 1);
}

/* ---- phases ---- */

/* Lemma 1, the number of phases, no contention and each message once. */
static void expect_phases(uint64_t bytes)
{
    irr_tree_t tree = tree_scene_tree(&scene);
    irr_matrix_t matrix = tree_scene_uniform(scene.ranks, bytes);
    irr_schedule_t schedule;
    irr_tree_bound_t bound;
    irr_tree_root_t root;

    irr_test_must(irr_tree_aapc(&tree, bytes, &schedule));
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

static void test_shapes(void)
{
    static const char *const shapes[] = {
        "single:1", "single:2", "single:3", "single:24", "chain:1,1", "chain:2,0,1", "star:0,2", "star:0,1,1",
        "star:1,5", "star:0,1,1,1", "chain:8,0,0,8", "star:8,8,8,8", "chain:8,8,8,8", "chain:1,2,3,4",
        "star:1,24", "chain:12,12"
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(shapes); i++) {
        tree_scene_shape(&scene, shapes[i]);
        expect_phases(1000);
    }
}

static void test_random_trees(void)
{
    uint64_t state = irr_test_seed() + 1;

    for (int run = 0; run < 4000; run++) {
        tree_scene_random(&scene, &state, run % 8 == 0 ? 64 : 12);
        expect_phases(1 + irr_test_below(&state, 100));
    }
}

static void test_random_hosts(void)
{
    uint64_t state = irr_test_seed() + 2;

    for (int run = 0; run < 3000; run++) {
        tree_scene_random(&scene, &state, run % 8 == 0 ? 24 : 6);
        tree_scene_crowd(&scene, &state, run % 8 == 0 ? 64 : 12);
        expect_phases(1 + irr_test_below(&state, 100));
    }
}

/* One switch: the ring, in P - 1 phases. */
static void test_ring(void)
{
    tree_scene_shape(&scene, "single:64");
    for (int ranks = 1; ranks <= 64; ranks++) {
        irr_schedule_t schedule;
        irr_tree_t tree;
        size_t wrong = 0;

        scene.ranks = ranks;
        tree = tree_scene_tree(&scene);
        irr_test_must(irr_tree_aapc(&tree, 1, &schedule));
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

/* ---- table 4 ---- */

#define TABLE_COLUMNS 6

/* The messages of a phase in the columns of the table; subtrees of the ranks are given. */
static void print_phase(const irr_schedule_t *schedule, int phase, const int *subtree, char line[][8])
{
    for (int c = 0; c < TABLE_COLUMNS; c++) {
        snprintf(line[c], 8, "-");
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        const bool local = subtree[t->from] == subtree[t->to];

        if (t->step == phase + 1) {
            snprintf(line[subtree[t->from] + (local ? 3 : 0)], 8, "%d>%d", t->from, t->to);
        }
    }
}

static void expect_table(const irr_schedule_t *schedule, FILE *file)
{
    static const int subtree[] = { 0, 0, 0, 1, 1, 2 };
    char text[160], expected[TABLE_COLUMNS][8], line[TABLE_COLUMNS][8];
    int phase, phases = 0;

    while (fgets(text, sizeof(text), file) != NULL) {
        if (text[0] == '#') {
            continue;
        }
        CU_ASSERT_EQUAL_FATAL(sscanf(text, "%d %7s %7s %7s %7s %7s %7s", &phase, expected[0], expected[1],
                                     expected[2], expected[3], expected[4], expected[5]), 7);
        CU_ASSERT_EQUAL(phase, phases++);
        print_phase(schedule, phase, subtree, line);
        for (int c = 0; c < TABLE_COLUMNS; c++) {
            CU_ASSERT_STRING_EQUAL(line[c], expected[c]);
        }
    }
    CU_ASSERT_EQUAL(phases, schedule->steps);
}

static void test_table(void)
{
    const char *srcdir = getenv("srcdir");
    char path[1024];
    irr_schedule_t schedule;
    irr_tree_t tree;
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/data/tree-table4.txt", srcdir != NULL ? srcdir : ".");
    file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    tree_scene_paper(&scene);
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_tree_aapc(&tree, 7, &schedule));
    CU_ASSERT_EQUAL(schedule.count, 30);
    expect_table(&schedule, file);
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
    fclose(file);
}

/* ---- limits ---- */

static void test_limits(void)
{
    irr_schedule_t schedule = { .ranks = 77 };
    uint64_t loads[64];
    irr_matrix_t matrix = tree_scene_uniform(4, INT64_MAX);
    irr_tree_t tree;

    tree_scene_shape(&scene, "single:3");
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(irr_tree_aapc(&tree, 0, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_tree_aapc(&tree, INT64_MAX, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(schedule.ranks, 77);
    CU_ASSERT_EQUAL(irr_tree_loads(&tree, &matrix, loads), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    matrix = tree_scene_uniform(3, INT64_MAX);
    CU_ASSERT_EQUAL(irr_tree_loads(&tree, &matrix, loads), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    irr_tree_fini(&tree);
}

/* Tree, schedule, check and bound; all that was made is released. */
static irr_status_t make_all(const irr_matrix_t *matrix)
{
    irr_schedule_t schedule = { 0 };
    irr_tree_bound_t bound;
    irr_tree_t tree = { 0 };
    irr_status_t status = irr_tree_init(&tree, &scene.topology, scene.host_of, scene.ranks);

    if (status == IRR_OK) {
        status = irr_tree_aapc(&tree, 8, &schedule);
    }
    if (status == IRR_OK) {
        status = irr_tree_check(&tree, &schedule, NULL);
    }
    if (status == IRR_OK) {
        status = irr_tree_bound(&tree, matrix, &bound);
    }
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
    return status;
}

static void test_memory(void)
{
    irr_matrix_t matrix;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    tree_scene_paper(&scene);
    irr_memory_begin();
    matrix = tree_scene_uniform(6, 1);
    for (size_t nth = 1; status != IRR_OK; nth++) {
        irr_memory_fail(nth, NULL);
        status = make_all(&matrix);
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
    }
    irr_matrix_fini(&matrix);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

IRR_TEST_MAIN("tree", 120,
    { "the path of the paper's example", test_paths },
    { "what is no tree, or a rank on no host, is refused", test_refused },
    { "loads of the uniform exchange", test_loads },
    { "contention on a link is seen, and none within a host", test_contention_is_seen },
    { "the root of known trees", test_root },
    { "phases of known trees", test_shapes },
    { "phases of random trees up to 64 hosts", test_random_trees },
    { "phases of random trees with many ranks a host", test_random_hosts },
    { "one switch is the ring", test_ring },
    { "table 4 of the paper", test_table },
    { "lengths that cannot be served are refused", test_limits },
    { "want of memory is an error and leaks nothing", test_memory })
