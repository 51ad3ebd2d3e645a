/*
 * test_relay.c - the relay over loopback: windows, 1 to 300 ranks, and frozen plans.  test_world.c runs every strategy.
 */
#include "irr_relays.h"
#include "irr_test.h"

#include <stdlib.h>

#define ALL_EAGER SIZE_MAX

static const char *const rows[] = { "spread", "grid", "balanced-grid", "bruck", "node" };

static void expect_well(irr_relays_t *relays, irr_job_t *job)
{
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
}

/* ---- settings ---- */

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

enum { COMBINATIONS = 4 * 4 * 3 * 3 * 2 * 3 };

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

/* ---- windows ---- */

/*
 * All messages wait for their receivers, and few fit at a time: a rank that is told that a header comes waits for it,
 * so the header must not wait in its turn for what others take.
 */
static void test_window(void)
{
    static const irr_relays_params_t windows[] = {
        { .compose = IRR_COMPOSE_SPLIT, .overlap = IRR_OVERLAP_SINGLE, .window_bytes = 300 },
        { .compose = IRR_COMPOSE_GATHER, .window_messages = 1 },
        { .compose = IRR_COMPOSE_IOVEC, .overlap = IRR_OVERLAP_BLOCKING }
    };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 8 * IRR_JOB_KINDS; i++) {
        irr_relays_params_t params = windows[i % (int)IRR_TEST_COUNT(windows)];
        irr_job_t *job, *other;

        params.algorithm = rows[(i / 2) % (int)IRR_TEST_COUNT(rows)];
        params.ranks = 18;
        params.seed = irr_test_random(&state);
        job = irr_job_create(params.ranks, (irr_job_kind_t)(i % IRR_JOB_KINDS), irr_test_random(&state));
        other = irr_job_create(params.ranks, IRR_JOB_SPARSE, irr_test_random(&state));
        run_jobs(&params, job, other);
        irr_job_destroy(other);
        irr_job_destroy(job);
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

/* In a stage of spread each rank has a message for each other one, so not all numbers are tried. */
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

/* ---- what freeze refuses ---- */

static void test_freeze_refused(void)
{
    irr_relays_params_t params = { .algorithm = "balanced-grid", .ranks = 5, .seed = 1, .eager_max = ALL_EAGER,
                                  .slice_min = 1 };
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1), *same = irr_job_create(5, IRR_JOB_UNIFORM, 1);
    irr_job_t *cut = irr_job_create(5, IRR_JOB_UNIFORM, 1);
    irr_relays_t *relays = irr_relays_create(&params);
    irr_spy_t *spy = relays->rank[1].member->spy;

    irr_job_cut(cut, 2, 3, 0);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, job), IRR_ERR_BAD_PARAM);
    expect_well(relays, job);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, same), IRR_ERR_BAD_PARAM);
    expect_well(relays, same);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, job), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, same), IRR_OK);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, same), IRR_OK);
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, cut));
    CU_ASSERT_EQUAL(relays->rank[2].member->result, IRR_ERR_TRUNCATE);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, cut), IRR_ERR_BAD_PARAM);
    spy->refusal = IRR_ERR_TRANSPORT;
    spy->refuse_recv = spy->recvs + 1;
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    CU_ASSERT_EQUAL(relays->rank[1].member->result, IRR_ERR_TRANSPORT);
    CU_ASSERT_EQUAL(irr_relays_freeze(relays, job), IRR_ERR_BAD_PARAM);
    irr_relays_destroy(relays);
    irr_job_destroy(cut);
    irr_job_destroy(same);
    irr_job_destroy(job);
}

IRR_TEST_MAIN("relay", 600,
    { "no window is exceeded, and nothing is eager", test_window },
    { "1 to 300 ranks",                              test_ranks },
    { "frozen plans are right, and run",             test_frozen },
    { "what freeze refuses",                         test_freeze_refused })
