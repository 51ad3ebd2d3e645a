/*
 * test_exec.c - the executor runs plans over loopback: dependencies, windows, and errors of messages and the transport.
 * test_exchange.c has windows of all sizes.
 */
#include "irr_fleet.h"
#include "irr_job.h"
#include "irr_memory.h"
#include "irr_test.h"
#include "plan_all.h"

#include "exec/tag.h"
#include "problem/blocks.h"

#include <stdlib.h>
#include <string.h>

#define ALL_EAGER SIZE_MAX

/* Row 1 of the table of algorithms: direct. */
enum { DIRECT = 1 };

/* Builds the plans of a job and starts them.  The first ranks run alone for a while, so their messages come early. */
static void start_job(irr_fleet_t *fleet, irr_job_t *job, int algorithm)
{
    irr_job_fill(job);
    for (int r = 0; r < job->ranks; r++) {
        irr_test_must(irr_plan_one(algorithm, &job->problems[r], &fleet->rank[r].plan));
        irr_fleet_start(fleet, r, irr_job_input(job, r), irr_job_output(job, r));
        if (r == job->ranks / 2) {
            irr_fleet_progress(fleet, 10);
        }
    }
}

/* Ends a run: a rank without an error has every byte. */
static void end_job(irr_fleet_t *fleet, irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT(fleet->rank[r].result != IRR_OK || irr_job_verify(job, r));
    }
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

/* True if a rank has every byte, kept its window, and posted all receives before its first send. */
static bool rank_is_right(const irr_fleet_t *fleet, const irr_job_t *job, int rank)
{
    const irr_fleet_rank_t *member = &fleet->rank[rank];
    size_t recvs = 0;

    for (size_t i = 0; i < member->plan.nsteps; i++) {
        recvs += member->plan.steps[i].kind == IRR_STEP_RECV;
    }
    return irr_job_verify(job, rank) && !member->spy->exceeded &&
           (member->spy->sends == 0 || member->spy->recvs_at_send == recvs);
}

static int count_wrong(const irr_fleet_t *fleet, const irr_job_t *job)
{
    int wrong = 0;

    for (int r = 0; r < job->ranks; r++) {
        wrong += fleet->rank[r].result != IRR_OK || !rank_is_right(fleet, job, r);
    }
    return wrong;
}

/* ---- windows ---- */

static void watch_windows(irr_fleet_t *fleet, size_t messages, size_t bytes)
{
    for (int r = 0; r < fleet->ranks; r++) {
        fleet->rank[r].spy->window_messages = messages;
        fleet->rank[r].spy->window_bytes = bytes;
    }
}

/* A window slides: the next send starts when a send ends, although other sends are still in flight. */
static void test_window_slides(void)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 1);
    irr_fleet_t *fleet = irr_fleet_create(4, 0, 0);
    static const struct { int rank; size_t sends; } starts[] = { { 0, 2 }, { 2, 3 }, { 1, 3 }, { 3, 3 } };

    fleet->window_messages = 2;
    irr_job_fill(job);
    for (int i = 0; i < 4; i++) {
        const int r = starts[i].rank;

        irr_test_must(irr_plan_one(DIRECT, &job->problems[r], &fleet->rank[r].plan));
        irr_fleet_start(fleet, r, irr_job_input(job, r), irr_job_output(job, r));
        irr_fleet_progress(fleet, 5);
        CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, starts[i].sends);
        CU_ASSERT(i > 1 || fleet->rank[0].spy->in_flight == 2);
    }
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(count_wrong(fleet, job), 0);
    end_job(fleet, job);
}

/* Without a window, the spies detect more messages and more bytes in flight than the watched limits. */
static void test_watch(void)
{
    for (size_t bytes = 0; bytes <= 1; bytes++) {
        irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1);
        irr_fleet_t *fleet = irr_fleet_create(5, 0, 0);

        watch_windows(fleet, 1 - bytes, bytes);
        start_job(fleet, job, DIRECT);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
        CU_ASSERT_EQUAL(count_wrong(fleet, job), 5);
        CU_ASSERT_EQUAL(fleet->rank[4].spy->in_flight_max, 4);
        end_job(fleet, job);
    }
}

/* ---- hand-made plans ---- */

typedef struct row {
    int             rank;
    irr_step_kind_t kind;
    int             peer, stage;
    irr_piece_t     from, to;    /* a copy uses `from` and `to`, a send only `from`, a receive only `to` */
    int             after;       /* step of the same rank, or NONE */
} row_t;

#define NONE (-1)
#define UNUSED { IRR_BUFFER_INPUT, false, 0, 0 }

static void add_rows(irr_fleet_t *fleet, const row_t *rows, size_t count)
{
    for (int r = 0; r < fleet->ranks; r++) {
        irr_problem_t problem = { .ranks = fleet->ranks, .rank = r };

        irr_plan_reset(&fleet->rank[r].plan, &problem);
    }
    for (size_t i = 0; i < count; i++) {
        irr_piece_t pieces[2] = { rows[i].kind == IRR_STEP_RECV ? rows[i].to : rows[i].from, rows[i].to };
        size_t dep = (size_t)rows[i].after;
        irr_step_params_t params = {
            .kind = rows[i].kind, .peer = rows[i].peer, .stage = rows[i].stage,
            .number = rows[i].kind != IRR_STEP_COPY, .pieces = pieces,
            .npieces = rows[i].kind == IRR_STEP_COPY ? 2 : 1, .deps = &dep, .ndeps = rows[i].after != NONE
        };

        CU_ASSERT_EQUAL(irr_plan_add(&fleet->rank[rows[i].rank].plan, &params), IRR_OK);
    }
}

/*
 * Rank 0 sends "first" and "again" to rank 2 through the same scratch of rank 1. In between, rank 1 copies "first" to
 * its own output. Each step must wait for the previous step.
 */
static void run_forwarding(size_t eager_max, uint64_t seed)
{
    static const row_t rows[] = {
        { 0, IRR_STEP_SEND, 1, 1, { IRR_BUFFER_INPUT, false, 0, 5 }, UNUSED, NONE },
        { 0, IRR_STEP_SEND, 1, 1, { IRR_BUFFER_INPUT, false, 5, 5 }, UNUSED, NONE },
        { 1, IRR_STEP_RECV, 0, 1, UNUSED, { IRR_BUFFER_SCRATCH, false, 3, 5 }, NONE },
        { 1, IRR_STEP_SEND, 2, 2, { IRR_BUFFER_SCRATCH, false, 3, 5 }, UNUSED, 0 },
        { 1, IRR_STEP_COPY, 1, 2, { IRR_BUFFER_SCRATCH, false, 3, 5 }, { IRR_BUFFER_OUTPUT, false, 1, 5 }, 1 },
        { 1, IRR_STEP_RECV, 0, 1, UNUSED, { IRR_BUFFER_SCRATCH, false, 3, 5 }, 2 },
        { 1, IRR_STEP_SEND, 2, 2, { IRR_BUFFER_SCRATCH, false, 3, 5 }, UNUSED, 3 },
        { 2, IRR_STEP_RECV, 1, 2, UNUSED, { IRR_BUFFER_OUTPUT, false, 0, 5 }, NONE },
        { 2, IRR_STEP_RECV, 1, 2, UNUSED, { IRR_BUFFER_OUTPUT, false, 5, 5 }, NONE },
    };
    char output[2][11] = { "??????????", "??????????" };
    irr_fleet_t *fleet = irr_fleet_create(3, seed, eager_max);

    add_rows(fleet, rows, IRR_TEST_COUNT(rows));
    irr_fleet_start(fleet, 1, NULL, output[0]);
    irr_fleet_start(fleet, 2, NULL, output[1]);
    irr_fleet_progress(fleet, 10);
    CU_ASSERT_EQUAL(fleet->rank[1].spy->recvs, 1);
    CU_ASSERT_EQUAL(fleet->rank[1].spy->sends, 0);
    CU_ASSERT_EQUAL(fleet->rank[2].spy->recvs, 2);
    irr_fleet_start(fleet, 0, "firstagain", NULL);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    for (int r = 0; r < 3; r++) {
        CU_ASSERT_EQUAL(fleet->rank[r].result, IRR_OK);
    }
    CU_ASSERT_STRING_EQUAL(output[0], "?first????");
    CU_ASSERT_STRING_EQUAL(output[1], "firstagain");
    CU_ASSERT_EQUAL(fleet->rank[1].counters.bytes_staged, 5);
    irr_fleet_destroy(fleet);
}

static void test_forwarding(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        run_forwarding(ALL_EAGER, seed);
        run_forwarding(0, seed);
    }
}

static void test_empty_plan(void)
{
    irr_fleet_t *fleet = irr_fleet_create(2, 0, 0);

    add_rows(fleet, NULL, 0);
    irr_fleet_start(fleet, 1, NULL, NULL);
    CU_ASSERT_TRUE(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(fleet->rank[1].result, IRR_OK);
    irr_fleet_destroy(fleet);
}

/* Rank 0 sends five bytes to a scratch of `length` bytes. Rank 1 forwards only a message of the right length. */
static void run_forwarding_odd(size_t length, irr_status_t expected, size_t eager_max, uint64_t seed)
{
    const row_t rows[] = {
        { 0, IRR_STEP_SEND, 1, 1, { IRR_BUFFER_INPUT, false, 0, 5 }, UNUSED, NONE },
        { 1, IRR_STEP_RECV, 0, 1, UNUSED, { IRR_BUFFER_SCRATCH, false, 0, length }, NONE },
        { 1, IRR_STEP_SEND, 2, 1, { IRR_BUFFER_SCRATCH, false, 0, length }, UNUSED, 0 },
        { 2, IRR_STEP_RECV, 1, 1, UNUSED, { IRR_BUFFER_OUTPUT, false, 0, length }, NONE }
    };
    char output[11] = "??????????";
    irr_fleet_t *fleet = irr_fleet_create(3, seed, eager_max);

    add_rows(fleet, rows, IRR_TEST_COUNT(rows));
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

/* ---- errors ---- */

/* The nth send or receive of rank 2 fails. Its run ends at once. Only the rank whose message is missing waits. */
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
    start_job(fleet, job, DIRECT);
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
    end_job(fleet, job);
}

static void test_refused(void)
{
    for (uint64_t i = 0; i < 60; i++) {
        run_refused(1 + i / 20, i % 2 == 0, i / 2 % 2 == 0 ? ALL_EAGER : 0, i / 4 % 5);
    }
}

/* After a failure no waiting send starts.  The failure is the result, even if an earlier message was too long. */
static void test_refused_in_window(void)
{
    for (int cuts = 0; cuts <= 1; cuts++) {
        irr_job_t *job = irr_job_create(6, IRR_JOB_UNIFORM, 3);
        irr_fleet_t *fleet = irr_fleet_create(6, 0, 0);

        if (cuts == 1) {
            irr_job_cut(job, 0, 0, 1);
        }
        fleet->window_messages = 1;
        fleet->rank[0].spy->refuse_send = 3;
        fleet->rank[0].spy->refusal = IRR_ERR_UNREACHABLE;
        start_job(fleet, job, DIRECT);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run_failing(fleet));
        CU_ASSERT_EQUAL(fleet->rank[0].result, IRR_ERR_UNREACHABLE);
        CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, 3);
        CU_ASSERT_EQUAL(fleet->rank[3].result, IRR_ERR_PEER);
        end_job(fleet, job);
    }
}

/* A message that is shorter than its block is no error, even with a window or a pacing. */
static void run_short(bool window, bool pacing, uint64_t seed)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, seed + 1);
    irr_fleet_t *fleet = irr_fleet_create(4, seed, 0);

    CU_ASSERT_FATAL(irr_job_length(job, 3, 1) > 1);
    irr_job_cut_sent(job, 3, 1, 1);
    fleet->window_messages = window;
    irr_job_fill(job);
    for (int r = 0; r < 4; r++) {
        irr_test_must(irr_plan_one(DIRECT, &job->problems[r], &fleet->rank[r].plan));
        if (pacing) {
            irr_fleet_pacing(fleet, r, IRR_PACING_LOOSE, 0, NULL);
        }
        irr_fleet_start(fleet, r, irr_job_input(job, r), irr_job_output(job, r));
    }
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(fleet->rank[1].result, IRR_OK);
    end_job(fleet, job);
}

static void test_short(void)
{
    for (uint64_t i = 0; i < 40; i++) {
        run_short(i % 2 == 1, i / 2 % 2 == 1, i / 4);
    }
}

/* ---- memory ---- */

static void test_reserve(void)
{
    const irr_plan_room_t bounds = { .steps = 9, .pieces = 20, .parts = 7 }, fewer = { .steps = 8, .pieces = 20 };
    irr_status_t status = IRR_ERR_NO_MEMORY;
    size_t nth = 0;

    while (status != IRR_OK && nth < 10) {
        irr_exec_t exec;

        irr_exec_init(&exec);
        irr_memory_fail(++nth, NULL);
        status = irr_exec_reserve(&exec, bounds);
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        CU_ASSERT_EQUAL(exec.room.steps_max, status == IRR_OK ? 9 : 0);
        irr_memory_fail(1, NULL);
        CU_ASSERT_EQUAL(irr_exec_reserve(&exec, fewer), status);  /* the executor already has enough room */
        irr_exec_fini(&exec);
    }
    CU_ASSERT_EQUAL(nth, 2);
}

/* After a reservation for more steps or more pieces, the room still suffices for all earlier plans. */
static void test_reserve_more(void)
{
    static const irr_plan_room_t bounds[] = {
        { .steps = 9, .pieces = 20 }, { .steps = 3, .pieces = 40 }, { .steps = 30, .pieces = 1 },
        { .steps = 1, .pieces = 50 }
    };
    irr_exec_t exec;

    irr_exec_init(&exec);
    for (size_t i = 0; i < IRR_TEST_COUNT(bounds); i++) {
        irr_test_must(irr_exec_reserve(&exec, bounds[i]));
        for (size_t k = 0; k <= i; k++) {
            CU_ASSERT(exec.room.steps_max >= bounds[k].steps && exec.room.pieces_max >= bounds[k].pieces);
        }
    }
    irr_exec_fini(&exec);
}

/* If memory is missing, no problem is remembered, so no later problem repeats it, not even an empty one. */
static void test_remember(void)
{
    const irr_block_t blocks[] = { { .rank = 0, .length = 1 }, { .rank = 1, .length = 2 } };
    const irr_problem_t problem = { .ranks = 2, .send = { .list = blocks, .count = 2 } }, nothing = { .ranks = 2 };
    irr_blocks_memory_t memory = { .list = NULL };

    CU_ASSERT_FALSE(irr_blocks_repeat(&memory, &nothing));
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_blocks_remember(&memory, &problem), IRR_ERR_NO_MEMORY);
    CU_ASSERT_FALSE(irr_blocks_repeat(&memory, &problem) || irr_blocks_repeat(&memory, &nothing));
    CU_ASSERT_EQUAL(irr_blocks_remember(&memory, &problem), IRR_OK);
    CU_ASSERT_TRUE(irr_blocks_repeat(&memory, &problem) && !irr_blocks_repeat(&memory, &nothing));
    CU_ASSERT_EQUAL(irr_blocks_remember(&memory, &nothing), IRR_OK);
    CU_ASSERT_TRUE(irr_blocks_repeat(&memory, &nothing) && !irr_blocks_repeat(&memory, &problem));
    irr_blocks_memory_fini(&memory);
}

IRR_TEST_MAIN("exec", 60,
    { "a window slides",                                  test_window_slides },
    { "an exceeded window is detected",                   test_watch },
    { "steps wait for their dependencies",                test_forwarding },
    { "only a message of the right length is forwarded",  test_forwarding_odd },
    { "a plan without steps",                             test_empty_plan },
    { "a send or receive that fails",                     test_refused },
    { "nothing is sent after a failure",                  test_refused_in_window },
    { "a message shorter than its block",                 test_short },
    { "no memory to reserve room",                        test_reserve },
    { "room never shrinks",                               test_reserve_more },
    { "a problem without memory is not remembered",       test_remember })
