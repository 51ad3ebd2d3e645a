/*
 * test_schedules.c - exchanges that go by a schedule: every byte, what is computed and what is found again, and all
 * ranks alike where some of them change, have too little memory, or the matrix is too large.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include "plan/algorithms.h"
#include "problem/redistribution.h"
#include "route/schedule_plans.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 7, JOBS_MAX = 12, TURNS_MAX = 40 };

/* A row of jobs that all ranks exchange, one after the other. */
typedef struct scene {
    irr_team_t    team;
    irr_world_t   world;
    irr_job_t    *jobs[JOBS_MAX];
    int           turns, turn[TURNS_MAX];   /* into jobs */
    irr_status_t  wanted[RANKS];
    int           wrong;
    irr_counters_t counters[RANKS];         /* of the engines, in the end */
} scene_t;

static void run_turns(int rank, void *context)
{
    scene_t *scene = context;

    for (int i = 0; i < scene->turns; i++) {
        irr_job_t *job = scene->jobs[scene->turn[i]];
        irr_status_t status = irr_team_start(&scene->team, job);

        status = status == IRR_OK ? irr_team_wait(&scene->team) : status;
        scene->wrong += status != scene->wanted[rank] || !irr_job_verify(job, rank);
    }
}

static void open_scene(scene_t *scene, const irr_settings_t *settings, uint64_t *state)
{
    memset(scene, 0, sizeof(*scene));
    irr_memory_begin();
    irr_world_open(&scene->world, RANKS, irr_test_random(state), irr_test_random(state) % 3 * 100);
    irr_team_init(&scene->team, &scene->world, 0, 1);
    for (int r = 0; r < RANKS; r++) {
        scene->team.params[r].settings = *settings;
    }
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene->team), IRR_OK);
}

static void add_job(scene_t *scene, int number, irr_job_kind_t kind, uint64_t seed)
{
    scene->jobs[number] = irr_job_create(RANKS, kind, seed);
}

/* A job of equal messages that are long enough to be made into any of the others here. */
static void add_uniform(scene_t *scene, int number)
{
    uint64_t seed = 1;

    add_job(scene, number, IRR_JOB_UNIFORM, seed);
    while (irr_job_length(scene->jobs[number], 0, 0) < 100) {
        irr_job_destroy(scene->jobs[number]);
        add_job(scene, number, IRR_JOB_UNIFORM, ++seed);
    }
}

/* Runs the turns, given as letters: A is job 0. */
static void run_letters(scene_t *scene, const char *letters)
{
    scene->wrong = 0;
    scene->turns = (int)strlen(letters);
    for (int i = 0; i < scene->turns; i++) {
        scene->turn[i] = letters[i] - 'A';
        irr_job_fill(scene->jobs[scene->turn[i]]);
    }
    CU_ASSERT_TRUE(irr_crew_run(RANKS, run_turns, scene));
    CU_ASSERT_EQUAL(scene->wrong, 0);
    for (int r = 0; r < RANKS; r++) {
        irr_engine_counters(scene->world.engines[r], &scene->counters[r]);
    }
}

static void close_scene(scene_t *scene)
{
    irr_team_destroy(&scene->team);
    CU_ASSERT_TRUE(irr_world_close(&scene->world));
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    for (int i = 0; i < JOBS_MAX; i++) {
        if (scene->jobs[i] != NULL) {
            irr_job_destroy(scene->jobs[i]);
        }
    }
}

/* All ranks have computed, and found, so many schedules. */
static void expect_counts(const scene_t *scene, uint64_t matrices, uint64_t built, uint64_t reused)
{
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(scene->counters[r].matrices, matrices);
        CU_ASSERT_EQUAL(scene->counters[r].schedules_built, built);
        CU_ASSERT_EQUAL(scene->counters[r].schedules_reused, reused);
        CU_ASSERT_EQUAL(scene->counters[r].matrix_bytes, scene->counters[0].matrix_bytes);
        CU_ASSERT_EQUAL(scene->counters[r].matrix_bytes > 0, matrices > 0);
        CU_ASSERT_EQUAL(scene->counters[r].matrix_ns > 0, matrices > 0);
        CU_ASSERT_EQUAL(scene->counters[r].schedule_ns > 0, built > 0);
    }
}

static irr_settings_t with(const char *algorithm)
{
    return (irr_settings_t){ .algorithm = irr_algorithm_find(algorithm), .scheduled = { .seed = 5 } };
}

/* ---- every row, every kind of job ---- */

static void test_rows(void)
{
    uint64_t state = irr_test_seed();

    for (int a = 0; irr_algorithm_name(a) != NULL; a++) {
        irr_settings_t settings = { .algorithm = a, .compose = (irr_compose_t)(a % IRR_COMPOSE_COUNT) };

        if (irr_algorithm_scheduled(a) == NULL || strcmp(irr_algorithm_name(a), "redist") == 0) {
            continue;
        }
        for (int search = 0; search <= 1; search++) {
            scene_t scene;

            settings.scheduled.lambda.rule = search ? IRR_LAMBDA_SEARCH : IRR_LAMBDA_INCREMENTAL;
            open_scene(&scene, &settings, &state);
            for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
                add_job(&scene, kind, (irr_job_kind_t)kind, irr_test_random(&state));
            }
            run_letters(&scene, "AABBCCDDFFGGHHABCD");
            CU_ASSERT(scene.counters[0].schedules_built >= 6);
            CU_ASSERT(scene.counters[0].schedules_reused >= 7);
            close_scene(&scene);
        }
    }
}

/* The plan of a rank in an exchange is the one that those who know all counts would make. */
static void expect_plan(scene_t *scene, const irr_settings_t *settings, const irr_job_t *job)
{
    irr_schedule_t schedule;
    irr_matrix_t matrix;

    irr_test_must(irr_matrix_init(&matrix, RANKS));
    for (int i = 0; i < RANKS * RANKS; i++) {
        matrix.entries[i] = irr_job_length(job, i / RANKS, i % RANKS);
    }
    irr_test_must(irr_scheduled_build(irr_algorithm_scheduled(settings->algorithm), &matrix, &settings->scheduled,
                                      &schedule));
    for (int r = 0; r < RANKS; r++) {
        const irr_plan_t *made = &scene->team.comms[r]->plan;
        irr_plan_t plan;

        irr_plan_init(&plan);
        irr_test_must(irr_schedule_plan_build(&schedule, &job->problems[r], &plan));
        CU_ASSERT_EQUAL_FATAL(made->nsteps, plan.nsteps);
        for (size_t i = 0; i < plan.nsteps; i++) {
            CU_ASSERT_EQUAL(made->steps[i].kind, plan.steps[i].kind);
            CU_ASSERT_EQUAL(made->steps[i].peer, plan.steps[i].peer);
            CU_ASSERT_EQUAL(made->steps[i].number, plan.steps[i].number);
            CU_ASSERT_EQUAL(made->steps[i].first_piece, plan.steps[i].first_piece);
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
        irr_settings_t settings = with(rows[i]);
        scene_t scene;

        settings.scheduled.lambda = i == 4 ? (irr_lambda_t){ IRR_LAMBDA_SEARCH, 0 } : IRR_LAMBDA_DEFAULT;
        settings.scheduled.latency = 100;
        settings.scheduled.max_steps = 20;
        open_scene(&scene, &settings, &state);
        add_job(&scene, 0, IRR_JOB_MIXED, irr_test_random(&state));
        run_letters(&scene, "A");
        expect_plan(&scene, &settings, scene.jobs[0]);
        close_scene(&scene);
    }
}

/* ---- redistributions ---- */

/* A job that sends what an array of so many bytes does from cyclic(2) on 4 ranks to cyclic(3) on all. */
static void add_redistribution(scene_t *scene, int number, uint64_t elements)
{
    irr_redistribution_t redistribution = { .x = 2, .p = 4, .y = 3, .q = RANKS, .elements = elements, .unit = 1 };
    irr_matrix_t matrix;

    add_uniform(scene, number);
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
    irr_settings_t settings = with("redist");
    scene_t scene;

    settings.scheduled.redistribution = (irr_redistribution_t){ .x = 2, .p = 4, .y = 3, .q = RANKS };
    open_scene(&scene, &settings, &state);
    add_redistribution(&scene, 0, 168);
    add_redistribution(&scene, 1, 1000);
    add_uniform(&scene, 2);
    run_letters(&scene, "AB");
    expect_plan(&scene, &settings, scene.jobs[1]);
    run_letters(&scene, "CABC");
    expect_counts(&scene, 3, 2, 2);
    close_scene(&scene);
}

/* ---- files ---- */

/* Settings of a communicator whose schedule file is this text. */
static const char *write_text(const char *text)
{
    static char path[64];
    FILE *stream;

    snprintf(path, sizeof(path), "test_schedules.%ld.txt", (long)getpid());
    stream = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    fputs(text, stream);
    CU_ASSERT_EQUAL(fclose(stream), 0);
    return path;
}

/* Job A is what the file is for; any algorithm takes it. */
static void test_file(void)
{
    static const char *const rows[] = { "auto", "ac", "a3", "rs_nh" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        irr_settings_t settings = with(rows[i]);
        bool learns = strcmp(rows[i], "rs_nh") == 0;
        scene_t scene;

        settings.schedule_file = write_text("irr_schedule 1\n7 3 4\n1 0 1 0 5\n1 2 3 0 1\n2 0 4 0 3\n3 0 1 5 2\nend\n");
        open_scene(&scene, &settings, &state);
        CU_ASSERT_EQUAL(unlink(settings.schedule_file), 0);
        add_uniform(&scene, 0);
        add_uniform(&scene, 1);
        for (int p = 0; p < RANKS * RANKS; p++) {
            size_t length = p == 1 ? 7 : p == 2 * RANKS + 3 ? 1 : p == 4 ? 3 : p % (RANKS + 1) == 0 ? 9 : 0;

            irr_job_shorten(scene.jobs[0], p / RANKS, p % RANKS, length);
        }
        run_letters(&scene, "ABAAB");
        expect_counts(&scene, learns, learns, 3 + learns);
        CU_ASSERT_EQUAL(scene.team.comms[0]->schedules.asked, true);
        close_scene(&scene);
    }
}

static void count_refusal(void *context, irr_log_level_t level, const char *text)
{
    *(int *)context += level == IRR_LOG_ERROR && strstr(text, "schedule_file") != NULL && strstr(text, ".txt") != NULL;
}

/* A file that is malformed, or not there, on one rank or on all: nobody is served, and one text says why. */
static void test_bad_file(void)
{
    uint64_t state = irr_test_seed();

    for (int bad = 0; bad < 4; bad++) {
        irr_settings_t settings = with("rs_nh");
        int told = 0;
        irr_team_t team;
        irr_world_t world;

        settings.schedule_file = write_text(bad == 1 ? "irr_schedule 1\n7 1 1\n1 0 9 0 5\nend\n" :
                                            "irr_schedule 1\n7 1 1\n1 0 6 0 5\nend\n");
        if (bad == 2) {
            CU_ASSERT_EQUAL(unlink(settings.schedule_file), 0);
        }
        irr_memory_begin();
        irr_log_set(count_refusal, &told, IRR_LOG_ERROR);
        irr_world_open(&world, RANKS, irr_test_random(&state), 0);
        irr_team_init(&team, &world, 0, 1);
        for (int r = 0; r < RANKS; r++) {
            team.params[r].settings = settings;
            team.params[r].settings.schedule_file = bad == 3 && r == 5 ? NULL : settings.schedule_file;
        }
        CU_ASSERT_EQUAL(irr_team_create(&team), bad > 0 ? IRR_ERR_NOT_SUPPORTED : IRR_OK);
        irr_log_set(NULL, NULL, IRR_LOG_ERROR);
        CU_ASSERT_EQUAL(told, bad == 1 || bad == 2);
        irr_team_destroy(&team);
        CU_ASSERT_TRUE(irr_world_close(&world));
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
        CU_ASSERT_EQUAL(unlink(settings.schedule_file), bad == 2 ? -1 : 0);
    }
}

/* ---- reuse ---- */

static void test_back_and_forth(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = with("rs_nh");
    scene_t scene;

    open_scene(&scene, &settings, &state);
    for (int i = 0; i < 4; i++) {
        add_job(&scene, i, IRR_JOB_UNIFORM, 77);
    }
    /* B and C differ from A on ranks 2 and 5 alone; D is like A, with other blocks. */
    irr_job_shorten(scene.jobs[1], 2, 3, 1);
    irr_job_shorten(scene.jobs[2], 2, 3, 1);
    irr_job_shorten(scene.jobs[2], 5, 3, 0);
    irr_job_destroy(scene.jobs[3]);
    add_job(&scene, 3, IRR_JOB_UNIFORM, 78);
    run_letters(&scene, "A");
    expect_counts(&scene, 1, 1, 0);
    run_letters(&scene, "ABAB");
    expect_counts(&scene, 2, 2, 3);
    run_letters(&scene, "CABCACB");
    expect_counts(&scene, 3, 3, 9);
    run_letters(&scene, "DAD");
    CU_ASSERT_EQUAL(scene.counters[0].schedules_built + scene.counters[0].schedules_reused, 15);
    close_scene(&scene);
}

/* What is sent to oneself is in no schedule. */
static void test_self(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = with("optimal");
    scene_t scene;

    open_scene(&scene, &settings, &state);
    add_job(&scene, 0, IRR_JOB_MIXED, 3);
    add_job(&scene, 1, IRR_JOB_MIXED, 3);
    for (int r = 0; r < RANKS; r++) {
        irr_job_shorten(scene.jobs[1], r, r, 0);
    }
    run_letters(&scene, "ABAB");
    expect_counts(&scene, 1, 1, 3);
    close_scene(&scene);
}

/* Seven stay; the one that was used longest ago goes. */
static void test_slots(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = with("lp");
    scene_t scene;

    open_scene(&scene, &settings, &state);
    for (int i = 0; i < 9; i++) {
        add_uniform(&scene, i);
        irr_job_shorten(scene.jobs[i], 0, 1, (size_t)i + 1);
    }
    run_letters(&scene, "ABCDEFG");
    expect_counts(&scene, 7, 7, 0);
    run_letters(&scene, "ACDEFG");
    expect_counts(&scene, 7, 7, 6);
    run_letters(&scene, "HACDEFGH");   /* for B */
    expect_counts(&scene, 8, 8, 13);
    run_letters(&scene, "B");          /* for A */
    expect_counts(&scene, 9, 9, 13);
    run_letters(&scene, "CDEFGHB");
    expect_counts(&scene, 9, 9, 20);
    run_letters(&scene, "A");
    expect_counts(&scene, 10, 10, 20);
    close_scene(&scene);
}

static void test_bytes(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = with("lp");
    scene_t scene;

    settings.cache_bytes = 1;
    open_scene(&scene, &settings, &state);
    add_job(&scene, 0, IRR_JOB_UNIFORM, 1);
    add_job(&scene, 1, IRR_JOB_SPARSE, 1);
    run_letters(&scene, "AAABBBABA");
    expect_counts(&scene, 5, 5, 4);
    close_scene(&scene);
}

/* ---- without a schedule ---- */

static unsigned warnings;

static void count_warning(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    (void)text;
    warnings += level == IRR_LOG_WARN;
}

/* The dense matrix, or its rows, are too large: all go without, and hear of it once. */
static void test_limit(void)
{
    static const size_t dense = RANKS * RANKS * sizeof(uint64_t);
    static const uint64_t built[] = { 0, 2, 1 }, reused[] = { 0, 3, 1 }, matrices[] = { 0, 2, 1 };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 3; i++) {
        irr_settings_t settings = with("rs_n");
        scene_t scene;

        warnings = 0;
        irr_log_set(count_warning, NULL, IRR_LOG_WARN);
        settings.matrix_max_bytes = i == 0 ? dense - 1 : dense;
        open_scene(&scene, &settings, &state);
        add_job(&scene, 0, IRR_JOB_MIXED, 1);
        add_job(&scene, 1, IRR_JOB_ZERO, 1);
        for (int r = 0; r < RANKS && i == 2; r++) {
            scene.team.comms[r]->schedules.gather.max_bytes = RANKS;
        }
        run_letters(&scene, "AABBA");
        irr_log_set(NULL, NULL, IRR_LOG_ERROR);
        CU_ASSERT_EQUAL(warnings, i != 1);
        expect_counts(&scene, matrices[i], built[i], reused[i]);
        close_scene(&scene);
    }
}

static int fails_on = -1;

static bool on_that_rank(void)
{
    return irr_crew_self() == fails_on && !irr_spy_sends_now();
}

/* Whichever allocation fails on one rank, all exchange well, and compute the schedule when there is memory again. */
static void test_no_memory(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = with("optimal");
    size_t nth = 1;
    bool failed = true;

    for (; failed; nth++) {
        scene_t scene;

        fails_on = (int)(nth % RANKS);
        open_scene(&scene, &settings, &state);
        add_job(&scene, 0, IRR_JOB_MIXED, 1);
        irr_memory_fail(nth, on_that_rank);
        run_letters(&scene, "A");
        failed = irr_memory_failed();
        irr_memory_fail(0, NULL);
        run_letters(&scene, "AA");
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT(scene.counters[r].schedules_built >= 1 && scene.counters[r].schedules_built <= 2);
            CU_ASSERT_EQUAL(scene.counters[r].schedules_reused, scene.counters[0].schedules_reused);
        }
        CU_ASSERT(scene.counters[0].schedules_reused >= 1);
        close_scene(&scene);
    }
    CU_ASSERT(nth > 8);
}

/* ---- blocks that are too short ---- */

static void test_truncated(void)
{
    uint64_t state = irr_test_seed();

    for (int a = 0; irr_algorithm_name(a) != NULL; a++) {
        irr_settings_t settings = { .algorithm = a, .scheduled.redistribution = { 1, RANKS, 2, RANKS, 1, 1 } };
        scene_t scene;

        if (irr_algorithm_scheduled(a) == NULL) {
            continue;
        }
        open_scene(&scene, &settings, &state);
        add_uniform(&scene, 0);
        irr_job_cut(scene.jobs[0], 4, 3, (size_t)a % 3 * (irr_job_length(scene.jobs[0], 3, 4) - 1) / 2);
        irr_job_disregard(scene.jobs[0], 4, 3);
        scene.wanted[4] = IRR_ERR_TRUNCATE;
        run_letters(&scene, "AA");
        close_scene(&scene);
    }
}

/* ---- dumps ---- */

static void test_dump(void)
{
    uint64_t state = irr_test_seed();
    static const char *const rows[] = { "rs_n", "a1", "a3" };
    char prefix[64], path[96];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        irr_settings_t settings = with(rows[i]);
        scene_t scene;

        snprintf(prefix, sizeof(prefix), "test_schedules.%ld", (long)getpid());
        settings.matrix_dump = prefix;
        open_scene(&scene, &settings, &state);
        add_job(&scene, 0, IRR_JOB_MIXED, 1);
        add_job(&scene, 1, IRR_JOB_SPARSE, 1);
        run_letters(&scene, "AABBA");
        for (int n = 1; n <= 3; n++) {
            irr_file_error_t error;
            irr_matrix_t matrix;

            snprintf(path, sizeof(path), "%s.%d.mtx", prefix, n);
            CU_ASSERT_EQUAL(irr_matrix_read(path, &matrix, &error), n < 3 ? IRR_OK : IRR_ERR_IO);
            for (int e = 0; n < 3 && e < RANKS * RANKS; e++) {
                CU_ASSERT_EQUAL(matrix.entries[e], irr_job_length(scene.jobs[n - 1], e / RANKS, e % RANKS));
            }
            if (n < 3) {
                irr_matrix_fini(&matrix);
                CU_ASSERT_EQUAL(unlink(path), 0);
            }
        }
        close_scene(&scene);
    }
}

static unsigned errors;

static void count_error(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    errors += level == IRR_LOG_ERROR && strstr(text, "cannot be written") != NULL;
}

static void test_dump_fails(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = with("a1");
    scene_t scene;

    settings.matrix_dump = "no/such/folder/matrix";
    irr_log_set(count_error, NULL, IRR_LOG_ERROR);
    open_scene(&scene, &settings, &state);
    add_job(&scene, 0, IRR_JOB_MIXED, 1);
    add_job(&scene, 1, IRR_JOB_SPARSE, 1);
    run_letters(&scene, "ABA");
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(errors, 1);
    close_scene(&scene);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "every row and kind of job delivers every byte",       test_rows },
        { "a rank runs the plan that all would make for it",     test_same_plan },
        { "redistributions go by their own steps",               test_redistribution },
        { "a schedule file is for its counts, with any row",     test_file },
        { "a bad schedule file is told once, and serves nobody", test_bad_file },
        { "schedules are found again when some ranks change",    test_back_and_forth },
        { "what a rank sends to itself does not count",          test_self },
        { "the schedule used longest ago goes",                  test_slots },
        { "bytes bound what is kept",                            test_bytes },
        { "a matrix above the limit is left alone by all",       test_limit },
        { "want of memory on one rank is survived by all",       test_no_memory },
        { "a block that is too short is an error there alone",   test_truncated },
        { "matrices are dumped once each",                       test_dump },
        { "a dump that cannot be written is told once",          test_dump_fails },
        { NULL, NULL }
    };

    return irr_test_main("schedules", cases, 60);
}
