/*
 * test_tree_speeds.c - trees whose links are not equally fast: capacities, bounds and contention.
 */
#include "irr_test.h"
#include "tree_scene.h"

static tree_scene_t scene;

/* Hosts at 10 and 25, links between switches at 45 and 5: at the speed of the slowest host with a rank. */
static void test_capacities(void)
{
    irr_tree_t tree;

    tree_scene_shape(&scene, "star:2,3,4");
    for (int v = 0; v < scene.topology.vertices; v++) {
        scene.speed[v] = v < 5 ? 10 : 25;
    }
    scene.speed[10] = 45;
    scene.speed[11] = 5;
    tree = tree_scene_tree(&scene);
    CU_ASSERT(tree.base == 10 && tree.capacity[0] == 1);
    CU_ASSERT_EQUAL(tree.capacity[6], 1);    /* as one rank sends one message at a time */
    CU_ASSERT_EQUAL(tree.capacity[10], 3);   /* and three send three */
    CU_ASSERT_EQUAL(tree.capacity[11], 1);
    CU_ASSERT_EQUAL(tree.capacity[irr_tree_leaf(&tree, 8)], 1);
    CU_ASSERT(tree.speed[irr_tree_leaf(&tree, 8)] == 10 && tree.speed[8] == 25);
    CU_ASSERT_EQUAL(irr_tree_load(&tree, 2 * 10, 100), 34);
    CU_ASSERT_EQUAL(irr_tree_load(&tree, 2 * 11, 101), 202);
    CU_ASSERT_EQUAL(irr_tree_load(&tree, 2 * 8 + 1, 101), 101);
    irr_tree_fini(&tree);

    for (int r = 0; r < 8; r++) {
        scene.host_of[r] = r < 4 ? 5 : 6;    /* at 25 all of them */
    }
    scene.ranks = 8;
    tree = tree_scene_tree(&scene);
    CU_ASSERT(tree.base == 25 && tree.capacity[5] == 1 && tree.capacity[10] == 1);
    irr_tree_fini(&tree);
    scene.host_of[0] = 0;
    tree = tree_scene_tree(&scene);
    CU_ASSERT(tree.base == 10 && tree.capacity[5] == 2 && tree.capacity[9] == 1);
    irr_tree_fini(&tree);

    scene.speed[7] = 0;
    CU_ASSERT_EQUAL(irr_tree_init(&tree, &scene.topology, scene.host_of, 8), IRR_ERR_BAD_PARAM);
}

/* The bound is that of the link with most bytes by its speed, whatever the unit. */
static void test_bounds(void)
{
    uint64_t state = irr_test_seed() + 3, loads[2 * (SCENE_VERTICES + SCENE_RANKS)];

    for (int run = 0; run < 300; run++) {
        irr_tree_t tree;
        irr_tree_bound_t bound;
        irr_matrix_t matrix;
        double most = 0;

        tree_scene_random(&scene, &state, 24);
        tree_scene_crowd(&scene, &state, 40);
        tree_scene_speeds(&scene, &state);
        tree = tree_scene_tree(&scene);
        matrix = tree_scene_uniform(scene.ranks, 1 + irr_test_below(&state, 1000));
        irr_test_must(irr_tree_loads(&tree, &matrix, loads));
        irr_test_must(irr_tree_bound(&tree, &matrix, &bound));
        for (int e = 0; e < 2 * tree.vertices; e++) {
            const double load = (double)loads[e] * (double)tree.base / (double)tree.speed[e / 2];

            most = load > most ? load : most;
        }
        CU_ASSERT((double)bound.bytes >= most && (double)bound.bytes < most + 1);
        irr_matrix_fini(&matrix);
        irr_tree_fini(&tree);
    }
}

/* Speeds and bytes as large as they get are no overflow. */
static void test_large_speeds(void)
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

/* Four hosts a switch: as many messages as the link between is fast, and no more. */
static void test_capacity_is_kept(void)
{
    irr_schedule_t schedule = { .ranks = 8 };
    irr_tree_clash_t clash = { .edge = -1 };
    irr_tree_t tree;

    for (int i = 0; i < 4; i++) {
        irr_test_must(irr_schedule_add(&schedule, (irr_transmission_t){ 1 + i / 3, i, 4 + i, 0, 5, 0 }));
    }
    tree_scene_shape(&scene, "chain:4,4");
    tree_scene_uplinks(&scene, 3);
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_OK);
    schedule.list[3].step = 1;
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_ERR_INVALID_PLAN);
    CU_ASSERT(clash.first == 2 && clash.second == 3 && clash.edge == 2 * 9 + 1);
    irr_tree_fini(&tree);
    tree_scene_uplinks(&scene, 4);
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(irr_tree_check(&tree, &schedule, &clash), IRR_OK);
    irr_tree_fini(&tree);
    irr_schedule_fini(&schedule);
}

IRR_TEST_MAIN("tree speeds", 60,
    { "capacities by the slowest host with a rank", test_capacities },
    { "the bound of links of any speed", test_bounds },
    { "large speeds do not overflow", test_large_speeds },
    { "a fast link carries several messages, and no more", test_capacity_is_kept })
