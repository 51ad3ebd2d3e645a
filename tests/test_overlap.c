/*
 * test_overlap.c - the steps that a send waits for under each overlap of the stages of a grid.  test_plan_run.c checks
 * and runs the plans of all overlaps.
 */
#include "irr_test.h"
#include "matrix_scene.h"
#include "plan_all.h"

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
static void test_waits(void)
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

IRR_TEST_MAIN("overlap", 120,
    { "sends wait as the overlap says", test_waits })
