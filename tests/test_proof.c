/*
 * test_proof.c - plans of every row of the table. The checker accepts the plans. The plans keep the bounds of the JPDC
 * paper (lemmas 1 and 3, theorem 1, no contention). Lists and outlines of messages have the messages of the plans.
 *
 * The tests run every pattern for 1 to 64 ranks. With IRR_CHECK_ALL=1 each pattern runs with all rows. Otherwise
 * patterns with more than 9 ranks run with some of the rows, which differ from run to run. For up to 300 ranks only
 * samples run, because all cases would take minutes.
 */
#include "matrix_scene.h"
#include "plan_all.h"

#include "core/hash.h"
#include "route/grid.h"
#include "study/bounds.h"
#include "study/figures.h"

/*
 * Rows that do not forward, and outlines, are tested for at most RANKS_SOME ranks, because more ranks add no new case.
 */
enum { RANKS_FEW = 9, RANKS_SOME = 26, RANKS_DENSE = 64, RANKS_MAX = 300, A3_STEP = 20, A4_STEP = 80, UNIT = 90 };

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

/* ---- the proof ---- */

/* Hashes of the messages in a drawing, and of the numbers of the messages between two ranks in a stage. */
typedef struct seen {
    uint64_t messages, indices;
} seen_t;

typedef struct received {
    irr_bounds_t bounds;
    seen_t       seen;
} received_t;

static bool hear_send(void *context, const irr_plans_message_t *message)
{
    const uint64_t words[] = { (uint64_t)message->stage, (uint64_t)message->step, (uint64_t)message->from,
                               (uint64_t)message->to, message->bytes };
    seen_t *seen = context;

    seen->messages = irr_hash_words(seen->messages, words, IRR_TEST_COUNT(words));
    seen->indices = irr_hash_word(seen->indices, message->index);
    return true;
}

static bool hear_message(void *context, const irr_plans_message_t *message)
{
    received_t *received = context;

    irr_bounds_message(&received->bounds, message);
    return hear_send(&received->seen, message);
}

static int stages_of(const irr_plans_t *plans)
{
    int stages = 0;

    for (int r = 0; r < plans->ranks; r++) {
        stages = plans->plans[r].stages > stages ? plans->plans[r].stages : stages;
    }
    return stages;
}

/*
 * Returns true if the messages of the plans and of their outline are the same, apart from the slices that they carry.
 */
static bool is_outlined(const irr_settings_t *settings, const irr_matrix_t *matrix, const irr_plans_t *plans,
                        const seen_t *seen)
{
    seen_t sends = { 0 }, outlined = { 0 };
    irr_plans_t outline;
    bool same;

    irr_test_must(irr_plan_all_by(irr_plans_outline, settings, matrix, &outline));
    irr_test_must(irr_plans_each_send(plans, hear_send, &sends));
    irr_test_must(irr_plans_each_send(&outline, hear_send, &outlined));
    same = sends.messages == seen->messages && sends.indices == seen->indices && outlined.messages == seen->messages &&
           stages_of(plans) == stages_of(&outline);
    irr_plans_fini(&outline);
    return same;
}

static void prove(const irr_settings_t *settings, const irr_matrix_t *matrix, const char *what)
{
    const irr_strategy_t strategy = irr_strategy_of(settings, 1);
    received_t received = { .seen = { 0 } };
    irr_bounds_t *bounds = &received.bounds;
    irr_figures_t figures = { 0 };
    irr_plans_t plans;
    char reason[256] = "";

    irr_bounds_init(bounds, &strategy, NULL, matrix->ranks, lmax_of(matrix));
    irr_test_must(irr_plan_all_with(settings, matrix, &plans));
    irr_plan_check(plans.plans, plans.problems, matrix->ranks, reason, sizeof(reason));
    irr_test_must(irr_plans_each_message(&plans, hear_message, &received));
    irr_test_must(irr_figures_count(&plans, &figures));
    for (int r = 0; r < matrix->ranks; r++) {
        irr_bounds_plan(bounds, &plans.plans[r]);
    }
    if (reason[0] != '\0' || bounds->lemma1 + bounds->lemma3 + bounds->theorem1 > 0 ||
        (bounds->contention_free && figures.contention > 0) ||
        (matrix->ranks <= RANKS_SOME && !is_outlined(settings, matrix, &plans, &received.seen))) {
        printf("# %s, %s, %d ranks, slice_min %zu: %s; lemma 1 %ju, 3 %ju, theorem 1 %ju, contention %zu\n",
               irr_algorithm_name(settings->algorithm), what, matrix->ranks, settings->slice_min, reason,
               (uintmax_t)bounds->lemma1, (uintmax_t)bounds->lemma3, (uintmax_t)bounds->theorem1, figures.contention);
        CU_FAIL("a rule or a promise is broken");
    }
    irr_plans_fini(&plans);
}

/* Proves the plans of a pattern, with a random shortest length of slices. */
static void prove_pattern(int algorithm, int pattern, int ranks, uint64_t *state)
{
    const size_t slices[] = { 0, IRR_SLICE_MIN_DEFAULT, 1 + irr_test_below(state, 97) };
    const irr_settings_t settings = { .algorithm = algorithm, .slice_min = slices[irr_test_below(state, 3)],
                                      .direct_bytes = irr_test_below(state, 3) * UNIT };
    irr_matrix_t matrix = matrix_scene_pattern(irr_pattern_name(pattern), ranks, UNIT, irr_test_seed());

    prove(&settings, &matrix, irr_pattern_name(pattern));
    irr_matrix_fini(&matrix);
}

static bool is_proved(int algorithm, int ranks, uint64_t *state)
{
    const bool forwards = irr_algorithm_strategy(algorithm)->route != &irr_route_direct;

    return ranks <= RANKS_FEW ||
           (irr_test_picks(state) && irr_test_picks(state) &&
            (ranks <= RANKS_SOME || (forwards && irr_test_picks(state))));
}

IRR_TEST_SEEDED(test_dense, "all algorithms, and patterns for each of 1 to 64 ranks")
{
    for (int ranks = 1; ranks <= RANKS_DENSE; ranks++) {
        for (int p = 0; irr_pattern_name(p) != NULL; p++) {
            for (int row = 0; irr_algorithm_name(row) != NULL; row++) {
                if (is_proved(row, ranks, state)) {
                    prove_pattern(row, p, ranks, state);
                }
            }
        }
    }
}

/*
 * Runs one number of ranks of some or all ranges, which differ from run to run, because a run takes up to a second, and
 * with balanced-grid several seconds.
 */
IRR_TEST_SEEDED(test_large, "samples of 65 to 300 ranks")
{
    int patterns = 0;

    while (irr_pattern_name(patterns) != NULL) {
        patterns++;
    }
    for (int from = RANKS_DENSE + 1; from + A3_STEP <= RANKS_MAX; from += A3_STEP) {
        if (from == RANKS_DENSE + 1 || irr_test_picks(state)) {
            prove_pattern(irr_algorithm_find("grid"), (int)irr_test_below(state, (uint64_t)patterns),
                          from + (int)irr_test_below(state, A3_STEP), state);
        }
    }
    for (int from = RANKS_DENSE + 1; from + A4_STEP <= RANKS_MAX; from += A4_STEP) {
        if (irr_test_picks(state)) {
            prove_pattern(irr_algorithm_find("balanced-grid"), (int)irr_test_below(state, (uint64_t)patterns),
                          from + (int)irr_test_below(state, A4_STEP), state);
        }
    }
}

/* One message is as long as all other messages together. The other messages have random lengths. */
IRR_TEST_SEEDED(test_one_large, "one message as long as all other messages together")
{
    for (int round = 0; round < irr_test_runs(40); round++) {
        const int ranks = 2 + (int)irr_test_below(state, 60);
        const irr_settings_t settings = {
            .algorithm = irr_algorithm_find("balanced-grid"), .slice_min = round % 2 * 100
        };
        irr_matrix_t matrix = matrix_scene_mixed(ranks, 200, state);
        uint64_t total = 0;

        for (int i = 0; i < ranks * ranks; i++) {
            total += matrix.entries[i];
        }
        matrix.entries[irr_test_below(state, (uint64_t)ranks * (uint64_t)ranks)] = total;
        prove(&settings, &matrix, "one large");
        irr_matrix_fini(&matrix);
    }
}

typedef struct made {
    irr_plan_all_fn_t *build;
    const char        *algorithm;
    irr_matrix_t       matrix;
} made_t;

/* Makes plans, and lists their messages. */
static irr_status_t make_and_list(void *context)
{
    const made_t *made = context;
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(made->algorithm) };
    seen_t sends = { 0 };
    irr_plans_t plans;
    irr_status_t status = irr_plan_all_by(made->build, &settings, &made->matrix, &plans);

    if (status == IRR_OK) {
        status = made->build == irr_plans_outline ? irr_plans_each_send(&plans, hear_send, &sends)
                                                  : irr_plans_each_message(&plans, hear_send, &sends);
        irr_plans_fini(&plans);
    }
    return status;
}

IRR_TEST_SEEDED(test_memory, "each failed allocation is an error and leaks no memory")
{
    made_t rows[] = { { .build = irr_plans_build, .algorithm = "balanced-grid" },
                      { .build = irr_plans_build, .algorithm = "optimal" },
                      { .build = irr_plans_outline, .algorithm = "balanced-grid" } };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        rows[i].matrix = matrix_scene_mixed(6, 3000, state);
        CU_ASSERT(irr_memory_fail_each(make_and_list, &rows[i]) > 20);
        irr_matrix_fini(&rows[i].matrix);
    }
}

/* ---- lengths ---- */

static irr_figures_t figures_of(const irr_matrix_t *matrix, size_t slice_min)
{
    irr_figures_t figures = { 0 };
    irr_plans_t plans;

    irr_test_must(irr_plan_all(irr_algorithm_find("balanced-grid"), slice_min, matrix, &plans));
    CU_ASSERT_EQUAL(irr_figures_count(&plans, &figures), IRR_OK);
    irr_plans_fini(&plans);
    return figures;
}

/*
 * Messages that are too short to be cut travel whole, each through another rank. No rank gets much more than its own
 * data. The bounds have an allowance only for rounding: if P divides all lengths that are cut, the bounds of the paper
 * hold without an allowance.
 */
IRR_TEST(test_lengths, "short messages are not cut, and bounds without rounding are those of the paper")
{
    static const int shorts[] = { 16, 61, 64, 250, 256 }, squares[] = { 4, 16, 36, 64 };

    for (size_t i = 0; i < IRR_TEST_COUNT(shorts); i++) {
        irr_matrix_t matrix = matrix_scene_pattern("uniform", shorts[i], 8, 1);

        CU_ASSERT(figures_of(&matrix, IRR_SLICE_MIN_DEFAULT).message_bytes_max <= 2 * 8 * (size_t)shorts[i]);
        irr_matrix_fini(&matrix);
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(squares); i++) {
        irr_matrix_t matrix = matrix_scene_pattern("uniform", squares[i], (uint64_t)squares[i], 1);
        const irr_figures_t figures = figures_of(&matrix, 0);

        CU_ASSERT(figures.message_bytes_max <= lmax_of(&matrix) / (uint64_t)irr_grid_square_columns(squares[i]));
        CU_ASSERT(figures.scratch_bytes_max <= 2 * lmax_of(&matrix));
        irr_matrix_fini(&matrix);
    }
}

static irr_bounds_t bounds_of(const char *algorithm, irr_dims_t dims, int ranks)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(algorithm), .dims = dims };
    const irr_strategy_t strategy = irr_strategy_of(&settings, 1);
    irr_bounds_t bounds;

    irr_bounds_init(&bounds, &strategy, NULL, ranks, 1600);
    return bounds;
}

IRR_TEST(test_missed, "the excess over each bound is detected and measured")
{
    const irr_dims_t automatic = { 0 }, own = { .count = 2, .size = { 5, 4 } };
    const irr_slice_t slice = { .source = 0, .destination = 3, .length = 501 };
    irr_plans_message_t message = {
        .stage = 1, .from = 0, .to = 1, .bytes = 501, .slices = &slice, .nslices = 1
    };
    irr_step_t steps[4];
    irr_plan_t plan = { .ranks = 16, .rank = 0, .stages = 1, .steps = steps, .nsteps = 4 };
    irr_bounds_t bounds;

    bounds = bounds_of("balanced-grid", automatic, 16);
    CU_ASSERT_TRUE(bounds.contention_free);
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

    bounds = bounds_of("natural", automatic, 16);
    irr_bounds_message(&bounds, &message);
    irr_bounds_plan(&bounds, &plan);
    CU_ASSERT_FALSE(bounds.contention_free);
    CU_ASSERT_EQUAL(bounds.lemma1 + bounds.lemma3 + bounds.theorem1, 0);

    bounds = bounds_of("balanced-grid", own, 19);
    CU_ASSERT_FALSE(bounds.contention_free || bounds.shape || bounds.balance);

    for (int i = 0; irr_plan_all_order(i) != NULL; i++) {
        bounds = bounds_of(irr_plan_all_order(i)->name, automatic, 19);
        CU_ASSERT(bounds.contention_free && !bounds.shape && !bounds.balance);
    }
}

IRR_TEST_MAIN("proof", 600)
