/*
 * test_plan_run.c - runs of wrong plans by the tool irr_plan check, and failed allocations. tests/irr_plan.sh runs the
 * plans of all algorithms.
 */
#include "matrix_scene.h"
#include "plan.h"
#include "plan_all.h"

static const irr_strategy_t unlimited;

/*
 * Builds plans for long messages between all pairs of ranks, or, if `sparse` is true, for short messages between some
 * pairs.
 */
static void build(const char *algorithm, irr_overlap_t overlap, int ranks, bool sparse, uint64_t *state,
                  irr_plans_t *plans)
{
    const irr_settings_t settings = {
        .algorithm = irr_algorithm_find(algorithm), .overlap = overlap, .slice_min = sparse && ranks % 2 != 0 ? 8 : 0
    };
    irr_matrix_t matrix = sparse ? matrix_scene_mixed(ranks, 41, state)
                                 : matrix_scene_pattern("random", ranks, 3000, irr_test_seed());

    CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(&settings, &matrix, plans), IRR_OK);
    irr_matrix_fini(&matrix);
}

/* The last send of rank 0 and the receive that waits for it do not match, so the receiver waits forever. */
IRR_TEST(test_never_ends, "a run whose steps wait forever is stopped with an error")
{
    char reason[256] = "";
    irr_plans_t plans;
    size_t last = 0;

    build("balanced-grid", IRR_OVERLAP_PIPELINED, 9, false, NULL, &plans);
    for (size_t i = 0; i < plans.plans[0].nsteps; i++) {
        last = plans.plans[0].steps[i].kind == IRR_STEP_SEND ? i : last;
    }
    plans.plans[0].steps[last].stage = 15;
    CU_ASSERT_EQUAL(irr_tool_run(&unlimited, &plans, reason, sizeof(reason)), IRR_ERR_TIMEOUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "do not come to an end"));
    irr_plans_fini(&plans);
}

/* Rank 1 receives each of two messages in the place of the other message. */
IRR_TEST(test_wrong_place, "bytes at a wrong offset are detected")
{
    char reason[256] = "";
    irr_matrix_t matrix;
    irr_plans_t plans;
    irr_plan_t *plan;
    ptrdiff_t first;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("uniform", 3, 100, 1, &matrix), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_plan_all(irr_algorithm_find("direct"), 0, &matrix, &plans), IRR_OK);
    plan = &plans.plans[1];
    first = plan->pieces[plan->steps[0].first_piece].offset;
    plan->pieces[plan->steps[0].first_piece].offset = plan->pieces[plan->steps[1].first_piece].offset;
    plan->pieces[plan->steps[1].first_piece].offset = first;
    CU_ASSERT_EQUAL(irr_tool_run(&unlimited, &plans, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_STRING_EQUAL(reason, "run: rank 1: byte 0 of the block from rank 0 is wrong");
    irr_plans_fini(&plans);
    irr_matrix_fini(&matrix);
}

static irr_status_t run(void *context)
{
    char reason[256] = "";

    return irr_tool_run(&unlimited, context, reason, sizeof(reason));
}

IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
{
    irr_plans_t plans;

    build("grid", IRR_OVERLAP_PIPELINED, 5, false, NULL, &plans);
    CU_ASSERT(irr_memory_fail_each(run, &plans) > 20);
    irr_plans_fini(&plans);
}

IRR_TEST_MAIN("plan run", 60)
