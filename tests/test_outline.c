/*
 * test_outline.c - the outline of plans has the messages of the plans.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "plan_all.h"

#include "core/hash.h"
#include "study/plans.h"

#include <string.h>

#define RANKS_MAX 40

/* What draw shows of a message, one after the other, as one number. */
static bool hash_message(void *context, const irr_plans_message_t *message)
{
    const size_t parts[] = { (size_t)message->stage, (size_t)message->step, (size_t)message->from, (size_t)message->to,
                             message->bytes };
    uint64_t *hash = context;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        *hash = irr_hash_word(*hash, parts[i]);
    }
    return true;
}

static int stages_of(const irr_plans_t *plans)
{
    int stages = 0;

    for (int r = 0; r < plans->ranks; r++) {
        stages = plans->plans[r].stages > stages ? plans->plans[r].stages : stages;
    }
    return stages;
}

static void compare(const irr_settings_t *settings, const irr_matrix_t *matrix)
{
    uint64_t whole = 1, outline = 1;
    irr_plans_t plans, outlined;

    CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(settings, matrix, &plans), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_plan_all_by(irr_plans_outline, settings, matrix, &outlined), IRR_OK);
    CU_ASSERT_EQUAL(irr_plans_each_send(&plans, hash_message, &whole), IRR_OK);
    CU_ASSERT_EQUAL(irr_plans_each_send(&outlined, hash_message, &outline), IRR_OK);
    CU_ASSERT_EQUAL(whole, outline);
    CU_ASSERT_EQUAL(stages_of(&plans), stages_of(&outlined));
    if (whole != outline) {
        printf("# %s, %d ranks\n", irr_algorithm_name(settings->algorithm), matrix->ranks);
    }
    irr_plans_fini(&outlined);
    irr_plans_fini(&plans);
}

/* About a third of the messages are empty. */
static irr_matrix_t random_matrix(int ranks, uint64_t *state)
{
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, ranks), IRR_OK);
    for (int i = 0; i < ranks * ranks; i++) {
        matrix.entries[i] = irr_test_below(state, 3) > 0 ? irr_test_below(state, 3000) : 0;
    }
    return matrix;
}

static void test_messages(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= RANKS_MAX; ranks += 1 + (int)irr_test_below(&state, 5)) {
        irr_matrix_t matrix = random_matrix(ranks, &state);

        for (int a = 0; irr_algorithm_name(a) != NULL; a++) {
            compare(&(irr_settings_t){ .algorithm = a, .slice_min = irr_test_below(&state, 300),
                                       .direct_bytes = irr_test_below(&state, 3000) }, &matrix);
        }
        irr_matrix_fini(&matrix);
    }
}

static irr_status_t outline(void *context)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find("a4") };
    irr_plans_t plans;
    irr_status_t status = irr_plan_all_by(irr_plans_outline, &settings, context, &plans);

    if (status == IRR_OK) {
        irr_plans_fini(&plans);
    }
    return status;
}

static void test_memory(void)
{
    uint64_t state = irr_test_seed();
    irr_matrix_t matrix = random_matrix(6, &state);

    CU_ASSERT(irr_memory_fail_each(outline, &matrix) > 20);
    irr_matrix_fini(&matrix);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "the messages of the plans, for all algorithms", test_messages },
        { "memory runs out anywhere", test_memory },
        { NULL, NULL }
    };

    return irr_test_main("outline", cases, 60);
}
