/*
 * test_relay.c - the relay over loopback: windows, 1 to 300 ranks, the messages that are described, and the memory of
 * init and freeze.  test_world.c runs every strategy, freezes its plans, and lets memory run out in exchanges.
 */
#include "irr_memory.h"
#include "irr_relays.h"
#include "irr_test.h"
#include "plan_all.h"

#include "exec/compose.h"

#define ALL_EAGER SIZE_MAX

static const char *const rows[] = { "spread", "grid", "balanced-grid", "bruck", "node" };

static void expect_well(irr_relays_t *relays, irr_job_t *job)
{
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
}

/* Makes the spies detect a second send in flight, if the settings allow only one send and no message has parts. */
static void watch_window(irr_relays_t *relays)
{
    const irr_relays_params_t *params = &relays->params;
    bool one = params->window_messages == 1 || params->overlap == IRR_OVERLAP_BLOCKING;
    bool apart = params->compose == IRR_COMPOSE_SPLIT || params->zero_copy_min > 0;

    for (int r = 0; r < params->ranks; r++) {
        relays->rank[r].member->spy->window_messages = one && !apart ? 1 : 0;
    }
}

/* Runs a job, the same job again, another job, and the first job again. */
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
 * All messages wait for their receivers, and the window is small. A rank whose predicted receive was cancelled waits
 * for the header, so the header must not wait for a message that another rank has not received yet.
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

/*
 * Runs exchanges of a number of ranks. Shuffles and repeats the exchanges only for some numbers of ranks, because both
 * take many more rounds.
 */
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

/*
 * Returns false for most large numbers of ranks of spread, because each rank of spread has a message for each other
 * rank in a stage.
 */
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

/* ---- descriptions ---- */

/* Returns the number of ranks that sent headers in the last exchange. */
static int describing(const irr_relays_t *relays)
{
    int ranks = 0;

    for (int r = 0; r < relays->params.ranks; r++) {
        ranks += relays->rank[r].member->counters.header_bytes > 0;
    }
    return ranks;
}

/*
 * A lead is the first message of a sender in a stage. If known is true, asserts that each slot and each sender has one
 * message, and that a rank copies only its message to itself. Otherwise asserts that all messages are described.
 */
static void expect_leads(const irr_relays_t *relays, const irr_job_t *job, bool known)
{
    for (int r = 0; r < job->ranks; r++) {
        const irr_relays_rank_t *rank = &relays->rank[r];
        const irr_stages_t *stages = &rank->relay.stages;

        CU_ASSERT_EQUAL(rank->member->counters.header_bytes == 0, known || stages->slots == stages->count);
        if (known) {
            CU_ASSERT_EQUAL(rank->member->counters.messages_sent, (size_t)(stages->slots - stages->count));
            CU_ASSERT_EQUAL(rank->member->counters.messages_received, (size_t)stages->senders);
            CU_ASSERT_TRUE(irr_job_may_stage(job, r, rank->member->counters.bytes_staged));
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

    for (size_t i = 0; i < IRR_TEST_COUNT(sizes) * IRR_TEST_COUNT(rows); i++) {
        for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
            irr_relays_params_t params = {
                .algorithm = rows[i % IRR_TEST_COUNT(rows)], .ranks = sizes[i / IRR_TEST_COUNT(rows)],
                .seed = irr_test_random(&state), .eager_max = 100, .overlap = (irr_overlap_t)(kind % 3),
                .compose = (irr_compose_t)(i % 3)
            };

            run_headers(&params, (irr_job_kind_t)kind, irr_test_random(&state));
        }
    }
}

/* Returns the number of sent messages beyond one message per peer and stage. */
static size_t count_parts(const irr_relays_t *relays)
{
    size_t parts = 0;

    for (int r = 0; r < relays->params.ranks; r++) {
        const irr_stages_t *stages = &relays->rank[r].relay.stages;

        parts += relays->rank[r].member->counters.messages_sent - (size_t)(stages->slots - stages->count);
    }
    return parts;
}

/* Returns true if a message of several pieces has a piece that is sent as a separate message. */
static bool some_apart(const irr_relays_t *relays)
{
    for (int r = 0; r < relays->params.ranks; r++) {
        const irr_relays_rank_t *rank = &relays->rank[r];
        const irr_plan_t *plan = &rank->relay.plan->plan;

        for (size_t i = 0; i < plan->nsteps; i++) {
            const irr_step_t *step = &plan->steps[i];
            size_t apart = irr_compose(relays->params.compose, &rank->member->spy->super.caps, step->pieces,
                                       step->bytes).apart_min;

            for (size_t p = 0; step->kind == IRR_STEP_SEND && step->pieces > 1 && p < step->pieces; p++) {
                if (plan->pieces[step->first_piece + p].length >= apart) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Pieces that are sent as separate messages are sent so in each exchange, and are described only once. */
static void test_parts(void)
{
    static const struct {
        irr_compose_t compose;
        size_t zero_copy_min;
    } apart[] = { { IRR_COMPOSE_AUTO, 40 }, { IRR_COMPOSE_SPLIT, 0 } };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 2 * IRR_TEST_COUNT(apart) * IRR_TEST_COUNT(rows); i++) {
        irr_relays_params_t params = {
            .algorithm = rows[i % IRR_TEST_COUNT(rows)], .ranks = 10, .seed = irr_test_random(&state),
            .eager_max = i < IRR_TEST_COUNT(apart) * IRR_TEST_COUNT(rows) ? 0 : ALL_EAGER,
            .compose = apart[i % 2].compose, .zero_copy_min = apart[i % 2].zero_copy_min, .slice_min = 60
        };
        irr_job_t *job = irr_job_create(10, IRR_JOB_SPARSE, irr_test_random(&state));
        irr_relays_t *relays = irr_relays_create(&params);

        for (int run = 0; run < 3; run++) {
            expect_well(relays, job);
            CU_ASSERT(run > 0 || count_parts(relays) > 0);
            CU_ASSERT_EQUAL(count_parts(relays) > 0, run == 0 || some_apart(relays));
            CU_ASSERT_EQUAL(describing(relays) > 0, run == 0);
        }
        irr_relays_destroy(relays);
        irr_job_destroy(job);
    }
}

/* Two jobs differ in one message. Only leads on the route of this message are described. */
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

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        for (int ranks = 2; ranks <= 12; ranks++) {
            int from = (int)irr_test_below(&state, (uint64_t)ranks);
            int to = (int)irr_test_below(&state, (uint64_t)ranks);

            run_changed(rows[i], ranks, from, to, irr_test_random(&state));
        }
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

/* ---- memory ---- */

typedef struct made {
    const char   *name;
    irr_overlap_t overlap;
    irr_nodes_t   nodes;
} made_t;

static irr_status_t init_and_fini(void *context)
{
    const made_t *made = context;
    const irr_relays_t relays = { .params = { .algorithm = made->name, .ranks = 7 }, .nodes = made->nodes };
    const irr_grid_t grid = irr_relays_grid(&relays);
    irr_relay_t relay;
    const irr_status_t status = irr_relay_init(&relay, &grid, 7, 3, 1, made->overlap);

    if (status == IRR_OK) {
        irr_relay_fini(&relay);
    }
    return status;
}

static void test_init_memory(void)
{
    made_t made[] = { { .name = "spread" }, { .name = "balanced-grid", .overlap = IRR_OVERLAP_BLOCKING },
                      { .name = "node", .overlap = IRR_OVERLAP_BLOCKING } };

    for (size_t i = 0; i < IRR_TEST_COUNT(made); i++) {
        CU_ASSERT_EQUAL_FATAL(irr_plan_all_nodes(7, &made[i].nodes), IRR_OK);
        CU_ASSERT(irr_memory_fail_each(init_and_fini, &made[i]) > 9);
        irr_nodes_fini(&made[i].nodes);
    }
}

static void test_freeze_memory(void)
{
    irr_job_t *job = irr_job_create(6, IRR_JOB_UNIFORM, 1);

    for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
        irr_relays_params_t params = {
            .algorithm = "balanced-grid", .ranks = 6, .slice_min = 1, .overlap = (irr_overlap_t)overlap
        };
        irr_status_t status = IRR_ERR_NO_MEMORY;
        irr_relays_t *relays;
        size_t nth = 0;

        irr_memory_begin();
        relays = irr_relays_create(&params);
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
        while (status != IRR_OK) {
            irr_memory_fail(++nth, NULL);
            status = irr_relays_freeze(relays, job);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        }
        irr_memory_fail(0, NULL);
        CU_ASSERT(nth > 10);
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
        CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
        irr_relays_destroy(relays);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    irr_job_destroy(job);
}

IRR_TEST_MAIN("relay", 600,
    { "no window is exceeded, and nothing is eager", test_window },
    { "1 to 300 ranks",                              test_ranks },
    { "a repeated job has no headers",               test_headers },
    { "parts of messages",                           test_parts },
    { "a job that changes in one message",           test_changed },
    { "what freeze refuses",                         test_freeze_refused },
    { "memory runs out in init",                     test_init_memory },
    { "memory runs out while a plan freezes",        test_freeze_memory })
