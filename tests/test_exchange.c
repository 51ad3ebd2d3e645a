/*
 * test_exchange.c - exchanges on communicators: every byte, many at a time, many in a row, and their errors.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

/* Rows of the table of algorithms. */
enum { AUTO, A1, AC, A2, A3, A4, HYBRID, MULTISTAGE, NODE, BOARD };

#define TEAMS_MAX 4
#define TURNS_MAX 30

/* ---- one exchange ---- */

static void test_kinds(void)
{
    static const int sizes[] = { 1, 2, 3, 5, 8 };
    static const irr_settings_t settings[] = {
        { .algorithm = 0 },
        { .algorithm = 1, .compose = IRR_COMPOSE_SPLIT, .window_messages = 1 },
        { .algorithm = 2, .compose = IRR_COMPOSE_GATHER, .window_bytes = 300 },
        { .algorithm = 2, .compose = IRR_COMPOSE_IOVEC, .window_messages = 2, .window_bytes = 1000 },
        { .algorithm = A2, .window_messages = 1 },
        { .algorithm = A3, .compose = IRR_COMPOSE_SPLIT, .overlap = IRR_OVERLAP_SINGLE },
        { .algorithm = A4, .slice_min = IRR_SLICE_MIN_DEFAULT, .overlap = IRR_OVERLAP_BLOCKING },
        { .algorithm = HYBRID, .direct_bytes = 1, .compose = IRR_COMPOSE_SPLIT },
        { .algorithm = HYBRID, .direct_bytes = 300, .window_messages = 1 },
        { .algorithm = HYBRID, .direct_bytes = IRR_BYTES_AUTO, .overlap = IRR_OVERLAP_BLOCKING },
        { .algorithm = MULTISTAGE, .compose = IRR_COMPOSE_GATHER, .window_bytes = 300 },
        { .algorithm = NODE },
        { .algorithm = NODE, .window_messages = 1 },
        { .algorithm = NODE, .compose = IRR_COMPOSE_SPLIT },
        { .algorithm = BOARD },
        { .algorithm = A1, .pace = IRR_PACE_LOOSE, .window_messages = 2 },
        { .algorithm = AC, .pace = IRR_PACE_LOOSE, .compose = IRR_COMPOSE_SPLIT },
        { .algorithm = A1, .pace = IRR_PACE_GRANT },
        { .algorithm = AC, .pace = IRR_PACE_GRANT, .grants = 1, .window_bytes = 300 },
        { .algorithm = AUTO, .pace = IRR_PACE_GRANT, .grants = 3, .window_messages = 1 },
        { .algorithm = A4, .pace = IRR_PACE_GRANT, .grants = 1 },
        { .algorithm = A3, .pace = IRR_PACE_LOOSE, .overlap = IRR_OVERLAP_BLOCKING }
    };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < IRR_TEST_COUNT(sizes); i++) {
        for (size_t k = 0; k < IRR_TEST_COUNT(settings); k++) {
            irr_team_t team;
            irr_world_t world;

            irr_world_open(&world, sizes[i], k == 0 ? 0 : irr_test_random(&state), k % 2 * 100);
            irr_team_init(&team, &world, 0, 1);
            for (int r = 0; r < sizes[i]; r++) {
                team.params[r].settings = settings[k];
                team.params[r].node = r / 3;
            }
            CU_ASSERT_EQUAL_FATAL(irr_team_create(&team), IRR_OK);
            for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
                irr_job_t *job = irr_job_create(sizes[i], (irr_job_kind_t)kind, irr_test_random(&state));

                irr_team_expect(&team, job, -1);
                irr_job_destroy(job);
            }
            irr_team_close(&team);
        }
    }
}

/* Only an exchange that lasts is timed: one rank comes when the others have looked a hundred times. */
static void test_times(void)
{
    irr_status_t result[IRR_CREW_MAX] = { IRR_OK };
    irr_counters_t counters;
    irr_team_t team;
    irr_world_t world;
    irr_job_t *job = irr_job_create(3, IRR_JOB_UNIFORM, 1);

    irr_world_open(&world, 3, 0, 100);
    irr_team_open(&team, &world, NULL);
    irr_job_fill(job);
    for (int r = 1; r < 3; r++) {
        result[r] = irr_team_start_rank(&team, r, job);
    }
    CU_ASSERT_FALSE(irr_team_progress(&team, result, 100));
    result[0] = irr_team_start_rank(&team, 0, job);
    CU_ASSERT_TRUE(irr_team_progress(&team, result, 1000));
    for (int r = 1; r < 3; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        irr_engine_counters(world.engines[r], &counters);
        CU_ASSERT(counters.waiting_ns > 0);
    }
    irr_job_destroy(job);
    irr_team_close(&team);
}

static void test_counters(void)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 1);
    uint64_t unit = irr_job_length(job, 0, 0);
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 4, 0, 0);
    irr_team_open(&team, &world, NULL);
    for (uint64_t times = 1; times <= 3; times++) {
        irr_team_expect(&team, job, -1);
        for (int r = 0; r < 4; r++) {
            irr_counters_t expected = {
                .exchanges = times, .messages_sent = 3 * times, .messages_received = 3 * times,
                .bytes_sent = 3 * unit * times, .bytes_received = 3 * unit * times,
                .bytes_staged = unit * times, .largest_message = unit, .endpoints_open = 3,
                .steps = 3 * times
            };
            irr_counters_t counters;

            irr_engine_counters(world.engines[r], &counters);
            expected.waiting_ns = counters.waiting_ns;
            CU_ASSERT(memcmp(&counters, &expected, sizeof(expected)) == 0);
        }
    }
    irr_team_close(&team);
    irr_job_destroy(job);
}

/* The window of the settings holds, and without one all sends start at once. */
static void test_window(void)
{
    irr_job_t *job = irr_job_create(6, IRR_JOB_UNIFORM, 1);

    for (size_t window = 0; window <= 5; window++) {
        irr_team_t team;
        irr_world_t world;

        irr_world_open(&world, 6, 0, 0);
        irr_team_init(&team, &world, 0, 1);
        for (int r = 0; r < 6; r++) {
            team.params[r].settings.window_messages = window;
        }
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&team), IRR_OK);
        irr_team_expect(&team, job, -1);
        for (int r = 0; r < 6; r++) {
            CU_ASSERT_EQUAL(world.spies[r]->in_flight_max, window > 0 ? window : 5);
            CU_ASSERT_EQUAL(world.spies[r]->recvs_at_send, 5);
        }
        irr_team_close(&team);
    }
    irr_job_destroy(job);
}

/* ---- many at a time ---- */

typedef struct overlap {
    irr_team_t teams[TEAMS_MAX];
    irr_job_t *jobs[TURNS_MAX][TEAMS_MAX];
    int        wrong;
} overlap_t;

/* In each turn a rank starts on all its communicators, in an order of its own, and waits in another one. */
static void take_turns(int rank, void *context)
{
    overlap_t *overlap = context;

    for (int turn = 0; turn < TURNS_MAX; turn++) {
        for (int i = 0; i < TEAMS_MAX; i++) {
            int t = (i + rank + turn) % TEAMS_MAX;

            if (irr_crew_group_self(&overlap->teams[t].group) >= 0) {
                overlap->wrong += irr_team_start(&overlap->teams[t], overlap->jobs[turn][t]) != IRR_OK;
            }
        }
        for (int i = 0; i < TEAMS_MAX; i++) {
            int t = (i + rank * 3) % TEAMS_MAX, me = irr_crew_group_self(&overlap->teams[t].group);

            if (me >= 0) {
                overlap->wrong += irr_team_wait(&overlap->teams[t]) != IRR_OK;
                overlap->wrong += !irr_job_verify(overlap->jobs[turn][t], me);
            }
        }
    }
}

/* Communicators of all, the odd and the even ranks, and of all in reverse, with these algorithms. */
static void run_overlap(const int *algorithms, uint64_t seed, size_t eager_max, uint64_t *state)
{
    static overlap_t overlap;
    irr_world_t world;

    irr_world_open(&world, 6, seed, eager_max);
    overlap.wrong = 0;
    irr_team_init(&overlap.teams[0], &world, 0, 1);
    irr_team_init(&overlap.teams[1], &world, 1, 2);
    irr_team_init(&overlap.teams[2], &world, 0, 2);
    irr_team_init(&overlap.teams[3], &world, 5, -1);
    for (int t = 0; t < TEAMS_MAX; t++) {
        for (int i = 0; i < overlap.teams[t].group.ranks; i++) {
            overlap.teams[t].params[i].settings.algorithm = algorithms[t];
        }
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&overlap.teams[t]), IRR_OK);
        for (int turn = 0; turn < TURNS_MAX; turn++) {
            irr_job_kind_t kind = (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS);

            overlap.jobs[turn][t] = irr_job_create(overlap.teams[t].group.ranks, kind, irr_test_random(state));
            irr_job_fill(overlap.jobs[turn][t]);
        }
    }
    CU_ASSERT_TRUE(irr_crew_run(6, take_turns, &overlap));
    CU_ASSERT_EQUAL(overlap.wrong, 0);
    for (int t = 0; t < TEAMS_MAX; t++) {
        irr_team_destroy(&overlap.teams[t]);
        for (int turn = 0; turn < TURNS_MAX; turn++) {
            irr_job_destroy(overlap.jobs[turn][t]);
        }
    }
    CU_ASSERT_TRUE(irr_world_close(&world));
}

static void test_overlap(void)
{
    uint64_t state = irr_test_seed();

    static const int direct[TEAMS_MAX] = { A1, AC, AUTO, A1 }, grids[TEAMS_MAX] = { A4, MULTISTAGE, A1, A3 };

    run_overlap(direct, 0, 100, &state);
    run_overlap(grids, 0, 100, &state);
    run_overlap(grids, irr_test_random(&state), 100, &state);
    run_overlap(direct, irr_test_random(&state), 0, &state);
    run_overlap(grids, irr_test_random(&state), 0, &state);
}

/* ---- many in a row ---- */

enum { EXCHANGES = 300, JOBS = 7 };

typedef struct series {
    irr_team_t team;
    irr_job_t *jobs[JOBS];
    int        wrong;
} series_t;

static void exchange_series(int rank, void *context)
{
    series_t *series = context;

    for (int i = 0; i < EXCHANGES; i++) {
        irr_job_t *job = series->jobs[i % JOBS];

        series->wrong += irr_team_start(&series->team, job) != IRR_OK;
        series->wrong += irr_team_wait(&series->team) != IRR_OK;
        series->wrong += !irr_job_verify(job, rank);
    }
}

/* The sequence in the tags wraps, while some ranks are ahead of others. */
static void run_series(int algorithm, uint64_t state)
{
    series_t series = { .wrong = 0 };
    irr_world_t world;

    irr_world_open(&world, 3, irr_test_random(&state), 100);
    irr_team_init(&series.team, &world, 0, 1);
    for (int r = 0; r < 3; r++) {
        series.team.params[r].settings.algorithm = algorithm;
    }
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&series.team), IRR_OK);
    for (int i = 0; i < JOBS; i++) {
        series.jobs[i] = irr_job_create(3, (irr_job_kind_t)i, irr_test_random(&state));
        irr_job_fill(series.jobs[i]);
    }
    CU_ASSERT_TRUE(irr_crew_run(3, exchange_series, &series));
    CU_ASSERT_EQUAL(series.wrong, 0);
    for (int r = 0; r < 3; r++) {
        CU_ASSERT_EQUAL(series.team.comms[r]->sequence, series.team.comms[0]->sequence);
    }
    for (int i = 0; i < JOBS; i++) {
        irr_job_destroy(series.jobs[i]);
    }
    irr_team_close(&series.team);
}

static void test_series(void)
{
    uint64_t state = irr_test_seed();

    run_series(A1, irr_test_random(&state));
    run_series(A4, irr_test_random(&state));
}

/* ---- errors ---- */

static void test_truncate(void)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 5), *short_job = irr_job_create(4, IRR_JOB_UNIFORM, 5);
    irr_team_t team;
    irr_world_t world;

    irr_job_cut(short_job, 2, 3, 1);
    irr_world_open(&world, 4, 0, 0);
    irr_team_open(&team, &world, NULL);
    for (int i = 0; i < 3; i++) {
        irr_team_expect(&team, short_job, 2);
        irr_team_expect(&team, job, -1);
    }
    irr_team_close(&team);
    irr_job_destroy(short_job);
    irr_job_destroy(job);
}

typedef struct scene {
    irr_team_t team;
    irr_job_t *job;
} scene_t;

/* Wrong calls change nothing: the exchange that is open ends well. */
static void misuse(int rank, void *context)
{
    scene_t *scene = context;
    irr_problem_t problem = scene->job->problems[rank];
    irr_exchange_t *exchange = irr_comm_exchange(scene->team.comms[rank]);

    CU_ASSERT_EQUAL(irr_exchange_test(exchange), IRR_OK);
    problem.ranks++;
    CU_ASSERT_EQUAL(irr_exchange_start(exchange, &problem, NULL, NULL), IRR_ERR_BAD_PARAM);
    problem.ranks -= 2;
    CU_ASSERT_EQUAL(irr_exchange_start(exchange, &problem, NULL, NULL), IRR_ERR_BAD_PARAM);
    problem.ranks++;
    problem.rank = (rank + 1) % problem.ranks;
    CU_ASSERT_EQUAL(irr_exchange_start(exchange, &problem, NULL, NULL), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_team_start(&scene->team, scene->job), IRR_OK);
    CU_ASSERT_EQUAL(irr_exchange_start(exchange, &scene->job->problems[rank], NULL, NULL), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_team_wait(&scene->team), IRR_OK);
    CU_ASSERT_TRUE(irr_job_verify(scene->job, rank));
}

static void test_misuse(void)
{
    irr_job_t *job = irr_job_create(3, IRR_JOB_UNIFORM, 2);
    scene_t scene = { .job = job };
    irr_world_t world;

    irr_world_open(&world, 3, 0, 0);
    irr_team_open(&scene.team, &world, NULL);
    irr_job_fill(job);
    CU_ASSERT_TRUE(irr_crew_run(3, misuse, &scene));
    irr_team_expect(&scene.team, job, -1);
    irr_team_close(&scene.team);
    irr_job_destroy(job);
}

/* An exchange whose result was not read is still open. */
static void test_unread(void)
{
    irr_job_t *job = irr_job_create(1, IRR_JOB_SELF, 2);
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 1, 0, 0);
    irr_team_open(&team, &world, NULL);
    irr_job_fill(job);
    CU_ASSERT_EQUAL(irr_team_start(&team, job), IRR_OK);
    irr_engine_progress(world.engines[0]);
    CU_ASSERT_EQUAL(irr_team_start(&team, job), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_exchange_test(irr_comm_exchange(team.comms[0])), IRR_OK);
    CU_ASSERT_EQUAL(irr_team_start(&team, job), IRR_OK);
    irr_engine_progress(world.engines[0]);
    CU_ASSERT_EQUAL(irr_exchange_test(irr_comm_exchange(team.comms[0])), IRR_OK);
    irr_team_close(&team);
    irr_job_destroy(job);
}

/* ---- memory ---- */

static size_t allocations;

static bool count_allocation(void)
{
    allocations++;
    return false;
}

/* Starting an exchange allocates nothing; what is allocated is loopback's, one message for each send. */
static void test_no_allocation(void)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 2);
    irr_team_t team;
    irr_world_t world;

    irr_memory_begin();
    irr_world_open(&world, 5, 0, 0);
    irr_team_open(&team, &world, NULL);
    allocations = 0;
    irr_memory_fail(1, count_allocation);
    irr_team_expect(&team, job, -1);
    irr_team_expect(&team, job, -1);
    CU_ASSERT_EQUAL(allocations, 2 * 5 * 4);
    irr_memory_fail(0, NULL);
    irr_team_close(&team);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_job_destroy(job);
}

IRR_TEST_MAIN("exchange", 60,
    { "every kind of job, 1 to 8 ranks, all settings",    test_kinds },
    { "counters",                                         test_counters },
    { "only what lasts is timed",                         test_times },
    { "the window of the settings",                       test_window },
    { "communicators that overlap, at the same time",     test_overlap },
    { "300 exchanges in a row",                           test_series },
    { "a message too long for its block",                 test_truncate },
    { "wrong calls",                                      test_misuse },
    { "a result that was not read",                       test_unread },
    { "an exchange allocates nothing",                    test_no_allocation })
