/*
 * test_exec.c - the executor runs plans over loopback: dependencies, and a window that slides. test_exchange.c has
 * windows of all sizes, and test_world.c has errors of messages, transport and memory.
 */
#include "irr_fleet.h"
#include "irr_job.h"
#include "irr_test.h"
#include "plan_all.h"

#define ALL_EAGER SIZE_MAX

/* Row 1 of the table of algorithms: direct. */
enum { DIRECT = 1 };

/* Ends a run. */
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

IRR_TEST_MAIN("exec", 60,
    { "a window slides",                                  test_window_slides },
    { "steps wait for their dependencies",                test_forwarding },
    { "only a message of the right length is forwarded",  test_forwarding_odd })
