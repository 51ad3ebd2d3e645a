/*
 * test_scheduled.c - the table of the orders that compute schedules: lp by hand, the same everywhere, failures.
 */
#include "irr_memory.h"
#include "irr_test.h"

#include "order/scheduled.h"

#include <stdio.h>
#include <string.h>

static const irr_scheduled_params_t plain = { .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE } };

static irr_schedule_t build(const char *name, const irr_matrix_t *matrix, const irr_scheduled_params_t *params)
{
    irr_schedule_t schedule = { 0 };
    const irr_scheduled_t *row = irr_scheduled_find(name);

    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL_FATAL(irr_scheduled_build(row, matrix, params, &schedule), IRR_OK);
    return schedule;
}

static void test_lp(void)
{
    irr_scheduled_params_t params = plain;
    irr_schedule_t schedule;
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, 8), IRR_OK);
    *irr_matrix_at(&matrix, 6, 3) = 9;
    *irr_matrix_at(&matrix, 5, 5) = 7;
    schedule = build("lp", &matrix, &params);
    CU_ASSERT_EQUAL(schedule.steps, 7);   /* the empty ones too */
    CU_ASSERT_EQUAL_FATAL(schedule.count, 1);
    CU_ASSERT_EQUAL(schedule.list[0].step, 6 ^ 3);
    irr_schedule_fini(&schedule);
    params.shift = true;
    schedule = build("lp", &matrix, &params);
    CU_ASSERT_EQUAL(schedule.list[0].step, (3 - 6 + 8) % 8);
    irr_schedule_fini(&schedule);
    irr_matrix_fini(&matrix);
}

/* The same on every machine: FNV-1a over the schedules of a matrix that is the same everywhere. */
static uint64_t hash(const irr_schedule_t *schedule)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        const uint64_t words[] = { (uint64_t)t->step, (uint64_t)t->from, (uint64_t)t->to, t->offset, t->length };

        for (size_t w = 0; w < 5; w++) {
            sum = (sum ^ words[w]) * UINT64_C(0x100000001b3);
        }
    }
    return sum;
}

static void test_everywhere(void)
{
    static const struct { const char *name; uint64_t sum; } golden[] = {
        { "lp", UINT64_C(0xbe96b2a7c5aa01dd) },
        { "rs_n", UINT64_C(0x920975b55e8b5d3e) },
        { "rs_n_sort", UINT64_C(0x91af4917b12dc75d) },
        { "rs_nh", UINT64_C(0xf8f8dfebdbc6093) },
        { "optimal", UINT64_C(0x3315c268c08085cf) },
    };
    irr_scheduled_params_t params = { .seed = 5, .lambda = IRR_LAMBDA_DEFAULT, .latency = 4000 }, other = params;
    irr_matrix_t matrix;

    other.seed = 6;
    CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("random", 24, 1000, 7, &matrix), IRR_OK);
    for (int i = 0; irr_scheduled_at(i) != NULL; i++) {
        irr_schedule_t schedule = build(golden[i].name, &matrix, &params);
        irr_schedule_t another = build(golden[i].name, &matrix, &other);

        if (hash(&schedule) != golden[i].sum) {
            printf("# %s: 0x%llx\n", golden[i].name, (unsigned long long)hash(&schedule));
            CU_FAIL("another schedule");
        }
        CU_ASSERT((hash(&schedule) == hash(&another)) == (strncmp(golden[i].name, "rs_", 3) != 0));
        irr_schedule_fini(&another);
        irr_schedule_fini(&schedule);
    }
    irr_matrix_fini(&matrix);
}

static void test_failures(void)
{
    irr_scheduled_params_t params = plain;
    irr_schedule_t schedule;
    irr_matrix_t matrix;

    params.lambda.share = IRR_LAMBDA_ONE / 2;
    params.max_steps = 9;
    for (int i = 0; irr_scheduled_at(i) != NULL; i++) {
        irr_status_t status = IRR_ERR_NO_MEMORY;

        irr_memory_begin();
        CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("random", 9, 1000, 7, &matrix), IRR_OK);
        for (size_t nth = 1; status == IRR_ERR_NO_MEMORY; nth++) {
            irr_memory_fail(nth, NULL);
            status = irr_scheduled_build(irr_scheduled_at(i), &matrix, &params, &schedule);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        }
        irr_memory_fail(0, NULL);
        irr_schedule_fini(&schedule);
        *irr_matrix_at(&matrix, 0, 1) = INT64_MAX;
        CU_ASSERT_EQUAL(irr_scheduled_build(irr_scheduled_at(i), &matrix, &params, &schedule), IRR_ERR_BAD_PARAM);
        irr_matrix_fini(&matrix);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
}

static void test_table(void)
{
    CU_ASSERT_PTR_NULL(irr_scheduled_at(-1));
    CU_ASSERT_PTR_NULL(irr_scheduled_find("none"));
    for (int i = 0; irr_scheduled_at(i) != NULL; i++) {
        CU_ASSERT_PTR_EQUAL(irr_scheduled_find(irr_scheduled_at(i)->name), irr_scheduled_at(i));
        CU_ASSERT(strlen(irr_scheduled_at(i)->text) > 0);
    }
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "the table", test_table },
        { "lp: the steps by hand", test_lp },
        { "a seed gives the same schedule everywhere", test_everywhere },
        { "want of memory and too many bytes are errors", test_failures },
        { NULL, NULL }
    };

    return irr_test_main("scheduled", cases, 60);
}
