/*
 * test_syncs.c - pair-wise synchronisation of schedules on trees, against the dependence graph made pair by pair,
 * and against runs with random delays.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "tree_scene.h"

#include "order/aapc.h"
#include "order/syncs.h"
#include "order/tree_weighted.h"

#include <stdlib.h>
#include <string.h>

#define SMALL 160   /* transmissions that a graph may have */

static tree_scene_t scene;
static bool reach[SMALL][SMALL];   /* [i][j]: j begins after i is over */

/* The order of the paper, or steps for random counts. */
static irr_schedule_t make_schedule(const irr_tree_t *tree, uint64_t *state)
{
    irr_schedule_t schedule;
    irr_matrix_t matrix;

    if (irr_test_below(state, 2) == 0) {
        irr_test_must(irr_tree_aapc(tree, 5, &schedule));
        return schedule;
    }
    irr_test_must(irr_matrix_init(&matrix, tree->ranks));
    for (int i = 0; i < tree->ranks * tree->ranks; i++) {
        matrix.entries[i] = irr_test_below(state, 8);
    }
    irr_test_must(irr_tree_weighted(tree, &matrix, 0, &schedule));
    irr_matrix_fini(&matrix);
    return schedule;
}

/* ---- pair by pair ---- */

static bool contend(const irr_tree_t *tree, const irr_transmission_t *a, const irr_transmission_t *b)
{
    int x[SCENE_VERTICES], y[SCENE_VERTICES];
    const int first = irr_tree_path(tree, a->from, a->to, x), second = irr_tree_path(tree, b->from, b->to, y);

    for (int i = 0; i < first; i++) {
        for (int j = 0; j < second; j++) {
            if (x[i] == y[j] && x[i] < 2 * tree->links) {
                return true;
            }
        }
    }
    return false;
}

/* Must the sender of b wait for a in its own order? */
static bool is_own(const irr_transmission_t *a, const irr_transmission_t *b)
{
    return a->step < b->step && (a->from == b->from || a->to == b->from);
}

/* The edges that the graph has without one of the syncs (their count: with all), and all that follows. */
static void close_graph(const irr_schedule_t *schedule, const irr_syncs_t *syncs, size_t without)
{
    const size_t n = schedule->count;

    memset(reach, 0, sizeof(reach));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            reach[i][j] = is_own(&schedule->list[i], &schedule->list[j]);
        }
    }
    for (size_t k = 0; k < syncs->count; k++) {
        if (k != without) {
            reach[syncs->list[k].after][syncs->list[k].before] = true;
        }
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < k; i++) {
            for (size_t j = k + 1; reach[i][k] && j < n; j++) {
                reach[i][j] = reach[i][j] || reach[k][j];
            }
        }
    }
}

static void expect_complete(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_syncs_t *syncs)
{
    uint64_t needed = 0;
    size_t missing = 0;

    close_graph(schedule, syncs, syncs->count);
    for (size_t i = 0; i < schedule->count; i++) {
        for (size_t j = i + 1; j < schedule->count; j++) {
            const irr_transmission_t *a = &schedule->list[i], *b = &schedule->list[j];
            const bool pair = a->step < b->step && contend(tree, a, b);

            needed += pair && !is_own(a, b);
            missing += pair && !reach[i][j];
        }
    }
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT_EQUAL(needed, syncs->count + syncs->removed);
}

/* Each is of two that contend, tells the right rank, and follows from no others. */
static void expect_needed(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_syncs_t *syncs)
{
    size_t wrong = 0, redundant = 0;

    for (size_t k = 0; k < syncs->count; k++) {
        const irr_sync_t *sync = &syncs->list[k];
        const irr_transmission_t *a = &schedule->list[sync->after], *b = &schedule->list[sync->before];

        wrong += a->step >= b->step || !contend(tree, a, b) || sync->from != a->to || sync->to != b->from;
        wrong += sync->from == sync->to || (k > 0 && sync->before < sync[-1].before);
        close_graph(schedule, syncs, k);
        redundant += reach[sync->after][sync->before];
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(redundant, 0);
}

static void test_graph(void)
{
    uint64_t state = irr_test_seed();

    for (int run = 0; run < 400; run++) {
        irr_schedule_t schedule;
        irr_syncs_t syncs;
        irr_tree_t tree;

        tree_scene_random(&scene, &state, 8);
        if (run % 2 == 0) {
            tree_scene_crowd(&scene, &state, 8);
        }
        tree = tree_scene_tree(&scene);
        schedule = make_schedule(&tree, &state);
        if (schedule.count <= SMALL) {
            irr_test_must(irr_syncs_find(&tree, &schedule, &syncs));
            expect_complete(&tree, &schedule, &syncs);
            expect_needed(&tree, &schedule, &syncs);
            irr_syncs_fini(&syncs);
        }
        irr_schedule_fini(&schedule);
        irr_tree_fini(&tree);
    }
}

/* ---- runs ---- */

/* When each transmission begins and is over, if ranks and syncs are now quick, now slow. */
typedef struct run {
    uint64_t *begin, *end;    /* by transmission */
    uint64_t *ready;          /* by rank: when it can begin a send of a later step */
    uint64_t *free;           /* by directed edge */
} run_t;

static uint64_t delay(uint64_t *state)
{
    return irr_test_below(state, irr_test_below(state, 4) == 0 ? 1000 : 10);
}

static void raise(uint64_t *value, uint64_t other)
{
    *value = other > *value ? other : *value;
}

/* Runs a step; what it receives holds a rank back in later steps only. */
static size_t run_step(run_t *run, const irr_schedule_t *schedule, const irr_syncs_t *syncs, size_t at,
                       size_t *sync, uint64_t *state)
{
    size_t end = at;

    for (; end < schedule->count && schedule->list[end].step == schedule->list[at].step; end++) {
        run->begin[end] = run->ready[schedule->list[end].from] + delay(state);
        for (; *sync < syncs->count && syncs->list[*sync].before == end; ++*sync) {
            raise(&run->begin[end], run->end[syncs->list[*sync].after] + delay(state));
        }
        run->end[end] = run->begin[end] + 1 + delay(state);
    }
    for (size_t i = at; i < end; i++) {
        raise(&run->ready[schedule->list[i].from], run->end[i]);
        raise(&run->ready[schedule->list[i].to], run->end[i]);
    }
    return end;
}

/* Transmissions that begin on a link before an earlier step's is over. */
static size_t count_clashes(run_t *run, const irr_tree_t *tree, const irr_schedule_t *schedule)
{
    int path[SCENE_VERTICES];
    size_t clashes = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        const int edges = irr_tree_path(tree, schedule->list[i].from, schedule->list[i].to, path);

        for (int k = 0; k < edges; k++) {
            if (path[k] < 2 * tree->links) {
                clashes += run->begin[i] < run->free[path[k]];
                run->free[path[k]] = run->end[i];
            }
        }
    }
    return clashes;
}

static size_t run_all(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_syncs_t *syncs,
                      uint64_t *state)
{
    run_t run = { .begin = irr_test_array(schedule->count, sizeof(uint64_t)),
                  .end = irr_test_array(schedule->count, sizeof(uint64_t)),
                  .ready = irr_test_array((size_t)tree->ranks, sizeof(uint64_t)),
                  .free = irr_test_array(2 * (size_t)tree->vertices, sizeof(uint64_t)) };
    size_t sync = 0, clashes;

    for (size_t at = 0; at < schedule->count;) {
        at = run_step(&run, schedule, syncs, at, &sync, state);
    }
    CU_ASSERT_EQUAL(sync, syncs->count);
    clashes = count_clashes(&run, tree, schedule);
    free(run.begin);
    free(run.end);
    free(run.ready);
    free(run.free);
    return clashes;
}

/* With the syncs no link is used twice at once, whatever the delays; without them some are. */
static void test_runs(void)
{
    uint64_t state = irr_test_seed() + 1;
    const irr_syncs_t none = { 0 };
    size_t without = 0;

    for (int run = 0; run < 400; run++) {
        irr_schedule_t schedule;
        irr_syncs_t syncs;
        irr_tree_t tree;

        tree_scene_random(&scene, &state, 32);
        if (run % 2 == 0) {
            tree_scene_crowd(&scene, &state, 32);
        }
        tree = tree_scene_tree(&scene);
        schedule = make_schedule(&tree, &state);
        irr_test_must(irr_syncs_find(&tree, &schedule, &syncs));
        for (int turn = 0; turn < 3; turn++) {
            CU_ASSERT_EQUAL(run_all(&tree, &schedule, &syncs, &state), 0);
        }
        without += run_all(&tree, &schedule, &none, &state);
        irr_syncs_fini(&syncs);
        irr_schedule_fini(&schedule);
        irr_tree_fini(&tree);
    }
    CU_ASSERT(without > 0);
}

/* ---- known ones ---- */

static void expect_counts(size_t count, uint64_t removed)
{
    irr_tree_t tree = tree_scene_tree(&scene);
    irr_schedule_t schedule;
    irr_syncs_t syncs;

    irr_test_must(irr_tree_aapc(&tree, 1, &schedule));
    irr_test_must(irr_syncs_find(&tree, &schedule, &syncs));
    CU_ASSERT_EQUAL(syncs.count, count);
    CU_ASSERT_EQUAL(syncs.removed, removed);
    irr_syncs_fini(&syncs);
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
}

/* On one switch the next sender to a rank must hear from it, in each of P - 2 steps. */
static void test_known(void)
{
    tree_scene_shape(&scene, "single:1");
    expect_counts(0, 0);
    tree_scene_shape(&scene, "single:2");
    expect_counts(0, 0);
    tree_scene_shape(&scene, "single:8");
    expect_counts(8 * 6, 8 * (7 * 6 / 2 - 6));
    tree_scene_shape(&scene, "single:2");
    scene.ranks = 3;
    scene.host_of[1] = scene.host_of[2] = 0;   /* no link, no contention */
    expect_counts(0, 0);
}

static void test_refused(void)
{
    irr_schedule_t schedule = { .ranks = 2 };
    irr_syncs_t syncs = { .count = 77 };
    irr_tree_t tree;

    tree_scene_shape(&scene, "single:3");
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(irr_syncs_find(&tree, &schedule, &syncs), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(syncs.count, 77);
    irr_tree_fini(&tree);
}

static void test_memory(void)
{
    irr_status_t status = IRR_ERR_NO_MEMORY;
    irr_schedule_t schedule;
    irr_tree_t tree;

    tree_scene_paper(&scene);
    irr_memory_begin();
    tree = tree_scene_tree(&scene);
    irr_test_must(irr_tree_aapc(&tree, 1, &schedule));
    for (size_t nth = 1; status != IRR_OK; nth++) {
        irr_syncs_t syncs = { 0 };

        irr_memory_fail(nth, NULL);
        status = irr_syncs_find(&tree, &schedule, &syncs);
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        irr_syncs_fini(&syncs);
    }
    irr_schedule_fini(&schedule);
    irr_tree_fini(&tree);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "all that contend wait, and none for what follows anyhow",  test_graph },
        { "runs with random delays use no link twice at once",        test_runs },
        { "numbers of known schedules",                               test_known },
        { "a schedule of other ranks is refused",                     test_refused },
        { "want of memory is an error and leaks nothing",             test_memory },
        { NULL, NULL }
    };

    return irr_test_main("syncs", cases, 120);
}
