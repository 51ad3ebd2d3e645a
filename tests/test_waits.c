/*
 * test_waits.c - the steps for which a send waits: what each pacing adds to a plan, the signals of a rank, and the
 * overlaps of the stages of a grid. test_pacing.c checks the pacings of any plan.
 */
#include "irr_job.h"
#include "matrix_scene.h"
#include "plan_all.h"

#include "order/tree/syncs.h"
#include "pacing/pacing.h"
#include "pacing/signals.h"

/* ---- steps that a pacing adds ---- */

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

IRR_TEST(test_added, "the steps that each pacing adds to a plan")
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

IRR_TEST(test_stages, "a send waits only for earlier steps of its own stage")
{
    static const struct {
        irr_step_kind_t kind;
        int             stage, number;
    } rows[] = { { IRR_STEP_RECV, 1, 1 }, { IRR_STEP_RECV, 2, 1 }, { IRR_STEP_SEND, 2, 1 }, { IRR_STEP_SEND, 2, 2 },
                 { IRR_STEP_RECV, 3, 1 } };
    irr_plan_t plan;
    char text[100];

    irr_plan_init(&plan);
    irr_plan_reset(&plan, &(irr_problem_t){ .ranks = 2 });
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_test_must(irr_plan_add(&plan, &(irr_step_params_t){
            .kind = rows[i].kind, .peer = 1, .stage = rows[i].stage, .number = rows[i].number,
            .pieces = &(irr_piece_t){ .length = 1 }, .npieces = 1 }));
    }
    irr_test_must(irr_pacing_add(&irr_pacing_loose, &(irr_pacing_params_t){ .grants = 0 }, &plan));
    describe(&plan, text, sizeof(text));
    CU_ASSERT_STRING_EQUAL(text, "r1 r1 s1 s1(2,1) r1");
    irr_plan_fini(&plan);
}

/* ---- memory ---- */

/*
 * A pacing needs memory for the steps that it adds to a plan, but no memory if the bounds of the pacing are reserved.
 */
IRR_TEST(test_no_room, "a failed allocation in a pacing")
{
    irr_job_t *job = irr_job_create(6, IRR_JOB_UNIFORM, 1);
    const irr_pacing_params_t params = { .grants = 2 };
    const int algorithm = irr_algorithm_find("direct");

    for (int i = IRR_PACING_AUTO + 1; i < (int)IRR_PACING_COUNT; i++) {
        const irr_pacing_t *pacing = irr_pacing_of((irr_pacing_kind_t)i);
        irr_status_t status = IRR_ERR_NO_MEMORY;
        size_t nth = 0;

        while (status != IRR_OK && nth < 10) {
            irr_plan_t plan;

            irr_plan_init(&plan);
            irr_test_must(irr_plan_one(algorithm, &job->problems[0], &plan));
            irr_memory_fail(++nth, NULL);
            status = irr_pacing_add(pacing, &params, &plan);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
            irr_memory_fail(0, NULL);
            irr_test_must(irr_plan_one(algorithm, &job->problems[0], &plan));
            irr_test_must(irr_pacing_add(pacing, &params, &plan));
            irr_test_must(irr_plan_one(algorithm, &job->problems[0], &plan));   /* the plan has room from here on */
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

/* ---- signals ---- */

/* Rank 0 receives 100 bytes from rank 1 in step 1, and 100 bytes from rank 2 in step 2, each message in 4 pieces. */
IRR_TEST(test_lead, "the step at which the lead places a signal")
{
    static const struct {
        uint64_t lead;
        size_t   received;
    } rows[] = { { 0, 4 }, { 24, 4 }, { 25, 3 }, { 49, 3 }, { 50, 2 }, { 99, 1 }, { 100, 0 }, { UINT64_MAX, 0 } };
    irr_transmission_t list[] = { { 1, 1, 0, 0, 100, 0 }, { 2, 2, 0, 0, 100, 0 } };
    irr_schedule_t schedule = { .ranks = 3, .steps = 2, .list = list, .count = 2, .max = 2 }, own;
    irr_syncs_t syncs = { 0 };
    irr_tree_t star;

    irr_test_must(irr_tree_init_star(&star, 3));
    irr_test_must(irr_syncs_find(&star, &schedule, NULL, &syncs));
    CU_ASSERT_EQUAL_FATAL(syncs.count, 1);
    irr_test_must(irr_schedule_own(&schedule, 0, 30, &own));
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_signals_t mine = { 0 };

        irr_test_must(irr_signals_build(&schedule, &syncs, 0, &own, rows[i].lead, &mine));
        CU_ASSERT_EQUAL_FATAL(mine.nsignals, 1);
        CU_ASSERT_EQUAL(mine.signals[0].peer, 2);
        CU_ASSERT_EQUAL(mine.signals[0].received, rows[i].received);
        CU_ASSERT_EQUAL(mine.nwaits, 0);
        irr_signals_fini(&mine);
    }
    irr_schedule_fini(&own);
    irr_syncs_fini(&syncs);
    irr_tree_fini(&star);
}

/* Builds the signals of rank 0; `mine` is unchanged if there is no memory. */
static irr_status_t build_signals(void *context)
{
    irr_transmission_t list[] = { { 1, 1, 0, 0, 100, 0 }, { 2, 0, 1, 0, 10, 0 }, { 2, 2, 0, 0, 100, 0 } };
    irr_schedule_t schedule = { .ranks = 3, .steps = 2, .list = list, .count = 3, .max = 3 }, own = { 0 };
    irr_signals_t mine = { 0 };
    irr_syncs_t syncs = { 0 };
    irr_status_t status = irr_syncs_find(context, &schedule, NULL, &syncs);

    status = status == IRR_OK ? irr_schedule_own(&schedule, 0, 30, &own) : status;
    status = status == IRR_OK ? irr_signals_build(&schedule, &syncs, 0, &own, 0, &mine) : status;
    CU_ASSERT_EQUAL(mine.signals == NULL, status != IRR_OK);
    irr_signals_fini(&mine);
    irr_schedule_fini(&own);
    irr_syncs_fini(&syncs);
    return status;
}

IRR_TEST(test_memory, "a failed allocation of signals")
{
    irr_tree_t star;

    irr_test_must(irr_tree_init_star(&star, 3));
    CU_ASSERT(irr_memory_fail_each(build_signals, &star) > 4);
    irr_tree_fini(&star);
}

/* ---- overlaps ---- */

/* Returns true if step i depends on step j, directly or not. */
static bool waits_for(const irr_plan_t *plan, size_t i, size_t j)
{
    const irr_step_t *step = &plan->steps[i];
    bool waits = false;

    for (size_t d = 0; d < step->deps && !waits; d++) {
        size_t dep = plan->deps[step->first_dep + d];

        waits = dep == j || (dep > j && waits_for(plan, dep, j));
    }
    return waits;
}

/* Returns the number of sends with bytes that do not wait for all steps of a kind in the previous stage. */
static size_t count_early(const irr_plan_t *plan, irr_step_kind_t kind)
{
    size_t early = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];
        bool waits = true;

        for (size_t j = 0; j < i && step->kind == IRR_STEP_SEND && step->bytes > 0; j++) {
            const irr_step_t *before = &plan->steps[j];

            if (before->kind == kind && before->stage == step->stage - 1 && before->bytes > 0) {
                waits = waits && waits_for(plan, i, j);
            }
        }
        early += !waits;
    }
    return early;
}

/* Returns the number of empty sends. Only the sends of a barrier are empty. */
static size_t count_empty(const irr_plan_t *plan)
{
    size_t empty = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        empty += plan->steps[i].kind == IRR_STEP_SEND && plan->steps[i].bytes == 0;
    }
    return empty;
}

/*
 * grid on 12 ranks with two messages per rank, so that a message of stage 2 does not contain data of all messages of
 * stage 1. A barrier has four rounds.
 */
IRR_TEST(test_waits, "sends wait according to the overlap setting")
{
    size_t early[IRR_OVERLAP_COUNT][2] = { { 0 } };
    irr_matrix_t matrix = matrix_scene_zero(12);

    for (int r = 0; r < 12; r++) {
        *irr_matrix_at(&matrix, r, (r + 5) % 12) = 48;
        *irr_matrix_at(&matrix, r, (r + 10) % 12) = 20;
    }
    for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
        const irr_settings_t settings = {
            .algorithm = irr_algorithm_find("grid"), .overlap = (irr_overlap_t)overlap
        };
        irr_plans_t plans;

        CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(&settings, &matrix, &plans), IRR_OK);
        for (int r = 0; r < plans.ranks; r++) {
            early[overlap][0] += count_early(&plans.plans[r], IRR_STEP_RECV);
            early[overlap][1] += count_early(&plans.plans[r], IRR_STEP_SEND);
            CU_ASSERT_EQUAL(count_empty(&plans.plans[r]), overlap == IRR_OVERLAP_BLOCKING ? 2 * 4 : 0);
        }
        irr_plans_fini(&plans);
    }
    CU_ASSERT(early[IRR_OVERLAP_PIPELINED][0] > 0 && early[IRR_OVERLAP_PIPELINED][1] > 0);
    CU_ASSERT(early[IRR_OVERLAP_DUAL][0] == 0 && early[IRR_OVERLAP_DUAL][1] > 0);
    CU_ASSERT(early[IRR_OVERLAP_SINGLE][0] == 0 && early[IRR_OVERLAP_SINGLE][1] == 0);
    CU_ASSERT(early[IRR_OVERLAP_BLOCKING][0] == 0 && early[IRR_OVERLAP_BLOCKING][1] == 0);
    irr_matrix_fini(&matrix);
}

IRR_TEST_MAIN("waits", 60)
