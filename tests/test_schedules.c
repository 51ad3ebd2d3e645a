/*
 * test_schedules.c - exchanges that go by a schedule: every byte, what is computed, and what is found again.
 */
#include "irr_test.h"
#include "irr_turns.h"

#include "core/log.h"
#include "plan/way.h"
#include "problem/redistribution.h"
#include "route/direct.h"

#include <string.h>

enum { RANKS = IRR_TURNS_RANKS };

/* ---- every row, every kind of job ---- */

static void test_rows(void)
{
    uint64_t state = irr_test_seed();

    for (int a = 0; irr_algorithm_name(a) != NULL; a++) {
        irr_settings_t settings = { .algorithm = a, .compose = (irr_compose_t)(a % IRR_COMPOSE_COUNT) };

        if (!irr_way_is_scheduled(irr_algorithm_way(a)) || strcmp(irr_algorithm_name(a), "redist") == 0) {
            continue;
        }
        for (int search = 0; search <= 1; search++) {
            irr_turns_t scene;

            settings.piece_bytes = search ? 700 : 0;
            settings.pace = search ? IRR_PACE_SYNC : IRR_PACE_AUTO;
            settings.lead_bytes = 500;
            settings.scheduled.lambda.rule = search ? IRR_LAMBDA_SEARCH : IRR_LAMBDA_INCREMENTAL;
            irr_turns_open(&scene, &settings, &state);
            for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
                irr_turns_add(&scene, kind, (irr_job_kind_t)kind, irr_test_random(&state));
            }
            irr_turns_run(&scene, "AABBCCDDFFGGHHABCD");
            CU_ASSERT(scene.counters[0].schedules_built >= 6);
            CU_ASSERT(scene.counters[0].schedules_reused >= 7);
            irr_turns_close(&scene);
        }
    }
}

/* The plan of a rank in an exchange is the one that those who know all counts would make. */
static void expect_plan(irr_turns_t *scene, const irr_settings_t *settings, const irr_job_t *job)
{
    const irr_pace_params_t pace = { .grants = 0 };
    irr_schedule_t schedule;
    irr_matrix_t matrix;

    irr_test_must(irr_matrix_init(&matrix, RANKS));
    for (int i = 0; i < RANKS * RANKS; i++) {
        matrix.entries[i] = irr_job_length(job, i / RANKS, i % RANKS);
    }
    irr_test_must(irr_order_schedule(irr_algorithm_way(settings->algorithm)->order, &matrix, &settings->scheduled,
                                      &schedule));
    for (int r = 0; r < RANKS; r++) {
        const irr_plan_t *made = &scene->team.comms[r]->run.plan;
        irr_plan_t plan;

        irr_plan_init(&plan);
        irr_test_must(irr_direct_plan_build(&schedule, &job->problems[r], &plan));
        irr_test_must(irr_pace_add(scene->team.comms[r]->run.built_way->pace, &pace, &plan));
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

static void test_same_plan(void)
{
    static const char *const rows[] = { "lp", "rs_n", "rs_n_sort", "rs_nh", "rs_nh", "optimal" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        irr_settings_t settings = irr_turns_with(rows[i]);
        irr_turns_t scene;

        settings.scheduled.lambda = i == 4 ? (irr_lambda_t){ IRR_LAMBDA_SEARCH, 0 } : IRR_LAMBDA_DEFAULT;
        settings.scheduled.latency = 100;
        settings.scheduled.max_steps = 20;
        irr_turns_open(&scene, &settings, &state);
        irr_turns_add(&scene, 0, IRR_JOB_MIXED, irr_test_random(&state));
        irr_turns_run(&scene, "A");
        expect_plan(&scene, &settings, scene.jobs[0]);
        irr_turns_close(&scene);
    }
}

/* ---- redistributions ---- */

/* A job that sends what an array of so many bytes does from cyclic(2) on 4 ranks to cyclic(3) on all. */
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

/* Any length of the array goes by the redistribution's steps; what is no redistribution goes without a schedule. */
static void test_redistribution(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with("redist");
    irr_turns_t scene;

    settings.scheduled.redistribution = (irr_redistribution_t){ .x = 2, .p = 4, .y = 3, .q = RANKS };
    irr_turns_open(&scene, &settings, &state);
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

static void test_back_and_forth(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with("rs_nh");
    irr_turns_t scene;

    irr_turns_open(&scene, &settings, &state);
    for (int i = 0; i < 4; i++) {
        irr_turns_add(&scene, i, IRR_JOB_UNIFORM, 77);
    }
    /* B and C differ from A on ranks 2 and 5 alone; D is like A, with other blocks. */
    irr_job_shorten(scene.jobs[1], 2, 3, 1);
    irr_job_shorten(scene.jobs[2], 2, 3, 1);
    irr_job_shorten(scene.jobs[2], 5, 3, 0);
    irr_job_destroy(scene.jobs[3]);
    irr_turns_add(&scene, 3, IRR_JOB_UNIFORM, 78);
    irr_turns_run(&scene, "A");
    irr_turns_expect(&scene, 1, 1, 0);
    irr_turns_run(&scene, "ABAB");
    irr_turns_expect(&scene, 2, 2, 3);
    irr_turns_run(&scene, "CABCACB");
    irr_turns_expect(&scene, 3, 3, 9);
    irr_turns_run(&scene, "DAD");
    CU_ASSERT_EQUAL(scene.counters[0].schedules_built + scene.counters[0].schedules_reused, 15);
    irr_turns_close(&scene);
}

/* What is sent to oneself is in no schedule. */
static void test_self(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with("optimal");
    irr_turns_t scene;

    irr_turns_open(&scene, &settings, &state);
    irr_turns_add(&scene, 0, IRR_JOB_MIXED, 3);
    irr_turns_add(&scene, 1, IRR_JOB_MIXED, 3);
    for (int r = 0; r < RANKS; r++) {
        irr_job_shorten(scene.jobs[1], r, r, 0);
    }
    irr_turns_run(&scene, "ABAB");
    irr_turns_expect(&scene, 1, 1, 3);
    irr_turns_close(&scene);
}

/* Seven stay; the one that was used longest ago goes. */
static void test_slots(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with("lp");
    irr_turns_t scene;

    irr_turns_open(&scene, &settings, &state);
    for (int i = 0; i < 9; i++) {
        irr_turns_add_uniform(&scene, i);
        irr_job_shorten(scene.jobs[i], 0, 1, (size_t)i + 1);
    }
    irr_turns_run(&scene, "ABCDEFG");
    irr_turns_expect(&scene, 7, 7, 0);
    irr_turns_run(&scene, "ACDEFG");
    irr_turns_expect(&scene, 7, 7, 6);
    irr_turns_run(&scene, "HACDEFGH");   /* for B */
    irr_turns_expect(&scene, 8, 8, 13);
    irr_turns_run(&scene, "B");          /* for A */
    irr_turns_expect(&scene, 9, 9, 13);
    irr_turns_run(&scene, "CDEFGHB");
    irr_turns_expect(&scene, 9, 9, 20);
    irr_turns_run(&scene, "A");
    irr_turns_expect(&scene, 10, 10, 20);
    irr_turns_close(&scene);
}

static void test_bytes(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with("lp");
    irr_turns_t scene;

    settings.cache_bytes = 1;
    irr_turns_open(&scene, &settings, &state);
    irr_turns_add(&scene, 0, IRR_JOB_UNIFORM, 1);
    irr_turns_add(&scene, 1, IRR_JOB_SPARSE, 1);
    irr_turns_run(&scene, "AAABBBABA");
    irr_turns_expect(&scene, 5, 5, 4);
    irr_turns_close(&scene);
}

/* ---- too many messages ---- */

static bool refuses_direct, refuses_forwarded;

/* What ranks forward is not between all of them. */
static irr_status_t build_some(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                               irr_schedule_t *schedule)
{
    bool dense = true;

    for (int i = 0; i < RANKS * RANKS; i++) {
        dense = dense && (i / RANKS == i % RANKS || matrix->entries[i] > 0);
    }
    return (dense ? refuses_direct : refuses_forwarded) ? IRR_ERR_NOT_SUPPORTED
                                                         : irr_order_aapc.schedule(matrix, params, schedule);
}

/* A job of equal counts through a whole trial of what is not refused. */
static void run_refused(const irr_settings_t *settings, uint64_t *state)
{
    static const irr_order_t some = { .name = "some", .schedule = build_some };
    const irr_schedules_t *schedules;
    irr_turns_t scene;

    irr_turns_open_on_tree(&scene, settings, NULL, state);
    irr_turns_add_uniform(&scene, 0);
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < scene.team.comms[r]->schedules.ways; i++) {
            irr_way_t *way = &scene.team.comms[r]->schedules.way[i];

            way->order = irr_way_is_scheduled(way) ? &some : way->order;
        }
    }
    schedules = &scene.team.comms[0]->schedules;
    irr_turns_run(&scene, "A");
    for (int i = 0; i < schedules->ways; i++) {
        const irr_way_t *way = &schedules->way[i];

        CU_ASSERT_EQUAL(schedules->entry != NULL && irr_tune_has(&schedules->entry->tune, i),
                        !irr_way_is_scheduled(way) || !(irr_way_forwards(way) ? refuses_forwarded : refuses_direct));
    }
    irr_turns_run(&scene, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    CU_ASSERT_EQUAL(scene.counters[0].matrices, 1);
    irr_turns_close(&scene);
}

/* Ways of a route for which no schedule is made are out, and others go on; with none left exchanges go without. */
static void test_refused(void)
{
    uint64_t state = irr_test_seed();

    for (int bits = 0; bits < 8; bits++) {
        irr_settings_t settings = irr_turns_with("aapc");

        refuses_direct = bits & 1;
        refuses_forwarded = bits & 2;
        settings.pace = bits & 4 ? IRR_PACE_SYNC : IRR_PACE_AUTO;
        settings.piece_bytes = IRR_BYTES_AUTO;
        settings.lead_bytes = IRR_BYTES_AUTO;
        run_refused(&settings, &state);
    }
}

/* ---- settings that do not go together ---- */

static void count_warning(void *context, irr_log_level_t level, const char *text)
{
    (void)text;
    *(unsigned *)context += level == IRR_LOG_WARN;
}

/* Who asks for the node route and a pace that it has not hears of it, once. */
static void test_node_pace(void)
{
    uint64_t state = irr_test_seed();

    for (int pace = 0; pace < (int)IRR_PACE_COUNT; pace++) {
        irr_settings_t settings = irr_turns_with("aapc");
        unsigned warnings = 0;
        irr_turns_t scene;

        settings.host_route = IRR_HOST_ROUTE_NODE;
        settings.pace = (irr_pacing_t)pace;
        irr_log_set(count_warning, &warnings, IRR_LOG_WARN);
        irr_turns_open_on_tree(&scene, &settings, NULL, &state);
        irr_log_set(NULL, NULL, IRR_LOG_ERROR);
        CU_ASSERT_EQUAL(warnings, pace == IRR_PACE_LOOSE || pace == IRR_PACE_GRANT);
        irr_turns_close(&scene);
    }
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "every row and kind of job delivers every byte",       test_rows },
        { "a rank runs the plan that all would make for it",     test_same_plan },
        { "redistributions go by their own steps",               test_redistribution },
        { "schedules are found again when some ranks change",    test_back_and_forth },
        { "what a rank sends to itself does not count",          test_self },
        { "the schedule used longest ago goes",                  test_slots },
        { "bytes bound what is kept",                            test_bytes },
        { "a route that takes too long is left out",             test_refused },
        { "the node route and a pace that it has not",           test_node_pace },
        { NULL, NULL }
    };

    return irr_test_main("schedules", cases, 60);
}
