/*
 * test_syncs.c - the signals between ranks that keep the messages of a schedule on a tree apart, compared with the
 * dependence graph of all pairs of messages.  test_pacing.c checks the plans that they make.
 */
#include "matrix_scene.h"
#include "tree_scene.h"

#include "order/tree/phases.h"
#include "order/tree/syncs.h"
#include "order/tree/tree_weighted.h"

#define SMALL 160   /* transmissions that a graph may have */

static tree_scene_t scene;
static bool reach[SMALL][SMALL];   /* [i][j]: j begins after i is over */

/* The order of the paper, or steps for random counts. */
static irr_schedule_t make_schedule(const irr_tree_t *tree, uint64_t *state)
{
    irr_schedule_t schedule;
    irr_matrix_t matrix;

    if (irr_test_below(state, 2) == 0) {
        irr_test_must(irr_tree_all_to_all(tree, 5, &schedule));
        return schedule;
    }
    matrix = matrix_scene_mixed(tree->ranks, 12, state);
    irr_test_must(irr_tree_weighted(tree, &matrix, 0, NULL, &schedule));
    irr_matrix_fini(&matrix);
    return schedule;
}

static irr_tree_t make_tree(int most, uint64_t *state)
{
    tree_scene_any(&scene, state, most);
    return tree_scene_tree(&scene);
}

/* ---- pair by pair ---- */

/* The edges of a transmission, and its lane on each edge; -1: the edge is not a link. */
typedef struct path {
    int edges, path[64], lane[64];
} path_t;

static path_t paths[SMALL];

enum { EDGES = 2 * (SCENE_VERTICES + SCENE_RANKS) };

static int entered[EDGES];                /* number of checks of a lane of an edge */
static int until[EDGES][SCENE_RANKS];     /* by lane: the last step of the transmission that took the lane last */

/* Takes the lanes of an edge round-robin, except lanes that an earlier transmission still uses. */
static int take_lane(const irr_tree_t *tree, int edge, const irr_transmission_t *t)
{
    const int capacity = tree->capacity[edge / 2];
    int lane = entered[edge]++ % capacity;

    CU_ASSERT_FATAL(capacity <= SCENE_RANKS);
    for (int i = 1; i < capacity && until[edge][lane] >= t->step; i++) {
        lane = entered[edge]++ % capacity;
    }
    until[edge][lane] = irr_transmission_last(t);
    return lane;
}

static void find_paths(const irr_tree_t *tree, const irr_schedule_t *schedule)
{
    memset(entered, 0, sizeof(entered));
    memset(until, -1, sizeof(until));
    for (size_t i = 0; i < schedule->count; i++) {
        path_t *at = &paths[i];

        CU_ASSERT_FATAL(tree->longest <= 64);
        at->edges = irr_tree_path(tree, schedule->list[i].from, schedule->list[i].to, at->path);
        for (int k = 0; k < at->edges; k++) {
            const int edge = at->path[k];

            at->lane[k] = edge < 2 * tree->links ? take_lane(tree, edge, &schedule->list[i]) : -1;
        }
    }
}

static bool is_shared(const path_t *x, int i, const path_t *y, int j)
{
    return i >= 0 && j >= 0 && x->path[i] == y->path[j] && x->lane[i] == y->lane[j] && x->lane[i] >= 0;
}

/* Returns how often two transmissions enter a lane that both use. */
static unsigned contend(size_t a, size_t b)
{
    const path_t *x = &paths[a], *y = &paths[b];
    unsigned times = 0;

    for (int i = 0; i < x->edges; i++) {
        for (int j = 0; j < y->edges; j++) {
            times += is_shared(x, i, y, j) && !is_shared(x, i - 1, y, j - 1);
        }
    }
    return times;
}

/* Returns true if b starts after a in the order of its sender, which receives a. */
static bool is_own(const irr_transmission_t *a, const irr_transmission_t *b)
{
    return irr_transmission_last(a) < b->step && a->to == b->from;
}

/* Transmission j does not begin before k, so it begins after all transmissions that end before k begins. */
static void inherit(size_t k, size_t j)
{
    for (size_t i = 0; i < k; i++) {
        reach[i][j] = reach[i][j] || reach[i][k];
    }
}

/*
 * Computes the transitive closure of the dependence graph of the schedule, without signal number `without`; if this is
 * the number of all signals, with all signals. A rank begins its sends in order. A later send therefore depends on
 * everything that an earlier send depends on, but not on the earlier send itself.
 */
static void close_graph(const irr_schedule_t *schedule, const irr_syncs_t *syncs, size_t without)
{
    const size_t n = schedule->count;

    memset(reach, 0, sizeof(reach));
    for (size_t k = 0; k < syncs->count; k++) {
        reach[syncs->list[k].after][syncs->list[k].before] = k != without;
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++) {
            const irr_transmission_t *earlier = &schedule->list[k], *later = &schedule->list[j];

            reach[k][j] = reach[k][j] || is_own(earlier, later);
            if (reach[k][j] || earlier->from == later->from) {
                inherit(k, j);
            }
        }
    }
}

static void expect_complete(const irr_schedule_t *schedule, const irr_syncs_t *syncs)
{
    uint64_t needed = 0;
    size_t missing = 0;

    close_graph(schedule, syncs, syncs->count);
    for (size_t i = 0; i < schedule->count; i++) {
        for (size_t j = i + 1; j < schedule->count; j++) {
            const unsigned times = contend(i, j);

            CU_ASSERT(times == 0 || schedule->list[i].step < schedule->list[j].step);
            needed += times;
            missing += times > 0 && !reach[i][j];
        }
    }
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT_EQUAL(needed, syncs->count + syncs->removed);
}

/*
 * Asserts for each signal that its two transmissions contend, that it goes to the right rank, and that it does not
 * follow from other signals.
 */
static void expect_needed(const irr_schedule_t *schedule, const irr_syncs_t *syncs)
{
    size_t wrong = 0, redundant = 0;

    for (size_t k = 0; k < syncs->count; k++) {
        const irr_sync_t *sync = &syncs->list[k];
        const irr_transmission_t *a = &schedule->list[sync->after], *b = &schedule->list[sync->before];

        wrong += a->step >= b->step || contend(sync->after, sync->before) == 0;
        wrong += sync->from != a->to || sync->to != b->from;
        wrong += sync->from == sync->to || (k > 0 && sync->before < sync[-1].before);
        close_graph(schedule, syncs, k);
        redundant += reach[sync->after][sync->before];
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(redundant, 0);
}

IRR_TEST_SEEDED(test_graph, "contending transmissions wait for each other, and no signal follows from other signals")
{
    for (int run = 0; run < 400; run++) {
        irr_schedule_t schedule;
        irr_syncs_t syncs;
        irr_tree_t tree = make_tree(8, state);

        schedule = make_schedule(&tree, state);
        if (schedule.count <= SMALL) {
            irr_test_must(irr_syncs_find(&tree, &schedule, NULL, &syncs));
            find_paths(&tree, &schedule);
            expect_complete(&schedule, &syncs);
            expect_needed(&schedule, &syncs);
            irr_syncs_fini(&syncs);
        }
        irr_schedule_fini(&schedule);
        irr_tree_fini(&tree);
    }
}

/* ---- known schedules ---- */

/*
 * On one switch, rank i sends to rank i + k in step k. In each of P - 2 steps a rank waits for two messages of the
 * previous step: its own message, and the message from another rank to its receiver. Each of the 2 * P directed links
 * has P - 1 messages, and two messages share at most one link. Within a host there is no link and no contention.
 */
IRR_TEST(test_known, "number of signals of known schedules")
{
    static const struct { const char *shape; int on_first; size_t count, removed; } rows[] = {
        { "single:1", 1, 0, 0 }, { "single:2", 1, 0, 0 }, { "single:8", 1, 2 * 8 * 6, 2 * 8 * (7 * 6 / 2 - 6) },
        { "single:2", 3, 0, 0 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_schedule_t schedule;
        irr_syncs_t syncs;
        irr_tree_t tree;

        tree_scene_shape(&scene, rows[i].shape);
        for (int r = 1; r < rows[i].on_first; r++) {
            scene.host_of[r] = 0;
            scene.ranks = rows[i].on_first;
        }
        tree = tree_scene_tree(&scene);
        irr_test_must(irr_tree_all_to_all(&tree, 1, &schedule));
        irr_test_must(irr_syncs_find(&tree, &schedule, NULL, &syncs));
        CU_ASSERT_EQUAL(syncs.count, rows[i].count);
        CU_ASSERT_EQUAL(syncs.removed, rows[i].removed);
        irr_syncs_fini(&syncs);
        irr_schedule_fini(&schedule);
        irr_tree_fini(&tree);
    }
}

/* Checks the syncs of whole messages of 5 bytes in steps 1, 2 and 3 on the tree of the scene. */
static void expect_syncs(const int ends[3][2], const irr_sync_t *expected, size_t count)
{
    irr_transmission_t list[3];
    irr_schedule_t schedule = { .ranks = scene.ranks, .steps = 3, .list = list, .count = 3, .max = 3 };
    irr_tree_t tree = tree_scene_tree(&scene);
    irr_syncs_t syncs;

    for (int i = 0; i < 3; i++) {
        list[i] = (irr_transmission_t){ .step = i + 1, .from = ends[i][0], .to = ends[i][1], .length = 5 };
    }
    irr_test_must(irr_syncs_find(&tree, &schedule, NULL, &syncs));
    CU_ASSERT_EQUAL_FATAL(syncs.count, count);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(syncs.list[i].after, expected[i].after);
        CU_ASSERT_EQUAL(syncs.list[i].before, expected[i].before);
        CU_ASSERT_EQUAL(syncs.list[i].from, expected[i].from);
        CU_ASSERT_EQUAL(syncs.list[i].to, expected[i].to);
    }
    irr_syncs_fini(&syncs);
    irr_tree_fini(&tree);
}

/* The end of a send does not imply that earlier sends of its rank have ended. Ranks 0 and 1 share a host. */
IRR_TEST(test_own, "sends of one rank may end in any order")
{
    static const int row[3][2] = { { 0, 2 }, { 0, 3 }, { 0, 1 } }, inside[3][2] = { { 0, 2 }, { 0, 1 }, { 1, 3 } };
    static const int two[3][2] = { { 0, 2 }, { 0, 3 }, { 1, 3 } };

    tree_scene_shape(&scene, "single:3");
    scene.ranks = 4;
    memcpy(scene.host_of, (int[]){ 0, 0, 1, 2 }, 4 * sizeof(int));
    expect_syncs(row, (irr_sync_t[]){ { 0, 1, 2, 0 } }, 1);      /* within the host no link is shared */
    expect_syncs(inside, (irr_sync_t[]){ { 0, 2, 2, 1 } }, 1);   /* rank 1 may still lack the first message */
    expect_syncs(two, (irr_sync_t[]){ { 0, 1, 2, 0 }, { 1, 2, 3, 1 } }, 2);
    scene.speed[0] = 2;   /* the first two messages travel at the same time, and the third message must wait for both */
    expect_syncs(two, (irr_sync_t[]){ { 0, 2, 2, 1 }, { 1, 2, 3, 1 } }, 2);
}

IRR_TEST(test_refused, "a schedule for another number of ranks is refused")
{
    irr_schedule_t schedule = { .ranks = 2 };
    irr_syncs_t syncs = { .count = 77 };
    irr_tree_t tree;

    tree_scene_shape(&scene, "single:3");
    tree = tree_scene_tree(&scene);
    CU_ASSERT_EQUAL(irr_syncs_find(&tree, &schedule, NULL, &syncs), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(syncs.count, 77);
    irr_tree_fini(&tree);
}

IRR_TEST_MAIN("syncs", 120)
