/*
 * test_schedules.c - exchanges with a schedule. Every byte arrives, and schedules are computed or found in the cache.
 */
#include "irr_turns.h"

#include "choose/candidates.h"
#include "choose/paced.h"
#include "comm/comm_route.h"
#include "comm/exchange.h"
#include "plan/strategy.h"
#include "problem/redistribution.h"
#include "route/direct.h"

enum { RANKS = IRR_TURNS_RANKS };

/* Asserts that the plan of each rank is the plan that follows from the counts of all ranks. */
static void expect_plan(irr_turns_t *scene, const irr_settings_t *settings, const irr_job_t *job)
{
    const irr_pacing_params_t pacing = { .grants = 0 };
    irr_schedule_t schedule;
    irr_matrix_t matrix = irr_job_matrix(job);

    irr_test_must(irr_order_schedule(irr_algorithm_strategy(settings->algorithm)->order, &matrix, &settings->scheduled,
                                      &schedule));
    for (int r = 0; r < RANKS; r++) {
        const irr_plan_t *made = &scene->team.comms[r]->run.plan;
        irr_plan_t plan;

        irr_plan_init(&plan);
        irr_test_must(irr_direct_plan_build(&schedule, &job->problems[r], &plan));
        irr_test_must(irr_pacing_add(scene->team.comms[r]->run.built_strategy->pacing, &pacing, &plan));
        CU_ASSERT_EQUAL_FATAL(made->nsteps, plan.nsteps);
        for (size_t i = 0; i < plan.nsteps; i++) {
            CU_ASSERT_EQUAL(made->steps[i].kind, plan.steps[i].kind);
            CU_ASSERT_EQUAL(made->steps[i].peer, plan.steps[i].peer);
            CU_ASSERT_EQUAL(made->steps[i].number, plan.steps[i].number);
            CU_ASSERT_EQUAL(made->steps[i].first_piece, plan.steps[i].first_piece);
            CU_ASSERT_EQUAL(made->steps[i].deps, plan.steps[i].deps);
        }
        for (size_t i = 0; i < plan.npieces; i++) {
            CU_ASSERT_EQUAL(made->pieces[i].buffer, plan.pieces[i].buffer);
            CU_ASSERT_EQUAL(made->pieces[i].offset, plan.pieces[i].offset);
            CU_ASSERT_EQUAL(made->pieces[i].length, plan.pieces[i].length);
        }
        irr_plan_fini(&plan);
    }
    irr_schedule_fini(&schedule);
    irr_matrix_fini(&matrix);
}

IRR_TEST_SEEDED(test_same_plan, "the plan of a rank is the plan that follows from the counts of all ranks")
{
    static const char *const rows[] = { "xor", "random", "random-sorted", "random-heap", "random-heap", "optimal" };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i]);
        irr_turns_t scene;

        settings.scheduled.lambda = i == 4 ? (irr_lambda_t){ IRR_LAMBDA_SEARCH, 0 } : IRR_LAMBDA_DEFAULT;
        settings.scheduled.latency = 100;
        settings.scheduled.max_steps = 20;
        irr_turns_open(&scene, &settings, state);
        irr_turns_add(&scene, 0, IRR_JOB_MIXED, irr_test_random(state));
        irr_turns_run(&scene, "A");
        expect_plan(&scene, &settings, scene.jobs[0]);
        irr_turns_close(&scene);
    }
}

/* ---- redistributions ---- */

/* Adds the job that redistributes an array of `elements` bytes from cyclic(2) on 4 ranks to cyclic(3) on all ranks. */
static void add_redistribution(irr_turns_t *scene, int number, uint64_t elements)
{
    irr_redistribution_t redistribution = { .x = 2, .p = 4, .y = 3, .q = RANKS, .elements = elements, .unit = 1 };
    irr_matrix_t matrix;

    irr_turns_add_uniform(scene, number);
    irr_test_must(irr_redistribution_matrix(&redistribution, &matrix));
    for (int i = 0; i < RANKS * RANKS; i++) {
        irr_job_shorten(scene->jobs[number], i / RANKS, i % RANKS, (size_t)matrix.entries[i]);
    }
    irr_matrix_fini(&matrix);
}

/* An array of any length uses the steps of the redistribution; other counts have no schedule. */
IRR_TEST_SEEDED(test_redistribution, "redistributions use the steps of the redistribution")
{
    irr_settings_t settings = irr_turns_with("redistribution");
    irr_turns_t scene;

    settings.scheduled.redistribution = (irr_redistribution_t){ .x = 2, .p = 4, .y = 3, .q = RANKS };
    irr_turns_open(&scene, &settings, state);
    add_redistribution(&scene, 0, 168);
    add_redistribution(&scene, 1, 1000);
    irr_turns_add_uniform(&scene, 2);
    irr_turns_run(&scene, "AB");
    expect_plan(&scene, &settings, scene.jobs[1]);
    irr_turns_run(&scene, "CABC");
    irr_turns_expect(&scene, 3, 2, 2);
    irr_turns_close(&scene);
}

/* ---- reuse ---- */

/* Jobs B and C differ from A only on ranks 2 and 5. Job D has the counts of A and other blocks. */
static void add_changed(irr_turns_t *scene)
{
    for (int i = 0; i < 4; i++) {
        irr_turns_add(scene, i, IRR_JOB_UNIFORM, i < 3 ? 77 : 78);
    }
    irr_job_shorten(scene->jobs[1], 2, 3, 1);
    irr_job_shorten(scene->jobs[2], 2, 3, 1);
    irr_job_shorten(scene->jobs[2], 5, 3, 0);
}

/* Job B is job A without the messages of ranks to themselves, which are in no schedule. */
static void add_self(irr_turns_t *scene)
{
    irr_turns_add(scene, 0, IRR_JOB_MIXED, 3);
    irr_turns_add(scene, 1, IRR_JOB_MIXED, 3);
    for (int r = 0; r < RANKS; r++) {
        irr_job_shorten(scene->jobs[1], r, r, 0);
    }
}

static void add_nine(irr_turns_t *scene)
{
    for (int i = 0; i < 9; i++) {
        irr_turns_add_uniform(scene, i);
        irr_job_shorten(scene->jobs[i], 0, 1, (size_t)i + 1);
    }
}

static void add_two(irr_turns_t *scene)
{
    irr_turns_add(scene, 0, IRR_JOB_UNIFORM, 1);
    irr_turns_add(scene, 1, IRR_JOB_SPARSE, 1);
}

/*
 * Schedules are found in the cache if the counts of all ranks match. The cache keeps seven schedules, and evicts the
 * least recently used schedule. It also evicts schedules beyond cache_bytes.
 */
IRR_TEST_SEEDED(test_reuse, "schedules are found in the cache until they are evicted")
{
    static const struct {
        const char *algorithm;
        size_t      cache_bytes;
        void      (*add)(irr_turns_t *scene);
        struct { const char *letters; uint64_t matrices, built, reused; } turns[7];
    } rows[] = {
        { "random-heap", 0, add_changed, { { "A", 1, 1, 0 }, { "ABAB", 2, 2, 3 }, { "CABCACB", 3, 3, 9 } } },
        { "optimal", 0, add_self, { { "ABAB", 1, 1, 3 } } },
        { "xor", 0, add_nine, { { "ABCDEFG", 7, 7, 0 }, { "ACDEFG", 7, 7, 6 }, { "HACDEFGH", 8, 8, 13 },  /* evicts B */
                                { "B", 9, 9, 13 },                                                       /* evicts A */
                                { "CDEFGHB", 9, 9, 20 }, { "A", 10, 10, 20 } } },
        { "xor", 1, add_two, { { "AAABBBABA", 5, 5, 4 } } }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i].algorithm);
        irr_turns_t scene;

        settings.cache_bytes = rows[i].cache_bytes;
        irr_turns_open(&scene, &settings, state);
        rows[i].add(&scene);
        for (int t = 0; rows[i].turns[t].letters != NULL; t++) {
            irr_turns_run(&scene, rows[i].turns[t].letters);
            irr_turns_expect(&scene, rows[i].turns[t].matrices, rows[i].turns[t].built, rows[i].turns[t].reused);
        }
        if (rows[i].add == add_changed) {
            irr_turns_run(&scene, "DAD");
            CU_ASSERT_EQUAL(scene.counters[0].schedules_built + scene.counters[0].schedules_reused, 15);
        }
        irr_turns_close(&scene);
    }
}

/* ---- one strategy ---- */

/* If an order refuses a matrix, its exchanges have no schedule, and the matrix is not gathered again. */
static irr_status_t refuse(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, irr_schedule_t *schedule)
{
    (void)matrix;
    (void)params;
    (void)schedule;
    return IRR_ERR_NOT_SUPPORTED;
}

IRR_TEST_SEEDED(test_refused, "a matrix that the order refuses is not gathered again")
{
    static const irr_order_t never = { .name = "never", .schedule = refuse };
    static const irr_host_route_t routes[] = { IRR_HOST_ROUTE_DIRECT, IRR_HOST_ROUTE_NODE };

    for (size_t i = 0; i < IRR_TEST_COUNT(routes); i++) {
        irr_settings_t settings = irr_turns_with("tree");
        irr_turns_t scene;

        settings.host_route = routes[i];
        irr_turns_open_on_tree(&scene, &settings, NULL, state);
        irr_turns_add_uniform(&scene, 0);
        for (int r = 0; r < RANKS; r++) {
            scene.team.comms[r]->schedules.strategy.order = &never;
        }
        irr_turns_run(&scene, "AAAA");
        CU_ASSERT_EQUAL(scene.counters[0].matrices, 1);
        CU_ASSERT_EQUAL(scene.counters[0].schedules_built + scene.counters[0].schedules_reused, 0);
        CU_ASSERT_EQUAL(scene.team.comms[0]->exchange->view, IRR_VIEW_OWN);
        irr_turns_close(&scene);
    }
}

/*
 * The settings allow `open` strategies. Runs exchanges with new, known and other counts. All exchanges have the same
 * strategy, and a schedule.
 */
static void expect_one(const irr_settings_t *settings, const irr_strategy_t *wanted, int open, uint64_t *state)
{
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    irr_turns_t scene;

    irr_turns_open_on_tree(&scene, settings, NULL, state);
    CU_ASSERT_EQUAL(irr_comm_strategies(scene.team.comms[RANKS - 1], list), open);
    CU_ASSERT_EQUAL(list[0].row, settings->algorithm);
    CU_ASSERT(list[0].strategy.route == wanted->route && list[0].strategy.pacing == wanted->pacing);
    irr_turns_add(&scene, 0, IRR_JOB_MIXED, 1);
    irr_turns_add(&scene, 1, IRR_JOB_SPARSE, 2);
    for (int i = 0; i < 24; i++) {
        irr_turns_run(&scene, i % 3 == 0 ? "B" : "A");
        for (int r = 0; r < RANKS; r++) {
            const irr_exchange_t *exchange = scene.team.comms[r]->exchange;

            CU_ASSERT_EQUAL(exchange->view, IRR_VIEW_ALL);
            CU_ASSERT_PTR_EQUAL(exchange->strategy->route, wanted->route);
            CU_ASSERT_PTR_EQUAL(exchange->strategy->pacing, wanted->pacing);
            CU_ASSERT_EQUAL(exchange->strategy->piece_max, wanted->piece_max);
            CU_ASSERT_EQUAL(exchange->strategy->lead, wanted->lead);
        }
    }
    irr_turns_expect(&scene, 2, 2, 22);
    irr_turns_close(&scene);
}

/*
 * If settings allow several strategies, the strategy with the best prediction runs. If settings fix a strategy, as in a
 * trial, this strategy runs.
 */
IRR_TEST_SEEDED(test_one_strategy, "all exchanges of a communicator have the same strategy")
{
    irr_settings_t open = irr_turns_with("tree");
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX], base;
    int count;

    open.piece_bytes = IRR_BYTES_AUTO;
    open.lead_bytes = IRR_BYTES_AUTO;
    base = irr_strategy_of(&open, 1);
    count = irr_paced_strategies(&open, &base, IRR_PACED_DIRECT | IRR_PACED_NODE, RANKS, strategies);
    CU_ASSERT(count > 2);
    expect_one(&open, &strategies[0], count, state);
    for (int i = 0; i < count; i++) {
        const irr_candidate_t candidate = { .row = open.algorithm, .strategy = strategies[i] };
        irr_settings_t settings = open;

        if (irr_strategy_is_scheduled(&strategies[i])) {
            irr_candidate_settings(&candidate, &settings);
            expect_one(&settings, &strategies[i], 1, state);
        }
    }
}

/* ---- settings that contradict each other ---- */

IRR_TEST_SEEDED(test_node_pacing, "a warning if the node route does not support the pacing")
{
    for (int pacing = 0; pacing < (int)IRR_PACING_COUNT; pacing++) {
        irr_settings_t settings = irr_turns_with("tree");
        irr_turns_t scene;

        settings.host_route = IRR_HOST_ROUTE_NODE;
        settings.pacing = (irr_pacing_kind_t)pacing;
        irr_world_start_log();
        irr_turns_open_on_tree(&scene, &settings, NULL, state);
        irr_world_stop_log();
        CU_ASSERT_EQUAL(irr_world_log.warnings, pacing == IRR_PACING_LOOSE || pacing == IRR_PACING_GRANT);
        irr_turns_close(&scene);
    }
}

IRR_TEST_MAIN("schedules", 60)
