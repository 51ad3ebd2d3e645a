/*
 * test_plan.c - plans that a rank builds alone: their steps, their storage and their text.  test_pacing.c and
 * test_proof.c check the plans of all strategies.
 */
#include "irr_job.h"
#include "irr_memory.h"
#include "irr_test.h"
#include "plan_all.h"

#include "plan/strategy.h"
#include "plan/plan.h"
#include "study/print.h"

#include <stdlib.h>
#include <string.h>

#define RANKS_ALL 32

/* Returns true if a rank can build the plan of a row alone. These rows are the first rows of the table. */
static bool is_direct(int algorithm)
{
    const irr_strategy_t *strategy = irr_algorithm_strategy(algorithm);

    return strategy != NULL && irr_strategy_is_local(strategy);
}

static void fini_plans(irr_plan_t *plans, int count)
{
    for (int r = 0; r < count; r++) {
        irr_plan_fini(&plans[r]);
    }
}

/* Builds the plans of all ranks for one job, without a reservation. */
static void build_plans(int algorithm, const irr_job_t *job, irr_plan_t *plans)
{
    for (int r = 0; r < job->ranks; r++) {
        irr_plan_init(&plans[r]);
        CU_ASSERT_EQUAL(irr_plan_one(algorithm, &job->problems[r], &plans[r]), IRR_OK);
    }
}

/* Returns two steps for each message that is not empty. */
static size_t expected_steps(const irr_job_t *job)
{
    size_t steps = 0;

    for (int from = 0; from < job->ranks; from++) {
        for (int to = 0; to < job->ranks; to++) {
            steps += from != to && irr_job_length(job, from, to) > 0 ? 2 : 0;
        }
    }
    return steps;
}

/* A rank cannot build a plan of a grid alone. */
static void test_refused(void)
{
    irr_job_t *job = irr_job_create(3, IRR_JOB_UNIFORM, 1);
    irr_plan_t plan;

    irr_plan_init(&plan);
    CU_ASSERT_EQUAL(irr_plan_one(irr_algorithm_find("balanced-grid"), &job->problems[0], &plan), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_plan_one(irr_algorithm_find("node"), &job->problems[0], &plan), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(plan.nsteps, 0);
    irr_plan_fini(&plan);
    irr_job_destroy(job);
}

/* ---- text ---- */

/* Returns the text of a plan, which the caller frees. */
static char *print_plan(const irr_plan_t *plan)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    CU_ASSERT_EQUAL(irr_plan_print(plan, stream), IRR_OK);
    fclose(stream);
    return text;
}

static void expect_text(const irr_plan_t *plan, const char *expected)
{
    char *text = print_plan(plan);

    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

static void test_text(void)
{
    static const irr_block_t send[] = { { 0, 100, 16 }, { 1, 0, 8 }, { 2, -40, 40 } };
    static const irr_block_t recv[] = { { 0, 0, 5 }, { 1, 5, 8 }, { 3, -123456, 123456 } };
    static const struct { const char *algorithm, *text; } rows[] = {
        { "direct", "plan rank 1 of 4, 1 stage, 5 steps, 0 scratch bytes\n"
                "stage 1 step 1    recv from 0              5 bytes  output[0,5)\n"
                "stage 1 step 2    recv from 3         123456 bytes  output[-123456,0)\n"
                "stage 1 step 1    send to   2             40 bytes  input[-40,0)\n"
                "stage 1 step 3    send to   0             16 bytes  input[100,116)\n"
                "stage 1 step 0    copy on   1              8 bytes  input[0,8) -> output[5,13)\n" },
        { "natural", "plan rank 1 of 4, 1 stage, 5 steps, 0 scratch bytes\n"
                "stage 1 step 1    recv from 0              5 bytes  output[0,5)\n"
                "stage 1 step 4    recv from 3         123456 bytes  output[-123456,0)\n"
                "stage 1 step 1    send to   0             16 bytes  input[100,116)\n"
                "stage 1 step 3    send to   2             40 bytes  input[-40,0)\n"
                "stage 1 step 0    copy on   1              8 bytes  input[0,8) -> output[5,13)\n" }
    };
    const irr_problem_t problem = { .ranks = 4, .rank = 1, .send = { send, 3 }, .recv = { recv, 3 } };
    irr_plan_t plan;

    irr_plan_init(&plan);
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_EQUAL(irr_plan_one(irr_algorithm_find(rows[i].algorithm), &problem, &plan), IRR_OK);
        expect_text(&plan, rows[i].text);
    }
    irr_plan_fini(&plan);
}

/* A send of three pieces in stage 2 that depends on two receives. */
static void add_forwarding(irr_plan_t *plan)
{
    static const irr_piece_t pieces[] = {
        { IRR_BUFFER_SCRATCH, false, 0, 4 }, { IRR_BUFFER_SCRATCH, false, 100, 28 }, { IRR_BUFFER_INPUT, false, -8, 8 }
    };
    static const size_t deps[] = { 0, 1 };
    const irr_step_params_t steps[] = {
        { .kind = IRR_STEP_RECV, .peer = 0, .stage = 1, .number = 1, .pieces = pieces, .npieces = 1 },
        { .kind = IRR_STEP_RECV, .peer = 2, .stage = 1, .number = 2, .pieces = pieces + 1, .npieces = 1 },
        { .kind = IRR_STEP_SEND, .peer = 2, .stage = 2, .number = 1, .pieces = pieces, .npieces = 3,
          .deps = deps, .ndeps = 2 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(steps); i++) {
        CU_ASSERT_EQUAL(irr_plan_add(plan, &steps[i]), IRR_OK);
    }
}

static void test_text_of_two_stages(void)
{
    static const irr_piece_t early[] = { { IRR_BUFFER_INPUT, false, 0, 4 }, { IRR_BUFFER_SCRATCH, false, 8, 4 } };
    const irr_step_params_t copy = { .kind = IRR_STEP_COPY, .peer = 1, .stage = 1, .pieces = early, .npieces = 2 };
    const irr_problem_t problem = { .ranks = 3, .rank = 1 };
    irr_plan_t plan;

    irr_plan_init(&plan);
    irr_plan_reset(&plan, &problem);
    add_forwarding(&plan);
    expect_text(&plan,
        "plan rank 1 of 3, 2 stages, 3 steps, 128 scratch bytes\n"
        "stage 1 step 1    recv from 0              4 bytes  scratch[0,4)\n"
        "stage 1 step 2    recv from 2             28 bytes  scratch[100,128)\n"
        "stage 2 step 1    send to   2             40 bytes  scratch[0,4) scratch[100,128) input[-8,0)  "
        "after 0 1\n");
    CU_ASSERT_EQUAL(irr_plan_add(&plan, &copy), IRR_OK);   /* a copy in stage 1, within the existing scratch */
    CU_ASSERT(plan.stages == 2 && plan.scratch_bytes == 128);
    irr_plan_reset(&plan, &problem);
    CU_ASSERT(plan.stages == 0 && plan.scratch_bytes == 0 && plan.nsteps == 0 && plan.steps_max >= 3);
    irr_plan_fini(&plan);
}

static void test_text_unwritable(void)
{
    const irr_problem_t problem = { .ranks = 1, .rank = 0 };
    FILE *full = fopen("/dev/full", "w");
    irr_plan_t plan;

    if (full == NULL) {
        irr_test_skip("this system has no /dev/full");
        return;
    }
    setvbuf(full, NULL, _IONBF, 0);
    irr_plan_init(&plan);
    irr_plan_reset(&plan, &problem);
    CU_ASSERT_EQUAL(irr_plan_print(&plan, full), IRR_ERR_IO);
    fclose(full);
    irr_plan_fini(&plan);
}

/* ---- the same problem, the same plan ---- */

/*
 * Plans of jobs of every kind have two steps for each message that is not empty, and no scratch. A plan does not change
 * if it is built over another plan, or from another job with the same content.
 */
static void test_same(void)
{
    const uint64_t seed = irr_test_seed();

    for (int i = 0; is_direct(i / IRR_JOB_KINDS); i++) {
        const int a = i / IRR_JOB_KINDS;
        const irr_job_kind_t kind = (irr_job_kind_t)(i % IRR_JOB_KINDS);
        irr_job_t *jobs[] = { irr_job_create(24, kind, seed), irr_job_create(24, kind, seed) };
        irr_plan_t once[24], again;
        size_t steps = 0;

        build_plans(a, jobs[0], once);
        CU_ASSERT_EQUAL(irr_plan_check(once, jobs[0]->problems, 24, NULL, 0), IRR_OK);
        for (int r = 0; r < 24; r++) {
            steps += once[r].nsends + once[r].nrecvs;
            CU_ASSERT_EQUAL(once[r].scratch_bytes, 0);
        }
        CU_ASSERT_EQUAL(steps, expected_steps(jobs[0]));
        irr_plan_init(&again);
        for (int r = 0; r < 48; r++) {
            char *text = print_plan(&once[r % 24]);

            CU_ASSERT_EQUAL(irr_plan_one(a, &jobs[r / 24]->problems[r % 24], &again), IRR_OK);
            CU_ASSERT(again.npieces == once[r % 24].npieces && again.ndeps == once[r % 24].ndeps);
            expect_text(&again, text);
            free(text);
        }
        irr_plan_fini(&again);
        fini_plans(once, 24);
        irr_job_destroy(jobs[0]);
        irr_job_destroy(jobs[1]);
    }
}

/* ---- memory ---- */

/* A uniform job has every message, so the plans of all ranks have the same size. */
static void test_rebuilt(void)
{
    for (int ranks = 1; ranks <= RANKS_ALL; ranks++) {
        for (int a = 0; is_direct(a); a++) {
            irr_job_t *job = irr_job_create(ranks, IRR_JOB_UNIFORM, 1);
            irr_plan_t plan;

            irr_memory_begin();
            irr_plan_init(&plan);
            CU_ASSERT_EQUAL(irr_plan_one(a, &job->problems[0], &plan), IRR_OK);
            irr_memory_fail(1, NULL);
            for (int r = 0; r < ranks; r++) {
                CU_ASSERT_EQUAL(irr_plan_one(a, &job->problems[r], &plan), IRR_OK);
                CU_ASSERT_EQUAL(plan.nsteps, 2 * (size_t)ranks - 1);
            }
            CU_ASSERT_FALSE(irr_memory_failed());
            irr_plan_fini(&plan);
            CU_ASSERT_EQUAL(irr_memory_end(), 0);
            irr_job_destroy(job);
        }
    }
}

/* Adds steps to a plan without a reservation. Each allocation fails once, and a failure does not change the plan. */
static void test_growth(void)
{
    enum { STEPS = 5000 };
    const irr_problem_t problem = { .ranks = 2, .rank = 0 };
    const irr_piece_t pieces[2] = { { IRR_BUFFER_INPUT, false, 7, 3 }, { IRR_BUFFER_SCRATCH, false, 10, 4 } };
    size_t wrong = 0, refused = 0;
    irr_plan_t plan;

    irr_memory_begin();
    irr_plan_init(&plan);
    irr_plan_reset(&plan, &problem);
    for (size_t i = 0; plan.nsteps < STEPS; i++) {
        const size_t before = plan.nsteps, dep = before / 2;
        irr_status_t status;

        irr_memory_fail(1 + i % 3, NULL);
        status = irr_plan_add(&plan, &(irr_step_params_t){
            .kind = IRR_STEP_SEND, .peer = 1, .stage = 1, .number = (int)before + 1, .pieces = pieces, .npieces = 2,
            .deps = &dep, .ndeps = 1 });
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        wrong += plan.nsteps != before + (status == IRR_OK) || plan.npieces != 2 * plan.nsteps ||
                 plan.ndeps != (plan.nsteps + 1) / 2;   /* two steps share a dependency */
        refused += status != IRR_OK;
    }
    for (size_t i = 0; i < STEPS; i++) {
        const irr_step_t *step = &plan.steps[i];

        wrong += step->number != (int)i + 1 || step->bytes != 7 || step->pieces != 2 || step->deps != 1;
        wrong += plan.deps[step->first_dep] != i / 2 || plan.pieces[step->first_piece + 1].offset != 10;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(refused >= 3);
    irr_plan_fini(&plan);
    CU_ASSERT_PTR_NULL(plan.steps);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

typedef struct reserved {
    const irr_problem_t *problem;
    irr_plan_room_t    bounds;
} reserved_t;

/* Reserves room for a plan. If the reservation fails, the plan can still be built. */
static irr_status_t reserve(void *context)
{
    const reserved_t *reserved = context;
    irr_status_t status;
    irr_plan_t plan;

    irr_plan_init(&plan);
    status = irr_plan_reserve(&plan, reserved->bounds);
    if (irr_memory_failed()) {
        CU_ASSERT_EQUAL(irr_plan_one(1, reserved->problem, &plan), IRR_OK);
        CU_ASSERT_EQUAL(plan.nsteps, 9);
    }
    irr_plan_fini(&plan);
    return status;
}

static void test_no_memory_to_reserve(void)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1);
    reserved_t reserved = { &job->problems[2], { .steps = 20, .pieces = 50, .deps = 10 } };

    CU_ASSERT_EQUAL(irr_memory_fail_each(reserve, &reserved), 3);   /* steps, pieces and dependencies once each */
    irr_job_destroy(job);
}

/* A reservation whose number of bytes overflows is refused. */
static void test_reserve_overflow(void)
{
    const irr_plan_room_t bounds = { .steps = SIZE_MAX / 8, .pieces = 1, .deps = 1 };
    irr_plan_t plan;

    irr_plan_init(&plan);
    CU_ASSERT_EQUAL(irr_plan_reserve(&plan, bounds), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(plan.steps_max, 0);
    irr_plan_fini(&plan);
}

IRR_TEST_MAIN("plan", 60,
    { "algorithms of several stages are refused", test_refused },
    { "the text of a plan", test_text },
    { "the text of a plan of two stages", test_text_of_two_stages },
    { "a stream that fails is an error", test_text_unwritable },
    { "the same problem gives the same plan", test_same },
    { "building a plan again does not allocate", test_rebuilt },
    { "a plan without a reserve grows, and stays whole if it cannot", test_growth },
    { "memory that runs out while reserving", test_no_memory_to_reserve },
    { "a reserve that overflows", test_reserve_overflow })
