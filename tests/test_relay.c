/*
 * test_relay.c - the relay over loopback: every byte of every kind of job, frozen plans, truncation.
 */
#include "irr_relays.h"
#include "irr_test.h"

#include <stdlib.h>

#define ALL_EAGER SIZE_MAX

static const char *const rows[] = { "a2", "a3", "a4", "multistage", "node" };

static void expect_well(irr_relays_t *relays, irr_job_t *job)
{
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
}

/* ---- whole jobs ---- */

static size_t pick(size_t *index, const size_t *values, size_t count)
{
    size_t value = values[*index % count];

    *index /= count;
    return value;
}

/* Combination number `index` of all that can be set; there are COMBINATIONS. */
static irr_relays_params_t combine(size_t index, const char *row, int ranks, uint64_t seed)
{
    static const size_t eager_max[] = { 0, 100, ALL_EAGER }, windows[] = { 0, 1, 300 };
    static const size_t slice_min[] = { 0, 1, 256 }, zero_copy_min[] = { 0, 40 };
    static const size_t compose[] = { 0, 1, 2, 3 }, overlap[] = { 0, 1, 2, 3 };
    irr_relays_params_t params = { .algorithm = row, .ranks = ranks, .seed = index % 5 == 0 ? 0 : seed };
    size_t window;

    params.overlap = (irr_overlap_t)pick(&index, overlap, IRR_TEST_COUNT(overlap));
    params.compose = (irr_compose_t)pick(&index, compose, IRR_TEST_COUNT(compose));
    params.eager_max = pick(&index, eager_max, IRR_TEST_COUNT(eager_max));
    params.slice_min = pick(&index, slice_min, IRR_TEST_COUNT(slice_min));
    params.zero_copy_min = pick(&index, zero_copy_min, IRR_TEST_COUNT(zero_copy_min));
    window = pick(&index, windows, IRR_TEST_COUNT(windows));
    params.window_messages = window == 1 ? 1 : 0;
    params.window_bytes = window > 1 ? window : 0;
    return params;
}

enum { COMBINATIONS = 4 * 4 * 3 * 3 * 2 * 3, RUNS_OF_A_JOB = 3 };

/* One send at a time, where the settings say so and no piece goes apart. */
static void watch_window(irr_relays_t *relays)
{
    const irr_relays_params_t *params = &relays->params;
    bool one = params->window_messages == 1 || params->overlap == IRR_OVERLAP_BLOCKING;
    bool apart = params->compose == IRR_COMPOSE_SPLIT || params->zero_copy_min > 0;

    for (int r = 0; r < params->ranks; r++) {
        relays->rank[r].member->spy->window_messages = one && !apart ? 1 : 0;
    }
}

/* The job, the same again, another one, and the first again. */
static void run_jobs(const irr_relays_params_t *params, irr_job_t *job, irr_job_t *other)
{
    irr_job_t *const jobs[] = { job, job, other, job };
    irr_relays_t *relays = irr_relays_create(params);

    watch_window(relays);
    for (size_t i = 0; i < IRR_TEST_COUNT(jobs); i++) {
        expect_well(relays, jobs[i]);
    }
    for (int r = 0; r < params->ranks; r++) {
        CU_ASSERT_FALSE(relays->rank[r].member->spy->exceeded);
    }
    irr_relays_destroy(relays);
}

static void test_jobs(void)
{
    static const int sizes[] = { 1, 2, 3, 4, 5, 8, 13, 18 };
    uint64_t state = irr_test_seed();
    size_t index = irr_test_below(&state, COMBINATIONS);

    for (size_t i = 0; i < IRR_TEST_COUNT(sizes) * IRR_JOB_KINDS; i++) {
        int ranks = sizes[i / IRR_JOB_KINDS];
        irr_job_t *job = irr_job_create(ranks, (irr_job_kind_t)(i % IRR_JOB_KINDS), irr_test_random(&state));
        irr_job_t *other = irr_job_create(ranks, IRR_JOB_SPARSE, irr_test_random(&state));

        for (size_t run = 0; run < RUNS_OF_A_JOB * IRR_TEST_COUNT(rows); run++) {
            irr_relays_params_t params;

            index += 479;  /* no divisor in common: every combination comes */
            params = combine(index % COMBINATIONS, rows[run % IRR_TEST_COUNT(rows)], ranks, irr_test_random(&state));
            if (ranks < 5 || irr_test_picks(&state)) {
                run_jobs(&params, job, other);
            }
        }
        irr_job_destroy(other);
        irr_job_destroy(job);
    }
}

/* ---- a window in bytes ---- */

/*
 * All messages wait for their receivers, and few fit at a time: whoever is told that a header comes waits for it, so
 * it must not wait in its turn for what others take.
 */
static void test_window(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 8 * IRR_JOB_KINDS; i++) {
        irr_relays_params_t params = {
            .algorithm = rows[i % 2 == 0 ? 2 : 3], .ranks = 18, .seed = irr_test_random(&state),
            .compose = IRR_COMPOSE_SPLIT, .overlap = IRR_OVERLAP_SINGLE, .window_bytes = 300
        };
        irr_job_t *job = irr_job_create(params.ranks, (irr_job_kind_t)(i % IRR_JOB_KINDS), irr_test_random(&state));
        irr_job_t *other = irr_job_create(params.ranks, IRR_JOB_SPARSE, irr_test_random(&state));

        run_jobs(&params, job, other);
        irr_job_destroy(other);
        irr_job_destroy(job);
    }
}

/* ---- many in a row ---- */

enum { TURNS = 100, JOBS = 4, SERIES_RANKS = 9, ROUNDS = 20000 };

/* Of the same lengths but for a few messages, which are shorter from job to job. */
static void make_jobs(irr_job_t *jobs[JOBS], uint64_t *state)
{
    uint64_t seed = irr_test_random(state);

    for (int i = 0; i < JOBS; i++) {
        jobs[i] = irr_job_create(SERIES_RANKS, IRR_JOB_SPARSE, seed);
        for (int k = 0; k < i; k++) {
            int from = (int)irr_test_below(state, SERIES_RANKS), to = (int)irr_test_below(state, SERIES_RANKS);

            irr_job_shorten(jobs[i], from, to, irr_job_length(jobs[i], from, to) / 3);
        }
        irr_job_fill(jobs[i]);
    }
}

static void start_turn(irr_relays_t *relays, irr_job_t *job, uint32_t turn, int rank)
{
    relays->sequence = turn;
    irr_job_poison(job, rank);
    irr_relays_start(relays, job, rank);
}

/* Each rank starts its next exchange when its last one is over, wherever the others are; what is wrong? */
static int take_turns(irr_relays_t *relays, irr_job_t *const jobs[TURNS])
{
    uint32_t turn[SERIES_RANKS] = { 0 };
    int wrong = 0, left = SERIES_RANKS * TURNS;

    for (int r = 0; r < SERIES_RANKS; r++) {
        start_turn(relays, jobs[0], 0, r);
    }
    for (int round = 0; round < ROUNDS && left > 0; round++) {
        irr_fleet_run_for(relays->fleet, 1);
        for (int r = 0; r < SERIES_RANKS; r++) {
            if (relays->rank[r].member->running || turn[r] == TURNS) {
                continue;
            }
            wrong += relays->rank[r].member->result != IRR_OK || !irr_job_verify(jobs[turn[r]], r);
            left--;
            if (++turn[r] < TURNS) {
                start_turn(relays, jobs[turn[r]], turn[r], r);
            }
        }
    }
    return wrong + left;
}

/* The sequence in the tags wraps at 64.  A job comes a few times before it changes. */
static void test_series(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 4 * IRR_TEST_COUNT(rows); i++) {
        irr_relays_params_t params = combine(irr_test_below(&state, COMBINATIONS), rows[i % IRR_TEST_COUNT(rows)],
                                             SERIES_RANKS, irr_test_random(&state));
        irr_fault_t fault = { .seed = irr_test_random(&state), .hold_percent = 10, .hold_rounds = 20 };
        irr_job_t *jobs[JOBS], *turns[TURNS];
        irr_relays_t *relays;

        make_jobs(jobs, &state);
        for (int turn = 0; turn < TURNS; turn++) {
            bool same = turn > 0 && irr_test_below(&state, 3) > 0;

            turns[turn] = same ? turns[turn - 1] : jobs[irr_test_below(&state, JOBS)];
        }
        params.fault = i < 2 * IRR_TEST_COUNT(rows) ? &fault : NULL;
        params.faulty = -1;
        relays = irr_relays_create(&params);
        CU_ASSERT_EQUAL(take_turns(relays, turns), 0);
        irr_relays_destroy(relays);
        for (int k = 0; k < JOBS; k++) {
            irr_job_destroy(jobs[k]);
        }
    }
}

/* ---- every number of ranks ---- */

/* A fabric that shuffles takes many more rounds, and so do more exchanges. */
static void run_ranks(int ranks, const char *row, irr_job_t *job, uint64_t seed)
{
    bool thorough = ranks <= 64 || ranks % 8 == 0;
    irr_relays_params_t params = {
        .algorithm = row, .ranks = ranks, .seed = thorough ? seed : 0,
        .eager_max = seed % 2 == 0 ? 100 : ALL_EAGER, .slice_min = 50
    };
    irr_relays_t *relays = irr_relays_create(&params);

    for (int i = 0; i < (thorough ? 2 : 1); i++) {
        expect_well(relays, job);
    }
    irr_relays_destroy(relays);
}

/* In a stage of a2 each rank has a message for each other one, so not all numbers are tried. */
static bool tries(const char *row, int ranks)
{
    return row != rows[0] || ranks <= 64 || ranks % 41 == 0;
}

static void test_ranks(void)
{
    static const irr_job_kind_t kinds[] = { IRR_JOB_BANDED, IRR_JOB_HOT_ROW, IRR_JOB_HOT_COLUMN };
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= IRR_JOB_RANKS_MAX; ranks++) {
        irr_job_kind_t kind = ranks <= 40 ? IRR_JOB_SPARSE : kinds[ranks % 3];
        irr_job_t *job = irr_job_create(ranks, kind, irr_test_random(&state));

        for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
            if (tries(rows[i], ranks) && (ranks <= 40 || (irr_test_picks(&state) && irr_test_picks(&state)))) {
                run_ranks(ranks, rows[i], job, irr_test_random(&state));
            }
        }
        irr_job_destroy(job);
    }
}

/* ---- frozen ---- */

static void check_plans(const irr_relays_t *relays, const irr_job_t *job)
{
    irr_plan_t *plans = malloc((size_t)job->ranks * sizeof(*plans));
    char reason[200] = "";

    CU_ASSERT_PTR_NOT_NULL_FATAL(plans);
    for (int r = 0; r < job->ranks; r++) {
        plans[r] = relays->rank[r].frozen.plan;
    }
    CU_ASSERT_EQUAL(irr_plan_check(plans, job->problems, job->ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    free(plans);
}

/* Frozen plans run between exchanges that are not, and change nothing for them. */
static void run_frozen(const irr_relays_params_t *params, irr_job_t *job)
{
    irr_relays_t *relays = irr_relays_create(params);

    expect_well(relays, job);
    CU_ASSERT_EQUAL_FATAL(irr_relays_freeze(relays, job), IRR_OK);
    check_plans(relays, job);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange_frozen(relays, job));
        CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
        for (int r = 0; r < job->ranks; r++) {
            CU_ASSERT_EQUAL(relays->rank[r].member->counters.header_bytes, 0);
            CU_ASSERT_TRUE(irr_job_may_stage(job, r, relays->rank[r].member->counters.bytes_staged));
        }
        if (i == 1) {
            expect_well(relays, job);
        }
    }
    irr_relays_destroy(relays);
}

static void test_frozen(void)
{
    static const int sizes[] = { 1, 2, 3, 5, 7, 12, 18 };
    uint64_t state = irr_test_seed();
    size_t index = irr_test_below(&state, COMBINATIONS);

    for (size_t i = 0; i < IRR_TEST_COUNT(sizes) * IRR_JOB_KINDS; i++) {
        int ranks = sizes[i / IRR_JOB_KINDS];
        irr_job_t *job = irr_job_create(ranks, (irr_job_kind_t)(i % IRR_JOB_KINDS), irr_test_random(&state));

        for (size_t run = 0; run < IRR_OVERLAP_COUNT * IRR_TEST_COUNT(rows); run++) {
            irr_relays_params_t params;

            index += 479;
            params = combine(index % COMBINATIONS, rows[run % IRR_TEST_COUNT(rows)], ranks, irr_test_random(&state));
            params.overlap = (irr_overlap_t)(run / IRR_TEST_COUNT(rows));
            if (ranks < 5 || irr_test_picks(&state)) {
                run_frozen(&params, job);
            }
        }
        irr_job_destroy(job);
    }
}

/* ---- truncation ---- */

/* One block of rank `to` is too short for what comes; no other rank sees it, nor does the next exchange. */
static void run_truncated(const irr_relays_params_t *params, int from, int to, size_t room)
{
    irr_job_t *cut = irr_job_create(params->ranks, IRR_JOB_UNIFORM, params->seed);
    irr_job_t *good = irr_job_create(params->ranks, IRR_JOB_UNIFORM, params->seed);
    irr_job_t *const jobs[] = { cut, cut, good, cut, good };
    irr_relays_t *relays = irr_relays_create(params);
    bool fits = room >= irr_job_length(cut, from, to);

    if (!fits) {
        irr_job_cut(cut, to, from, room);
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(jobs); i++) {
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, jobs[i]));
        for (int r = 0; r < params->ranks; r++) {
            bool truncated = jobs[i] == cut && r == to && !fits;

            CU_ASSERT_EQUAL(relays->rank[r].member->result, truncated ? IRR_ERR_TRUNCATE : IRR_OK);
            CU_ASSERT_TRUE(irr_job_verify(jobs[i], r));
        }
        CU_ASSERT_EQUAL(irr_relays_freeze(relays, jobs[i]) == IRR_OK, jobs[i] != cut || fits);
    }
    irr_relays_destroy(relays);
    irr_job_destroy(good);
    irr_job_destroy(cut);
}

static void test_truncate(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 10 * IRR_TEST_COUNT(rows); i++) {
        int ranks = 2 + (int)irr_test_below(&state, 8), from = (int)irr_test_below(&state, (uint64_t)ranks);
        irr_relays_params_t params = combine(irr_test_below(&state, COMBINATIONS), rows[i % IRR_TEST_COUNT(rows)],
                                             ranks, irr_test_random(&state));

        params.seed = 1 + irr_test_random(&state) / 2;
        run_truncated(&params, from, (int)irr_test_below(&state, (uint64_t)ranks), irr_test_below(&state, 3));
        run_truncated(&params, from, from, 0);
    }
}

/* ---- what freeze refuses ---- */

static void test_freeze_refused(void)
{
    irr_relays_params_t params = { .algorithm = "a4", .ranks = 5, .seed = 1, .slice_min = 1 };
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1), *same = irr_job_create(5, IRR_JOB_UNIFORM, 1);
    irr_relays_t *relays = irr_relays_create(&params);

    CU_ASSERT_EQUAL(irr_relays_freeze(relays, job), IRR_ERR_BAD_PARAM);
    expect_well(relays, job);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, same), IRR_ERR_BAD_PARAM);
    expect_well(relays, same);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, job), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, same), IRR_OK);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, same), IRR_OK);
    irr_relays_destroy(relays);
    irr_job_destroy(same);
    irr_job_destroy(job);
}

IRR_TEST_MAIN("relay", 600,
    { "every grid row, 1 to 18 ranks, every kind of job, again and changed", test_jobs },
    { "a window in bytes, and nothing is eager",                             test_window },
    { "100 exchanges in a row, each rank at its own pace",                   test_series },
    { "1 to 300 ranks",                                                      test_ranks },
    { "frozen plans are right, and run",                                     test_frozen },
    { "a message too long for its block",                                    test_truncate },
    { "what freeze refuses",                                                 test_freeze_refused })
