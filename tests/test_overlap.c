/*
 * test_overlap.c - the ways in which the stages of a grid overlap: plans of all of them keep the rules and move
 * every byte, and each waits for what it says.
 */
#include "irr_test.h"
#include "plan_all.h"
#include "plan_run.h"

#include <stdlib.h>
#include <string.h>

static const char *const grids[] = { "a2", "a3", "a4", "multistage", "node" };
static const int sizes[] = { 1, 2, 3, 5, 7, 12, 18, 19 };

enum { GRIDS = IRR_TEST_COUNT(grids), SIZES = IRR_TEST_COUNT(sizes), LENGTH_MAX = 40 };

/* About a third of the messages are empty. */
static irr_matrix_t random_matrix(int ranks, uint64_t *state)
{
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, ranks), IRR_OK);
    for (int i = 0; i < ranks * ranks; i++) {
        matrix.entries[i] = irr_test_below(state, 3) > 0 ? irr_test_below(state, LENGTH_MAX + 1) : 0;
    }
    return matrix;
}

static void build(int grid, irr_overlap_t overlap, const irr_matrix_t *matrix, irr_plans_t *plans)
{
    const irr_settings_t settings = {
        .algorithm = irr_algorithm_find(grids[grid]), .overlap = overlap,
        .slice_min = matrix->ranks % 2 == 0 ? 0 : 8
    };

    CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(&settings, matrix, plans), IRR_OK);
}

static void fail(const char *what, int grid, irr_overlap_t overlap, int ranks)
{
    printf("# %s, %s, %d ranks: %s\n", grids[grid], irr_overlap_name((int)overlap), ranks, what);
    CU_FAIL("a plan is wrong");
}

/* ---- rules and bytes ---- */

static unsigned char byte_of(int source, int destination, size_t i)
{
    return (unsigned char)(source * 89 + destination * 31 + (int)i * 7 + 1);
}

/* Input with the bytes of each block, or output with their opposites. */
static unsigned char *make_buffer(const irr_plans_t *plans, int rank, bool input)
{
    const irr_problem_t *problem = &plans->problems[rank];
    unsigned char *bytes = malloc((size_t)plans->ranks * LENGTH_MAX + 1);

    const irr_blocks_t blocks = input ? problem->send : problem->recv;

    for (size_t i = 0; i < blocks.count; i++) {
        const irr_block_t *block = &blocks.list[i];

        for (size_t k = 0; k < block->length; k++) {
            unsigned char byte = input ? byte_of(rank, block->rank, k) : (unsigned char)~byte_of(block->rank, rank, k);

            bytes[block->offset + (ptrdiff_t)k] = byte;
        }
    }
    return bytes;
}

static size_t count_wrong(const irr_plans_t *plans, int rank, const unsigned char *output)
{
    size_t wrong = 0;

    for (size_t i = 0; i < plans->problems[rank].recv.count; i++) {
        const irr_block_t *block = &plans->problems[rank].recv.list[i];

        for (size_t k = 0; k < block->length; k++) {
            wrong += output[block->offset + (ptrdiff_t)k] != byte_of(block->rank, rank, k);
        }
    }
    return wrong;
}

static bool delivers(const irr_plans_t *plans, uint64_t *state)
{
    unsigned char *input[32], *output[32];
    size_t wrong = 0;
    bool ends;

    for (int r = 0; r < plans->ranks; r++) {
        input[r] = make_buffer(plans, r, true);
        output[r] = make_buffer(plans, r, false);
    }
    ends = irr_plan_run(plans->plans, plans->ranks, input, output, state);
    for (int r = 0; r < plans->ranks; r++) {
        wrong += count_wrong(plans, r, output[r]);
        free(output[r]);
        free(input[r]);
    }
    return ends && wrong == 0;
}

static void test_run(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < GRIDS * SIZES * IRR_OVERLAP_COUNT; i++) {
        int grid = i % GRIDS, ranks = sizes[i / GRIDS % SIZES];
        irr_overlap_t overlap = (irr_overlap_t)(i / GRIDS / SIZES);
        irr_matrix_t matrix = random_matrix(ranks, &state);
        char reason[256] = "";
        irr_plans_t plans;

        build(grid, overlap, &matrix, &plans);
        if (irr_plan_check(plans.plans, plans.problems, ranks, reason, sizeof(reason)) != IRR_OK) {
            fail(reason, grid, overlap, ranks);
        } else if (!delivers(&plans, &state)) {
            fail("bytes do not arrive", grid, overlap, ranks);
        }
        irr_plans_fini(&plans);
        irr_matrix_fini(&matrix);
    }
}

/* ---- what waits for what ---- */

/* Does step i depend on step j, directly or not? */
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

/* How many sends with bytes do not wait for all steps of a kind in the stage before. */
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

/* A send for a barrier is empty, and nothing else is. */
static size_t count_empty(const irr_plan_t *plan)
{
    size_t empty = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        empty += plan->steps[i].kind == IRR_STEP_SEND && plan->steps[i].bytes == 0;
    }
    return empty;
}

/* a3 on 12 ranks, each with two messages, so that not all is made of all; a barrier has four rounds. */
static void test_waits(void)
{
    size_t early[IRR_OVERLAP_COUNT][2] = { { 0 } };
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, 12), IRR_OK);
    for (int r = 0; r < 12; r++) {
        *irr_matrix_at(&matrix, r, (r + 5) % 12) = 48;
        *irr_matrix_at(&matrix, r, (r + 10) % 12) = 20;
    }
    for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
        irr_plans_t plans;

        build(1, (irr_overlap_t)overlap, &matrix, &plans);
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
    { "plans keep the rules and deliver", test_run },
    { "sends wait as the overlap says",   test_waits })
