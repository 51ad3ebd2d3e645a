/*
 * test_schedule_file.c - schedules and their files: what is written is read, and why the rest is refused.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "plan_all.h"
#include "irr_text.h"
#include "schedule_same.h"

#include "order/schedule_file.h"
#include "order/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "irr_schedule 1\n"

static uint64_t state;

/* ---- a file with a given content ---- */

static irr_status_t read_text(const char *text, size_t length, irr_schedule_t *schedule, irr_file_error_t *error)
{
    return irr_schedule_read(irr_text_fill(text, length), schedule, error);
}

/* ---- what is refused ---- */

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
    { HEAD "2 1 1\n1 0 1 0 5 1\nend\n", 0, 3, "1 steps more than step 1 of 1" },
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

    { HEAD "2 1 1\n1 1 1 0 5\nend\n", 0, 3, "a message from rank 1 to itself is in no schedule" },
    { HEAD "3 1 2\n1 0 1 0 5\n# next\n1 0 2 0 5\nend\n", 0, 5, "rank 0 sends twice in step 1" },
    { HEAD "3 1 2\n1 0 2 0 5\n1 1 2 0 5\nend\n", 0, 4, "rank 2 receives twice in step 1" },
    { HEAD "3 1 2\n1 1 2 0 5\n\n\n1 0 1 0 5\nend\n", 0, 6,
      "step 1 from rank 0 is out of order: by step, then by sender" },
    { HEAD "2 2 2\n2 0 1 0 5\n1 1 0 0 5\nend\n", 0, 4,
      "step 1 from rank 1 is out of order: by step, then by sender" },
    { HEAD "2 1 1\n1 0 1 1 5\nend\n", 0, 3, "bytes from 0 of the message from 0 to 1 are not sent" },
    { HEAD "2 2 2\n1 0 1 0 5\n2 0 1 6 5\nend\n", 0, 4, "bytes from 5 of the message from 0 to 1 are not sent" },
    { HEAD "2 2 2\n1 0 1 0 5\n2 0 1 4 5\nend\n", 0, 4, "bytes from 4 of the message from 0 to 1 are sent twice" },
    { HEAD "2 2 2\n1 0 1 5 5\n2 0 1 5 5\nend\n", 0, 3, "bytes from 0 of the message from 0 to 1 are not sent" },
    { HEAD "2 2 2\n1 0 1 0 5\n2 0 1 0 5\nend\n", 0, 4, "bytes from 0 of the message from 0 to 1 are sent twice" },
    { HEAD "2 1 1\n1 0 1 9223372036854775807 9223372036854775807\nend\n", 0, 3,
      "bytes from 0 of the message from 0 to 1 are not sent" },
    { HEAD "2 2 2\n1 0 1 0 9223372036854775807\n2 0 1 9223372036854775807 1\nend\n", 0, 4,
      "up to here more than 9223372036854775807 bytes in all" },
    { HEAD "2 1 2\n1 0 1 0 9223372036854775807\n1 1 0 0 1\nend\n", 0, 4,
      "up to here more than 9223372036854775807 bytes in all" },
    { NULL, 0, 0, NULL }
};

static irr_status_t read_bad(const char *path, irr_file_error_t *error)
{
    irr_schedule_t schedule = { .ranks = 77 };
    irr_status_t status = irr_schedule_read(path, &schedule, error);

    CU_ASSERT_EQUAL(schedule.ranks, 77);
    CU_ASSERT_PTR_NULL(schedule.list);
    return status;
}

static void test_bad_files(void)
{
    irr_text_check_bad(bad_files, read_bad);
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
    CU_ASSERT_EQUAL_FATAL(read_text(good_text, strlen(good_text), &schedule, &error), IRR_OK);
    irr_text_close();
    CU_ASSERT(irr_schedule_same(&schedule, &expected));
    irr_schedule_fini(&schedule);
}

/* Whatever is cut off, but for the newline behind the end. */
static void test_cut(void)
{
    irr_file_error_t error;
    irr_schedule_t schedule;

    irr_text_open();
    for (size_t length = 0; length < strlen(good_text) - 1; length++) {
        CU_ASSERT_EQUAL(read_text(good_text, length, &schedule, &error), IRR_ERR_FORMAT);
    }
    CU_ASSERT_EQUAL_FATAL(read_text(good_text, strlen(good_text) - 1, &schedule, &error), IRR_OK);
    irr_schedule_fini(&schedule);
    irr_text_close();
}

static void test_long_line(void)
{
    char text[sizeof(HEAD) + 2000] = HEAD "#";
    irr_file_error_t error;
    irr_schedule_t schedule;

    irr_text_open();
    memset(text + strlen(text), 'x', 1022);
    strcat(text, "\n1 0 0\nend\n");
    CU_ASSERT_EQUAL_FATAL(read_text(text, strlen(text), &schedule, &error), IRR_OK);
    irr_schedule_fini(&schedule);
    text[strlen(HEAD) + 1023] = 'x';
    CU_ASSERT_EQUAL(read_text(text, strlen(text), &schedule, &error), IRR_ERR_FORMAT);
    CU_ASSERT_EQUAL(error.line, 2);
    CU_ASSERT_STRING_EQUAL(error.reason, "line is longer than the 1023 bytes allowed");
    irr_text_close();
}

static void test_unreadable(void)
{
    const char *path;
    irr_file_error_t error;
    irr_schedule_t schedule;

    path = irr_text_open();
    irr_text_close();
    CU_ASSERT_EQUAL(irr_schedule_read(path, &schedule, &error), IRR_ERR_IO);
    CU_ASSERT_EQUAL(error.line, 0);
    CU_ASSERT_STRING_EQUAL(error.reason, "No such file or directory");
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    CU_ASSERT_EQUAL(irr_schedule_read(path, &schedule, &error), IRR_ERR_IO);
    CU_ASSERT_STRING_EQUAL(error.reason, "Is a directory");
    rmdir(path);
}

/* Bytes of any kind end in a schedule that keeps the rules or in a reason, never in anything else. */
static void test_noise(void)
{
    static const char alphabet[] = "0123456789  \n\n\r#-.x";
    irr_schedule_fault_t fault;

    state = irr_test_seed();
    irr_text_open();
    for (int run = 0; run < 2000; run++) {
        char text[] = HEAD "3 3 4\n1 0 1 0 10\n1 1 2 0 7\n2 0 1 10 5\n3 2 0 0 3\nend\n";
        const size_t head = strlen(HEAD), length = strlen(text);
        irr_file_error_t error = { 0 };
        irr_schedule_t schedule;

        for (uint64_t edits = 1 + irr_test_below(&state, 4); edits > 0; edits--) {
            char *place = &text[head + irr_test_below(&state, length - head)];

            *place = alphabet[irr_test_below(&state, sizeof(alphabet))];
        }
        if (read_text(text, length, &schedule, &error) == IRR_OK) {
            CU_ASSERT_EQUAL(irr_schedule_check_alone(&schedule, &fault), IRR_OK);
            irr_schedule_fini(&schedule);
        } else {
            CU_ASSERT_NOT_EQUAL(error.reason[0], '\0');
        }
    }
    irr_text_close();
}

/* ---- what is written ---- */

static void make_schedule(irr_matrix_t *matrix, irr_schedule_t *schedule)
{
    const uint64_t limits[] = { 1, 40, 100000, UINT64_C(1) << 55 };
    const uint64_t limit = limits[irr_test_below(&state, 4)], percent = irr_test_below(&state, 101);
    const int ranks = 1 + (int)irr_test_below(&state, 10);
    irr_scheduled_params_t params = {
        .seed = irr_test_random(&state), .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE / 3 },
        .redistribution = { .x = 1, .p = ranks, .y = 1, .q = ranks }
    };
    const irr_order_t *row;
    uint64_t rows = 0;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(matrix, ranks), IRR_OK);
    for (int i = 0; i < ranks * ranks; i++) {
        if (i / ranks != i % ranks && irr_test_below(&state, 100) < percent) {
            matrix->entries[i] = 1 + irr_test_below(&state, limit);
        }
    }
    while (irr_plan_all_order((int)rows) != NULL) {
        rows++;
    }
    row = irr_plan_all_order((int)irr_test_below(&state, rows));
    CU_ASSERT_EQUAL_FATAL(irr_order_schedule(row, matrix, &params, schedule), IRR_OK);
}

static irr_status_t write_path(const char *path, const irr_schedule_t *schedule, const char *comment)
{
    FILE *file = fopen(path, "w");
    irr_status_t status;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    status = irr_schedule_write(schedule, comment, file);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return status;
}

static void test_round_trip(void)
{
    const char *path;
    state = irr_test_seed() + 1;
    path = irr_text_open();
    for (int n = 0; n < 3000; n++) {
        irr_schedule_t schedule, again;
        irr_matrix_t matrix, delivered;
        irr_file_error_t error;

        make_schedule(&matrix, &schedule);
        CU_ASSERT_EQUAL_FATAL(write_path(path, &schedule, n % 2 == 0 ? "a comment" : NULL), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_schedule_read(path, &again, &error), IRR_OK);
        CU_ASSERT(irr_schedule_same(&schedule, &again));
        CU_ASSERT_EQUAL_FATAL(irr_schedule_matrix(&again, &delivered), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(delivered.ranks, matrix.ranks);
        CU_ASSERT_EQUAL(memcmp(delivered.entries, matrix.entries,
                               sizeof(uint64_t) * (size_t)(matrix.ranks * matrix.ranks)), 0);
        irr_matrix_fini(&delivered);
        irr_schedule_fini(&again);
        irr_schedule_fini(&schedule);
        irr_matrix_fini(&matrix);
    }
    irr_text_close();
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

/* ---- what a file cannot say ---- */

/* A schedule of two transmissions of 10 bytes each, from 0 to 1 and from 1 to 0, changed by the case. */
static void test_check(void)
{
    static const struct { irr_transmission_t second; const char *reason; } bad[] = {
        { { 1, -1, 0, 0, 10, 0 }, "a message from -1 to 0, but there are 2 ranks, from 0" },
        { { 1, 1, 2, 0, 10, 0 }, "a message from 1 to 2, but there are 2 ranks, from 0" },
        { { 3, 1, 0, 0, 10, 0 }, "step 3 is not one of 2, from 1" },
        { { INT_MIN, 1, 0, 0, 10, 0 }, "step -2147483648 is not one of 2, from 1" },
        { { 2, 1, 0, 0, 0, 0 }, "nothing is sent from 1 to 0" },
        { { 2, 1, 0, 0, UINT64_MAX, 0 }, "up to here more than 9223372036854775807 bytes in all" },
        { { 2, 1, 0, 0, 9, 0 }, "9 bytes are sent from 1 to 0, not 10" },
        { { 2, 0, 1, 10, 10, 0 }, "20 bytes are sent from 0 to 1, not 10" },
    };
    irr_transmission_t list[2] = { { 1, 0, 1, 0, 10, 0 }, { 2, 1, 0, 0, 10, 0 } };
    irr_schedule_t schedule = { .ranks = 2, .steps = 2, .list = list, .count = 2 };
    irr_matrix_t matrix;
    char reason[160];

    CU_ASSERT_EQUAL_FATAL(irr_schedule_matrix(&schedule, &matrix), IRR_OK);
    CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, NULL, 0), IRR_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        list[1] = bad[i].second;
        CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
        CU_ASSERT_STRING_EQUAL(reason, bad[i].reason);
    }
    schedule.count = 1;
    CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_STRING_EQUAL(reason, "0 bytes are sent from 1 to 0, not 10");
    schedule.ranks = 3;
    CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_STRING_EQUAL(reason, "a schedule for 3 ranks, and a matrix of 2");
    irr_matrix_fini(&matrix);
}

/* ---- memory ---- */

static void test_no_memory(void)
{
    const char *path;
    irr_status_t status = IRR_ERR_NO_MEMORY;
    irr_schedule_t schedule = { .ranks = 0 };
    irr_file_error_t error;
    irr_matrix_t matrix;

    path = irr_text_open();
    for (size_t nth = 1; status == IRR_ERR_NO_MEMORY; nth++) {
        irr_memory_begin();
        irr_memory_fail(nth, NULL);
        error.reason[0] = '\0';
        status = read_text(good_text, strlen(good_text), &schedule, &error);
        CU_ASSERT_EQUAL(status == IRR_OK, error.reason[0] == '\0');
        if (status == IRR_OK) {
            status = irr_schedule_matrix(&schedule, &matrix);
            if (status == IRR_OK) {
                status = write_path(path, &schedule, NULL);
                irr_matrix_fini(&matrix);
            }
            irr_schedule_fini(&schedule);
        }
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    irr_text_close();
}

/* A short file takes little, whatever it announces. */
static void test_announced(void)
{
    static const char text[] = HEAD "16384 2147483647 4294967295\n2147483647 0 1 0 5\n";
    irr_schedule_t schedule;
    irr_file_error_t error;

    irr_text_open();
    irr_memory_begin();
    irr_memory_limit(4096);
    CU_ASSERT_EQUAL(read_text(text, strlen(text), &schedule, &error), IRR_ERR_FORMAT);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_text_close();
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "comments, blanks, both line ends",                  test_good_file },
        { "bad files are refused with line and reason",        test_bad_files },
        { "a cut file is refused",                             test_cut },
        { "a line may have 1023 bytes and not more",           test_long_line },
        { "a missing file and a folder are refused",           test_unreadable },
        { "damaged files end in a schedule or in a reason",    test_noise },
        { "what is written is read back, and its matrix is",   test_round_trip },
        { "what could not be read is not written",             test_write },
        { "a comment fits a line",                             test_long_comment },
        { "the check finds what a file cannot say",            test_check },
        { "want of memory is an error",                        test_no_memory },
        { "what is announced takes no memory",                 test_announced },
        { NULL, NULL }
    };

    return irr_test_main("schedule_file", cases, 60);
}
