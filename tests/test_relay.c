/*
 * test_relay.c - the relay over loopback: every byte of every kind of job, headers, frozen plans, truncation.
 */
#include "irr_relays.h"
#include "irr_test.h"

#include <stdlib.h>

#define ALL_EAGER SIZE_MAX
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

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

    params.overlap = (irr_overlap_t)pick(&index, overlap, COUNT(overlap));
    params.compose = (irr_compose_t)pick(&index, compose, COUNT(compose));
    params.eager_max = pick(&index, eager_max, COUNT(eager_max));
    params.slice_min = pick(&index, slice_min, COUNT(slice_min));
    params.zero_copy_min = pick(&index, zero_copy_min, COUNT(zero_copy_min));
    window = pick(&index, windows, COUNT(windows));
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
        relays->rank[r].spy->window_messages = one && !apart ? 1 : 0;
    }
}

/* The job, the same again, another one, and the first again. */
static void run_jobs(const irr_relays_params_t *params, irr_job_t *job, irr_job_t *other)
{
    irr_job_t *const jobs[] = { job, job, other, job };
    irr_relays_t *relays = irr_relays_create(params);

    watch_window(relays);
    for (size_t i = 0; i < COUNT(jobs); i++) {
        expect_well(relays, jobs[i]);
    }
    for (int r = 0; r < params->ranks; r++) {
        CU_ASSERT_FALSE(relays->rank[r].spy->exceeded);
    }
    irr_relays_destroy(relays);
}

static void test_jobs(void)
{
    static const int sizes[] = { 1, 2, 3, 4, 5, 8, 13, 18 };
    uint64_t state = irr_test_seed();
    size_t index = irr_test_below(&state, COMBINATIONS);

    for (size_t i = 0; i < COUNT(sizes) * IRR_JOB_KINDS; i++) {
        int ranks = sizes[i / IRR_JOB_KINDS];
        irr_job_t *job = irr_job_create(ranks, (irr_job_kind_t)(i % IRR_JOB_KINDS), irr_test_random(&state));
        irr_job_t *other = irr_job_create(ranks, IRR_JOB_SPARSE, irr_test_random(&state));

        for (size_t run = 0; run < RUNS_OF_A_JOB * COUNT(rows); run++) {
            irr_relays_params_t params;

            index += 479;  /* no divisor in common: every combination comes */
            params = combine(index % COMBINATIONS, rows[run % COUNT(rows)], ranks, irr_test_random(&state));
            run_jobs(&params, job, other);
        }
        irr_job_destroy(other);
        irr_job_destroy(job);
    }
}

/* ---- every number of ranks ---- */

static void run_ranks(int ranks, const char *row, irr_job_t *job, uint64_t seed)
{
    irr_relays_params_t params = {
        .algorithm = row, .ranks = ranks, .seed = seed, .eager_max = seed % 2 == 0 ? 100 : ALL_EAGER,
        .slice_min = 50
    };
    irr_relays_t *relays = irr_relays_create(&params);

    for (int i = 0; i < (ranks <= 64 || ranks % 7 == 0 ? 2 : 1); i++) {
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

        for (size_t i = 0; i < COUNT(rows); i++) {
            if (tries(rows[i], ranks)) {
                run_ranks(ranks, rows[i], job, irr_test_random(&state));
            }
        }
        irr_job_destroy(job);
    }
}

/* ---- headers ---- */

/* Ranks that sent headers in the last exchange. */
static int describing(const irr_relays_t *relays)
{
    int ranks = 0;

    for (int r = 0; r < relays->params.ranks; r++) {
        ranks += relays->rank[r].counters.header_bytes > 0;
    }
    return ranks;
}

/* One lead a slot and sender; without headers nothing but the message to itself is copied. */
static void expect_leads(const irr_relays_t *relays, const irr_job_t *job, bool known)
{
    for (int r = 0; r < job->ranks; r++) {
        const irr_relays_rank_t *rank = &relays->rank[r];
        const irr_stages_t *stages = &rank->relay.stages;

        CU_ASSERT_EQUAL(rank->counters.messages_sent, (size_t)(stages->slots - stages->count));
        CU_ASSERT_EQUAL(rank->counters.messages_received, (size_t)stages->senders);
        CU_ASSERT_EQUAL(rank->counters.header_bytes == 0, known || stages->slots == stages->count);
        if (known) {
            CU_ASSERT_EQUAL(rank->counters.bytes_staged, irr_job_length(job, r, r));
        }
    }
}

static void run_headers(const irr_relays_params_t *params, irr_job_kind_t kind, uint64_t seed)
{
    irr_job_t *job = irr_job_create(params->ranks, kind, seed);
    irr_relays_t *relays = irr_relays_create(params);

    for (int i = 0; i < 3; i++) {
        expect_well(relays, job);
        expect_leads(relays, job, i > 0);
    }
    irr_relays_destroy(relays);
    irr_job_destroy(job);
}

static void test_headers(void)
{
    static const int sizes[] = { 1, 2, 3, 6, 7, 12, 17 };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < COUNT(sizes) * COUNT(rows); i++) {
        for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
            irr_relays_params_t params = {
                .algorithm = rows[i % COUNT(rows)], .ranks = sizes[i / COUNT(rows)],
                .seed = irr_test_random(&state), .eager_max = 100, .overlap = (irr_overlap_t)(kind % 3),
                .compose = (irr_compose_t)(i % 3)
            };

            run_headers(&params, (irr_job_kind_t)kind, irr_test_random(&state));
        }
    }
}

/* Messages beyond one a slot. */
static size_t count_parts(const irr_relays_t *relays)
{
    size_t parts = 0;

    for (int r = 0; r < relays->params.ranks; r++) {
        const irr_stages_t *stages = &relays->rank[r].relay.stages;

        parts += relays->rank[r].counters.messages_sent - (size_t)(stages->slots - stages->count);
    }
    return parts;
}

/* Of a message of several pieces, what goes apart follows a header each time. */
static void test_parts(void)
{
    static const struct {
        irr_compose_t compose;
        size_t zero_copy_min;
    } apart[] = { { IRR_COMPOSE_AUTO, 40 }, { IRR_COMPOSE_SPLIT, 0 } };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 2 * COUNT(apart) * COUNT(rows); i++) {
        irr_relays_params_t params = {
            .algorithm = rows[i % COUNT(rows)], .ranks = 10, .seed = irr_test_random(&state),
            .eager_max = i < COUNT(apart) * COUNT(rows) ? 0 : ALL_EAGER, .compose = apart[i % 2].compose,
            .zero_copy_min = apart[i % 2].zero_copy_min, .slice_min = 60
        };
        irr_job_t *job = irr_job_create(10, IRR_JOB_SPARSE, irr_test_random(&state));
        irr_relays_t *relays = irr_relays_create(&params);

        for (int run = 0; run < 3; run++) {
            expect_well(relays, job);
            CU_ASSERT(count_parts(relays) > 0);
            CU_ASSERT(describing(relays) > 0);
        }
        irr_relays_destroy(relays);
        irr_job_destroy(job);
    }
}

/* Of two jobs that differ in one message, only what it passes is described. */
static void run_changed(const char *row, int ranks, int from, int to, uint64_t seed)
{
    irr_relays_params_t params = { .algorithm = row, .ranks = ranks, .seed = seed, .eager_max = 100 };
    irr_job_t *job = irr_job_create(ranks, IRR_JOB_UNIFORM, seed);
    irr_job_t *other = irr_job_create(ranks, IRR_JOB_UNIFORM, seed);
    irr_relays_t *relays = irr_relays_create(&params);
    int stages = relays->rank[0].relay.stages.count;

    irr_job_shorten(other, from, to, irr_job_length(other, from, to) - 1);
    expect_well(relays, job);
    for (int i = 0; i < 4; i++) {
        expect_well(relays, i < 2 ? other : job);
        CU_ASSERT_EQUAL(describing(relays) > 0, i % 2 == 0 && from != to);
        CU_ASSERT(relays->rank[0].relay.stages.grid.balanced || describing(relays) <= stages);
        expect_well(relays, i < 2 ? other : job);
        CU_ASSERT_EQUAL(describing(relays), 0);
    }
    irr_relays_destroy(relays);
    irr_job_destroy(other);
    irr_job_destroy(job);
}

static void test_changed(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int ranks = 2; ranks <= 12; ranks++) {
            int from = (int)irr_test_below(&state, (uint64_t)ranks);
            int to = (int)irr_test_below(&state, (uint64_t)ranks);

            run_changed(rows[i], ranks, from, to, irr_test_random(&state));
        }
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
        CU_ASSERT_EQUAL(describing(relays), 0);
        for (int r = 0; r < job->ranks; r++) {
            CU_ASSERT_EQUAL(relays->rank[r].counters.bytes_staged, irr_job_length(job, r, r));
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

    for (size_t i = 0; i < COUNT(sizes) * IRR_JOB_KINDS; i++) {
        int ranks = sizes[i / IRR_JOB_KINDS];
        irr_job_t *job = irr_job_create(ranks, (irr_job_kind_t)(i % IRR_JOB_KINDS), irr_test_random(&state));

        for (size_t run = 0; run < IRR_OVERLAP_COUNT * COUNT(rows); run++) {
            irr_relays_params_t params;

            index += 479;
            params = combine(index % COMBINATIONS, rows[run % COUNT(rows)], ranks, irr_test_random(&state));
            params.overlap = (irr_overlap_t)(run / COUNT(rows));
            run_frozen(&params, job);
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
    for (size_t i = 0; i < COUNT(jobs); i++) {
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, jobs[i]));
        for (int r = 0; r < params->ranks; r++) {
            bool truncated = jobs[i] == cut && r == to && !fits;

            CU_ASSERT_EQUAL(relays->rank[r].result, truncated ? IRR_ERR_TRUNCATE : IRR_OK);
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

    for (size_t i = 0; i < 10 * COUNT(rows); i++) {
        int ranks = 2 + (int)irr_test_below(&state, 8), from = (int)irr_test_below(&state, (uint64_t)ranks);
        irr_relays_params_t params = combine(irr_test_below(&state, COMBINATIONS), rows[i % COUNT(rows)], ranks,
                                             irr_test_random(&state));

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

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "every grid row, 1 to 18 ranks, every kind of job, again and changed", test_jobs },
        { "1 to 300 ranks",                                                      test_ranks },
        { "a job that comes again has no headers",                               test_headers },
        { "what goes apart",                                                     test_parts },
        { "a job that changes in one message",                                   test_changed },
        { "frozen plans are right, and run",                                     test_frozen },
        { "a message too long for its block",                                    test_truncate },
        { "what freeze refuses",                                                 test_freeze_refused },
        { NULL, NULL }
    };

    return irr_test_main("relay", cases, 240);
}
