/*
 * test_grant.c - grants that go wrong: one rank has the error, and nobody hangs.  test_world.c has what goes wrong
 * under any pacing.
 */
#include "irr_memory.h"
#include "irr_paced.h"
#include "irr_test.h"
#include "plan_all.h"

#include "exec/tag.h"
#include "pacing/pacing.h"

#define ALL_EAGER SIZE_MAX

enum { RANKS = 6, VICTIM = 2, GRANTS_MAX = 3, A1 = 1 };

/* Rounds after which nothing moves any more. */
#define A_WHILE 500

static irr_paced_params_t params_of(int algorithm, size_t grants, size_t eager_max, uint64_t seed)
{
    return (irr_paced_params_t){
        .algorithm = algorithm, .pacing = IRR_PACING_GRANT, .watched = IRR_PACING_GRANT, .grants = grants,
        .eager_max = eager_max, .seed = seed
    };
}

static void expect_results(const irr_paced_t *paced, const irr_job_t *job, irr_status_t of_victim)
{
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_EQUAL(paced->fleet->rank[r].result, r == VICTIM ? of_victim : IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
}

/* After a failure of the victim: it has the error, and who has come to an end has all bytes. */
static void expect_failure(const irr_paced_t *paced, const irr_job_t *job, irr_status_t of_victim)
{
    for (int r = 0; r < job->ranks; r++) {
        const irr_status_t result = paced->fleet->rank[r].result;

        CU_ASSERT(r == VICTIM ? result == of_victim : result == IRR_OK || result == IRR_ERR_PEER);
        CU_ASSERT(result != IRR_OK || irr_job_verify(job, r));
    }
}

/* ---- a grant that fails when it is on its way ---- */

/* The tags of all that the victim sends if nothing fails. */
static size_t learn_tags(irr_job_t *job, const irr_paced_params_t *params, uint16_t *tags)
{
    irr_paced_t *paced = irr_paced_create(job, params);
    const irr_paced_rank_t *victim = &paced->rank[VICTIM];
    size_t count = victim->tags_max;

    irr_paced_start(paced, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(paced->fleet));
    CU_ASSERT_EQUAL(victim->messages, 2 * (RANKS - 1));
    for (size_t i = 0; i < count; i++) {
        tags[i] = victim->tags[i];
    }
    irr_paced_destroy(paced);
    return victim->messages;
}

static void run_late(size_t nth, irr_job_t *job, irr_paced_params_t params)
{
    irr_paced_t *paced;

    params.failing = VICTIM;
    params.fail_send = nth;
    params.failure = IRR_ERR_TRANSPORT;
    paced = irr_paced_create(job, &params);
    irr_paced_start(paced, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(paced->fleet));
    expect_failure(paced, job, IRR_ERR_TRANSPORT);
    irr_paced_destroy(paced);
}

static void test_late(void)
{
    uint64_t state = irr_test_seed();

    for (size_t grants = 1; grants <= GRANTS_MAX; grants++) {
        irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, irr_test_random(&state));
        irr_paced_params_t params = params_of(A1, grants, 0, irr_test_random(&state));
        uint16_t tags[4 * RANKS] = { 0 };

        params.hold_percent = 100;
        params.hold_rounds = 6;
        learn_tags(job, &params, tags);
        for (size_t nth = 1; nth <= 2 * (RANKS - 1); nth++) {
            if (irr_tag_kind(tags[nth - 1]) == IRR_TAG_SYNC) {
                run_late(nth, job, params);
            }
        }
        irr_job_destroy(job);
    }
}

static const irr_transport_ops_t *whole;

/* Grants that have left, but of which the transport has not said so. */
static irr_request_t *silent[RANKS];
static size_t silent_count;

static irr_status_t send_silently(irr_channel_t *channel, irr_request_t *request)
{
    irr_request_t copy = *request;
    irr_status_t status;

    if (irr_tag_kind(request->tag) != IRR_TAG_SYNC) {
        return whole->send(channel, request);
    }
    status = whole->send(channel, &copy);
    silent[silent_count++] = request;
    return status == IRR_OK ? IRR_IN_PROGRESS : status;
}

/* An exchange is not over while the transport has a grant, whose memory may be used again then. */
static void test_silent(void)
{
    irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, 4);
    irr_paced_params_t params = params_of(A1, 1, ALL_EAGER, 0);
    irr_paced_t *paced = irr_paced_create(job, &params);
    irr_fleet_rank_t *victim = &paced->fleet->rank[VICTIM];
    irr_transport_ops_t broken = *victim->spy->super.ops;

    silent_count = 0;
    whole = victim->spy->super.ops;
    broken.send = send_silently;
    victim->spy->super.ops = &broken;
    irr_paced_start(paced, job);
    irr_fleet_progress(paced->fleet, A_WHILE);
    CU_ASSERT_EQUAL_FATAL(silent_count, RANKS - 1);
    for (size_t i = 0; i < silent_count; i++) {
        irr_fleet_progress(paced->fleet, 1);
        CU_ASSERT_TRUE(victim->running);
        silent[i]->done(silent[i], IRR_OK);
    }
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(paced->fleet));
    CU_ASSERT_EQUAL(paced->broken, 0);
    expect_results(paced, job, IRR_OK);
    irr_paced_destroy(paced);
    irr_job_destroy(job);
}

/* ---- wrong messages ---- */

static void ignore(irr_request_t *request, irr_status_t status)
{
    (void)request;
    (void)status;
}

/* A grant has no bytes: the run of a rank that gets bytes fails. */
static void test_hostile(void)
{
    static char bytes[3];
    const irr_iov_t iov = { bytes, sizeof(bytes) };

    for (size_t grants = 1; grants <= GRANTS_MAX; grants++) {
        irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, grants);
        irr_paced_params_t params = params_of(A1, grants, ALL_EAGER, 0);
        irr_paced_t *paced = irr_paced_create(job, &params);
        irr_fleet_rank_t *hostile = &paced->fleet->rank[VICTIM + 1];
        irr_channel_t *channel = irr_pass_inner(hostile->channel);
        irr_request_t request = { .done = ignore };

        irr_request_set(&request, VICTIM, irr_tag(paced->fleet->tag_base, IRR_TAG_SYNC, 1), &iov, 1, IRR_FORM_IOVEC);
        CU_ASSERT_EQUAL(irr_channel_send(channel, &request), IRR_OK);
        irr_paced_start(paced, job);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(paced->fleet));
        expect_failure(paced, job, IRR_ERR_PROTOCOL);
        irr_paced_destroy(paced);
        irr_job_destroy(job);
    }
}

/* ---- memory ---- */

/* What a pacing adds to a plan may need memory, which may be missing; within the bounds it needs none. */
static void test_memory(void)
{
    irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, 1);
    const irr_pacing_params_t params = { .grants = 2 };

    for (int i = IRR_PACING_AUTO + 1; i < (int)IRR_PACING_COUNT; i++) {
        const irr_pacing_t *pacing = irr_pacing_of((irr_pacing_kind_t)i);
        irr_status_t status = IRR_ERR_NO_MEMORY;
        size_t nth = 0;

        irr_memory_begin();
        while (status != IRR_OK && nth < 10) {
            irr_plan_t plan;

            irr_plan_init(&plan);
            irr_test_must(irr_plan_one(A1, &job->problems[0], &plan));
            irr_memory_fail(++nth, NULL);
            status = irr_pacing_add(pacing, &params, &plan);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
            irr_memory_fail(0, NULL);
            irr_test_must(irr_plan_reserve(&plan, irr_pacing_bounds(pacing, &params, irr_plan_one_bounds(A1, RANKS))));
            irr_test_must(irr_plan_one(A1, &job->problems[0], &plan));
            irr_memory_fail(1, NULL);
            irr_memory_fail_all();
            CU_ASSERT_EQUAL(irr_pacing_add(pacing, &params, &plan), IRR_OK);
            irr_memory_fail(0, NULL);
            irr_plan_fini(&plan);
        }
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
        CU_ASSERT(nth == 1 || i != (int)IRR_PACING_FREE);
        CU_ASSERT(nth > 3 || i != (int)IRR_PACING_GRANT);
    }
    irr_job_destroy(job);
}

IRR_TEST_MAIN("grant", 60,
    { "a grant that fails on its way",                  test_late },
    { "a grant that is long in leaving",                test_silent },
    { "a grant with bytes",                             test_hostile },
    { "want of memory for a pacing",                      test_memory })
