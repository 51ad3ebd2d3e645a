/*
 * test_relay_fault.c - the relay where sends are late, sends and receives fail, and memory is short: it comes
 * to an end on all ranks, and a rank that reports success has every byte.
 */
#include "irr_memory.h"
#include "irr_relays.h"
#include "irr_test.h"

#include "plan_all.h"

#define ALL_EAGER SIZE_MAX

/* A route with its overlap, and what goes apart on it. */
typedef struct scene {
    const char   *row;
    int           ranks;
    irr_overlap_t overlap;
    size_t        eager_max, zero_copy_min;
} scene_t;

static irr_relays_params_t params_of(const scene_t *scene)
{
    return (irr_relays_params_t){
        .algorithm = scene->row, .ranks = scene->ranks, .seed = irr_test_seed(), .slice_min = 1,
        .eager_max = scene->eager_max, .overlap = scene->overlap, .zero_copy_min = scene->zero_copy_min
    };
}

/* From each rank to each rank `length` bytes, or a few: no lead is empty, nor as it is with another length. */
static irr_job_t *make_job(int ranks, size_t length)
{
    irr_job_t *job = NULL;

    for (uint64_t seed = 0; job == NULL || irr_job_length(job, 0, 0) < length; seed++) {
        if (job != NULL) {
            irr_job_destroy(job);
        }
        job = irr_job_create(ranks, IRR_JOB_UNIFORM, seed);
    }
    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            irr_job_shorten(job, from, to, (from + to) % 3 == 0 ? 1 + length % 16 : length);
        }
    }
    return job;
}

static void expect_well(irr_relays_t *relays, irr_job_t *job)
{
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
}

/* All ended in IRR_OK with every byte right, or in this error; returns how many in the error. */
static int expect_only(const irr_relays_t *relays, const irr_job_t *job, irr_status_t error)
{
    int failed = 0;

    for (int r = 0; r < job->ranks; r++) {
        failed += relays->rank[r].member->result != IRR_OK;
        CU_ASSERT(relays->rank[r].member->result == IRR_OK || relays->rank[r].member->result == error);
    }
    CU_ASSERT_EQUAL(irr_relays_untrue(relays, job), 0);
    return failed;
}

/* ---- late sends ---- */

static const scene_t scenes[] = {
    { "a4", 7, IRR_OVERLAP_PIPELINED, ALL_EAGER, 0 },
    { "a4", 7, IRR_OVERLAP_SINGLE, 0, 40 },
    { "a4", 6, IRR_OVERLAP_BLOCKING, 100, 40 },
    { "node", 7, IRR_OVERLAP_PIPELINED, 0, 40 },
    { "node", 9, IRR_OVERLAP_BLOCKING, ALL_EAGER, 0 },
};

/* Two exchanges; returns how many sends the rank with the fault made. */
static size_t run_late(const irr_relays_params_t *params, irr_job_t *job, int rank)
{
    irr_relays_t *relays = irr_relays_create(params);
    size_t sends;

    expect_well(relays, job);
    expect_well(relays, job);
    sends = relays->rank[rank].member->spy->sends;
    irr_relays_destroy(relays);
    return sends;
}

static void test_late(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < IRR_TEST_COUNT(scenes); i++) {
        irr_job_t *job = make_job(scenes[i].ranks, 100);
        irr_relays_params_t params = params_of(&scenes[i]);
        irr_fault_t fault = { .delay_rounds = 40 };

        params.fault = &fault;
        for (params.faulty = 0; params.faulty < scenes[i].ranks; params.faulty++) {
            size_t sends = irr_test_picks(&state) ? 1 : 0;

            for (fault.delay_send = 1; fault.delay_send <= sends; fault.delay_send++) {
                sends = run_late(&params, job, params.faulty);
            }
        }
        irr_job_destroy(job);
    }
}

static void test_held(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < (size_t)irr_test_runs(20) * IRR_TEST_COUNT(scenes); i++) {
        const scene_t *scene = &scenes[i % IRR_TEST_COUNT(scenes)];
        irr_fault_t fault = {
            .seed = irr_test_random(&state), .hold_percent = i % 2 == 0 ? 100 : 30, .hold_rounds = 1 + i
        };
        irr_job_t *job = irr_job_create(scene->ranks, IRR_JOB_SPARSE, irr_test_random(&state));
        irr_relays_params_t params = params_of(scene);

        params.seed = irr_test_random(&state);
        params.fault = &fault;
        params.faulty = -1;
        run_late(&params, job, 0);
        irr_job_destroy(job);
    }
}

/* ---- what fails ---- */

/*
 * The n-th send of a rank in two exchanges is refused, and its message comes when nothing else moves.  All end,
 * and other counts go as if nothing had been.  One of several messages with one tag that comes late is behind those
 * that were sent after it, so its exchange has whatever errors and bytes.  Returns false if there is no n-th send.
 */
static bool run_refused(const irr_relays_params_t *params, irr_job_t *job, irr_job_t *other, int rank,
                        size_t nth)
{
    irr_relays_t *relays = irr_relays_create(params);
    irr_spy_t *spy = relays->rank[rank].member->spy;
    bool refused = false, several = false;

    spy->refuse_send = nth;
    spy->refusal = IRR_ERR_UNREACHABLE;
    for (int i = 0; i < 2 && !several; i++) {
        bool now;

        irr_relays_start_all(relays, job);
        irr_fleet_run_for(relays->fleet, 300);
        now = spy->refused;
        irr_spy_repair(spy);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run(relays->fleet));
        several = now && params->zero_copy_min > 0 && irr_tag_kind(spy->request.tag) != IRR_TAG_SYNC;
        if (!several) {
            CU_ASSERT_EQUAL(expect_only(relays, job, IRR_ERR_UNREACHABLE) > 0, now);
        }
        CU_ASSERT_EQUAL(relays->rank[rank].member->result == IRR_ERR_UNREACHABLE, now);
        refused = refused || now;
    }
    spy->refuse_send = 0;
    expect_well(relays, other);
    irr_relays_destroy(relays);
    return refused;
}

static void test_fail_send(void)
{
    for (size_t i = 0; i < IRR_TEST_COUNT(scenes); i++) {
        irr_job_t *job = make_job(scenes[i].ranks, 100), *other = make_job(scenes[i].ranks, 150);
        irr_relays_params_t params = params_of(&scenes[i]);

        for (int rank = 0; rank < scenes[i].ranks; rank++) {
            size_t nth = 1;

            while (run_refused(&params, job, other, rank, nth)) {
                nth++;
            }
            CU_ASSERT(nth > 1);
        }
        irr_job_destroy(other);
        irr_job_destroy(job);
    }
}

/* The n-th receive fails.  All is eager, or who sends what the failed one would have taken would wait. */
static bool run_deaf(const irr_relays_params_t *params, irr_job_t *job, irr_job_t *other)
{
    irr_relays_t *relays = irr_relays_create(params);
    irr_status_t result;

    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    result = relays->rank[params->faulty].member->result;
    CU_ASSERT_EQUAL(expect_only(relays, job, params->fault->failure) > 0, result != IRR_OK);
    if (result != IRR_OK) {
        CU_ASSERT_EQUAL(irr_relays_freeze(relays, job), IRR_ERR_BAD_PARAM);
        expect_well(relays, other);
    }
    irr_relays_destroy(relays);
    return result != IRR_OK;
}

static void test_fail_recv(void)
{
    for (size_t i = 0; i < IRR_TEST_COUNT(scenes); i++) {
        irr_job_t *job = make_job(scenes[i].ranks, 100), *other = make_job(scenes[i].ranks, 150);
        irr_relays_params_t params = params_of(&scenes[i]);
        irr_fault_t fault = { .failure = IRR_ERR_TRANSPORT };

        params.fault = &fault;
        params.eager_max = ALL_EAGER;
        for (params.faulty = 0; params.faulty < scenes[i].ranks; params.faulty++) {
            fault.fail_recv = 1;
            while (run_deaf(&params, job, other)) {
                fault.fail_recv++;
            }
            CU_ASSERT(fault.fail_recv > 1);
        }
        irr_job_destroy(other);
        irr_job_destroy(job);
    }
}

/* ---- memory ---- */

/* What loopback allocates to send is not the engine's. */
static bool engine_allocates(void)
{
    return !irr_spy_sends_now();
}

/* Which jobs run before and while memory is short, by their lengths; 0: none. */
typedef struct shortage {
    size_t before, now;
    bool   lasts;      /* nothing more is to be had, once it is short */
} shortage_t;

/*
 * The n-th allocation of an exchange fails.  All ranks end, the one it hit with an error.  The same counts
 * again may meet layouts that were told when there was no memory for them; other counts do not.
 */
static bool run_short(const irr_relays_params_t *params, const shortage_t *shortage, size_t nth)
{
    irr_job_t *before = make_job(params->ranks, shortage->before > 0 ? shortage->before : 1);
    irr_job_t *now = make_job(params->ranks, shortage->now), *other = make_job(params->ranks, 210);
    irr_relays_t *relays;
    bool failed;

    irr_memory_begin();
    relays = irr_relays_create(params);
    if (shortage->before > 0) {
        expect_well(relays, before);
    }
    irr_memory_fail(nth, engine_allocates);
    if (shortage->lasts) {
        irr_memory_fail_all();
    }
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, now));
    failed = irr_memory_failed();
    irr_memory_fail(0, NULL);
    CU_ASSERT_EQUAL(expect_only(relays, now, IRR_ERR_NO_MEMORY) > 0, failed);
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, now));
    CU_ASSERT(expect_only(relays, now, IRR_ERR_NO_MEMORY) == 0 || failed);
    expect_well(relays, other);
    expect_well(relays, other);
    irr_relays_destroy(relays);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_job_destroy(other);
    irr_job_destroy(now);
    irr_job_destroy(before);
    return failed;
}

static void test_short(void)
{
    static const scene_t places[] = {
        { "a4", 6, IRR_OVERLAP_PIPELINED, 0, 40 },
        { "a4", 9, IRR_OVERLAP_BLOCKING, 0, 8 },
        { "a3", 9, IRR_OVERLAP_PIPELINED, 100, 0 },
        { "node", 7, IRR_OVERLAP_SINGLE, 0, 40 },
    };
    static const shortage_t shortages[] = { { 0, 100, false }, { 0, 100, true }, { 100, 100, false },
                                            { 150, 100, true } };

    for (size_t i = 0; i < IRR_TEST_COUNT(places) * IRR_TEST_COUNT(shortages); i++) {
        irr_relays_params_t params = params_of(&places[i / IRR_TEST_COUNT(shortages)]);
        const shortage_t *shortage = &shortages[i % IRR_TEST_COUNT(shortages)];
        size_t nth = 1;

        while (run_short(&params, shortage, nth)) {
            nth += 1 + nth / 100;
        }
        CU_ASSERT(nth > 10);
    }
}

/* ---- memory of init and freeze ---- */

static void init_short(const char *row, irr_overlap_t overlap)
{
    irr_relays_t relays = { .params = { .algorithm = row, .ranks = 7 } };
    irr_status_t status = IRR_ERR_NO_MEMORY;
    irr_relay_t relay;
    irr_grid_t grid;
    size_t nth = 0;

    CU_ASSERT_EQUAL_FATAL(irr_plan_all_nodes(7, &relays.nodes), IRR_OK);
    grid = irr_relays_grid(&relays);
    while (status != IRR_OK) {
        irr_memory_begin();
        irr_memory_fail(++nth, NULL);
        status = irr_relay_init(&relay, &grid, 7, 3, 1, overlap);
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        if (status == IRR_OK) {
            irr_relay_fini(&relay);
        }
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    CU_ASSERT(nth > 10);
    irr_nodes_fini(&relays.nodes);
}

static void test_init_short(void)
{
    init_short("a2", IRR_OVERLAP_PIPELINED);
    init_short("a4", IRR_OVERLAP_BLOCKING);
    init_short("node", IRR_OVERLAP_BLOCKING);
}

static void test_freeze_short(void)
{
    irr_job_t *job = make_job(6, 100);

    for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
        irr_relays_params_t params = {
            .algorithm = "a4", .ranks = 6, .slice_min = 1, .overlap = (irr_overlap_t)overlap
        };
        irr_status_t status = IRR_ERR_NO_MEMORY;
        irr_relays_t *relays;
        size_t nth = 0;

        irr_memory_begin();
        relays = irr_relays_create(&params);
        expect_well(relays, job);
        while (status != IRR_OK) {
            irr_memory_fail(++nth, NULL);
            status = irr_relays_freeze(relays, job);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        }
        irr_memory_fail(0, NULL);
        CU_ASSERT(nth > 10);
        expect_well(relays, job);
        irr_relays_destroy(relays);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    irr_job_destroy(job);
}

IRR_TEST_MAIN("relay under faults", 600,
    { "each send late",                test_late },
    { "any sends late",                test_held },
    { "each send fails",               test_fail_send },
    { "each receive fails",            test_fail_recv },
    { "want of memory",                test_short },
    { "want of memory in init",        test_init_short },
    { "want of memory while freezing", test_freeze_short })
