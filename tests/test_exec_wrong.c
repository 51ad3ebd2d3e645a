/*
 * test_exec_wrong.c - the executor over loopback where something goes wrong: a message too long or too short, and a
 * transport that refuses.
 */
#include "irr_fleet.h"
#include "irr_job.h"
#include "irr_test.h"
#include "plan_all.h"

#include "exec/tag.h"

#define ALL_EAGER SIZE_MAX

static void start_job(irr_fleet_t *fleet, irr_job_t *job)
{
    irr_job_fill(job);
    for (int r = 0; r < job->ranks; r++) {
        irr_test_must(irr_plan_one(1, &job->problems[r], &fleet->rank[r].plan));
        irr_fleet_start(fleet, r, irr_job_input(job, r), irr_job_output(job, r));
    }
}

/* A rank that ended without an error has all bytes. */
static void expect_right(const irr_fleet_t *fleet, const irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT(fleet->rank[r].result != IRR_OK || irr_job_verify(job, r));
    }
}

/* A rank's receive block is too short for what comes; only this rank sees it. */
static void run_truncated(int from, int to, size_t room, size_t eager_max, uint64_t seed)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, seed + 1);
    irr_fleet_t *fleet = irr_fleet_create(5, seed, eager_max);

    CU_ASSERT_FATAL(irr_job_length(job, from, to) > room);
    irr_job_cut(job, to, from, room);
    start_job(fleet, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    for (int r = 0; r < 5; r++) {
        CU_ASSERT_EQUAL(fleet->rank[r].result, r == to ? IRR_ERR_TRUNCATE : IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

static void test_truncate(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        run_truncated(3, 1, 1, ALL_EAGER, seed);
        run_truncated(3, 1, 1, 0, seed);
        run_truncated(0, 4, 2, 0, seed);
        run_truncated(2, 2, 1, 0, seed);
        run_truncated(2, 2, 0, 0, seed);
    }
}

/* The nth send or receive of rank 2 fails: its run is over at once, and only those that miss its message wait. */
static void run_refused(size_t nth, bool send, size_t eager_max, uint64_t seed)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, seed + 1);
    irr_fleet_t *fleet = irr_fleet_create(4, seed, eager_max);
    irr_spy_t *spy = fleet->rank[2].spy;
    irr_failure_t failure = { .status = IRR_OK };
    int waiting = 0;

    spy->refuse_send = send ? nth : 0;
    spy->refuse_recv = send ? 0 : nth;
    spy->refusal = send ? IRR_ERR_UNREACHABLE : IRR_ERR_TRANSPORT;
    fleet->rank[2].failure = &failure;
    start_job(fleet, job);
    irr_fleet_progress(fleet, 1000);
    CU_ASSERT_FALSE(fleet->rank[2].running);
    CU_ASSERT_EQUAL(fleet->rank[2].result, spy->refusal);
    CU_ASSERT_EQUAL(failure.status, spy->refusal);
    CU_ASSERT(failure.peer >= 0 && failure.peer < 4 && failure.peer != 2);
    CU_ASSERT_EQUAL(spy->recvs, 3);
    for (int r = 0; r < 4; r++) {
        CU_ASSERT(r == 2 || fleet->rank[r].result == IRR_OK || fleet->rank[r].running);
        waiting += fleet->rank[r].running;
    }
    CU_ASSERT_EQUAL(waiting, send || eager_max == 0);
    expect_right(fleet, job);
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

static void test_refused(void)
{
    for (size_t nth = 1; nth <= 3; nth++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            run_refused(nth, true, ALL_EAGER, seed);
            run_refused(nth, true, 0, seed);
            run_refused(nth, false, ALL_EAGER, seed);
            run_refused(nth, false, 0, seed);
        }
    }
}

/* After a failure nothing is sent that had to wait. */
static void test_refused_in_window(void)
{
    irr_job_t *job = irr_job_create(6, IRR_JOB_UNIFORM, 3);
    irr_fleet_t *fleet = irr_fleet_create(6, 0, 0);

    fleet->window_messages = 1;
    fleet->rank[0].spy->refuse_send = 2;
    fleet->rank[0].spy->refusal = IRR_ERR_UNREACHABLE;
    start_job(fleet, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(fleet));
    CU_ASSERT_EQUAL(fleet->rank[0].result, IRR_ERR_UNREACHABLE);
    CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, 2);
    CU_ASSERT_EQUAL(fleet->rank[2].result, IRR_ERR_PEER);
    expect_right(fleet, job);
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

/* A block that is too short is an error of its run alone: the next run starts without it. */
static void test_errors(void)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 3);
    irr_fleet_t *fleet = irr_fleet_create(4, 0, 0);

    irr_job_cut(job, 0, 3, 1);
    irr_job_cut(job, 0, 0, 1);
    start_job(fleet, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(fleet->rank[0].result, IRR_ERR_TRUNCATE);
    irr_job_destroy(job);

    job = irr_job_create(4, IRR_JOB_UNIFORM, 4);
    fleet->tag_base = irr_tag_base(1);
    start_job(fleet, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    for (int r = 0; r < 4; r++) {
        CU_ASSERT_EQUAL(fleet->rank[r].result, IRR_OK);
    }
    expect_right(fleet, job);
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

/* A failure is the result, also of a run in which a message was too long for its block before. */
static void test_failure_counts(void)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 3);
    irr_fleet_t *fleet = irr_fleet_create(4, 0, 0);

    irr_job_cut(job, 0, 0, 1);
    fleet->window_messages = 1;
    fleet->rank[0].spy->refuse_send = 3;
    fleet->rank[0].spy->refusal = IRR_ERR_UNREACHABLE;
    start_job(fleet, job);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(fleet));
    CU_ASSERT_EQUAL(fleet->rank[0].result, IRR_ERR_UNREACHABLE);
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

/* A message that is shorter than its block is no error, also where ranks wait for their turns. */
static void run_short(bool window, bool pacing, size_t length, uint64_t seed)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, seed + 1);
    irr_fleet_t *fleet = irr_fleet_create(4, seed, 0);

    CU_ASSERT_FATAL(irr_job_length(job, 3, 1) > length);
    irr_job_cut_sent(job, 3, 1, length);
    fleet->window_messages = window;
    irr_job_fill(job);
    for (int r = 0; r < 4; r++) {
        irr_test_must(irr_plan_one(1, &job->problems[r], &fleet->rank[r].plan));
        if (pacing) {
            irr_fleet_pacing(fleet, r, IRR_PACING_LOOSE, 0, NULL);
        }
        irr_fleet_start(fleet, r, irr_job_input(job, r), irr_job_output(job, r));
    }
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(fleet->rank[1].result, IRR_OK);
    expect_right(fleet, job);
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

static void test_short(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        run_short(false, false, 1, seed);
        run_short(true, false, 1, seed);
        run_short(false, true, 1, seed);
        run_short(true, true, 1, seed);
    }
}

/* Adds a step behind the one before of its rank; the first of a rank begins its plan. */
static void add(irr_fleet_t *fleet, int rank, irr_step_kind_t kind, int peer, irr_piece_t piece)
{
    irr_plan_t *plan = &fleet->rank[rank].plan;
    const size_t before = plan->nsteps - 1;

    if (plan->nsteps == 0) {
        irr_plan_reset(plan, &(irr_problem_t){ .ranks = fleet->ranks, .rank = rank });
    }
    irr_test_must(irr_plan_add(plan, &(irr_step_params_t){
        .kind = kind, .peer = peer, .stage = 1, .number = 1, .pieces = &piece, .npieces = 1, .deps = &before,
        .ndeps = plan->nsteps > 0 }));
}

/* Rank 0 sends other than `length` bytes to scratch of rank 1, which then forwards nothing, and has an error. */
static void run_forwarding_odd(size_t length, irr_status_t expected, size_t eager_max, uint64_t seed)
{
    char output[11] = "??????????";
    irr_fleet_t *fleet = irr_fleet_create(3, seed, eager_max);

    add(fleet, 0, IRR_STEP_SEND, 1, (irr_piece_t){ IRR_BUFFER_INPUT, false, 0, 5 });
    add(fleet, 1, IRR_STEP_RECV, 0, (irr_piece_t){ IRR_BUFFER_SCRATCH, false, 0, length });
    add(fleet, 1, IRR_STEP_SEND, 2, (irr_piece_t){ IRR_BUFFER_SCRATCH, false, 0, length });
    add(fleet, 2, IRR_STEP_RECV, 1, (irr_piece_t){ IRR_BUFFER_OUTPUT, false, 0, length });
    irr_fleet_start(fleet, 0, "first", NULL);
    irr_fleet_start(fleet, 1, NULL, NULL);
    irr_fleet_start(fleet, 2, NULL, output);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(fleet));
    CU_ASSERT_EQUAL(fleet->rank[1].result, expected);
    CU_ASSERT_EQUAL(fleet->rank[2].result, expected == IRR_OK ? IRR_OK : IRR_ERR_PEER);
    CU_ASSERT_EQUAL(fleet->rank[1].spy->sends, expected == IRR_OK);
    CU_ASSERT_STRING_EQUAL(output, expected == IRR_OK ? "first?????" : "??????????");
    irr_fleet_destroy(fleet);
}

static void test_forwarding_odd(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const size_t eager_max = seed % 2 == 0 ? ALL_EAGER : 0;

        run_forwarding_odd(5, IRR_OK, eager_max, seed);
        run_forwarding_odd(4, IRR_ERR_PROTOCOL, eager_max, seed);
        run_forwarding_odd(6, IRR_ERR_PEER, eager_max, seed);
    }
}

IRR_TEST_MAIN("exec_wrong", 60,
    { "a message too long for its block",        test_truncate },
    { "a send or receive that fails",            test_refused },
    { "nothing is sent after a failure",         test_refused_in_window },
    { "an error is forgotten by the next run",   test_errors },
    { "a failure is the result",                 test_failure_counts },
    { "a message shorter than its receive",      test_short },
    { "what is forwarded has come as it should", test_forwarding_odd })
