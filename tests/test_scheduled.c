/*
 * test_scheduled.c - the table of the orders that compute schedules, and files of schedules. The tests compare xor with
 * results by hand, check that schedules are the same on every machine, and check failures.
 */
#include "irr_text.h"
#include "matrix_scene.h"
#include "plan_all.h"
#include "schedule_same.h"

#include "core/hash.h"
#include "order/order.h"
#include "order/schedule_file.h"

#include <limits.h>

static const irr_scheduled_params_t plain = { .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE } };

IRR_TEST(test_xor, "xor: steps computed by hand")
{
    irr_scheduled_params_t params = plain;
    irr_matrix_t matrix = matrix_scene_zero(8);
    irr_schedule_t schedule;

    *irr_matrix_at(&matrix, 6, 3) = 9;
    *irr_matrix_at(&matrix, 5, 5) = 7;
    schedule = irr_plan_all_schedule("xor", &matrix, &params);
    CU_ASSERT_EQUAL(schedule.steps, 7);   /* some steps are empty */
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

IRR_TEST(test_everywhere, "a seed gives the same schedule on every machine")
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

IRR_TEST(test_failures, "failed allocations and too many bytes are errors")
{
    for (int i = 0; irr_plan_all_order(i) != NULL; i++) {
        input_t input = { matrix_scene_pattern("random", 9, 1000, 7), irr_plan_all_order(i) };

        CU_ASSERT(irr_memory_fail_each(make_schedule, &input) > 0);
        *irr_matrix_at(&input.matrix, 0, 1) = INT64_MAX;
        CU_ASSERT_EQUAL(make_schedule(&input), IRR_ERR_BAD_PARAM);
        irr_matrix_fini(&input.matrix);
    }
}

/* ---- files ---- */

#define HEAD "irr_schedule 1\n"

static const char good_text[] = HEAD "# why\n3 4 4\n 1 0 1  0 10\n1\t1 2 0 700\r\n\n# half\n2 0 1 10 5\n"
                                "3 2 0 0 00033 1\nend\n";

IRR_TEST(test_good_file, "files with comments, blanks and both line endings")
{
    irr_transmission_t list[] = {
        { 1, 0, 1, 0, 10, 0 }, { 1, 1, 2, 0, 700, 0 }, { 2, 0, 1, 10, 5, 0 }, { 3, 2, 0, 0, 33, 1 }
    };
    const irr_schedule_t expected = { .ranks = 3, .steps = 4, .list = list, .count = 4 };
    irr_file_error_t error;
    irr_schedule_t schedule;

    irr_text_open();
    CU_ASSERT_EQUAL_FATAL(irr_schedule_read(irr_text_fill(good_text, strlen(good_text)), &schedule, &error), IRR_OK);
    irr_text_close();
    CU_ASSERT(irr_schedule_same(&schedule, &expected));
    irr_schedule_fini(&schedule);
}

IRR_TEST(test_write, "a schedule is not written if its file would be refused")
{
    irr_transmission_t list[] = { { 2, 0, 1, 0, 5, 0 }, { 2, 1, 0, 0, INT64_MAX - 5, 0 } };
    irr_schedule_t schedule = { .ranks = 2, .steps = 3, .list = list, .count = 2 };
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length), *full = fopen("/dev/full", "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    CU_ASSERT_EQUAL(irr_schedule_write(&schedule, "why", stream), IRR_OK);
    CU_ASSERT_EQUAL(irr_schedule_write(&schedule, "why\n3 3 3", stream), IRR_ERR_BAD_PARAM);
    schedule.ranks = IRR_MATRIX_RANKS_MAX + 1;
    CU_ASSERT_EQUAL(irr_schedule_write(&schedule, "why", stream), IRR_ERR_BAD_PARAM);
    schedule.ranks = 2;
    list[1].length++;
    CU_ASSERT_EQUAL(irr_schedule_write(&schedule, "why", stream), IRR_ERR_BAD_PARAM);
    list[1].length = 1;
    fclose(stream);
    CU_ASSERT_STRING_EQUAL(text, HEAD "# why\n2 3 2\n2 0 1 0 5\n2 1 0 0 9223372036854775802\nend\n");
    free(text);
    if (full != NULL) {
        setbuf(full, NULL);
        CU_ASSERT_EQUAL(irr_schedule_write(&schedule, NULL, full), IRR_ERR_IO);
        fclose(full);
    }
}

IRR_TEST(test_long_comment, "a comment is not longer than a line of the file")
{
    const irr_schedule_t schedule = { .ranks = 1 };
    char comment[1023] = "", *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    irr_schedule_t again;
    irr_file_error_t error;

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    memset(comment, 'x', 1022);
    CU_ASSERT_EQUAL(irr_schedule_write(&schedule, comment, stream), IRR_ERR_BAD_PARAM);
    comment[1021] = '\0';
    CU_ASSERT_EQUAL(irr_schedule_write(&schedule, comment, stream), IRR_OK);
    fclose(stream);
    irr_text_open();
    CU_ASSERT_EQUAL_FATAL(irr_schedule_read(irr_text_fill(text, length), &again, &error), IRR_OK);
    irr_text_close();
    irr_schedule_fini(&again);
    free(text);
}

/* ---- schedules that no file can have ---- */

/* A schedule of two transmissions of 10 bytes each, from 0 to 1 and from 1 to 0, changed by the case. */
IRR_TEST(test_check, "irr_schedule_check_alone() finds defects that a file cannot have")
{
    static const struct { irr_transmission_t second; const char *reason; } bad[] = {
        { { 1, -1, 0, 0, 10, 0 }, "a message from rank -1 to rank 0, but ranks are 0 to 1" },
        { { 1, 1, 2, 0, 10, 0 }, "a message from rank 1 to rank 2, but ranks are 0 to 1" },
        { { 3, 1, 0, 0, 10, 0 }, "step 3 is not one of the steps 1 to 2" },
        { { INT_MIN, 1, 0, 0, 10, 0 }, "step -2147483648 is not one of the steps 1 to 2" },
        { { 2, 1, 0, 0, 0, 0 }, "a message of 0 bytes from rank 1 to rank 0" },
        { { 2, 1, 0, 0, UINT64_MAX, 0 }, "all messages up to here have more than 9223372036854775807 bytes together" },
        { { 2, 1, 0, 0, 9, 0 }, "9 bytes are sent from rank 1 to rank 0, instead of 10" },
        { { 2, 0, 1, 10, 10, 0 }, "20 bytes are sent from rank 0 to rank 1, instead of 10" },
    };
    irr_transmission_t list[2] = { { 1, 0, 1, 0, 10, 0 }, { 2, 1, 0, 0, 10, 0 } };
    irr_schedule_t schedule = { .ranks = 2, .steps = 2, .list = list, .count = 2 };
    irr_matrix_t matrix;
    char reason[160];

    CU_ASSERT_EQUAL_FATAL(irr_schedule_matrix(&schedule, &matrix), IRR_OK);
    CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, NULL, 0), IRR_OK);
    for (size_t i = 0; i < IRR_TEST_COUNT(bad); i++) {
        list[1] = bad[i].second;
        CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
        CU_ASSERT_STRING_EQUAL(reason, bad[i].reason);
    }
    schedule.count = 1;
    CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_STRING_EQUAL(reason, "0 bytes are sent from rank 1 to rank 0, instead of 10");
    schedule.ranks = 3;
    CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_STRING_EQUAL(reason, "the schedule is for 3 ranks, the matrix for 2");
    irr_matrix_fini(&matrix);
}

IRR_TEST_MAIN("scheduled", 60)
