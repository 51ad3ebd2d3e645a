/*
 * test_exec.c - the executor runs plans over loopback: every byte, every window, every composition.
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

#define RANKS_MAX 16
#define ALL_EAGER SIZE_MAX

/* Builds the plans of a job and starts them; the first ranks run alone for a while, so they come early. */
static void start_job(irr_fleet_t *fleet, irr_job_t *job, int algorithm)
{
    irr_job_fill(job);
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_EQUAL(irr_plan_one(algorithm, &job->problems[r], &fleet->rank[r].plan), IRR_OK);
        irr_fleet_start(fleet, r, irr_job_input(job, r), irr_job_output(job, r));
        if (r == job->ranks / 2) {
            irr_fleet_progress(fleet, 10);
        }
    }
}

/* Does one rank hold what it should, and did all its receives come before its first send? */
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

/* All sends are rendezvous here, so that they stay in flight. */
static void run_windowed(irr_job_t *job, int algorithm, size_t messages, size_t bytes, uint64_t seed)
{
    irr_fleet_t *fleet = irr_fleet_create(job->ranks, seed, 0);

    fleet->window_messages = messages;
    fleet->window_bytes = bytes;
    watch_windows(fleet, messages, bytes);
    start_job(fleet, job, algorithm);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(count_wrong(fleet, job), 0);
    for (int r = 0; r < job->ranks; r++) {
        const irr_spy_t *spy = fleet->rank[r].spy;

        CU_ASSERT_EQUAL(spy->in_flight, 0);
        if (bytes == 0) {
            CU_ASSERT_EQUAL(spy->in_flight_max, spy->sends < messages ? spy->sends : messages);
        }
    }
    irr_fleet_destroy(fleet);
}

static void test_windows(void)
{
    static const struct {
        size_t messages, bytes;
    } windows[] = { { 1, 0 }, { 3, 0 }, { 0, 1 }, { 0, 400 }, { 2, 400 } };
    uint64_t state = irr_test_seed();

    for (int ranks = 2; ranks <= RANKS_MAX; ranks += 1 + ranks / 4) {
        for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
            irr_job_t *job = irr_job_create(ranks, (irr_job_kind_t)kind, irr_test_random(&state));

            for (size_t i = 0; i < IRR_TEST_COUNT(windows); i++) {
                run_windowed(job, 1, windows[i].messages, windows[i].bytes, 0);
                run_windowed(job, 2, windows[i].messages, windows[i].bytes, irr_test_random(&state));
            }
            irr_job_destroy(job);
        }
    }
}

/* A window that slides: the next send starts when one ends, and need not wait for the others. */
static void test_window_slides(void)
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 1);
    irr_fleet_t *fleet = irr_fleet_create(4, 0, 0);

    fleet->window_messages = 2;
    irr_job_fill(job);
    for (int r = 0; r < 4; r++) {
        CU_ASSERT_EQUAL(irr_plan_one(1, &job->problems[r], &fleet->rank[r].plan), IRR_OK);
    }
    irr_fleet_start(fleet, 0, irr_job_input(job, 0), irr_job_output(job, 0));
    CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, 2);
    irr_fleet_start(fleet, 2, irr_job_input(job, 2), irr_job_output(job, 2));
    irr_fleet_progress(fleet, 5);
    CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, 3);
    CU_ASSERT_EQUAL(fleet->rank[0].spy->in_flight, 2);
    irr_fleet_start(fleet, 1, irr_job_input(job, 1), irr_job_output(job, 1));
    irr_fleet_start(fleet, 3, irr_job_input(job, 3), irr_job_output(job, 3));
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    for (int r = 0; r < 4; r++) {
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    irr_fleet_destroy(fleet);
    irr_job_destroy(job);
}

/* The watch can fail: free pacing exceeds a window of one message, or of a few bytes. */
static void test_watch(void)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1);

    for (size_t bytes = 0; bytes <= 1; bytes++) {
        irr_fleet_t *fleet = irr_fleet_create(5, 0, 0);

        watch_windows(fleet, 1 - bytes, bytes);
        start_job(fleet, job, 1);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
        CU_ASSERT_EQUAL(count_wrong(fleet, job), 5);
        CU_ASSERT_EQUAL(fleet->rank[4].spy->in_flight_max, 4);
        irr_fleet_destroy(fleet);
    }
    irr_job_destroy(job);
}

/* ---- hand-made plans ---- */

typedef struct row {
    int             rank;
    irr_step_kind_t kind;
    int             peer, stage;
    irr_piece_t     from, to;    /* a copy uses both, a send the first, a receive the second */
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
 * Rank 0 sends "first" and "again" to rank 2 through one scratch of rank 1, which in between copies it to its
 * own output: each step must wait for the one before.
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

/* ---- memory ---- */

static void test_reserve(void)
{
    const irr_plan_bounds_t bounds = { .steps = 9, .pieces = 20 }, fewer = { .steps = 8, .pieces = 20 };
    irr_status_t status = IRR_ERR_NO_MEMORY;
    size_t nth = 0;

    while (status != IRR_OK && nth < 10) {
        irr_exec_t exec;

        irr_memory_begin();
        irr_exec_init(&exec);
        irr_memory_fail(++nth, NULL);
        status = irr_exec_reserve(&exec, bounds);
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        CU_ASSERT_EQUAL(exec.room.steps_max, status == IRR_OK ? 9 : 0);
        irr_memory_fail(1, NULL);
        CU_ASSERT_EQUAL(irr_exec_reserve(&exec, fewer), status);  /* there is more already */
        irr_exec_fini(&exec);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    CU_ASSERT_EQUAL(nth, 4);
}

/* Room for a plan is room for those before, too, whatever of it is more. */
static void test_reserve_more(void)
{
    static const irr_plan_bounds_t bounds[] = {
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

/* A problem that finds no memory is not remembered: no other one repeats it, not even one of nothing. */
static void test_remember(void)
{
    const irr_block_t blocks[] = { { .rank = 0, .length = 1 }, { .rank = 1, .length = 2 } };
    const irr_problem_t problem = { .ranks = 2, .send = { .list = blocks, .count = 2 } }, nothing = { .ranks = 2 };
    irr_blocks_memory_t memory = { .list = NULL };

    irr_memory_begin();
    CU_ASSERT_FALSE(irr_blocks_repeat(&memory, &nothing));
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_blocks_remember(&memory, &problem), IRR_ERR_NO_MEMORY);
    CU_ASSERT_FALSE(irr_blocks_repeat(&memory, &problem) || irr_blocks_repeat(&memory, &nothing));
    CU_ASSERT_EQUAL(irr_blocks_remember(&memory, &problem), IRR_OK);
    CU_ASSERT_TRUE(irr_blocks_repeat(&memory, &problem) && !irr_blocks_repeat(&memory, &nothing));
    CU_ASSERT_EQUAL(irr_blocks_remember(&memory, &nothing), IRR_OK);
    CU_ASSERT_TRUE(irr_blocks_repeat(&memory, &nothing) && !irr_blocks_repeat(&memory, &problem));
    irr_blocks_memory_fini(&memory);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

IRR_TEST_MAIN("exec", 60,
    { "no window is exceeded, and each is used",           test_windows },
    { "a window slides",                                   test_window_slides },
    { "the watch over windows sees one exceeded",          test_watch },
    { "steps wait for those they depend on",               test_forwarding },
    { "a plan without steps",                              test_empty_plan },
    { "want of memory while reserving",                    test_reserve },
    { "room never shrinks",                                test_reserve_more },
    { "a problem that finds no memory is not remembered",  test_remember })
