/*
 * test_matrix.c - count matrices and the Matrix Market reader: what is read, and why the rest is refused.
 */
#include "irr.h"
#include "study/matrices.h"
#include "irr_test.h"
#include "irr_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HEADER "%%MatrixMarket matrix coordinate integer general\n"

static irr_status_t read_text(const char *text, size_t length, irr_matrix_t *matrix, irr_file_error_t *error)
{
    irr_status_t status;

    irr_text_open();
    status = irr_matrix_read(irr_text_fill(text, length), matrix, error);
    irr_text_close();
    return status;
}

/* ---- what is refused ---- */

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

static irr_status_t read_bad(const char *path, irr_file_error_t *error)
{
    irr_matrix_t matrix = { .ranks = 77 };
    irr_status_t status = irr_matrix_read(path, &matrix, error);

    CU_ASSERT_EQUAL(matrix.ranks, 77);
    CU_ASSERT_PTR_NULL(matrix.entries);
    return status;
}

static void test_bad_files(void)
{
    irr_text_check_bad(bad_files, read_bad);
}

static void test_long_line(void)
{
    char text[sizeof(HEADER) + 2000] = HEADER "%";
    irr_file_error_t error;
    irr_matrix_t matrix;

    memset(text + strlen(text), 'x', 1022);
    strcat(text, "\n1 1 0\n");
    CU_ASSERT_EQUAL_FATAL(read_text(text, strlen(text), &matrix, &error), IRR_OK);
    irr_matrix_fini(&matrix);

    strcpy(text, HEADER);
    memset(text + strlen(text), ' ', 1024);
    CU_ASSERT_EQUAL(read_text(text, strlen(text), &matrix, &error), IRR_ERR_FORMAT);
    CU_ASSERT_EQUAL(error.line, 2);
    CU_ASSERT_STRING_EQUAL(error.reason, "line is longer than the 1023 bytes allowed");
}

static void test_unreadable(void)
{
    const char *path;
    irr_file_error_t error;
    irr_matrix_t matrix;

    path = irr_text_open();
    irr_text_close();
    CU_ASSERT_EQUAL(irr_matrix_read(path, &matrix, &error), IRR_ERR_IO);
    CU_ASSERT_EQUAL(error.line, 0);
    CU_ASSERT_STRING_EQUAL(error.reason, "No such file or directory");

    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    CU_ASSERT_EQUAL(irr_matrix_read(path, &matrix, &error), IRR_ERR_IO);
    CU_ASSERT_EQUAL(error.line, 0);
    CU_ASSERT_STRING_EQUAL(error.reason, "Is a directory");
    rmdir(path);
}

/* What could keep a reader waiting is refused at once. */
static void test_no_file(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);
    const char *path = irr_text_open();
    irr_file_error_t error;

    irr_text_close();
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
    CU_ASSERT_EQUAL(read_bad(path, &error), IRR_ERR_IO);
    CU_ASSERT_EQUAL(error.line, 0);
    CU_ASSERT_STRING_EQUAL(error.reason, "is a pipe, only a regular file is read");
    unlink(path);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    CU_ASSERT_EQUAL_FATAL(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
    CU_ASSERT_EQUAL(read_bad(path, &error), IRR_ERR_IO);
    CU_ASSERT_STRING_EQUAL(error.reason, "is a socket, or a device that does not answer, only a regular file is read");
    close(server);
    unlink(path);

    CU_ASSERT_EQUAL(read_bad("/dev/zero", &error), IRR_ERR_IO);
    CU_ASSERT_STRING_EQUAL(error.reason, "is a device, only a regular file is read");
}

/* Bytes of any kind end in a matrix or in a reason, never in anything else. */
static void test_noise(void)
{
    static const char alphabet[] = "0123456789  \n\n\r%-.x";
    uint64_t state = irr_test_seed();

    for (int run = 0; run < 300; run++) {
        char text[256] = HEADER "3 3 2\n1 1 7\n2 3 9\n";
        const size_t length = strlen(text);
        irr_file_error_t error = { 0 };
        irr_matrix_t matrix;

        for (uint64_t edits = 1 + irr_test_below(&state, 4); edits > 0; edits--) {
            text[irr_test_below(&state, length)] = alphabet[irr_test_below(&state, sizeof(alphabet))];
        }
        if (read_text(text, length, &matrix, &error) == IRR_OK) {
            irr_matrix_fini(&matrix);
        } else {
            CU_ASSERT_NOT_EQUAL(error.reason[0], '\0');
        }
    }
}

/* ---- what is read ---- */

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

/* The shipped meshes: a part sends to those it receives from, and nothing to itself. */
static void test_airfoil(void)
{
    static const struct { int ranks, entries; uint64_t total; } airfoils[] = {
        { 8, 30, 5200 }, { 16, 68, 8672 }, { 32, 134, 14064 }
    };
    const char *source = getenv("srcdir");

    for (size_t k = 0; k < sizeof(airfoils) / sizeof(airfoils[0]); k++) {
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

/* ---- what is written ---- */

/* Writes a matrix and reads it back, and compares; the file holds the text, up to its end. */
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
    CU_ASSERT_EQUAL_FATAL(read.ranks, matrix->ranks);
    CU_ASSERT_EQUAL(memcmp(read.entries, matrix->entries,
                           sizeof(uint64_t) * (size_t)(read.ranks * read.ranks)), 0);
    irr_matrix_fini(&read);
    free(written);
}

static void test_write(void)
{
    irr_matrix_t matrix;
    uint64_t state = irr_test_seed();

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, 2), IRR_OK);
    write_and_read(&matrix, NULL, HEADER "2 2 0\n");
    *irr_matrix_at(&matrix, 0, 1) = INT64_MAX;
    *irr_matrix_at(&matrix, 1, 1) = 7;
    write_and_read(&matrix, "why", HEADER "% why\n2 2 2\n1 2 9223372036854775807\n2 2 7\n");
    *irr_matrix_at(&matrix, 0, 0) = (uint64_t)INT64_MAX + 1;
    CU_ASSERT_EQUAL(irr_matrix_write(&matrix, NULL, stdout), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&matrix, 40), IRR_OK);
    for (int i = 0; i < 1600; i++) {
        matrix.entries[i] = irr_test_below(&state, 2) * (irr_test_random(&state) >> 1);
    }
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

static void *alloc_nothing(size_t size)
{
    (void)size;
    return NULL;
}

static void *resize_nothing(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return NULL;
}

static void test_no_memory(void)
{
    static const irr_allocator_t empty = { alloc_nothing, resize_nothing, free };
    static const char text[] = HEADER "2 2 0\n";
    irr_file_error_t error = { 0 };
    irr_matrix_t matrix;

    irr_allocator_set(&empty);
    CU_ASSERT_EQUAL(irr_matrix_init(&matrix, 5), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(read_text(text, sizeof(text) - 1, &matrix, &error), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(error.line, 2);
    CU_ASSERT_STRING_EQUAL(error.reason, "not enough memory for a matrix of 2 ranks");
    irr_allocator_set(NULL);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "a zero matrix has ranks * ranks entries",        test_init },
        { "want of memory is an error",                     test_no_memory },
        { "comments, blanks, both line ends, any case",     test_good_file },
        { "the airfoil meshes are as they were made",       test_airfoil },
        { "bad files are refused with line and reason",     test_bad_files },
        { "a line may have 1023 bytes and not more",        test_long_line },
        { "a missing file and a folder are refused",        test_unreadable },
        { "a pipe, a socket and a device are refused",      test_no_file },
        { "damaged files end in a matrix or in a reason",   test_noise },
        { "what is written is read back",                   test_write },
        { "a stream with an error is one",                  test_write_nowhere },
        { NULL, NULL }
    };

    return irr_test_main("matrix", cases, 60);
}
