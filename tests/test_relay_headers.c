/*
 * test_relay_headers.c - what the relay describes: all of a new job, nothing of one that comes again, and of
 * one that changes only what changed; and what goes apart.
 */
#include "irr_relays.h"
#include "irr_test.h"

#include "exec/compose.h"

#define ALL_EAGER SIZE_MAX

static const char *const rows[] = { "spread", "grid", "balanced-grid", "bruck", "node" };

static void expect_well(irr_relays_t *relays, irr_job_t *job)
{
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
}

/* Ranks that sent headers in the last exchange. */
static int describing(const irr_relays_t *relays)
{
    int ranks = 0;

    for (int r = 0; r < relays->params.ranks; r++) {
        ranks += relays->rank[r].member->counters.header_bytes > 0;
    }
    return ranks;
}

/* One message a slot and sender, with nothing copied but the message to itself; or all described. */
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

/* Messages beyond one a slot. */
static size_t count_parts(const irr_relays_t *relays)
{
    size_t parts = 0;

    for (int r = 0; r < relays->params.ranks; r++) {
        const irr_stages_t *stages = &relays->rank[r].relay.stages;

        parts += relays->rank[r].member->counters.messages_sent - (size_t)(stages->slots - stages->count);
    }
    return parts;
}

/* Does a piece of some message of several pieces go apart? */
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

/* What goes apart does so each time, and is described once. */
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

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        for (int ranks = 2; ranks <= 12; ranks++) {
            int from = (int)irr_test_below(&state, (uint64_t)ranks);
            int to = (int)irr_test_below(&state, (uint64_t)ranks);

            run_changed(rows[i], ranks, from, to, irr_test_random(&state));
        }
    }
}

IRR_TEST_MAIN("relay headers", 600,
    { "a job that comes again has no headers", test_headers },
    { "what goes apart",                       test_parts },
    { "a job that changes in one message",     test_changed })
