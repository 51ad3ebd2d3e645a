/*
 * test_check_batches.c - plans that are proved correct in several batches of steps, instead of all steps at once
 * (study/check.h).
 *
 * The proof in batches must accept the plans of several algorithms, and must pass the same messages to its caller as
 * the built plans have. If a step or piece of a plan is changed at random, the proof in batches must not accept a plan
 * that the proof in one batch refuses.
 */
#include "matrix_scene.h"
#include "plan_all.h"

#include "core/hash.h"
#include "study/check.h"

enum { UNIT = 90, STAGES_MAX = 16 };

static const char *const rows[] = { "grid", "balanced-grid", "hybrid", "bruck", "node", "direct", "optimal" };

static irr_settings_t settings_of(const char *row, uint64_t *random)
{
    return (irr_settings_t){ .algorithm = irr_algorithm_find(row), .slice_min = irr_test_below(random, 40),
                             .direct_bytes = irr_test_below(random, 3) * UNIT };
}

/* ---- the plans of the algorithms in rows ---- */

typedef struct sum {
    uint64_t hashes;   /* sum of the hashes of all messages, which is independent of their order */
    bool     proved;
} sum_t;

static sum_t sum;

static bool add_message(void *context, const irr_plans_message_t *message)
{
    const uint64_t words[] = { (uint64_t)message->stage, (uint64_t)message->step, (uint64_t)message->from,
                               (uint64_t)message->to, message->index, message->bytes };
    sum_t *to = context;
    uint64_t hash = irr_hash_words(0, words, IRR_TEST_COUNT(words));

    for (size_t i = 0; i < message->nslices; i++) {
        const irr_slice_t *slice = &message->slices[i];
        const uint64_t parts[] = { (uint64_t)slice->source, (uint64_t)slice->destination, slice->offset,
                                   slice->length };

        hash = irr_hash_words(hash, parts, IRR_TEST_COUNT(parts));
    }
    to->hashes += hash;
    return true;
}

static irr_status_t prove(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    sum = (sum_t){ .hashes = 0 };
    return irr_plans_prove(strategy, known, plans, add_message, &sum, &sum.proved);
}

static void compare_plans(const irr_settings_t *settings, const irr_matrix_t *matrix)
{
    sum_t expected = { .hashes = 0 };
    irr_plans_t built, proved;

    irr_test_must(irr_plan_all_with(settings, matrix, &built));
    irr_test_must(irr_plans_each_message(&built, add_message, &expected));
    irr_test_must(irr_plan_all_by(prove, settings, matrix, &proved));
    CU_ASSERT(sum.proved);
    CU_ASSERT_EQUAL(sum.hashes, expected.hashes);
    for (int r = 0; r < matrix->ranks; r++) {
        const irr_plan_t *a = &built.plans[r], *b = &proved.plans[r];

        CU_ASSERT(a->nsteps == b->nsteps && a->npieces == b->npieces && a->ndeps == b->ndeps);
        CU_ASSERT(a->scratch_bytes == b->scratch_bytes && a->stages == b->stages && b->pieces == NULL);
    }
    irr_plans_fini(&proved);
    irr_plans_fini(&built);
}

IRR_TEST(test_rows, "the proof in batches accepts the plans of seven algorithms, and reports their messages")
{
    static const int ranks[] = { 1, 2, 5, 12, 16, 31, 45 };
    uint64_t random = irr_test_seed();

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        for (size_t k = 0; k < IRR_TEST_COUNT(ranks); k++) {
            const irr_settings_t settings = settings_of(rows[i], &random);
            irr_matrix_t matrix = matrix_scene_pattern("random", ranks[k], UNIT, random);

            compare_plans(&settings, &matrix);
            irr_matrix_fini(&matrix);
        }
    }
}

/* ---- plans that were changed at random ---- */

/* Adds the next steps of a plan to the batch of its rank: the steps of all stages up to `stage`. */
static void add_batch(irr_check_t *check, irr_plan_t *part, const irr_plan_t *plan, int stage)
{
    const bool last = stage == STAGES_MAX;

    while (part->nsteps < plan->nsteps && (last || plan->steps[part->nsteps].stage <= stage)) {
        part->nsteps++;
    }
    check->rank[plan->rank].fresh = true;
    check->rank[plan->rank].last = last;
}

/* Proves plans correct in several batches; each batch has the steps of one stage. */
static irr_status_t prove_in_batches(const irr_plans_t *plans)
{
    irr_plan_t *parts = malloc((size_t)plans->ranks * sizeof(*parts));
    irr_check_t check = { .plans = parts, .problems = plans->problems, .ranks = plans->ranks };
    irr_status_t status;

    CU_ASSERT_PTR_NOT_NULL_FATAL(parts);
    for (int r = 0; r < plans->ranks; r++) {
        parts[r] = plans->plans[r];
        parts[r].nsteps = 0;
    }
    status = irr_check_open(&check);
    for (int stage = 1; stage <= STAGES_MAX && status == IRR_OK; stage++) {
        for (int r = 0; r < plans->ranks; r++) {
            add_batch(&check, &parts[r], &plans->plans[r], stage);
        }
        status = irr_check_batch(&check);
        status = status == IRR_OK ? irr_check_carry(&check) : status;
    }
    irr_check_fini(&check);
    free(parts);
    return status;
}

static void change_step(irr_plan_t *plan, uint64_t *random)
{
    irr_step_t *changed = &plan->steps[irr_test_below(random, plan->nsteps)];
    const int delta = irr_test_below(random, 2) == 0 ? 1 : -1;

    switch (irr_test_below(random, 4)) {
    case 0: changed->deps -= changed->deps > 0; break;
    case 1: changed->first_dep += changed->first_dep + changed->deps < plan->ndeps; break;
    case 2: changed->stage += delta; break;
    case 3: changed->peer += delta; break;
    }
}

/* Changes one step or one piece of a plan. */
static void change(irr_plan_t *plan, uint64_t *random)
{
    irr_piece_t *piece = plan->npieces > 0 ? &plan->pieces[irr_test_below(random, plan->npieces)] : NULL;
    const irr_piece_t *other = plan->npieces > 0 ? &plan->pieces[irr_test_below(random, plan->npieces)] : NULL;

    if (piece == NULL || irr_test_below(random, 2) == 0) {
        change_step(plan, random);
    } else if (irr_test_below(random, 2) == 0) {
        piece->offset += irr_test_below(random, 2) == 0 ? 1 : -1;
    } else {
        piece->offset = other->offset;
        piece->buffer = irr_test_below(random, 2) == 0 ? other->buffer : piece->buffer;
    }
}

IRR_TEST(test_changes, "the proof in batches accepts no changed plan that the proof in one batch refuses")
{
    enum { ROUNDS = 3000 };
    uint64_t random = irr_test_seed();
    int accepted = 0, refused = 0;

    for (int round = 0; round < ROUNDS; round++) {
        const irr_settings_t settings = settings_of(rows[irr_test_below(&random, 5)], &random);
        irr_matrix_t matrix = matrix_scene_pattern("random", 2 + (int)irr_test_below(&random, 9), UNIT, random);
        irr_plans_t plans;
        irr_status_t at_once, in_batches;

        irr_test_must(irr_plan_all_with(&settings, &matrix, &plans));
        if (irr_test_below(&random, 4) > 0) {
            irr_plan_t *plan = &plans.plans[irr_test_below(&random, (uint64_t)plans.ranks)];

            if (plan->nsteps > 0) {
                change(plan, &random);
            }
        }
        at_once = irr_plan_check(plans.plans, plans.problems, plans.ranks, NULL, 0);
        in_batches = prove_in_batches(&plans);
        CU_ASSERT(in_batches == IRR_OK || in_batches == IRR_ERR_INVALID_PLAN);
        CU_ASSERT(in_batches != IRR_OK || at_once == IRR_OK);
        accepted += in_batches == IRR_OK;
        refused += at_once != IRR_OK;
        irr_plans_fini(&plans);
        irr_matrix_fini(&matrix);
    }
    printf("# %d plans: the proof in one batch refuses %d; the proof in several batches accepts %d\n", ROUNDS, refused,
           accepted);
    CU_ASSERT(accepted > ROUNDS / 8 && refused > ROUNDS / 4);
}

static irr_status_t prove_and_free(void *context)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find("balanced-grid"), .slice_min = 1 };
    irr_plans_t plans;
    irr_status_t status = irr_plan_all_by(prove, &settings, context, &plans);

    if (status == IRR_OK) {
        irr_plans_fini(&plans);
    }
    return status;
}

IRR_TEST(test_no_memory, "each failed allocation is an error and leaks no memory")
{
    irr_matrix_t matrix = matrix_scene_pattern("random", 6, UNIT, 1);

    CU_ASSERT(irr_memory_fail_each(prove_and_free, &matrix) > 100);
    irr_matrix_fini(&matrix);
}

IRR_TEST_MAIN("check_batches", 240)
