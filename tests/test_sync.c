/*
 * test_sync.c - the pacing sync. The tests check the signals of a rank, runs on random trees with random delays, and
 * failures.
 */
#include "irr_fleet.h"
#include "irr_job.h"
#include "irr_memory.h"
#include "irr_test.h"
#include "tree_scene.h"

#include "exec/tag.h"
#include "order/order.h"
#include "order/tree/syncs.h"
#include "route/direct.h"

#include <stdlib.h>

#define EAGER_ALL  ((size_t)1 << 40)
#define RANKS_MAX  12

/* ---- a run ---- */

typedef struct run run_t;

typedef struct watcher {
    run_t *run;
    int    rank;
} watcher_t;

/* The ranks of a scene, which run one schedule. */
struct run {
    irr_tree_t     tree;
    irr_job_t     *job;
    irr_fleet_t   *fleet;
    irr_schedule_t schedule;
    irr_pacing_kind_t pacing;
    uint64_t       piece_max, lead;
    size_t         signals;        /* sent */
    size_t         met, own_met;   /* number of messages of earlier steps on the links of a starting message: all, and
                                      those of its own sender */
    size_t         overloads;      /* number of starts of messages on links that were full */
    size_t         sent[RANKS_MAX];
    bool           started[RANKS_MAX];
    watcher_t      watcher[RANKS_MAX];
};

/* Returns true if a transmission uses a link that is not within a host. */
static bool uses(const irr_tree_t *tree, const irr_transmission_t *t, int edge)
{
    int path[SCENE_VERTICES];
    const int edges = irr_tree_path(tree, t->from, t->to, path);

    for (int i = 0; i < edges; i++) {
        if (path[i] == edge && edge < 2 * tree->links) {
            return true;
        }
    }
    return false;
}

/* The number-th transmission of the schedule that a rank sends, or receives. */
static const irr_transmission_t *find(const irr_schedule_t *schedule, int rank, bool sends, size_t number)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        if ((sends ? t->from : t->to) == rank && number-- == 0) {
            return t;
        }
    }
    return NULL;
}

/* Returns true if the sender of a transmission has started it. */
static bool is_sent(const run_t *run, const irr_transmission_t *t)
{
    size_t number = 0;

    while (find(&run->schedule, t->from, true, number) != t) {
        number++;
    }
    return number < run->sent[t->from];
}

/* Returns true if receive i of a rank is not complete.  Messages are whole, so there is one receive for each. */
static bool is_open(const run_t *run, int rank, size_t i)
{
    const irr_exec_t *exec = &run->fleet->rank[rank].exec;

    return !run->started[rank] || (exec->plan != NULL && irr_exec_step_of(exec, i)->pending > 0);
}

/* Compares a starting transmission with the transmissions that are on one of its links. */
static void count_on_link(run_t *run, const irr_transmission_t *t, int edge)
{
    int there = 0;

    for (int r = 0; r < run->tree.ranks; r++) {
        const irr_transmission_t *other;

        for (size_t i = 0; (other = find(&run->schedule, r, false, i)) != NULL; i++) {
            if (is_open(run, r, i) && uses(&run->tree, other, edge)) {
                run->met += other->step < t->step;
                run->own_met += other->step < t->step && other->from == t->from;
                there += other != t && is_sent(run, other);
            }
        }
    }
    run->overloads += edge < 2 * run->tree.links && there >= run->tree.capacity[edge / 2];
}

static void count_met(run_t *run, const irr_transmission_t *t)
{
    int path[SCENE_VERTICES];
    const int edges = irr_tree_path(&run->tree, t->from, t->to, path);

    for (int i = 0; i < edges; i++) {
        count_on_link(run, t, path[i]);
    }
}

static void on_send(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count)
{
    const watcher_t *watcher = context;
    run_t *run = watcher->run;

    (void)to;
    (void)iov;
    if (irr_tag_kind(tag) == IRR_TAG_SYNC) {
        CU_ASSERT_EQUAL(count, 0);
        run->signals++;
    } else if (run->piece_max == 0) {
        count_met(run, find(&run->schedule, watcher->rank, true, run->sent[watcher->rank]++));
    }
}

static void make_plan(run_t *run, const irr_syncs_t *syncs, int rank)
{
    irr_signals_t mine = { 0 };
    irr_schedule_t own;

    irr_test_must(irr_schedule_own(&run->schedule, rank, run->piece_max, &own));
    irr_test_must(irr_signals_build(&run->schedule, syncs, rank, &own, run->lead, &mine));
    irr_test_must(irr_direct_plan_build(&own, &run->job->problems[rank], &run->fleet->rank[rank].plan));
    irr_fleet_pacing(run->fleet, rank, run->pacing, 0, &mine);
    irr_signals_fini(&mine);
    irr_schedule_fini(&own);
}

static void open_run(run_t *run, const tree_scene_t *scene, irr_job_kind_t kind, size_t eager_max, uint64_t *state)
{
    irr_fault_t faults[RANKS_MAX] = { { .seed = 0 } };
    irr_scheduled_params_t params = { .tree = &run->tree };
    irr_syncs_t syncs = { 0 };
    irr_matrix_t matrix;

    run->tree = tree_scene_tree(scene);
    run->job = irr_job_create(scene->ranks, kind, irr_test_random(state));
    irr_job_fill(run->job);
    matrix = irr_job_matrix(run->job);
    irr_test_must(irr_order_schedule(&irr_order_tree, &matrix, &params, &run->schedule));
    irr_test_must(irr_syncs_find(&run->tree, &run->schedule, NULL, &syncs));
    for (int r = 0; r < scene->ranks; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(state), .hold_percent = 40, .hold_rounds = 6 };
    }
    run->fleet = irr_fleet_create_faulty(scene->ranks, irr_test_random(state), eager_max, faults);
    for (int r = 0; r < scene->ranks; r++) {
        make_plan(run, &syncs, r);
        run->watcher[r] = (watcher_t){ run, r };
        run->fleet->rank[r].spy->on_send = on_send;
        run->fleet->rank[r].spy->context = &run->watcher[r];
    }
    irr_syncs_fini(&syncs);
    irr_matrix_fini(&matrix);
}

static void start_all(run_t *run)
{
    for (int r = 0; r < run->tree.ranks; r++) {
        run->started[r] = true;
        irr_fleet_start(run->fleet, r, irr_job_input(run->job, r), irr_job_output(run->job, r));
    }
}

static void expect_right(const run_t *run)
{
    for (int r = 0; r < run->tree.ranks; r++) {
        CU_ASSERT_EQUAL(run->fleet->rank[r].result, IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(run->job, r));
    }
}

static void close_run(run_t *run)
{
    irr_fleet_destroy(run->fleet);
    irr_job_destroy(run->job);
    irr_schedule_fini(&run->schedule);
    irr_tree_fini(&run->tree);
}

static void draw_scene(tree_scene_t *scene, bool equal_speeds, uint64_t *state)
{
    do {
        tree_scene_any(scene, state, RANKS_MAX);
        for (int v = 0; v < scene->topology.vertices && equal_speeds; v++) {
            scene->speed[v] = 1;
        }
    } while (scene->ranks > RANKS_MAX || scene->ranks < 2);
}

/* ---- tests ---- */

static tree_scene_t scene;

/*
 * With pieces and leads of any length, every byte arrives and no rank hangs. Two more rules hold for whole messages
 * without a lead. No link has more messages than its capacity, whatever is late. If all links are equally fast, no
 * message starts before the messages of earlier steps on its links are received. An eager message counts as on its
 * links until it is received, although its send is complete at once.
 */
static void test_never_meet(void)
{
    uint64_t state = irr_test_seed();
    size_t signals = 0;

    for (int i = 0; i < 300; i++) {
        run_t run = { .pacing = IRR_PACING_SYNC };
        irr_job_kind_t kind = (irr_job_kind_t)irr_test_below(&state, IRR_JOB_KINDS);

        if (i % 4 >= 2) {   /* messages in pieces, which count_met cannot check; only kinds of jobs with short
                               messages */
            run.piece_max = 1 + irr_test_below(&state, 40);
            run.lead = irr_test_below(&state, 200);
            kind = irr_test_below(&state, 2) == 0 ? IRR_JOB_UNIFORM : IRR_JOB_SPARSE;
        }
        draw_scene(&scene, i % 3 != 0, &state);
        open_run(&run, &scene, kind, i % 2 == 0 ? EAGER_ALL : 0, &state);
        start_all(&run);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run(run.fleet));
        expect_right(&run);
        CU_ASSERT(run.met == 0 || i % 3 == 0);
        CU_ASSERT_EQUAL(run.overloads, 0);
        signals += run.signals;
        close_run(&run);
    }
    CU_ASSERT(signals > 100);
}

/* Without the pacing messages meet, and links are overloaded. */
static void test_watch(void)
{
    uint64_t state = 1;
    run_t run = { .pacing = IRR_PACING_FREE };

    tree_scene_shape(&scene, "chain:2,2,2");
    open_run(&run, &scene, IRR_JOB_UNIFORM, EAGER_ALL, &state);
    start_all(&run);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(run.fleet));
    CU_ASSERT(run.own_met > 0 && run.met > run.own_met && run.overloads > 0);
    CU_ASSERT_EQUAL(run.signals, 0);
    close_run(&run);
}

/* If a signal cannot be sent, the run of its rank fails. A rank that succeeds has all bytes. */
static void test_lost_signal(void)
{
    size_t runs = 0;
    bool refused = true;

    for (size_t nth = 1; refused; nth++) {
        uint64_t state = 7;
        run_t run = { .pacing = IRR_PACING_SYNC };
        irr_spy_t *spy;

        tree_scene_shape(&scene, "chain:2,2");
        open_run(&run, &scene, IRR_JOB_UNIFORM, EAGER_ALL, &state);
        spy = run.fleet->rank[1].spy;
        spy->refuse_send = nth;
        spy->refusal = IRR_ERR_TRANSPORT;
        start_all(&run);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(run.fleet));
        refused = spy->refused;
        runs += refused && irr_tag_kind(spy->refused_tag) == IRR_TAG_SYNC;
        for (int r = 0; r < run.tree.ranks; r++) {
            const irr_status_t result = run.fleet->rank[r].result;

            CU_ASSERT(r != 1 || result == (refused ? IRR_ERR_TRANSPORT : IRR_OK));
            CU_ASSERT(r == 1 || result == IRR_OK || (refused && result == IRR_ERR_PEER));
            CU_ASSERT(result != IRR_OK || irr_job_verify(run.job, r));
        }
        close_run(&run);
    }
    CU_ASSERT(runs > 0);
}

/* Rank 0 receives 100 bytes from rank 1 in step 1, and 100 bytes from rank 2 in step 2, each message in 4 pieces. */
static void test_lead(void)
{
    static const struct {
        uint64_t lead;
        size_t   received;
    } rows[] = { { 0, 4 }, { 24, 4 }, { 25, 3 }, { 49, 3 }, { 50, 2 }, { 99, 1 }, { 100, 0 }, { UINT64_MAX, 0 } };
    irr_transmission_t list[] = { { 1, 1, 0, 0, 100, 0 }, { 2, 2, 0, 0, 100, 0 } };
    irr_schedule_t schedule = { .ranks = 3, .steps = 2, .list = list, .count = 2, .max = 2 }, own;
    irr_syncs_t syncs = { 0 };
    irr_tree_t star;

    irr_test_must(irr_tree_init_star(&star, 3));
    irr_test_must(irr_syncs_find(&star, &schedule, NULL, &syncs));
    CU_ASSERT_EQUAL_FATAL(syncs.count, 1);
    irr_test_must(irr_schedule_own(&schedule, 0, 30, &own));
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_signals_t mine = { 0 };

        irr_test_must(irr_signals_build(&schedule, &syncs, 0, &own, rows[i].lead, &mine));
        CU_ASSERT_EQUAL_FATAL(mine.nsignals, 1);
        CU_ASSERT_EQUAL(mine.signals[0].peer, 2);
        CU_ASSERT_EQUAL(mine.signals[0].received, rows[i].received);
        CU_ASSERT_EQUAL(mine.nwaits, 0);
        irr_signals_fini(&mine);
    }
    irr_schedule_fini(&own);
    irr_syncs_fini(&syncs);
    irr_tree_fini(&star);
}

/* Builds the signals of rank 0; `mine` is unchanged if there is no memory. */
static irr_status_t build_signals(void *context)
{
    irr_transmission_t list[] = { { 1, 1, 0, 0, 100, 0 }, { 2, 0, 1, 0, 10, 0 }, { 2, 2, 0, 0, 100, 0 } };
    irr_schedule_t schedule = { .ranks = 3, .steps = 2, .list = list, .count = 3, .max = 3 }, own = { 0 };
    irr_signals_t mine = { 0 };
    irr_syncs_t syncs = { 0 };
    irr_status_t status = irr_syncs_find(context, &schedule, NULL, &syncs);

    status = status == IRR_OK ? irr_schedule_own(&schedule, 0, 30, &own) : status;
    status = status == IRR_OK ? irr_signals_build(&schedule, &syncs, 0, &own, 0, &mine) : status;
    CU_ASSERT_EQUAL(mine.signals == NULL, status != IRR_OK);
    irr_signals_fini(&mine);
    irr_schedule_fini(&own);
    irr_syncs_fini(&syncs);
    return status;
}

static void test_memory(void)
{
    irr_tree_t star;

    irr_test_must(irr_tree_init_star(&star, 3));
    CU_ASSERT(irr_memory_fail_each(build_signals, &star) > 4);
    irr_tree_fini(&star);
}

IRR_TEST_MAIN("sync", 120,
    { "no messages meet on a link, and none is overloaded", test_never_meet },
    { "messages meet without the pacing",                   test_watch },
    { "a signal that cannot be sent",                       test_lost_signal },
    { "where the lead puts a signal",                       test_lead },
    { "memory that runs out is an error, and no leak",      test_memory })
