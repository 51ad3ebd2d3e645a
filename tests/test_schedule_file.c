/*
 * test_schedule_file.c - files of schedules: they are written and read, or refused for a reason.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_text.h"
#include "schedule_same.h"

#include "order/schedule_file.h"
#include "order/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "irr_schedule 1\n"

/* ---- files that are refused ---- */

static const irr_text_bad_t bad_files[] = {
    { "", 0, 0, "first line does not say 'irr_schedule 1'" },
    { "\n" HEAD "2 0 0\nend\n", 0, 1, "first line does not say 'irr_schedule 1'" },
    { "# a comment\n" HEAD, 0, 1, "first line does not say 'irr_schedule 1'" },
    { "irr_schedule 1 2\n2 0 0\nend\n", 0, 1, "first line does not say 'irr_schedule 1'" },
    { "irr_schedule\n2 0 0\nend\n", 0, 1, "first line does not say 'irr_schedule 1'" },
    { "%%MatrixMarket matrix coordinate integer general\n2 2 0\n", 0, 1,
      "first line does not say 'irr_schedule 1'" },
    { "irr_schedule 2\n2 0 0\nend\n", 0, 1, "version of the file is '2', only 1 is read" },
    { "irr_schedule \x1b[2J\n", 0, 1, "version of the file is '?[2J', only 1 is read" },

    { HEAD, 0, 1, "file ends before the line with ranks, steps and transmissions" },
    { HEAD "# 2 0 0\n\n", 0, 3, "file ends before the line with ranks, steps and transmissions" },
    { HEAD "2 0\nend\n", 0, 2,
      "line has 2 words, it must have 3, from number of ranks to number of transmissions" },
    { HEAD "0 0 0\nend\n", 0, 2, "number of ranks '0' is not an integer from 1 to 16384" },
    { HEAD "16385 0 0\nend\n", 0, 2, "number of ranks '16385' is not an integer from 1 to 16384" },
    { HEAD "2 -1 0\nend\n", 0, 2, "number of steps '-1' is not an integer from 0 to 2147483647" },
    { HEAD "2 2147483648 0\nend\n", 0, 2, "number of steps '2147483648' is not an integer from 0 to 2147483647" },
    { HEAD "2 0 4294967296\nend\n", 0, 2,
      "number of transmissions '4294967296' is not an integer from 0 to 4294967295" },

    { HEAD "2 1 4294967295\n1 0 1 0 5\nend\n", 0, 4,
      "line has 1 words, it must have 5, from step to length" },
    { HEAD "2 1 2\n1 0 1 0 5\n", 0, 3, "file ends after 1 of the 2 transmissions announced" },
    { HEAD "2 1 1\n1 0 1 0 5\n", 0, 3, "'end' is missing behind the transmissions announced" },
    { HEAD "2 1 1\n1 0 1 0 5\n1 1 0 0 5\nend\n", 0, 4, "'end' is missing behind the transmissions announced" },
    { HEAD "2 0 0\nend of it\n", 0, 3, "'end' is missing behind the transmissions announced" },
    { HEAD "2 0 0\nend\nend\n", 0, 4, "something follows the 'end'" },
    { HEAD "2 0 0\nend\n# fine\n1 0 1 0 5\n", 0, 5, "something follows the 'end'" },
    { HEAD "2 0 0\nend\0\n", sizeof(HEAD "2 0 0\nend\0\n") - 1, 3,
      "byte 4 of the line is 0, only text is allowed" },

    { HEAD "2 1 1\n1 0 1 5\nend\n", 0, 3, "line has 4 words, it must have 5, from step to length" },
    { HEAD "2 1 1\n1 0 1 0 5 1 5\nend\n", 0, 3, "line has 7 words, it must have 5, from step to length" },
    { HEAD "2 1 1\n1 0 1 0 5 0\nend\n", 0, 3, "number of steps more '0' is not an integer from 1 to 1" },
    { HEAD "2 1 1\n1 0 1 0 5 1\nend\n", 0, 3,
      "a transmission of step 1 lasts 1 further steps, but the last step is 1" },
    { HEAD "2 2 2\n1 0 1 0 5 1\n2 0 1 5 5\nend\n", 0, 4, "rank 0 sends twice in step 2" },
    { HEAD "2 1 1\n0 0 1 0 5\nend\n", 0, 3, "step '0' is not an integer from 1 to 1" },
    { HEAD "2 1 1\n2 0 1 0 5\nend\n", 0, 3, "step '2' is not an integer from 1 to 1" },
    { HEAD "2 1 1\n1 2 1 0 5\nend\n", 0, 3, "sender '2' is not an integer from 0 to 1" },
    { HEAD "2 1 1\n1 4294967296 1 0 5\nend\n", 0, 3, "sender '4294967296' is not an integer from 0 to 1" },
    { HEAD "2 1 1\n1 0 -1 0 5\nend\n", 0, 3, "receiver '-1' is not an integer from 0 to 1" },
    { HEAD "2 1 1\n1 0 1 9223372036854775808 5\nend\n", 0, 3,
      "offset '9223372036854775808' is not an integer from 0 to 9223372036854775807" },
    { HEAD "2 1 1\n1 0 1 0 0\nend\n", 0, 3, "length '0' is not an integer from 1 to 9223372036854775807" },
    { HEAD "2 1 1\n1 0 1 0 1.5\nend\n", 0, 3, "length '1.5' is not an integer from 1 to 9223372036854775807" },

    { HEAD "2 1 1\n1 1 1 0 5\nend\n", 0, 3, "a message from rank 1 to itself, which a schedule must not have" },
    { HEAD "3 1 2\n1 0 1 0 5\n# next\n1 0 2 0 5\nend\n", 0, 5, "rank 0 sends twice in step 1" },
    { HEAD "3 1 2\n1 0 2 0 5\n1 1 2 0 5\nend\n", 0, 4, "rank 2 receives twice in step 1" },
    { HEAD "3 1 2\n1 1 2 0 5\n\n\n1 0 1 0 5\nend\n", 0, 6,
      "step 1 of rank 0 is out of order: sort by step, then by sender" },
    { HEAD "2 2 2\n2 0 1 0 5\n1 1 0 0 5\nend\n", 0, 4,
      "step 1 of rank 1 is out of order: sort by step, then by sender" },
    { HEAD "2 1 1\n1 0 1 1 5\nend\n", 0, 3, "byte 0 of the message from rank 0 to rank 1 is not sent" },
    { HEAD "2 2 2\n1 0 1 0 5\n2 0 1 6 5\nend\n", 0, 4, "byte 5 of the message from rank 0 to rank 1 is not sent" },
    { HEAD "2 2 2\n1 0 1 0 5\n2 0 1 4 5\nend\n", 0, 4, "byte 4 of the message from rank 0 to rank 1 is sent twice" },
    { HEAD "2 2 2\n1 0 1 5 5\n2 0 1 5 5\nend\n", 0, 3, "byte 0 of the message from rank 0 to rank 1 is not sent" },
    { HEAD "2 2 2\n1 0 1 0 5\n2 0 1 0 5\nend\n", 0, 4, "byte 0 of the message from rank 0 to rank 1 is sent twice" },
    { HEAD "2 1 1\n1 0 1 9223372036854775807 9223372036854775807\nend\n", 0, 3,
      "byte 0 of the message from rank 0 to rank 1 is not sent" },
    { HEAD "2 2 2\n1 0 1 0 9223372036854775807\n2 0 1 9223372036854775807 1\nend\n", 0, 4,
      "all messages up to here have more than 9223372036854775807 bytes together" },
    { HEAD "2 1 2\n1 0 1 0 9223372036854775807\n1 1 0 0 1\nend\n", 0, 4,
      "all messages up to here have more than 9223372036854775807 bytes together" },
    { NULL, 0, 0, NULL }
};

/* A schedule from a file keeps the rules. If the reader refuses a file, it does not change its output. */
static irr_status_t read_any(const char *path, irr_file_error_t *error)
{
    irr_schedule_t schedule = { .ranks = 77 };
    irr_status_t status = irr_schedule_read(path, &schedule, error);
    irr_schedule_fault_t fault;

    if (status == IRR_OK) {
        CU_ASSERT_EQUAL(irr_schedule_check_alone(&schedule, &fault), IRR_OK);
        irr_schedule_fini(&schedule);
    } else {
        CU_ASSERT(schedule.ranks == 77 && schedule.list == NULL);
    }
    return status;
}

static void test_bad_files(void)
{
    irr_text_check_bad(bad_files, read_any);
    irr_text_check_missing(read_any);
}

static const char good_text[] = HEAD "# why\n3 4 4\n 1 0 1  0 10\n1\t1 2 0 700\r\n\n# half\n2 0 1 10 5\n"
                                "3 2 0 0 00033 1\nend\n";

static void test_good_file(void)
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

/* A truncated file is refused, unless only the last newline is missing. */
static void test_cut(void)
{
    irr_file_error_t error;

    for (size_t length = 0; length < strlen(good_text); length++) {
        CU_ASSERT_EQUAL(irr_text_read(read_any, good_text, length, &error),
                        length < strlen(good_text) - 1 ? IRR_ERR_FORMAT : IRR_OK);
    }
}

static void test_long_line(void)
{
    irr_text_check_long(HEAD, '#', 1023, "1 0 0\nend\n", read_any);
}

static void test_noise(void)
{
    static const char text[] = HEAD "3 3 4\n1 0 1 0 10\n1 1 2 0 7\n2 0 1 10 5\n3 2 0 0 3\nend\n";

    uint64_t state = irr_test_seed();

    for (int run = 0; run < 2000; run++) {
        irr_text_check_damaged(text, strlen(HEAD), "0123456789  \n\n\r#-.x", &state, read_any);
    }
}

/* ---- files that are written ---- */

static irr_status_t write_path(const char *path, const irr_schedule_t *schedule, const char *comment)
{
    FILE *file = fopen(path, "w");
    irr_status_t status;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    status = irr_schedule_write(schedule, comment, file);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return status;
}

static void test_write(void)
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

static void test_long_comment(void)
{
    const char *path;
    const irr_schedule_t schedule = { .ranks = 1 };
    irr_schedule_t again;
    irr_file_error_t error;
    char comment[1024] = "";

    path = irr_text_open();
    memset(comment, 'x', 1021);
    CU_ASSERT_EQUAL(write_path(path, &schedule, comment), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_schedule_read(path, &again, &error), IRR_OK);
    irr_schedule_fini(&again);
    comment[1021] = 'x';
    CU_ASSERT_EQUAL(write_path(path, &schedule, comment), IRR_ERR_BAD_PARAM);
    irr_text_close();
}

/* ---- schedules that no file can have ---- */

/* A schedule of two transmissions of 10 bytes each, from 0 to 1 and from 1 to 0, changed by the case. */
static void test_check(void)
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

/* ---- memory ---- */

/* Reads the good file and makes the matrix of its schedule. */
static irr_status_t read_and_make(void *context)
{
    irr_file_error_t error = { 0 };
    irr_schedule_t schedule;
    irr_matrix_t matrix;
    irr_status_t status = irr_schedule_read(context, &schedule, &error);

    CU_ASSERT_EQUAL(status == IRR_OK, error.reason[0] == '\0');
    if (status != IRR_OK) {
        return status;
    }
    status = irr_schedule_matrix(&schedule, &matrix);
    if (status == IRR_OK) {
        irr_matrix_fini(&matrix);
    }
    irr_schedule_fini(&schedule);
    return status;
}

static void test_no_memory(void)
{
    char path[100];

    snprintf(path, sizeof(path), "%s", irr_text_open());
    irr_text_fill(good_text, strlen(good_text));
    CU_ASSERT(irr_memory_fail_each(read_and_make, path) > 2);
    irr_text_close();
}

/* A short file takes little memory, however many transmissions it announces. */
static void test_announced(void)
{
    static const char text[] = HEAD "16384 2147483647 4294967295\n2147483647 0 1 0 5\n";
    irr_file_error_t error;

    irr_memory_begin();
    irr_memory_limit(4096);
    CU_ASSERT_EQUAL(irr_text_read(read_any, text, strlen(text), &error), IRR_ERR_FORMAT);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

IRR_TEST_MAIN("schedule_file", 60,
    { "comments, blanks, both line ends", test_good_file },
    { "bad files are refused with line and reason", test_bad_files },
    { "a cut file is refused", test_cut },
    { "a line may have 1023 bytes and not more", test_long_line },
    { "damaged files end in a schedule or in a reason", test_noise },
    { "a file that cannot be read is not written", test_write },
    { "a comment fits a line", test_long_comment },
    { "the check finds defects that no file can have", test_check },
    { "memory that runs out is an error", test_no_memory },
    { "announced transmissions take no memory", test_announced })
