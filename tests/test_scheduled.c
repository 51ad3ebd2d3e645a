/*
 * test_scheduled.c - the table of the orders that compute schedules. The tests compare xor and redistribution with
 * results by hand, check that schedules are the same on every machine, and check failures.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "matrix_scene.h"
#include "plan_all.h"

#include "core/hash.h"
#include "order/redistribution.h"
#include "order/order.h"

#include <stdio.h>
#include <string.h>

static const irr_scheduled_params_t plain = { .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE } };

static void test_xor(void)
{
    irr_scheduled_params_t params = plain;
    irr_matrix_t matrix = matrix_scene_zero(8);
    irr_schedule_t schedule;

    *irr_matrix_at(&matrix, 6, 3) = 9;
    *irr_matrix_at(&matrix, 5, 5) = 7;
    schedule = irr_plan_all_schedule("xor", &matrix, &params);
    CU_ASSERT_EQUAL(schedule.steps, 7);   /* with empty steps */
    CU_ASSERT_EQUAL_FATAL(schedule.count, 1);
    CU_ASSERT_EQUAL(schedule.list[0].step, 6 ^ 3);
    irr_schedule_fini(&schedule);
    params.shift = true;
    schedule = irr_plan_all_schedule("xor", &matrix, &params);
    CU_ASSERT_EQUAL(schedule.list[0].step, (3 - 6 + 8) % 8);
    irr_schedule_fini(&schedule);
    irr_matrix_fini(&matrix);
}

/* Hashes a schedule.  The schedules of a matrix are the same on every machine. */
static uint64_t hash(const irr_schedule_t *schedule)
{
    uint64_t sum = IRR_HASH_BASIS;

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        const uint64_t words[] = { (uint64_t)t->step, (uint64_t)t->from, (uint64_t)t->to, t->offset, t->length };

        sum = irr_hash_words(sum, words, 5);
    }
    return sum;
}

static void test_everywhere(void)
{
    static const struct { const char *name; uint64_t sum; } golden[] = {
        { "xor", UINT64_C(0xbe96b2a7c5aa01dd) },
        { "random", UINT64_C(0x920975b55e8b5d3e) },
        { "random-sorted", UINT64_C(0x91af4917b12dc75d) },
        { "random-heap", UINT64_C(0xf8f8dfebdbc6093) },
        { "optimal", UINT64_C(0xb1be1fc992e7affa) },
        { "redistribution", UINT64_C(0xad9edb602a377465) },
        { "tree", UINT64_C(0x97d33a39bce094a7) },
    };
    irr_scheduled_params_t params = { .seed = 5, .lambda = IRR_LAMBDA_DEFAULT, .latency = 4000,
                                      .redistribution = { .x = 5, .p = 24, .y = 7, .q = 24 } }, other = params;
    irr_matrix_t matrix = matrix_scene_pattern("random", 24, 1000, 7);

    other.seed = 6;
    for (int i = 0; irr_plan_all_order(i) != NULL; i++) {
        irr_schedule_t schedule = irr_plan_all_schedule(golden[i].name, &matrix, &params);
        irr_schedule_t another = irr_plan_all_schedule(golden[i].name, &matrix, &other);

        if (hash(&schedule) != golden[i].sum) {
            printf("# %s: 0x%llx\n", golden[i].name, (unsigned long long)hash(&schedule));
            CU_FAIL("another schedule");
        }
        CU_ASSERT_TRUE(irr_plan_all_order(i)->contention_free);
        CU_ASSERT_STRING_EQUAL(irr_plan_all_order(i)->name, golden[i].name);
        CU_ASSERT((hash(&schedule) == hash(&another)) == (strncmp(golden[i].name, "random", 6) != 0));
        irr_schedule_fini(&another);
        irr_schedule_fini(&schedule);
    }
    irr_matrix_fini(&matrix);
}

/* ---- redistribution ---- */

static irr_status_t try_redistribution(const irr_redistribution_t *structure, const irr_matrix_t *matrix)
{
    const irr_scheduled_params_t params = { .redistribution = *structure };
    irr_schedule_t schedule = { .ranks = -7 };
    irr_status_t status = irr_order_schedule(&irr_order_redistribution, matrix, &params, &schedule);

    if (status == IRR_OK) {
        CU_ASSERT_EQUAL(irr_schedule_check(&schedule, matrix, NULL, 0), IRR_OK);
        irr_schedule_fini(&schedule);
    } else {
        CU_ASSERT_EQUAL(schedule.ranks, -7);
    }
    return status;
}

/*
 * The redistribution determines the messages and their steps, and the matrix their lengths. Example 2 of the paper has
 * no message from 0 to 1. Ranks that are not in the redistribution have no messages. A communicator must have at least
 * the ranks of the redistribution.
 */
static void test_redistribution(void)
{
    enum { EXAMPLE = -1 };
    static const struct {
        int                   ranks;      /* EXAMPLE: the matrix of the example, changed as follows */
        irr_redistribution_t structure;
        struct { int from, to; uint64_t bytes; } entries[4];
        irr_status_t         status;
    } rows[] = {
        { EXAMPLE, { .x = 2, .p = 6, .y = 3, .q = 6 }, { { 0, 0, 0 } }, IRR_OK },
        { EXAMPLE, { .x = 2, .p = 6, .y = 3, .q = 6 }, { { 0, 2, 0 }, { 1, 2, 1000000 }, { 3, 3, 9 } }, IRR_OK },
        { EXAMPLE, { .x = 2, .p = 6, .y = 3, .q = 6 }, { { 0, 1, 1 } }, IRR_ERR_NOT_SUPPORTED },
        { 6, { .x = 4, .p = 5, .y = 3, .q = 7 }, { { 0, 0, 0 } }, IRR_ERR_NOT_SUPPORTED },
        { 8, { .x = 4, .p = 5, .y = 3, .q = 7 }, { { 1, 6, 5 } }, IRR_OK },
        { 8, { .x = 4, .p = 5, .y = 3, .q = 7 }, { { 1, 6, 5 }, { 1, 7, 5 } }, IRR_ERR_NOT_SUPPORTED },
        { 2, { .p = 0 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM },
        { 2, { .x = 1, .p = -1, .y = 1, .q = 1 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM },
        { 2, { .x = 0, .p = 1, .y = 1, .q = 1 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM },
        { 2, { .x = 1, .p = 1, .y = 0, .q = 1 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM },
        { 2, { .x = 1, .p = 1, .y = 1, .q = 0 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM },
        { 2, { .x = INT64_MAX, .p = 2, .y = 1, .q = 1 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM },
        { 2, { .x = 1, .p = 1, .y = UINT64_MAX, .q = 1 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM }
    };
    const irr_redistribution_t example = { .x = 2, .p = 6, .y = 3, .q = 6, .elements = 36, .unit = 1 };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_matrix_t matrix;

        if (rows[i].ranks == EXAMPLE) {
            irr_test_must(irr_redistribution_matrix(&example, &matrix));
        } else {
            matrix = matrix_scene_zero(rows[i].ranks);
        }
        for (int e = 0; e < 4 && rows[i].entries[e].to > 0; e++) {
            *irr_matrix_at(&matrix, rows[i].entries[e].from, rows[i].entries[e].to) = rows[i].entries[e].bytes;
        }
        CU_ASSERT_EQUAL(try_redistribution(&rows[i].structure, &matrix), rows[i].status);
        irr_matrix_fini(&matrix);
    }
}

/* Every redistribution has a schedule, which is the schedule of its large steps. */
static void test_redistributions(void)
{
    const irr_order_t *row = &irr_order_redistribution;
    uint64_t state = irr_test_seed();

    for (int n = 0; n < 1000; n++) {
        irr_scheduled_params_t params = { .redistribution = {
            .x = 1 + irr_test_below(&state, 40), .p = 1 + (int)irr_test_below(&state, 12),
            .y = 1 + irr_test_below(&state, 40), .q = 1 + (int)irr_test_below(&state, 12),
            .elements = irr_test_below(&state, 5000), .unit = 3 } };
        irr_schedule_t schedule;
        irr_matrix_t matrix;
        irr_large_t large;

        CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&params.redistribution, &matrix), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_order_schedule(row, &matrix, &params, &schedule), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_redistribution_order(&params.redistribution, &matrix, &large), IRR_OK);
        CU_ASSERT_EQUAL(schedule.ranks, matrix.ranks);
        CU_ASSERT_EQUAL(schedule.steps, large.schedule.steps);
        CU_ASSERT_EQUAL(hash(&schedule), hash(&large.schedule));
        irr_large_fini(&large);
        irr_schedule_fini(&schedule);
        irr_matrix_fini(&matrix);
    }
}

typedef struct input {
    irr_matrix_t       matrix;
    const irr_order_t *order;
} input_t;

static irr_status_t make_schedule(void *context)
{
    const input_t *input = context;
    const irr_scheduled_params_t params = {
        .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE / 2 }, .max_steps = 9,
        .redistribution = { .x = 1, .p = 9, .y = 1, .q = 9 }
    };
    irr_schedule_t schedule;
    irr_status_t status = irr_order_schedule(input->order, &input->matrix, &params, &schedule);

    if (status == IRR_OK) {
        irr_schedule_fini(&schedule);
    }
    return status;
}

static void test_failures(void)
{
    for (int i = 0; irr_plan_all_order(i) != NULL; i++) {
        input_t input = { matrix_scene_pattern("random", 9, 1000, 7), irr_plan_all_order(i) };

        CU_ASSERT(irr_memory_fail_each(make_schedule, &input) > 0);
        *irr_matrix_at(&input.matrix, 0, 1) = INT64_MAX;
        CU_ASSERT_EQUAL(make_schedule(&input), IRR_ERR_BAD_PARAM);
        irr_matrix_fini(&input.matrix);
    }
}

IRR_TEST_MAIN("scheduled", 60,
    { "xor: the steps by hand", test_xor },
    { "a seed gives the same schedule everywhere", test_everywhere },
    { "redistribution: structures and matrices that match or not", test_redistribution },
    { "redistribution: every redistribution", test_redistributions },
    { "memory that runs out and too many bytes are errors", test_failures })
