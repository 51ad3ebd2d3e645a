/*
 * test_matrix.c - count matrices, files of matrices, and the patterns of the papers, whose matrices are the same on
 * every machine.
 */
#include "core/hash.h"
#include "irr_text.h"
#include "matrix_scene.h"

#define HEADER "%%MatrixMarket matrix coordinate integer general\n"
#define UNIT  10
#define RANKS 40

/* ---- matrices and their files ---- */

IRR_TEST(test_init, "a zero matrix has ranks * ranks entries")
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
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_matrix_init(&matrix, 5), IRR_ERR_NO_MEMORY);
}

static irr_status_t read_text(const char *text, size_t length, irr_matrix_t *matrix, irr_file_error_t *error)
{
    irr_status_t status;

    irr_text_open();
    status = irr_matrix_read(irr_text_fill(text, length), matrix, error);
    irr_text_close();
    return status;
}

IRR_TEST(test_good_file, "files with comments, blanks, both line endings, upper and lower case")
{
    static const char text[] = "%%matrixmarket MATRIX Coordinate Integer GENERAL\r\n% a comment\r\n\r\n   % another\n"
                               " 3\t3  4 \r\n1 2 10\r\n\n  3 1 9223372036854775807\n2 2 0\n3 3 0005";
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
IRR_TEST(test_airfoil, "the shipped airfoil meshes are unchanged")
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

IRR_TEST_SEEDED(test_write, "a matrix that is written and read back is unchanged")
{
    irr_matrix_t matrix = matrix_scene_zero(2);

    write_and_read(&matrix, NULL, HEADER "2 2 0\n");
    *irr_matrix_at(&matrix, 0, 1) = INT64_MAX;
    *irr_matrix_at(&matrix, 1, 1) = 7;
    write_and_read(&matrix, "why", HEADER "% why\n2 2 2\n1 2 9223372036854775807\n2 2 7\n");
    *irr_matrix_at(&matrix, 0, 0) = (uint64_t)INT64_MAX + 1;
    CU_ASSERT_EQUAL(irr_matrix_write(&matrix, NULL, stdout), IRR_ERR_BAD_PARAM);
    irr_matrix_fini(&matrix);
    matrix = matrix_scene_mixed(40, INT64_MAX, state);
    write_and_read(&matrix, NULL, NULL);
    irr_matrix_fini(&matrix);
}

IRR_TEST(test_write_nowhere, "an error of the output stream is returned")
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

/* ---- the definitions of patterns ---- */

static irr_matrix_t make(const char *name, int ranks, uint64_t seed)
{
    return matrix_scene_pattern(name, ranks, UNIT, seed);
}

static uint64_t row_total(const irr_matrix_t *matrix, int row)
{
    uint64_t total = 0;

    for (int j = 0; j < matrix->ranks; j++) {
        total += *irr_matrix_at(matrix, row, j);
    }
    return total;
}

/* ---- all patterns ---- */

/* Hashes the entries as numbers, so that the byte order does not matter. */
static uint64_t fingerprint(const irr_matrix_t *matrix)
{
    uint64_t hash = IRR_HASH_BASIS;

    for (int i = 0; i < matrix->ranks * matrix->ranks; i++) {
        hash = irr_hash_word(hash, matrix->entries[i]);
    }
    return hash;
}

/* The matrices of a seed never change, so versions can be compared. Another seed gives another matrix. */
IRR_TEST(test_same_everywhere, "a seed gives the same matrix on every machine, and another seed another matrix")
{
    static const struct { const char *name; uint64_t hash; } golden[] = {
        { "uniform",   UINT64_C(0x9c65fc1dd026471d) },
        { "spike",     UINT64_C(0xf0fc3b12b07bec77) },
        { "transpose", UINT64_C(0x46e24042ba4823af) },
        { "next",      UINT64_C(0x3ea860d01dff1a1f) },
        { "columns",   UINT64_C(0x2e16105eb6837f07) },
        { "random",    UINT64_C(0x8566facfacbc95a5) },
        { "sparse",    UINT64_C(0x3487a6d8f0f328c5) },
        { "skewed",    UINT64_C(0x241a86749a7e80c5) },
        { "hotcol",    UINT64_C(0x2e4d735ad0fdcbaf) },
        { "ring",      UINT64_C(0x20fef2af2f22885f) },
        { "halves",    UINT64_C(0xe922bbd06cc3dc1f) },
    };
    enum { GOLDEN = IRR_TEST_COUNT(golden) };

    for (int i = 0; i < GOLDEN; i++) {
        irr_matrix_t matrix = make(golden[i].name, 13, 20), other = make(golden[i].name, 13, 21);
        const bool seeded = strstr("spike random sparse skewed", golden[i].name) != NULL;

        CU_ASSERT_EQUAL(fingerprint(&matrix), golden[i].hash);
        if (fingerprint(&matrix) != golden[i].hash) {
            printf("# %s: 0x%016llx\n", golden[i].name, (unsigned long long)fingerprint(&matrix));
        }
        CU_ASSERT_EQUAL(matrix_scene_same(&matrix, &other), !seeded);
        CU_ASSERT_STRING_EQUAL(irr_pattern_name(i), golden[i].name);
        CU_ASSERT(strstr(irr_pattern_text(i), "unit") != NULL && strchr(irr_pattern_text(i), '\n') == NULL);
        irr_matrix_fini(&matrix);
        irr_matrix_fini(&other);
    }
    for (int none = -1; none <= GOLDEN; none += GOLDEN + 1) {
        CU_ASSERT(irr_pattern_name(none) == NULL && irr_pattern_text(none) == NULL);
    }
}

/* No entry is above INT64_MAX, the largest number that a file may have. */
IRR_TEST(test_limits, "unknown names and overflowing lengths are refused")
{
    irr_matrix_t matrix = { .ranks = 77, .entries = NULL };

    CU_ASSERT_EQUAL(irr_matrix_pattern("nosuch", 4, UNIT, 1, &matrix), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_matrix_pattern("", 4, UNIT, 1, &matrix), IRR_ERR_BAD_PARAM);
    for (int i = 0; irr_pattern_name(i) != NULL; i++) {
        const char *name = irr_pattern_name(i);

        CU_ASSERT_EQUAL(irr_matrix_pattern(name, 0, UNIT, 1, &matrix), IRR_ERR_BAD_PARAM);
        CU_ASSERT_EQUAL(irr_matrix_pattern(name, 4, UINT64_MAX, 1, &matrix), IRR_ERR_BAD_PARAM);
        CU_ASSERT_EQUAL(irr_matrix_pattern(name, 4, (uint64_t)INT64_MAX + 1, 1, &matrix), IRR_ERR_BAD_PARAM);
        CU_ASSERT_EQUAL(matrix.ranks, 77);
    }
    CU_ASSERT_EQUAL(irr_matrix_pattern("next", 4, INT64_MAX / 64 + 1, 1, &matrix), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("next", 4, INT64_MAX / 64, 1, &matrix), IRR_OK);
    CU_ASSERT_EQUAL(*irr_matrix_at(&matrix, 0, 1), INT64_MAX / 64 * 64);
    irr_matrix_fini(&matrix);
    CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("sparse", 9, 0, 1, &matrix), IRR_OK);
    CU_ASSERT_EQUAL(row_total(&matrix, 3), 0);
    irr_matrix_fini(&matrix);
}

/* The longest message is not longer than the limit of the table for each number of ranks. */
IRR_TEST(test_longest, "no entry is above INT64_MAX for any number of ranks")
{
    const uint64_t unit = INT64_MAX / 64;

    for (int i = 0; irr_pattern_name(i) != NULL; i++) {
        for (int ranks = 1; ranks <= 150; ranks++) {
            irr_matrix_t matrix = matrix_scene_pattern(irr_pattern_name(i), ranks, unit, 1);

            for (int k = 0; k < ranks * ranks; k++) {
                CU_ASSERT_FATAL(matrix.entries[k] <= INT64_MAX);
            }
            irr_matrix_fini(&matrix);
        }
    }
}

static irr_status_t make_pattern(void *name)
{
    irr_matrix_t matrix = { .ranks = 77 };
    irr_status_t status = irr_matrix_pattern(name, 16, UNIT, 1, &matrix);

    if (status == IRR_OK) {
        irr_matrix_fini(&matrix);
    } else {
        CU_ASSERT_EQUAL(matrix.ranks, 77);
    }
    return status;
}

IRR_TEST(test_no_memory, "each failed allocation is an error and leaks no memory")
{
    char name[32];

    for (int i = 0; irr_pattern_name(i) != NULL; i++) {
        snprintf(name, sizeof(name), "%s", irr_pattern_name(i));
        CU_ASSERT(irr_memory_fail_each(make_pattern, name) > 0);
    }
}

IRR_TEST_MAIN("matrix", 60)
