/* dump.c - writes count matrices and an index of them to files; see dump.h. */
#include "comm/dump.h"

#include "core/alloc.h"
#include "core/log.h"
#include "core/random.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LENGTH = 4096 };

irr_status_t irr_dump_init(irr_dump_t *dump, const char *prefix)
{
    size_t size = strlen(prefix) + 1;
    char *copy = irr_alloc(size, 1);

    if (copy == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(copy, prefix, size);
    *dump = (irr_dump_t){ .prefix = copy };
    return IRR_OK;
}

/* ---- files ---- */

/*
 * Sets path to the file of matrix number `matrix`, or to the index if `matrix` is 0. number: K in dump.h. Returns false
 * and sets errno if the path is too long.
 */
static bool name_file(const irr_dump_t *dump, unsigned number, unsigned matrix, char path[PATH_LENGTH])
{
    int length = matrix > 0 ? snprintf(path, PATH_LENGTH, "%s.%u.%u.mtx", dump->prefix, number, matrix)
                            : snprintf(path, PATH_LENGTH, "%s.%u.index", dump->prefix, number);

    errno = ENAMETOOLONG;
    return length >= 0 && length < PATH_LENGTH;
}

/* Reports a write error to the user. From now on nothing more is written; files on disk stay. */
static void end(irr_dump_t *dump, const char *path)
{
    irr_log(IRR_LOG_ERROR, "%smatrix_dump: %.256s cannot be written: %s; this communicator writes no more count "
            "matrices", irr_log_prefix(), path, strerror(errno));
    dump->ended = true;
}

/* Returns the first number without an index file. Another process may create this file before the caller does. */
static unsigned find_number(const irr_dump_t *dump)
{
    unsigned taken = 0, number = IRR_DUMP_MAX + 1;
    char path[PATH_LENGTH];

    while (number - taken > 1) {
        unsigned middle = (taken + number) / 2;

        if (name_file(dump, middle, 0, path) && access(path, F_OK) == 0) {
            taken = middle;
        } else {
            number = middle;
        }
    }
    return number;
}

/* Creates an empty index file with the first number that has none. */
static void take_number(irr_dump_t *dump)
{
    FILE *stream = NULL;
    char path[PATH_LENGTH];
    unsigned number = find_number(dump);

    errno = EEXIST;
    for (; stream == NULL && errno == EEXIST && number <= IRR_DUMP_MAX; number++) {
        stream = name_file(dump, number, 0, path) ? fopen(path, "wx") : NULL;
    }
    if (stream != NULL) {
        fclose(stream);
        dump->number = number - 1;
    } else if (errno == EEXIST) {
        dump->ended = true;   /* the communicator with the last number has warned the user */
    } else {
        end(dump, path);
    }
    if (dump->number == IRR_DUMP_MAX) {
        irr_log(IRR_LOG_WARN, "%smatrix_dump: %.256s is the last index, so further communicators write no count "
                "matrices", irr_log_prefix(), path);
    }
}

static bool write_lines(const irr_dump_t *dump, FILE *stream)
{
    const char *slash = strrchr(dump->prefix, '/'), *name = slash != NULL ? slash + 1 : dump->prefix;

    fputs("# coll/irr: number of exchanges of a communicator, and their count matrix\n", stream);
    for (size_t i = 0; i < dump->count; i++) {
        fprintf(stream, "%" PRIu64 " %s.%u.%zu.mtx\n", dump->list[i].exchanges, name, dump->number, i + 1);
    }
    if (dump->others > 0) {
        fprintf(stream, "%" PRIu64 " -\n", dump->others);
    }
    return !ferror(stream);
}

static void write_index(irr_dump_t *dump)
{
    FILE *stream = NULL;
    char path[PATH_LENGTH];
    bool good;

    if (dump->number == 0 || dump->ended) {
        return;
    }
    stream = name_file(dump, dump->number, 0, path) ? fopen(path, "w") : NULL;
    good = stream != NULL && write_lines(dump, stream);
    if (stream != NULL && fclose(stream) != 0) {
        good = false;
    }
    if (!good) {
        end(dump, path);
    }
}

static bool write_matrix(irr_dump_t *dump, const irr_matrix_t *matrix, unsigned number)
{
    char path[PATH_LENGTH];
    FILE *stream = name_file(dump, dump->number, number, path) ? fopen(path, "wx") : NULL;
    bool good = stream != NULL &&
                irr_matrix_write(matrix, "bytes that rank row - 1 sends to rank column - 1", stream) == IRR_OK;

    if (stream != NULL && fclose(stream) != 0) {
        good = false;
    }
    if (!good) {
        end(dump, path);
    } else if (number == IRR_DUMP_MAX / dump->number) {
        irr_log(IRR_LOG_WARN, "%smatrix_dump: %.256s is the last count matrix of its communicator", irr_log_prefix(),
                path);
    }
    return good;
}

/* ---- matrices ---- */

/* Returns a hash of the matrix without its diagonal. */
static uint64_t hash_of(const irr_matrix_t *matrix)
{
    uint64_t hash = (uint64_t)matrix->ranks;

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            hash ^= i == j ? 0 : *irr_matrix_at(matrix, i, j);
            hash = irr_random(&hash);
        }
    }
    return hash;
}

static unsigned find(const irr_dump_t *dump, uint64_t hash)
{
    for (size_t i = 0; i < dump->count; i++) {
        if (dump->list[i].hash == hash) {
            return (unsigned)i + 1;
        }
    }
    return 0;
}

unsigned irr_dump_matrix(irr_dump_t *dump, const irr_matrix_t *matrix)
{
    uint64_t hash;
    unsigned found;

    if (dump->prefix == NULL) {
        return 0;
    }
    hash = hash_of(matrix);
    found = find(dump, hash);
    if (found == 0 && dump->number == 0 && !dump->ended) {
        take_number(dump);
    }
    if (found > 0 || dump->ended || dump->count >= IRR_DUMP_MAX / dump->number ||
        IRR_GROW(dump->list, dump->max, dump->count + 1) != IRR_OK ||
        !write_matrix(dump, matrix, (unsigned)dump->count + 1)) {
        return found;
    }
    dump->list[dump->count++] = (irr_dump_matrix_t){ hash, 0 };
    write_index(dump);
    return (unsigned)dump->count;
}

void irr_dump_exchange(irr_dump_t *dump, unsigned matrix)
{
    if (matrix > 0) {
        dump->list[matrix - 1].exchanges++;
    } else {
        dump->others++;
    }
    dump->exchanges++;
    if ((dump->exchanges & (dump->exchanges - 1)) == 0) {
        write_index(dump);
    }
}

void irr_dump_fini(irr_dump_t *dump)
{
    write_index(dump);
    irr_free(dump->prefix);
    irr_free(dump->list);
    *dump = (irr_dump_t){ .prefix = NULL };
}
