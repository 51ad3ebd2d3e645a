/*
 * test_weighted.c - contention-free steps for irregular counts on trees. The tests check that every byte is sent once,
 * that there is no contention, and the length of the steps relative to the bytes of the busiest link. A last test lets
 * each allocation of trees, schedules and signals fail.
 */
#include "matrix_scene.h"
#include "tree_scene.h"

#include "core/deadline.h"
#include "order/tree/phases.h"
#include "order/tree/syncs.h"
#include "order/tree/tree_weighted.h"

static tree_scene_t scene;

/*
 * Returns true if no link between switches is slower than the link of a host, so that steps can be as short as the
 * bound.
 */
static bool is_whole(const irr_tree_t *tree)
{
    bool whole = true;

    for (int v = 0; v < tree->links; v++) {
        whole = whole && tree->speed[v] >= tree->base;
    }
    return whole;
}

/* Checks a schedule.  Returns its makespan divided by the bound; 1 if there is nothing to send. */
static double expect_weighted(const irr_tree_t *tree, const irr_matrix_t *matrix, const irr_schedule_t *schedule)
{
    irr_tree_bound_t bound;
    const uint64_t makespan = irr_schedule_makespan(schedule);

    tree_scene_expect(tree, schedule, matrix);
    irr_test_must(irr_tree_bound(tree, matrix, &bound));
    CU_ASSERT(makespan >= bound.bytes || !is_whole(tree));
    return bound.bytes > 0 ? (double)makespan / (double)bound.bytes : 1;
}

/* Makes and checks a schedule.  Returns its makespan divided by the bound. */
static double make(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps, int *steps)
{
    irr_schedule_t schedule;
    double ratio;

    irr_test_must(irr_tree_weighted(tree, matrix, max_steps, NULL, &schedule));
    ratio = expect_weighted(tree, matrix, &schedule);
    *steps = schedule.steps;
    irr_schedule_fini(&schedule);
    return ratio;
}

/* Checks a schedule that keeps the phases of a uniform exchange and splits no message. */
static void expect_phased(const irr_tree_t *tree, const irr_matrix_t *matrix)
{
    irr_schedule_t schedule;
    irr_tree_root_t root;

    irr_test_must(irr_tree_root_find(tree, &root));
    irr_test_must(irr_tree_phased(tree, matrix, &schedule));
    expect_weighted(tree, matrix, &schedule);
    CU_ASSERT_EQUAL(irr_schedule_splits(&schedule, matrix), 0);
    CU_ASSERT(schedule.steps <= irr_tree_phases(&root));
    CU_ASSERT((size_t)schedule.steps <= schedule.count);
    irr_schedule_fini(&schedule);
    irr_tree_root_fini(&root);
}

/*
 * Checks schedules on any tree: without a limit of steps, with a limit, and in phases. A limit is kept, unless whole
 * messages take more steps.
 */
IRR_TEST_SEEDED(test_rules, "on any tree every byte is sent once, without contention, and limits are kept")
{
    for (int run = 0; run < irr_test_runs(4000); run++) {
        irr_matrix_t matrix;
        irr_tree_t tree;
        int fewest, steps;

        tree_scene_any(&scene, state, run % 16 == 0 ? 64 : 12);
        matrix = matrix_scene_any(scene.ranks, state);
        matrix.entries[0] = run % 2 == 0 ? UINT64_MAX : 0;   /* from rank 0 to itself */
        tree = tree_scene_tree(&scene);
        make(&tree, &matrix, 0, &steps);
        make(&tree, &matrix, 1, &fewest);
        for (int limit = run % 8 == 0 ? 4 : 20; limit <= (run % 8 == 0 ? 256 : 20); limit *= 4) {
            make(&tree, &matrix, limit, &steps);
            CU_ASSERT(steps <= (limit > fewest ? limit : fewest));
        }
        expect_phased(&tree, &matrix);
        irr_matrix_fini(&matrix);
        irr_tree_fini(&tree);
    }
}

/* ---- length ---- */

/* Asserts that the makespan of each pattern is close to the bound. uniform: the limit for uniform counts. */
static void expect_ratios(double uniform, uint64_t *state)
{
    static const char *const patterns[] = { "uniform", "random", "sparse", "skewed" };
    irr_tree_t tree = tree_scene_tree(&scene);
    int steps;

    for (size_t p = 0; p < IRR_TEST_COUNT(patterns); p++) {
        irr_matrix_t matrix = matrix_scene_pattern(patterns[p], scene.ranks, 1000, irr_test_random(state));
        const double ratio = make(&tree, &matrix, 0, &steps);

        if (ratio >= (p == 0 ? uniform : 1.05)) {
            CU_FAIL("makespan");
            printf("# %s, %d ranks: %.3f times the bound\n", patterns[p], scene.ranks, ratio);
        }
        irr_matrix_fini(&matrix);
    }
    irr_tree_fini(&tree);
}

/* Tests hosts on four switches and on one switch. Links between switches are as fast as links of hosts, or faster. */
IRR_TEST(test_shapes, "schedules on known trees are close to the bound")
{
    static const char *const shapes[] = { "star:8,8,8,8", "chain:8,8,8,8", "star:0,8,8,8,8", "single:32",
                                          "star:4,4,4,4", "chain:4,4,4,4", "single:3", "single:2" };
    static const uint64_t speeds[] = { 1, 2, 3, 4, 10 };
    uint64_t state = irr_test_seed() + 3;

    const size_t times = (size_t)irr_test_runs(10);

    for (size_t i = 0; i < times * IRR_TEST_COUNT(shapes) * IRR_TEST_COUNT(speeds); i++) {
        tree_scene_shape(&scene, shapes[i / times / IRR_TEST_COUNT(speeds)]);
        tree_scene_uplinks(&scene, speeds[i % IRR_TEST_COUNT(speeds)]);
        expect_ratios(1.05, &state);
    }
}

/*
 * Links between switches are as fast as links of hosts, or up to 10 times as fast. For uniform counts the phases of the
 * paper are used if they are shorter.
 */
IRR_TEST(test_random_trees, "schedules on random trees are close to the bound")
{
    uint64_t state = irr_test_seed() + 4;

    for (int run = 0; run < irr_test_runs(200); run++) {
        const uint64_t fastest = run % 2 == 0 ? 1 : 10;

        do {
            tree_scene_random(&scene, &state, 64);
        } while (scene.ranks < 16);
        for (int v = scene.topology.hosts; v < scene.topology.vertices; v++) {
            scene.speed[v] = 1 + irr_test_below(&state, fastest);
        }
        expect_ratios(fastest == 1 ? 1.0201 : 1.05, &state);
    }
}

IRR_TEST(test_large, "a schedule of 128 hosts is close to the bound")
{
    uint64_t state = irr_test_seed() + 5;
    irr_matrix_t matrix = matrix_scene_zero(128);
    irr_tree_t tree;
    int steps;

    tree_scene_shape(&scene, "chain:32,32,32,32");
    tree = tree_scene_tree(&scene);
    for (int i = 0; i < scene.ranks * scene.ranks; i++) {
        matrix.entries[i] = 1 + irr_test_below(&state, 1000000);
    }
    CU_ASSERT(make(&tree, &matrix, 0, &steps) < 1.02);
    irr_tree_fini(&tree);
    irr_matrix_fini(&matrix);
}

/* ---- limits ---- */

IRR_TEST(test_refused, "invalid or overflowing matrices are refused")
{
    irr_schedule_t schedule = { .ranks = 77 };
    irr_tree_t tree;
    irr_matrix_t matrix;

    tree_scene_shape(&scene, "single:3");
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_matrix_init(&matrix, 3));
    *irr_matrix_at(&matrix, 0, 1) = INT64_MAX;
    *irr_matrix_at(&matrix, 1, 2) = 1;
    CU_ASSERT_EQUAL(irr_tree_weighted(&tree, &matrix, 0, NULL, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_tree_phased(&tree, &matrix, &schedule), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    irr_test_must(irr_matrix_init(&matrix, 4));
    CU_ASSERT_EQUAL(irr_tree_weighted(&tree, &matrix, 0, NULL, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_tree_phased(&tree, &matrix, &schedule), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(schedule.ranks, 77);
    irr_matrix_fini(&matrix);
    irr_tree_fini(&tree);
}

static uint64_t tick(void *context)
{
    return ++*(uint64_t *)context;
}

IRR_TEST(test_deadline, "for any deadline the schedule is complete in time, or there is no schedule")
{
    irr_status_t status = IRR_ERR_TIMEOUT;
    irr_matrix_t matrix;
    irr_tree_t tree;
    uint64_t late = 0;

    matrix = tree_scene_uniform(9, 100);
    irr_test_must(irr_tree_init_star(&tree, 9));
    *irr_matrix_at(&matrix, 0, 1) = 777;
    for (uint64_t end = 1; status == IRR_ERR_TIMEOUT; end++) {
        irr_schedule_t schedule = { .ranks = 77 };
        uint64_t now = 0;
        const irr_deadline_t deadline = { .now_ns = tick, .context = &now, .end_ns = end };

        status = irr_tree_weighted(&tree, &matrix, 0, &deadline, &schedule);
        if (status == IRR_OK) {
            tree_scene_expect(&tree, &schedule, &matrix);
            irr_schedule_fini(&schedule);
        } else {
            CU_ASSERT_EQUAL(status, IRR_ERR_TIMEOUT);
            CU_ASSERT_EQUAL(schedule.ranks, 77);
            late++;
        }
    }
    CU_ASSERT(late > 9);
    irr_tree_fini(&tree);
    irr_matrix_fini(&matrix);
}

typedef struct input {
    irr_matrix_t matrix;
    int          max_steps;
} input_t;

/* Makes the tree of the scene, a schedule with its signals, the bound, and the order of the paper with its check. */
static irr_status_t make_all(void *context)
{
    const input_t *input = context;
    irr_schedule_t schedule = { 0 }, paper = { 0 };
    irr_syncs_t syncs = { 0 };
    irr_tree_bound_t bound;
    irr_tree_t tree = { 0 };
    irr_status_t status = irr_tree_init(&tree, &scene.topology, scene.host_of, scene.ranks);

    status = status == IRR_OK ? irr_tree_weighted(&tree, &input->matrix, input->max_steps, NULL, &schedule) : status;
    status = status == IRR_OK ? irr_syncs_find(&tree, &schedule, NULL, &syncs) : status;
    status = status == IRR_OK ? irr_tree_bound(&tree, &input->matrix, &bound) : status;
    status = status == IRR_OK ? irr_tree_all_to_all(&tree, 8, &paper) : status;
    status = status == IRR_OK ? irr_tree_check(&tree, &paper, NULL) : status;
    irr_syncs_fini(&syncs);
    irr_schedule_fini(&paper);
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
    return status;
}

/* Computes the schedule of the scene repeatedly. In each computation a later allocation fails. */
static void expect_memory(const char *name, int max_steps, uint64_t *state)
{
    input_t input = { .max_steps = max_steps,
                      .matrix = matrix_scene_pattern(name, scene.ranks, 1000, irr_test_random(state)) };

    CU_ASSERT(irr_memory_fail_each(make_all, &input) > 9);
    irr_matrix_fini(&input.matrix);
}

/*
 * The limit of steps cannot be reached, so the function tries all methods: attempts, phases and, on one switch, the
 * optimal order. Allocations fail in each of them, also while a repair on a small tree grows its list of changes.
 */
IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
{
    static const char *const shapes[] = { "single:6", "chain:2,0,3" };
    uint64_t state = irr_test_seed() + 7;

    for (int i = 0; i < 2; i++) {
        tree_scene_shape(&scene, shapes[i]);
        expect_memory("random", 8, &state);
    }
    for (int round = 0; round < irr_test_runs(400); round++) {
        tree_scene_random(&scene, &state, 9);
        expect_memory(round % 2 == 0 ? "random" : "sparse", 0, &state);
    }
}

IRR_TEST_MAIN("weighted", 300)
