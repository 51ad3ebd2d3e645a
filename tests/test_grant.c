/*
 * test_grant.c - failures of grants. One rank has the error, and no rank hangs. test_world.c tests the errors that can
 * occur with every pacing.
 */
#include "irr_memory.h"
#include "irr_paced.h"
#include "irr_test.h"
#include "plan_all.h"

#include "exec/tag.h"
#include "pacing/pacing.h"

#define ALL_EAGER SIZE_MAX

enum { RANKS = 6, VICTIM = 2, GRANTS_MAX = 3, A1 = 1 };

/* Number of rounds after which no message is in flight. */
#define A_WHILE 500

static irr_paced_params_t params_of(size_t grants, size_t eager_max, uint64_t seed)
{
    return (irr_paced_params_t){
        .algorithm = A1, .pacing = IRR_PACING_GRANT, .watched = IRR_PACING_GRANT, .grants = grants,
        .eager_max = eager_max, .seed = seed
    };
}

/*
 * Asserts after a failure of the victim that only the victim has the error, and that a successful rank has every byte.
 */
static void expect_failure(const irr_paced_t *paced, const irr_job_t *job, irr_status_t of_victim)
{
    for (int r = 0; r < job->ranks; r++) {
        const irr_status_t result = paced->fleet->rank[r].result;

        CU_ASSERT(r == VICTIM ? result == of_victim : result == IRR_OK || result == IRR_ERR_PEER);
        CU_ASSERT(result != IRR_OK || irr_job_verify(job, r));
    }
}

/* ---- grants on their way ---- */

/* Makes each message and each grant of the victim fail after the transport has accepted it. */
static void test_late(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < GRANTS_MAX * 2 * (RANKS - 1); i++) {
        irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, irr_test_random(&state));
        irr_paced_params_t params = params_of(1 + i % GRANTS_MAX, 0, irr_test_random(&state));
        irr_paced_t *paced;

        params.hold_percent = 100;
        params.hold_rounds = 6;
        params.failing = VICTIM;
        params.fail_send = 1 + i / GRANTS_MAX;
        params.failure = IRR_ERR_TRANSPORT;
        paced = irr_paced_create(job, &params);
        irr_paced_start(paced, job);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(paced->fleet));
        expect_failure(paced, job, IRR_ERR_TRANSPORT);
        irr_paced_destroy(paced);
        irr_job_destroy(job);
    }
}

static const irr_transport_ops_t *whole;

/* Grants that were sent, but are not reported as complete. */
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

/* An exchange does not end while a grant is in flight: the next exchange would reuse its memory. */
static void test_silent(void)
{
    irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, 4);
    irr_paced_params_t params = params_of(1, ALL_EAGER, 0);
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
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(paced->fleet->rank[r].result, IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    irr_paced_destroy(paced);
    irr_job_destroy(job);
}

/* ---- wrong messages ---- */

static void ignore(irr_request_t *request, irr_status_t status)
{
    (void)request;
    (void)status;
}

/* A rank that receives a grant with bytes fails. */
static void test_hostile(void)
{
    static char bytes[3];
    const irr_iov_t iov = { bytes, sizeof(bytes) };

    for (size_t grants = 1; grants <= GRANTS_MAX; grants++) {
        irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, grants);
        irr_paced_params_t params = params_of(grants, ALL_EAGER, 0);
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

/*
 * A pacing needs memory for the steps that it adds to a plan, but no memory if the bounds of the pacing are reserved.
 */
static void test_memory(void)
{
    irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, 1);
    const irr_pacing_params_t params = { .grants = 2 };

    for (int i = IRR_PACING_AUTO + 1; i < (int)IRR_PACING_COUNT; i++) {
        const irr_pacing_t *pacing = irr_pacing_of((irr_pacing_kind_t)i);
        irr_status_t status = IRR_ERR_NO_MEMORY;
        size_t nth = 0;

        while (status != IRR_OK && nth < 10) {
            irr_plan_t plan;

            irr_plan_init(&plan);
            irr_test_must(irr_plan_one(A1, &job->problems[0], &plan));
            irr_memory_fail(++nth, NULL);
            status = irr_pacing_add(pacing, &params, &plan);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
            irr_memory_fail(0, NULL);
            irr_test_must(irr_plan_one(A1, &job->problems[0], &plan));
            irr_test_must(irr_pacing_add(pacing, &params, &plan));
            irr_test_must(irr_plan_one(A1, &job->problems[0], &plan));   /* the plan has room from here on */
            irr_memory_fail(1, NULL);
            irr_memory_fail_all();
            CU_ASSERT_EQUAL(irr_pacing_add(pacing, &params, &plan), IRR_OK);
            irr_memory_fail(0, NULL);
            irr_plan_fini(&plan);
        }
        CU_ASSERT(nth == 1 || i != (int)IRR_PACING_FREE);
        CU_ASSERT(nth > 3 || i != (int)IRR_PACING_GRANT);
    }
    irr_job_destroy(job);
}

IRR_TEST_MAIN("grant", 60,
    { "a message or a grant that fails on its way", test_late },
    { "a grant that stays in flight",               test_silent },
    { "a grant with bytes",                         test_hostile },
    { "no memory for a pacing",                     test_memory })
