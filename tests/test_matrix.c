/*
 * test_matrix.c - count matrices and the Matrix Market reader: files that are read, and the reasons for refusals.
 */
#include "irr.h"
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_text.h"
#include "matrix_scene.h"

#include <stdlib.h>
#include <string.h>

#define HEADER "%%MatrixMarket matrix coordinate integer general\n"

static irr_status_t read_text(const char *text, size_t length, irr_matrix_t *matrix, irr_file_error_t *error)
{
    irr_status_t status;

    irr_text_open();
    status = irr_matrix_read(irr_text_fill(text, length), matrix, error);
    irr_text_close();
    return status;
}

/* ---- files that are refused ---- */

static const irr_text_bad_t bad_files[] = {
    { "", 0, 0, "first word of the header is '', only '%%MatrixMarket' is read" },
    { "\n", 0, 1, "first word of the header is '', only '%%MatrixMarket' is read" },
    { "2 2 0\n", 0, 1, "first word of the header is '2', only '%%MatrixMarket' is read" },
    { "%%MatrixMarket\n", 0, 1, "object of the header is '', only 'matrix' is read" },
    { "%%MatrixMarket vector coordinate integer general\n", 0, 1,
      "object of the header is 'vector', only 'matrix' is read" },
    { "%%MatrixMarket matrix array integer general\n", 0, 1,
      "format of the header is 'array', only 'coordinate' is read" },
    { "%%MatrixMarket matrix coordinate real general\n", 0, 1,
      "field of the header is 'real', only 'integer' is read" },
    { "%%MatrixMarket matrix coordinate integer symmetric\n", 0, 1,
      "symmetry of the header is 'symmetric', only 'general' is read" },
    { "%%MatrixMarket matrix coordinate integer general more\n", 0, 1, "header has 6 words, 5 are allowed" },
    { "\x1b[2J\xff\n", 0, 1, "first word of the header is '?[2J?', only '%%MatrixMarket' is read" },

    { HEADER, 0, 1, "file ends before the line with rows, columns and entries" },
    { HEADER "% comment\n\n%\n", 0, 4, "file ends before the line with rows, columns and entries" },
    { HEADER "2 2\n", 0, 2, "size line has 2 words, it must have rows, columns and entries" },
    { HEADER "2 2 1 1\n", 0, 2, "size line has 4 words, it must have rows, columns and entries" },
    { HEADER "2 3 0\n", 0, 2, "matrix is 2 x 3, it must be square" },
    { HEADER "0 0 0\n", 0, 2, "number of rows '0' is not an integer from 1 to 16384" },
    { HEADER "-2 2 0\n", 0, 2, "number of rows '-2' is not an integer from 1 to 16384" },
    { HEADER "2 x 0\n", 0, 2, "number of columns 'x' is not an integer from 1 to 16384" },
    { HEADER "16385 16385 0\n", 0, 2, "number of rows '16385' is not an integer from 1 to 16384" },
    { HEADER "4294967298 2 0\n", 0, 2, "number of rows '4294967298' is not an integer from 1 to 16384" },
    { HEADER "2 2 5\n", 0, 2, "number of entries '5' is not an integer from 0 to 4" },
    { HEADER "2 2 18446744073709551617\n", 0, 2,
      "number of entries '18446744073709551617' is not an integer from 0 to 4" },

    { HEADER "2 2 1\n0 1 5\n", 0, 3, "row '0' is not an integer from 1 to 2" },
    { HEADER "2 2 1\n3 1 5\n", 0, 3, "row '3' is not an integer from 1 to 2" },
    { HEADER "2 2 1\n1 18446744073709551618 5\n", 0, 3,
      "column '18446744073709551618' is not an integer from 1 to 2" },
    { HEADER "2 2 1\n1 2 -5\n", 0, 3, "entry '-5' is not an integer from 0 to 9223372036854775807" },
    { HEADER "2 2 1\n1 2 +5\n", 0, 3, "entry '+5' is not an integer from 0 to 9223372036854775807" },
    { HEADER "2 2 1\n1 2 1.5\n", 0, 3, "entry '1.5' is not an integer from 0 to 9223372036854775807" },
    { HEADER "2 2 1\n1 2 1e3\n", 0, 3, "entry '1e3' is not an integer from 0 to 9223372036854775807" },
    { HEADER "2 2 1\n1 2 9223372036854775808\n", 0, 3,
      "entry '9223372036854775808' is not an integer from 0 to 9223372036854775807" },
    { HEADER "2 2 1\n1 2 100000000000000000000000000000000000000000\n", 0, 3,
      "entry '10000000000000000000000000000000' is not an integer from 0 to 9223372036854775807" },
    { HEADER "2 2 1\n1 2\n", 0, 3, "entry has 2 words, it must have row, column and bytes" },
    { HEADER "2 2 1\n1 2 3 4\n", 0, 3, "entry has 4 words, it must have row, column and bytes" },
    { HEADER "2 2 1\n% late\n1 2 3\n", 0, 3, "entry has 2 words, it must have row, column and bytes" },
    { HEADER "2 2 2\n1 2 0\n\n1 2 3\n", 0, 5, "entry (1, 2) appears twice, once is allowed" },
    { HEADER "2 2 2\n1 2 3\n", 0, 3, "file ends after 1 of the 2 entries announced" },
    { HEADER "2 2 1\n1 2 3\n2 1 3\n", 0, 4, "entry follows after all 1 entries announced" },
    { HEADER "2 2 1\n1 2 \0003\n", sizeof(HEADER "2 2 1\n1 2 \0003\n") - 1, 3,
      "byte 5 of the line is 0, only text is allowed" },
    { NULL, 0, 0, NULL }
};

/* A reader that refuses a file does not change its output. */
static irr_status_t read_any(const char *path, irr_file_error_t *error)
{
    irr_matrix_t matrix = { .ranks = 77 };
    irr_status_t status = irr_matrix_read(path, &matrix, error);

    CU_ASSERT(status == IRR_OK ? matrix.entries != NULL : matrix.ranks == 77 && matrix.entries == NULL);
    irr_matrix_fini(&matrix);
    return status;
}

static void test_bad_files(void)
{
    irr_text_check_bad(bad_files, read_any);
    irr_text_check_missing(read_any);
}

static void test_long_line(void)
{
    irr_text_check_long(HEADER, '%', 1023, "1 1 0\n", read_any);
}

static void test_noise(void)
{
    uint64_t state = irr_test_seed();

    for (int run = 0; run < 300; run++) {
        irr_text_check_damaged(HEADER "3 3 2\n1 1 7\n2 3 9\n", 0, "0123456789  \n\n\r%-.x", &state, read_any);
    }
}

/* ---- files that are read ---- */

static void test_good_file(void)
{
    static const char text[] = "%%matrixmarket MATRIX Coordinate Integer GENERAL\r\n"
                               "% a comment\r\n"
                               "\r\n"
                               "   % another\n"
                               " 3\t3  4 \r\n"
                               "1 2 10\r\n"
                               "\n"
                               "  3 1 9223372036854775807\n"
                               "2 2 0\n"
                               "3 3 0005";
    static const uint64_t expected[] = { 0, 10, 0, 0, 0, 0, INT64_MAX, 0, 5 };
    irr_file_error_t error;
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(read_text(text, sizeof(text) - 1, &matrix, &error), IRR_OK);
    CU_ASSERT_EQUAL(matrix.ranks, 3);
    CU_ASSERT_EQUAL(memcmp(matrix.entries, expected, sizeof(expected)), 0);
    CU_ASSERT_EQUAL(*irr_matrix_at(&matrix, 2, 0), INT64_MAX);
    irr_matrix_fini(&matrix);
    CU_ASSERT_PTR_NULL(matrix.entries);
}

/* The shipped meshes. Each part of a mesh sends to the parts that it receives from, and nothing to itself. */
static void test_airfoil(void)
{
    static const struct { int ranks, entries; uint64_t total; } airfoils[] = {
        { 8, 30, 5200 }, { 16, 68, 8672 }, { 32, 134, 14064 }
    };
    const char *source = getenv("srcdir");

    for (size_t k = 0; k < IRR_TEST_COUNT(airfoils); k++) {
        irr_file_error_t error;
        irr_matrix_t matrix;
        uint64_t total = 0;
        char name[512];
        int entries = 0;

        snprintf(name, sizeof(name), "%s/tests/data/airfoil-%d.mtx", source != NULL ? source : ".",
                 airfoils[k].ranks);
        CU_ASSERT_EQUAL_FATAL(irr_matrix_read(name, &matrix, &error), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(matrix.ranks, airfoils[k].ranks);
        for (int i = 0; i < matrix.ranks; i++) {
            for (int j = 0; j < matrix.ranks; j++) {
                uint64_t bytes = *irr_matrix_at(&matrix, i, j);

                CU_ASSERT_EQUAL(bytes % 8, 0);
                CU_ASSERT_EQUAL(bytes > 0, *irr_matrix_at(&matrix, j, i) > 0);
                CU_ASSERT(i != j || bytes == 0);
                entries += bytes > 0;
                total += bytes;
            }
        }
        CU_ASSERT_EQUAL(entries, airfoils[k].entries);
        CU_ASSERT_EQUAL(total, airfoils[k].total);
        irr_matrix_fini(&matrix);
    }
}

/* ---- files that are written ---- */

/* Writes a matrix, reads it back, and compares both. text: the expected contents of the file; NULL: any contents. */
static void write_and_read(const irr_matrix_t *matrix, const char *comment, const char *text)
{
    char *written = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&written, &length);
    irr_matrix_t read = { .ranks = 0 };
    irr_file_error_t error;

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    CU_ASSERT_EQUAL(irr_matrix_write(matrix, comment, stream), IRR_OK);
    fclose(stream);
    CU_ASSERT_EQUAL_FATAL(read_text(written, length, &read, &error), IRR_OK);
    CU_ASSERT(text == NULL || strcmp(text, written) == 0);
    CU_ASSERT(matrix_scene_same(&read, matrix));
    irr_matrix_fini(&read);
    free(written);
}

static void test_write(void)
{
    irr_matrix_t matrix = matrix_scene_zero(2);
    uint64_t state = irr_test_seed();

    write_and_read(&matrix, NULL, HEADER "2 2 0\n");
    *irr_matrix_at(&matrix, 0, 1) = INT64_MAX;
    *irr_matrix_at(&matrix, 1, 1) = 7;
    write_and_read(&matrix, "why", HEADER "% why\n2 2 2\n1 2 9223372036854775807\n2 2 7\n");
    *irr_matrix_at(&matrix, 0, 0) = (uint64_t)INT64_MAX + 1;
    CU_ASSERT_EQUAL(irr_matrix_write(&matrix, NULL, stdout), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    matrix = matrix_scene_mixed(40, INT64_MAX, &state);
    write_and_read(&matrix, NULL, NULL);
    irr_matrix_fini(&matrix);
}

static void test_write_nowhere(void)
{
    FILE *full = fopen("/dev/full", "w");
    irr_matrix_t matrix;

    if (full == NULL) {
        irr_test_skip("there is no /dev/full");
        return;
    }
    setbuf(full, NULL);
    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, 2), IRR_OK);
    CU_ASSERT_EQUAL(irr_matrix_write(&matrix, NULL, full), IRR_ERR_IO);
    irr_matrix_fini(&matrix);
    fclose(full);
}

/* ---- memory ---- */

static void test_init(void)
{
    irr_matrix_t matrix = { .ranks = 77, .entries = NULL };

    CU_ASSERT_EQUAL(irr_matrix_init(&matrix, 0), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_matrix_init(&matrix, -1), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(matrix.ranks, 77);
    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, 5), IRR_OK);
    CU_ASSERT_EQUAL(matrix.ranks, 5);
    for (int i = 0; i < 25; i++) {
        CU_ASSERT_EQUAL(matrix.entries[i], 0);
    }
    CU_ASSERT_PTR_EQUAL(irr_matrix_at(&matrix, 4, 3), &matrix.entries[23]);
    irr_matrix_fini(&matrix);
}

static void test_no_memory(void)
{
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL(irr_text_check_memory(HEADER "2 2 0\n", read_any), 1);
    irr_memory_begin();
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_matrix_init(&matrix, 5), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

IRR_TEST_MAIN("matrix", 60,
    { "a zero matrix has ranks * ranks entries", test_init },
    { "memory that runs out is an error", test_no_memory },
    { "comments, blanks, both line ends, any case", test_good_file },
    { "the airfoil meshes are unchanged", test_airfoil },
    { "bad files are refused with line and reason", test_bad_files },
    { "a line may have 1023 bytes and not more", test_long_line },
    { "damaged files end in a matrix or in a reason", test_noise },
    { "a matrix that is written is read back", test_write },
    { "an error of the stream is returned", test_write_nowhere })
