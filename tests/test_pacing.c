/*
 * test_pacing.c - every direct algorithm with every pacing: every byte arrives, no rank hangs, and the pacing is kept.
 */
#include "irr_paced.h"
#include "irr_test.h"

#include "pacing/pacing.h"
#include "plan/strategy.h"
#include "pacing/signals.h"
#include "study/plans.h"

#include <stdio.h>
#include <string.h>

#define ALL_EAGER SIZE_MAX

enum { RANKS_MAX = 12, RUNS = 4000, GRANTS_MAX = 3 };

static bool is_direct(int algorithm)
{
    return algorithm == IRR_PACED_ANY || irr_algorithm_strategy(algorithm)->route == &irr_route_direct;
}

/* Draws a direct row, or a random schedule. */
static int draw_algorithm(uint64_t *state)
{
    uint64_t rows = 0;
    int algorithm;

    while (irr_algorithm_name((int)rows) != NULL) {
        rows++;
    }
    do {
        algorithm = (int)irr_test_below(state, rows + 1) - 1;
    } while (!is_direct(algorithm));
    return algorithm;
}

static irr_paced_params_t draw_params(uint64_t *state)
{
    const size_t eager_max[] = { ALL_EAGER, 0, 0, 64 };
    irr_pacing_kind_t pacing = (irr_pacing_kind_t)(1 + irr_test_below(state, IRR_PACING_COUNT - 1));

    return (irr_paced_params_t){
        .algorithm = draw_algorithm(state), .pacing = pacing, .watched = pacing,
        .grants = 1 + irr_test_below(state, GRANTS_MAX),
        .window_messages = irr_test_below(state, 3) == 0 ? 1 + irr_test_below(state, 3) : 0,
        .seed = irr_test_below(state, 4) == 0 ? 0 : irr_test_random(state),
        .eager_max = eager_max[irr_test_below(state, 4)],
        .hold_percent = irr_test_below(state, 2) == 0 ? 0 : (unsigned)irr_test_below(state, 101), .hold_rounds = 7
    };
}

/* Compares the counters of a rank with the number of its messages and grants. Grants have no bytes. */
static bool counters_are_right(const irr_paced_t *paced, const irr_job_t *job, int rank)
{
    const irr_paced_rank_t *seen = &paced->rank[rank];
    bool grants = paced->params.pacing == IRR_PACING_GRANT;
    irr_counters_t expected = {
        .messages_sent = seen->nsends + (grants ? seen->nrecvs : 0),
        .messages_received = seen->nrecvs + (grants ? seen->nsends : 0),
        .bytes_staged = irr_job_length(job, rank, rank),
        .largest_message = paced->fleet->rank[rank].counters.largest_message
    };

    for (int i = 0; i < job->ranks; i++) {
        expected.bytes_sent += i != rank ? irr_job_length(job, rank, i) : 0;
        expected.bytes_received += i != rank ? irr_job_length(job, i, rank) : 0;
    }
    return memcmp(&paced->fleet->rank[rank].counters, &expected, sizeof(expected)) == 0;
}

static void run_once(irr_paced_t *paced, const irr_job_t *job)
{
    const irr_paced_params_t *params = &paced->params;
    bool ended;

    irr_paced_start(paced, job);
    ended = irr_fleet_run(paced->fleet);
    if (!ended || paced->broken > 0) {
        printf("# %s with %s, %zu grants, window %zu, eager_max %zu, seed %llu, %d ranks\n",
               params->algorithm < 0 ? "any" : irr_algorithm_name(params->algorithm),
               irr_pacing_name((int)params->pacing), params->grants, params->window_messages,
               params->eager_max, (unsigned long long)params->seed, job->ranks);
    }
    CU_ASSERT_TRUE_FATAL(ended);
    CU_ASSERT_EQUAL(paced->broken, 0);
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_EQUAL(paced->fleet->rank[r].result, IRR_OK);
        CU_ASSERT_EQUAL(paced->rank[r].sent, paced->rank[r].nsends);
        CU_ASSERT_EQUAL(paced->rank[r].granted, params->pacing == IRR_PACING_GRANT ? paced->rank[r].nrecvs : 0);
        CU_ASSERT_TRUE(counters_are_right(paced, job, r));
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
}

/* Runs a job twice with the same executors. */
static void run(irr_job_t *job, const irr_paced_params_t *params)
{
    irr_paced_t *paced = irr_paced_create(job, params);
    char reason[200] = "";

    CU_ASSERT_EQUAL(irr_paced_check(paced, job, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    run_once(paced, job);
    irr_paced_renew(paced, job);
    run_once(paced, job);
    irr_paced_destroy(paced);
}

static void test_all(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < irr_test_runs(RUNS); i++) {
        int ranks = 1 + (int)irr_test_below(&state, RANKS_MAX);
        irr_job_kind_t kind = (irr_job_kind_t)irr_test_below(&state, IRR_JOB_KINDS);
        irr_job_t *job = irr_job_create(ranks, kind, irr_test_random(&state));
        irr_paced_params_t params = draw_params(&state);

        run(job, &params);
        irr_job_destroy(job);
    }
}

/*
 * The watch detects violations: runs with pacing free violate loose and grant, and runs with many grants violate a
 * limit of few grants.
 */
static void test_watch(void)
{
    static const struct {
        irr_pacing_kind_t pacing, watched;
        size_t       grants, watched_grants, window;
    } rows[] = {
        { IRR_PACING_FREE, IRR_PACING_LOOSE, 1, 1, 0 },
        { IRR_PACING_FREE, IRR_PACING_GRANT, 1, 1, 0 },
        { IRR_PACING_LOOSE, IRR_PACING_GRANT, 1, 1, 0 },
        { IRR_PACING_GRANT, IRR_PACING_GRANT, 2, 1, 0 },
        { IRR_PACING_GRANT, IRR_PACING_GRANT, 4, 3, 0 },
        { IRR_PACING_GRANT, IRR_PACING_LOOSE, 2, 2, 0 },
        { IRR_PACING_FREE, IRR_PACING_FREE, 1, 1, 2 },
    };
    irr_job_t *job = irr_job_create(8, IRR_JOB_UNIFORM, 1);

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_paced_params_t params = {
            .algorithm = irr_algorithm_find("direct"), .pacing = rows[i].pacing, .watched = rows[i].watched,
            .grants = rows[i].grants, .seed = i + 1
        };
        irr_paced_t *paced = irr_paced_create(job, &params);

        paced->params.grants = rows[i].watched_grants;
        paced->params.window_messages = rows[i].window;
        irr_paced_start(paced, job);
        CU_ASSERT_TRUE_FATAL(irr_fleet_run(paced->fleet));
        CU_ASSERT(paced->broken > 0);
        irr_paced_destroy(paced);
    }
    irr_job_destroy(job);
}

/* Both limits are reached, not only kept: a rank with k grants has k sends in flight. */
static void test_used(void)
{
    irr_job_t *job = irr_job_create(9, IRR_JOB_UNIFORM, 1);

    for (size_t grants = 1; grants <= 5; grants++) {
        const irr_paced_params_t params = {
            .algorithm = irr_algorithm_find("direct"), .pacing = IRR_PACING_GRANT, .watched = IRR_PACING_GRANT,
            .grants = grants, .hold_percent = 100, .hold_rounds = 1
        };
        irr_paced_t *paced = irr_paced_create(job, &params);

        irr_paced_start(paced, job);
        for (int r = 0; r < 9; r++) {
            CU_ASSERT_EQUAL(paced->rank[r].granted, grants);
            CU_ASSERT_EQUAL(paced->rank[r].sent, 0);
            CU_ASSERT_EQUAL(paced->fleet->rank[r].spy->recvs, 16);
        }
        irr_fleet_progress(paced->fleet, 3);
        for (int r = 0; r < 9; r++) {
            CU_ASSERT_EQUAL(paced->rank[r].sent, grants);
        }
        CU_ASSERT_TRUE_FATAL(irr_fleet_run(paced->fleet));
        CU_ASSERT_EQUAL(paced->broken, 0);
        irr_paced_destroy(paced);
    }
    irr_job_destroy(job);
}

/* ---- what a pacing adds ---- */

/* Builds the plan of rank 1 of 3 ranks, with two messages in each direction in step 2. */
static void build_plain(irr_plan_t *plan)
{
    static const struct {
        irr_step_kind_t kind;
        int             peer, number;
    } rows[] = {
        { IRR_STEP_RECV, 0, 1 }, { IRR_STEP_RECV, 0, 2 }, { IRR_STEP_RECV, 2, 2 },
        { IRR_STEP_SEND, 2, 1 }, { IRR_STEP_SEND, 2, 2 }, { IRR_STEP_SEND, 0, 2 }, { IRR_STEP_SEND, 0, 3 }
    };

    irr_plan_reset(plan, &(irr_problem_t){ .ranks = 3, .rank = 1 });
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_piece_t byte = { .length = 1 };

        irr_test_must(irr_plan_add(plan, &(irr_step_params_t){
            .kind = rows[i].kind, .peer = rows[i].peer, .stage = 1, .number = rows[i].number, .pieces = &byte,
            .npieces = 1 }));
    }
}

/*
 * Describes steps and dependencies as text. "s2 g0(1,2)" is a send to rank 2, and a signal to rank 0 after steps 1 and
 * 2. A wait has the letter w.
 */
static void describe(const irr_plan_t *plan, char *text, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        at += (size_t)snprintf(text + at, size - at, "%s%c%d", i > 0 ? " " : "", "srcgw"[step->kind], step->peer);
        for (size_t k = 0; k < step->deps; k++) {
            at += (size_t)snprintf(text + at, size - at, "%c%zu%s", k > 0 ? ',' : '(', plan->deps[step->first_dep + k],
                                   k + 1 == step->deps ? ")" : "");
        }
    }
}

static void test_added(void)
{
    /*
     * The second signal waits for all receives except the first. The last message waits for the second signal and for
     * rank 0.
     */
    irr_signal_t signals[] = { { 1, 0 }, { 3, 2 } };
    irr_wait_t waits[] = { { 1, 0, 0 }, { 1, 1, 1 }, { 3, 0, 0 }, { 3, 1, 3 } };
    const irr_signals_t both = { signals, 2, waits, 4 };
    static const struct {
        irr_pacing_kind_t pacing;
        size_t       grants;
        const char  *text;
    } rows[] = {
        { IRR_PACING_FREE, 0, "r0 r0 r2 s2 s2 s0 s0" },
        { IRR_PACING_LOOSE, 0, "r0 r0 r2 s2 s2(3,0) s0 s0(4,5,1,2)" },
        { IRR_PACING_GRANT, 1, "r0 r0 r2 w2 w2 w0 w0 s2(3) s2(4,7) s0(5,8) s0(6,9) g0 g0(0) g2(1)" },
        { IRR_PACING_GRANT, 0, "r0 r0 r2 w2 w2 w0 w0 s2(3) s2(4) s0(5,7) s0(6,8) g0 g0 g2(0)" },
        { IRR_PACING_SYNC, 0, "r0 r0 r2 w0 w0 s2 s2(5,3,0) s0 s0(6,7,4,1,2) g0(0) g2(1,2)" },
    };
    irr_plan_t plan;

    irr_plan_init(&plan);
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_pacing_params_t params = { .grants = rows[i].grants, .signals = &both };
        char text[300];

        build_plain(&plan);
        irr_test_must(irr_pacing_add(irr_pacing_of(rows[i].pacing), &params, &plan));
        describe(&plan, text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, rows[i].text);
        if (strcmp(text, rows[i].text) != 0) {
            printf("# %s: %s\n", irr_pacing_name((int)rows[i].pacing), text);
        }
    }
    irr_plan_fini(&plan);
}

/* ---- stages ---- */

static void add(irr_plan_t *plan, irr_step_kind_t kind, int stage, int number, const size_t *dep)
{
    const irr_piece_t piece = {
        .buffer = kind == IRR_STEP_SEND ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT, .offset = 2 * stage + number,
        .length = 1
    };
    const irr_step_params_t params = {
        .kind = kind, .peer = 1 - plan->rank, .stage = stage, .number = number, .pieces = &piece, .npieces = 1,
        .deps = dep, .ndeps = dep != NULL
    };

    irr_test_must(irr_plan_add(plan, &params));
}

/* A send waits for earlier steps of its own stage, and for no step of another stage. */
static void test_stages(void)
{
    irr_fleet_t *fleet = irr_fleet_create(2, 0, ALL_EAGER);
    irr_plan_t *plan = &fleet->rank[0].plan, *other = &fleet->rank[1].plan;
    const char input[9] = "........";
    char output[2][9];
    size_t last;

    for (int r = 0; r < 2; r++) {
        irr_plan_reset(&fleet->rank[r].plan, &(irr_problem_t){ .ranks = 2, .rank = r });
    }
    add(plan, IRR_STEP_RECV, 1, 1, NULL);
    add(plan, IRR_STEP_RECV, 2, 1, NULL);
    add(plan, IRR_STEP_SEND, 2, 1, NULL);
    add(plan, IRR_STEP_SEND, 2, 2, NULL);
    add(plan, IRR_STEP_RECV, 3, 1, NULL);
    add(other, IRR_STEP_RECV, 2, 1, NULL);
    last = other->nsteps;
    add(other, IRR_STEP_RECV, 2, 2, NULL);
    add(other, IRR_STEP_SEND, 2, 1, NULL);
    add(other, IRR_STEP_SEND, 1, 1, &last);
    add(other, IRR_STEP_SEND, 3, 1, &last);
    irr_fleet_pacing(fleet, 0, IRR_PACING_LOOSE, 0, NULL);
    irr_fleet_start(fleet, 0, input, output[0]);
    irr_fleet_progress(fleet, 10);
    CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, 1);
    irr_fleet_start(fleet, 1, input, output[1]);
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    CU_ASSERT_EQUAL(fleet->rank[0].result, IRR_OK);
    CU_ASSERT_EQUAL(fleet->rank[0].spy->sends, 2);
    irr_fleet_destroy(fleet);
}

IRR_TEST_MAIN("pacing", 120,
    { "any algorithm, pacing, job, order and delay",      test_all },
    { "the watch sees a violated pacing",                 test_watch },
    { "grants and sends use their limits",              test_used },
    { "the steps that each pacing adds to a plan",        test_added },
    { "loose looks at one stage",                       test_stages })
