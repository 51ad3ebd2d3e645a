/*
 * test_dump.c - the files of count matrices that a communicator writes (comm/dump.h): their names are unique, an index
 * counts the exchanges of each matrix, the number of files is limited, and errors are reported once. test_world.c has
 * exchanges that continue if no file can be written.
 */
#include "irr_turns.h"

#include "comm/dump.h"
#include "core/log.h"
#include "study/matrices.h"

#include <unistd.h>

enum { DUMP_RANKS = 3 };

static char folder[64], prefix[96];
static unsigned errors, warnings;

static void count_text(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    errors += level == IRR_LOG_ERROR && strstr(text, "cannot be written") != NULL;
    warnings += level == IRR_LOG_WARN;
}

/* Runs a case in a folder of its own. */
static void in_folder(void (*run)(void))
{
    char command[96];

    snprintf(folder, sizeof(folder), "test_dump.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(prefix, sizeof(prefix), "%s/m", folder);
    errors = warnings = 0;
    irr_log_set(count_text, NULL, IRR_LOG_WARN);
    run();
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CU_ASSERT_EQUAL(system(command), 0);
}

/* Begins a case that runs in a folder of its own. */
#define DUMP_TEST(function, text)                    \
    static void function(void);                      \
    IRR_TEST_CALL(function, text, in_folder(function))   \
    static void function(void)

static void begin(irr_dump_t *dump)
{
    irr_test_must(irr_dump_init(dump, prefix));
}

/*
 * Dumps a matrix in which rank 0 sends `bytes` to rank 2. own: bytes of a message of rank 1 to itself, which the dump
 * ignores. Returns the number of the matrix in the dump; 0 if it was not dumped.
 */
static unsigned dump_one(irr_dump_t *dump, uint64_t bytes, uint64_t own)
{
    irr_matrix_t matrix;
    unsigned number;

    irr_test_must(irr_matrix_init(&matrix, DUMP_RANKS));
    *irr_matrix_at(&matrix, 0, 2) = bytes;
    *irr_matrix_at(&matrix, 1, 1) = own;
    number = irr_dump_matrix(dump, &matrix);
    irr_matrix_fini(&matrix);
    return number;
}

/* Counts exchanges of a matrix of the dump; matrix 0: exchanges whose matrix was not dumped. */
static void count_exchanges(irr_dump_t *dump, unsigned matrix, int times)
{
    for (int i = 0; i < times; i++) {
        irr_dump_exchange(dump, matrix);
    }
}

/* Returns the lines of the index file of a dump, without comments; "none" if there is no file. */
static const char *read_index(unsigned communicator)
{
    static char text[1 << 16];
    char path[128], line[256];
    size_t used = 0;
    FILE *stream;

    snprintf(path, sizeof(path), "%s.%u.index", prefix, communicator);
    stream = fopen(path, "r");
    if (stream == NULL) {
        return "none";
    }
    text[0] = '\0';
    while (fgets(line, sizeof(line), stream) != NULL) {
        if (line[0] != '#' && used < sizeof(text)) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", line);
        }
    }
    fclose(stream);
    return text;
}

static bool read_matrix(unsigned communicator, unsigned number, irr_matrix_t *matrix)
{
    irr_file_error_t error;
    char path[128];

    snprintf(path, sizeof(path), "%s.%u.%u.mtx", prefix, communicator, number);
    return irr_matrix_read(path, matrix, &error) == IRR_OK;
}

/* Returns the `bytes` of a matrix of dump_one, read from its file; 0 if there is no file. */
static uint64_t read_bytes(unsigned communicator, unsigned number)
{
    irr_matrix_t matrix;
    uint64_t bytes;

    if (!read_matrix(communicator, number, &matrix)) {
        return 0;
    }
    bytes = *irr_matrix_at(&matrix, 0, 2);
    irr_matrix_fini(&matrix);
    return bytes;
}

DUMP_TEST(test_counts, "the index counts the exchanges of each matrix")
{
    irr_dump_t dump;
    unsigned a, b;

    begin(&dump);
    a = dump_one(&dump, 10, 0);
    count_exchanges(&dump, a, 3);
    b = dump_one(&dump, 20, 0);
    count_exchanges(&dump, b, 1);
    CU_ASSERT_EQUAL(dump_one(&dump, 10, 5), a);   /* an equal matrix, except for the message that is ignored */
    count_exchanges(&dump, a, 2);
    count_exchanges(&dump, 0, 4);
    irr_dump_fini(&dump);
    CU_ASSERT_STRING_EQUAL(read_index(1), "5 m.1.1.mtx\n1 m.1.2.mtx\n4 -\n");
    CU_ASSERT_EQUAL(read_bytes(1, 1), 10);
    CU_ASSERT_EQUAL(read_bytes(1, 2), 20);
    CU_ASSERT_EQUAL(read_bytes(1, 3), 0);
}

/* A killed job does not call irr_dump_fini, so its index misses the last exchanges. */
DUMP_TEST(test_killed, "the index of a killed job has some of its counts")
{
    irr_dump_t dump;

    begin(&dump);
    count_exchanges(&dump, dump_one(&dump, 10, 0), 9);
    CU_ASSERT_STRING_EQUAL(read_index(1), "8 m.1.1.mtx\n");
    irr_dump_fini(&dump);
    CU_ASSERT_STRING_EQUAL(read_index(1), "9 m.1.1.mtx\n");
}

/* Checks that the names differ if two dumps are open at once, and if a dump begins after the end of another one. */
DUMP_TEST(test_names, "files of different dumps have different names")
{
    irr_dump_t dumps[3];

    begin(&dumps[0]);
    begin(&dumps[1]);
    count_exchanges(&dumps[0], dump_one(&dumps[0], 1, 0), 1);
    count_exchanges(&dumps[1], dump_one(&dumps[1], 2, 0), 2);
    irr_dump_fini(&dumps[0]);
    begin(&dumps[2]);
    count_exchanges(&dumps[2], dump_one(&dumps[2], 3, 0), 3);
    irr_dump_fini(&dumps[2]);
    irr_dump_fini(&dumps[1]);
    for (unsigned i = 1; i <= 3; i++) {
        char expected[64];

        snprintf(expected, sizeof(expected), "%u m.%u.1.mtx\n", i, i);
        CU_ASSERT_STRING_EQUAL(read_index(i), expected);
        CU_ASSERT_EQUAL(read_bytes(i, 1), i);
    }
    CU_ASSERT_STRING_EQUAL(read_index(4), "none");
}

DUMP_TEST(test_nothing, "a dump without a prefix or without a matrix writes no files")
{
    irr_dump_t dump = { .prefix = NULL };

    CU_ASSERT_EQUAL(dump_one(&dump, 1, 0), 0);
    count_exchanges(&dump, 0, 3);
    irr_dump_fini(&dump);
    begin(&dump);
    count_exchanges(&dump, 0, 3);
    irr_dump_fini(&dump);
    CU_ASSERT_STRING_EQUAL(read_index(1), "none");
}

/*
 * The first communicator writes 1000 matrices, the second communicator 500, the thousandth communicator one, and later
 * communicators none.
 */
DUMP_TEST(test_limits, "the number of files is limited")
{
    irr_dump_t dump;

    for (unsigned k = 1; k <= IRR_DUMP_MAX + 2; k++) {
        const unsigned most = k <= IRR_DUMP_MAX ? IRR_DUMP_MAX / k : 0, expected = k <= 2 ? most : most > 0;

        begin(&dump);
        for (unsigned n = 1; n <= expected + 1; n++) {
            unsigned number = dump_one(&dump, n, 0);

            CU_ASSERT_EQUAL(number, n <= most ? n : 0);
            count_exchanges(&dump, number, 1);
        }
        irr_dump_fini(&dump);
        CU_ASSERT_EQUAL(strcmp(read_index(k), "none") == 0, k > IRR_DUMP_MAX);
    }
    CU_ASSERT_NOT_EQUAL(strstr(read_index(2), "\n1 -\n"), NULL);
    CU_ASSERT_EQUAL(errors, 0);
    CU_ASSERT_TRUE(warnings > 0);
}

DUMP_TEST(test_trouble, "files that cannot be written cause one error message")
{
    irr_dump_t dump;
    char path[128];

    snprintf(prefix, sizeof(prefix), "%s/none/m", folder);
    begin(&dump);
    for (uint64_t i = 1; i <= 3; i++) {
        count_exchanges(&dump, dump_one(&dump, i, 0), 2);
    }
    irr_dump_fini(&dump);
    CU_ASSERT_EQUAL(errors, 1);
    snprintf(prefix, sizeof(prefix), "%s/m", folder);
    snprintf(path, sizeof(path), "%s.1.1.mtx", prefix);
    fclose(fopen(path, "w"));   /* a matrix of another job, whose index is missing */
    begin(&dump);
    CU_ASSERT_EQUAL(dump_one(&dump, 1, 0), 0);
    irr_dump_fini(&dump);
    CU_ASSERT_EQUAL(errors, 2);
}

/* ---- the dumps of communicators ---- */

/* Asserts that the file of a matrix has the counts of a job. */
static void expect_job(unsigned communicator, unsigned number, const irr_job_t *job)
{
    irr_matrix_t matrix;

    CU_ASSERT_TRUE_FATAL(read_matrix(communicator, number, &matrix));
    for (int i = 0; i < IRR_TURNS_RANKS * IRR_TURNS_RANKS; i++) {
        const int from = i / IRR_TURNS_RANKS, to = i % IRR_TURNS_RANKS;

        CU_ASSERT_EQUAL(*irr_matrix_at(&matrix, from, to), irr_job_length(job, from, to));
    }
    irr_matrix_fini(&matrix);
}

/* Each algorithm runs five exchanges: three with the counts of job A, and two with those of job B. */
DUMP_TEST(test_exchanges, "communicators dump each matrix once")
{
    static const char *const algorithms[] = { "random", "direct", "grid" };
    uint64_t state = irr_test_seed();

    for (unsigned i = 0; i < IRR_TEST_COUNT(algorithms); i++) {
        irr_settings_t settings = irr_turns_with(algorithms[i]);
        irr_turns_t scene;
        char expected[64];

        settings.matrix_dump = prefix;
        irr_turns_open(&scene, &settings, &state);
        irr_turns_add(&scene, 0, IRR_JOB_MIXED, 1);
        irr_turns_add(&scene, 1, IRR_JOB_SPARSE, 1);
        irr_turns_run(&scene, "AABBA");
        expect_job(i + 1, 1, scene.jobs[0]);
        expect_job(i + 1, 2, scene.jobs[1]);
        irr_turns_close(&scene);
        snprintf(expected, sizeof(expected), "3 m.%u.1.mtx\n2 m.%u.2.mtx\n", i + 1, i + 1);
        CU_ASSERT_STRING_EQUAL(read_index(i + 1), expected);
    }
}

IRR_TEST_MAIN("dump", 60)
