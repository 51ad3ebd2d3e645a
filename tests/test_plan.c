/*
 * test_plan.c - plans that a rank builds alone: their text and their storage.  test_pacing.c and test_proof.c
 * check the plans of all strategies.
 */
#include "irr_job.h"
#include "plan_all.h"

#include "plan/strategy.h"
#include "plan/plan.h"
#include "study/print.h"

IRR_TEST(test_refused, "a single rank cannot build its plan of a grid")
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

IRR_TEST(test_text_of_two_stages, "the text of a plan of two stages")
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
    CU_ASSERT_EQUAL(irr_plan_add(&plan, &copy), IRR_OK);
    expect_text(&plan,
        "plan rank 1 of 3, 1 stage, 1 step, 12 scratch bytes\n"
        "stage 1 step 0    copy on   1              4 bytes  input[0,4) -> scratch[8,12)\n");
    irr_plan_fini(&plan);
}

IRR_TEST(test_text_unwritable, "an error of the output stream is returned")
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

/* ---- memory ---- */

IRR_TEST(test_reserve_overflow, "a reservation whose size in bytes overflows is refused")
{
    const irr_plan_room_t bounds = { .steps = SIZE_MAX / 8, .pieces = 1, .deps = 1 };
    irr_plan_t plan;

    irr_plan_init(&plan);
    CU_ASSERT_EQUAL(irr_plan_reserve(&plan, bounds), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(plan.steps_max, 0);
    irr_plan_fini(&plan);
}

IRR_TEST_MAIN("plan", 60)
