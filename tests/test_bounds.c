/*
 * test_bounds.c - what the JPDC paper promises of a3 and a4: lemmas 1 and 3, theorem 1, no contention; of the hybrid
 * what it promises of a3; and that the plans keep the rules.
 *
 * Patterns for each of 1 to 64 ranks, with IRR_CHECK_ALL=1 all of them, else from 19 ranks on a part; beyond, up to
 * 300, that would take minutes, so there are samples, others in each run.
 */
#include "irr_test.h"
#include "plan_all.h"

#include "route/grid.h"
#include "study/bounds.h"
#include "study/figures.h"
#include "study/matrices.h"

enum { RANKS_FEW = 18, RANKS_DENSE = 64, RANKS_MAX = 300, A3_STEP = 20, A4_STEP = 80, UNIT = 90 };

static uint64_t lmax_of(const irr_matrix_t *matrix)
{
    uint64_t lmax = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t out = 0, in = 0;

        for (int j = 0; j < matrix->ranks; j++) {
            out += *irr_matrix_at(matrix, i, j);
            in += *irr_matrix_at(matrix, j, i);
        }
        lmax = out > lmax ? out : lmax;
        lmax = in > lmax ? in : lmax;
    }
    return lmax;
}

static irr_settings_t settings_of(const char *algorithm, size_t slice_min)
{
    return (irr_settings_t){
        .algorithm = irr_algorithm_find(algorithm), .slice_min = slice_min, .direct_bytes = 2 * UNIT
    };
}

static bool meet_message(void *context, const irr_plans_message_t *message)
{
    irr_bounds_message(context, message);
    return true;
}

/* Builds, proves and measures; what does not hold fails and is named. */
static void hold(const irr_settings_t *settings, const irr_matrix_t *matrix, const char *what)
{
    const irr_way_t way = irr_way_of(settings, 1);
    irr_figures_t figures = { 0 };
    irr_bounds_t bounds;
    irr_plans_t plans;
    irr_status_t status;

    irr_bounds_init(&bounds, &way, NULL, matrix->ranks, lmax_of(matrix));
    CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(settings, matrix, &plans), IRR_OK);
    status = irr_plans_each_message(&plans, meet_message, &bounds);
    CU_ASSERT_EQUAL(irr_figures_count(&plans, &figures), IRR_OK);
    for (int r = 0; r < matrix->ranks; r++) {
        irr_bounds_plan(&bounds, &plans.plans[r]);
    }
    if (status != IRR_OK || bounds.lemma1 + bounds.lemma3 + bounds.theorem1 > 0 || figures.contention > 0) {
        printf("# %s, %s, %d ranks, slice_min %zu: %s; lemma 1 %ju, 3 %ju, theorem 1 %ju, contention %zu\n",
               irr_algorithm_name(settings->algorithm), what, matrix->ranks, settings->slice_min,
               irr_status_text(status), (uintmax_t)bounds.lemma1, (uintmax_t)bounds.lemma3,
               (uintmax_t)bounds.theorem1, figures.contention);
        CU_FAIL("a promise is broken");
    }
    irr_plans_fini(&plans);
}

static void hold_pattern(const char *algorithm, const char *pattern, int ranks, size_t slice_min, uint64_t seed)
{
    irr_settings_t settings = settings_of(algorithm, slice_min);
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern(pattern, ranks, UNIT, seed, &matrix), IRR_OK);
    hold(&settings, &matrix, pattern);
    irr_matrix_fini(&matrix);
}

static void test_dense(void)
{
    uint64_t seed = irr_test_seed(), state = seed;

    for (int ranks = 1; ranks <= RANKS_DENSE; ranks++) {
        /* The last ones cost most: there a pattern has every other number of ranks. */
        for (int p = 0; irr_pattern_name(p) != NULL; p++) {
            if (ranks > RANKS_DENSE - 16 && (p + ranks + (int)(seed % 2)) % 2 == 0) {
                continue;
            }
            if (ranks <= RANKS_FEW || irr_test_picks(&state)) {
                hold_pattern("a3", irr_pattern_name(p), ranks, 0, seed);
                hold_pattern("hybrid", irr_pattern_name(p), ranks, 0, seed);
                hold_pattern("a4", irr_pattern_name(p), ranks, 0, seed);
            }
        }
    }
}

/* Slices that are not cut below a length. */
static void test_slice_min(void)
{
    uint64_t seed = irr_test_seed(), state = seed;

    for (int ranks = 1; ranks <= RANKS_DENSE / 2; ranks++) {
        for (int p = 0; irr_pattern_name(p) != NULL; p++) {
            if (ranks <= RANKS_FEW || irr_test_picks(&state)) {
                hold_pattern("a4", irr_pattern_name(p), ranks, IRR_SLICE_MIN_DEFAULT, seed);
                hold_pattern("a4", irr_pattern_name(p), ranks, 1 + seed % 97, seed);
            }
        }
    }
}

/* One number of ranks of each range, a new one in each run: a4 costs seconds there, a3 does not. */
static void test_large(void)
{
    uint64_t seed = irr_test_seed(), state = seed;
    int patterns = 0;

    while (irr_pattern_name(patterns) != NULL) {
        patterns++;
    }
    for (int from = RANKS_DENSE + 1; from + A3_STEP <= RANKS_MAX; from += A3_STEP) {
        hold_pattern("a3", irr_pattern_name((int)irr_test_below(&state, (uint64_t)patterns)),
                     from + (int)irr_test_below(&state, A3_STEP), 0, seed);
    }
    for (int from = RANKS_DENSE + 1; from + A4_STEP <= RANKS_MAX; from += A4_STEP) {
        const int ranks = from + (int)irr_test_below(&state, A4_STEP);
        const char *pattern = irr_pattern_name((int)irr_test_below(&state, (uint64_t)patterns));

        if (irr_test_picks(&state)) {
            hold_pattern("a4", pattern, ranks, 0, seed);
        }
    }
    hold_pattern("a4", "next", RANKS_MAX, IRR_SLICE_MIN_DEFAULT, seed);
}

/* One message is as large as all the others together, and the others are of random lengths. */
static void test_one_large(void)
{
    uint64_t state = irr_test_seed();

    for (int round = 0; round < irr_test_runs(40); round++) {
        int ranks = 2 + (int)irr_test_below(&state, 60);
        irr_settings_t settings = settings_of("a4", round % 2 == 0 ? 0 : 100);
        uint64_t total = 0;
        irr_matrix_t matrix;

        CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, ranks), IRR_OK);
        for (int i = 0; i < ranks * ranks; i++) {
            matrix.entries[i] = irr_test_below(&state, 3) > 0 ? irr_test_below(&state, 200) : 0;
            total += matrix.entries[i];
        }
        *irr_matrix_at(&matrix, (int)irr_test_below(&state, (uint64_t)ranks),
                       (int)irr_test_below(&state, (uint64_t)ranks)) = total;
        hold(&settings, &matrix, "one large");
        irr_matrix_fini(&matrix);
    }
}

/* The allowance is for rounding alone: where P divides what is cut, the bounds hold as printed. */
static size_t longest_message(const irr_plans_t *plans)
{
    size_t longest = 0;

    for (int r = 0; r < plans->ranks; r++) {
        for (size_t i = 0; i < plans->plans[r].nsteps; i++) {
            const irr_step_t *step = &plans->plans[r].steps[i];

            longest = step->kind == IRR_STEP_SEND && step->bytes > longest ? step->bytes : longest;
        }
    }
    return longest;
}

/* Messages that are too short to be cut go whole, each elsewhere: no rank gets much more than its own. */
static void test_short(void)
{
    static const int ranks[] = { 16, 61, 64, 250, 256 };

    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        irr_matrix_t matrix;
        irr_plans_t plans;

        irr_test_must(irr_matrix_pattern("uniform", ranks[i], 8, 1, &matrix));
        irr_test_must(irr_plan_all(irr_algorithm_find("a4"), IRR_SLICE_MIN_DEFAULT, &matrix, &plans));
        CU_ASSERT(longest_message(&plans) <= 2 * 8 * (size_t)ranks[i]);
        irr_plans_fini(&plans);
        irr_matrix_fini(&matrix);
    }
}

static void test_exact(void)
{
    static const int squares[] = { 4, 16, 36, 64 };

    for (size_t i = 0; i < sizeof(squares) / sizeof(squares[0]); i++) {
        irr_settings_t settings = settings_of("a4", 0);
        irr_figures_t figures;
        irr_matrix_t matrix;
        irr_plans_t plans;
        uint64_t unit = (uint64_t)squares[i], printed;

        CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("uniform", squares[i], unit, 1, &matrix), IRR_OK);
        printed = lmax_of(&matrix) / (uint64_t)irr_grid_square_columns(squares[i]);
        CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(&settings, &matrix, &plans), IRR_OK);
        CU_ASSERT_EQUAL(irr_figures_count(&plans, &figures), IRR_OK);
        CU_ASSERT(figures.message_bytes_max <= printed);
        CU_ASSERT(figures.scratch_bytes_max <= 2 * lmax_of(&matrix));
        irr_plans_fini(&plans);
        irr_matrix_fini(&matrix);
    }
}

/* A bound that is missed is seen, and by how much. */
static void open_bounds(const irr_settings_t *settings, int ranks, irr_bounds_t *bounds)
{
    const irr_way_t way = irr_way_of(settings, 1);

    irr_bounds_init(bounds, &way, NULL, ranks, 1600);
}

static void test_missed(void)
{
    irr_settings_t settings = settings_of("a4", 0);
    const irr_slice_t slice = { .source = 0, .destination = 3, .length = 501 };
    irr_plans_message_t message = {
        .stage = 1, .from = 0, .to = 1, .bytes = 501, .slices = &slice, .nslices = 1
    };
    irr_step_t steps[4];
    irr_plan_t plan = { .ranks = 16, .rank = 0, .stages = 1, .steps = steps, .nsteps = 4 };
    irr_bounds_t bounds;

    open_bounds(&settings, 16, &bounds);
    CU_ASSERT_TRUE(bounds.calm);
    irr_bounds_message(&bounds, &message);
    CU_ASSERT_EQUAL(bounds.lemma3, 501 - (4 * 1600 / 16 + 1));
    for (int i = 0; i < 4; i++) {
        steps[i] = (irr_step_t){ .kind = IRR_STEP_RECV, .peer = 1 + i, .stage = 1, .number = 1, .bytes = 1 };
    }
    plan.scratch_bytes = 2 * 1600 + (4 + 4) * 16 + 4 * 4 * (4 + 4);
    irr_bounds_plan(&bounds, &plan);
    CU_ASSERT_EQUAL(bounds.lemma1, 1);
    CU_ASSERT_EQUAL(bounds.theorem1, 0);
    plan.scratch_bytes += 7;
    irr_bounds_plan(&bounds, &plan);
    CU_ASSERT_EQUAL(bounds.theorem1, 7);

    settings = settings_of("ac", 0);
    open_bounds(&settings, 16, &bounds);
    irr_bounds_message(&bounds, &message);
    irr_bounds_plan(&bounds, &plan);
    CU_ASSERT_FALSE(bounds.calm);
    CU_ASSERT_EQUAL(bounds.lemma1 + bounds.lemma3 + bounds.theorem1, 0);

    settings = settings_of("a4", 0);
    settings.dims = (irr_dims_t){ .count = 2, .size = { 5, 4 } };
    open_bounds(&settings, 19, &bounds);
    CU_ASSERT_FALSE(bounds.calm);
    CU_ASSERT_FALSE(bounds.shape || bounds.balance);

    for (int i = 0; irr_plan_all_order(i) != NULL; i++) {
        settings.algorithm = irr_algorithm_find(irr_plan_all_order(i)->name);
        open_bounds(&settings, 19, &bounds);
        CU_ASSERT_TRUE(bounds.calm);
        CU_ASSERT_FALSE(bounds.shape || bounds.balance);
    }
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "a3 and a4, patterns for each of 1 to 64 ranks",     test_dense },
        { "messages that are too short to be cut",             test_short },
        { "slices of a shortest length",                       test_slice_min },
        { "samples of 65 to 300 ranks",                        test_large },
        { "one message as large as all others together",       test_one_large },
        { "as printed where nothing is rounded",               test_exact },
        { "a miss is seen",                                    test_missed },
        { NULL, NULL }
    };

    return irr_test_main("bounds", cases, 300);
}
