/*
 * matrix_read.c - reads a count matrix from a Matrix Market file.
 *
 *     %%MatrixMarket matrix coordinate integer general
 *     % any number of comments
 *     RANKS RANKS ENTRIES
 *     FROM TO BYTES              once per entry; ranks count from 1, what is not listed is zero
 *
 * The file is input from outside: each word is checked before it is used, and each refusal says in which
 * line, what stood there and what is allowed.  Blank lines and both kinds of line ends are accepted.
 * One pass over the file, time linear in its length plus P * P.
 */
#include "core/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define LINE_BYTES  1024            /* a line and its end, the limit that the format itself sets */
#define RANKS_LIMIT 16384           /* 2 GiB of matrix: a short file must not take the whole machine */
#define ENTRY_LIMIT ((uint64_t)INT64_MAX)
#define UNSET       UINT64_MAX      /* above ENTRY_LIMIT: marks an entry that the file has not named yet */
#define BLANKS      " \t\v\f\r"

typedef struct reader {
    FILE             *stream;
    irr_file_error_t *error;
    size_t            line;         /* number of the current line, from 1 */
    bool              at_end;       /* there is no current line */
    char              text[LINE_BYTES];
} reader_t;

static irr_status_t refuse(const reader_t *reader, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The reason may quote the file, so what could disturb a terminal is replaced. */
static irr_status_t refuse(const reader_t *reader, irr_status_t status, const char *format, ...)
{
    irr_file_error_t *error = reader->error;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->reason, sizeof(error->reason), format, arguments);
    va_end(arguments);
    for (char *c = error->reason; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    error->line = reader->line;
    return status;
}

static irr_status_t next_line(reader_t *reader)
{
    size_t length = 0;
    int c;

    reader->line++;
    while ((c = getc_unlocked(reader->stream)) != EOF && c != '\n') {
        if (c == '\0') {
            return refuse(reader, IRR_ERR_FORMAT, "byte %zu of the line is 0, only text is allowed", length + 1);
        }
        if (length == LINE_BYTES - 1) {
            return refuse(reader, IRR_ERR_FORMAT, "line is longer than the %d bytes allowed", LINE_BYTES - 1);
        }
        reader->text[length++] = (char)c;
    }
    if (ferror(reader->stream)) {
        reader->line = 0;
        return refuse(reader, IRR_ERR_IO, "%s", strerror(errno));
    }
    reader->text[length] = '\0';
    reader->at_end = c == EOF && length == 0;
    if (reader->at_end) {
        reader->line--;
    }
    return IRR_OK;
}

/* The next line that is not blank, and no comment where comments are allowed. */
static irr_status_t next_data_line(reader_t *reader, bool comments)
{
    irr_status_t status;
    char first;

    do {
        status = next_line(reader);
        first = reader->text[strspn(reader->text, BLANKS)];
    } while (status == IRR_OK && !reader->at_end && (first == '\0' || (comments && first == '%')));
    return status;
}

/* Cuts the line into its first count words; missing ones are empty.  Returns the number of words in the line. */
static size_t split(reader_t *reader, char **words, size_t count)
{
    char *rest = reader->text;
    size_t found = 0;

    for (;;) {
        char *word = rest + strspn(rest, BLANKS);
        size_t length = strcspn(word, BLANKS);

        if (found < count) {
            words[found] = word;
        }
        if (length == 0) {
            break;
        }
        found++;
        rest = word + length;
        if (*rest != '\0') {
            *rest++ = '\0';
        }
    }
    for (size_t i = found; i < count; i++) {
        words[i] = rest + strlen(rest);
    }
    return found;
}

/* Digits only: signs, points, exponents and what does not fit are refused, with the same sentence. */
static irr_status_t number(const reader_t *reader, const char *what, const char *word, uint64_t min, uint64_t max,
                           uint64_t *value_p)
{
    uint64_t value = 0;
    bool good = word[0] != '\0';

    for (const char *c = word; good && *c != '\0'; c++) {
        good = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*c - '0'), &value);
    }
    if (!good || value < min || value > max) {
        return refuse(reader, IRR_ERR_FORMAT, "%s '%.32s' is not an integer from %" PRIu64 " to %" PRIu64,
                      what, word, min, max);
    }
    *value_p = value;
    return IRR_OK;
}

static irr_status_t read_header(reader_t *reader)
{
    static const struct { const char *what, *allowed; } parts[] = {
        { "first word", "%%MatrixMarket" },
        { "object",     "matrix" },
        { "format",     "coordinate" },
        { "field",      "integer" },
        { "symmetry",   "general" },
    };
    enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
    char *words[PARTS];
    irr_status_t status = next_line(reader);
    size_t found;

    if (status != IRR_OK) {
        return status;
    }
    found = split(reader, words, PARTS);
    for (int i = 0; i < PARTS; i++) {
        if (strcasecmp(words[i], parts[i].allowed) != 0) {
            return refuse(reader, IRR_ERR_FORMAT, "%s of the header is '%.32s', only '%s' is read",
                          parts[i].what, words[i], parts[i].allowed);
        }
    }
    if (found > PARTS) {
        return refuse(reader, IRR_ERR_FORMAT, "header has %zu words, %d are allowed", found, PARTS);
    }
    return IRR_OK;
}

static irr_status_t read_size(reader_t *reader, int *ranks_p, uint64_t *entries_p)
{
    char *words[3];
    uint64_t rows, columns, entries;
    irr_status_t status = next_data_line(reader, true);
    size_t found;

    if (status != IRR_OK) {
        return status;
    }
    if (reader->at_end) {
        return refuse(reader, IRR_ERR_FORMAT, "file ends before the line with rows, columns and entries");
    }
    found = split(reader, words, 3);
    if (found != 3) {
        return refuse(reader, IRR_ERR_FORMAT, "size line has %zu words, it must have rows, columns and entries",
                      found);
    }
    if ((status = number(reader, "number of rows", words[0], 1, RANKS_LIMIT, &rows)) != IRR_OK ||
        (status = number(reader, "number of columns", words[1], 1, RANKS_LIMIT, &columns)) != IRR_OK) {
        return status;
    }
    if (rows != columns) {
        return refuse(reader, IRR_ERR_FORMAT, "matrix is %" PRIu64 " x %" PRIu64 ", it must be square",
                      rows, columns);
    }
    if ((status = number(reader, "number of entries", words[2], 0, rows * columns, &entries)) != IRR_OK) {
        return status;
    }
    *ranks_p = (int)rows;
    *entries_p = entries;
    return IRR_OK;
}

static irr_status_t read_entry(reader_t *reader, irr_matrix_t *matrix)
{
    const uint64_t ranks = (uint64_t)matrix->ranks;
    uint64_t row, column, bytes, *entry;
    char *words[3];
    irr_status_t status;
    size_t found = split(reader, words, 3);

    if (found != 3) {
        return refuse(reader, IRR_ERR_FORMAT, "entry has %zu words, it must have row, column and bytes", found);
    }
    if ((status = number(reader, "row", words[0], 1, ranks, &row)) != IRR_OK ||
        (status = number(reader, "column", words[1], 1, ranks, &column)) != IRR_OK ||
        (status = number(reader, "entry", words[2], 0, ENTRY_LIMIT, &bytes)) != IRR_OK) {
        return status;
    }
    entry = irr_matrix_at(matrix, (int)row - 1, (int)column - 1);
    if (*entry != UNSET) {
        return refuse(reader, IRR_ERR_FORMAT, "entry (%" PRIu64 ", %" PRIu64 ") appears twice, once is allowed",
                      row, column);
    }
    *entry = bytes;
    return IRR_OK;
}

static irr_status_t read_entries(reader_t *reader, uint64_t announced, irr_matrix_t *matrix)
{
    const size_t cells = (size_t)matrix->ranks * (size_t)matrix->ranks;
    irr_status_t status;
    uint64_t found = 0;

    for (size_t i = 0; i < cells; i++) {
        matrix->entries[i] = UNSET;
    }
    while ((status = next_data_line(reader, false)) == IRR_OK && !reader->at_end) {
        if (found == announced) {
            return refuse(reader, IRR_ERR_FORMAT, "entry follows after all %" PRIu64 " entries announced",
                          announced);
        }
        status = read_entry(reader, matrix);
        if (status != IRR_OK) {
            return status;
        }
        found++;
    }
    if (status == IRR_OK && found < announced) {
        return refuse(reader, IRR_ERR_FORMAT, "file ends after %" PRIu64 " of the %" PRIu64 " entries announced",
                      found, announced);
    }
    for (size_t i = 0; i < cells; i++) {
        matrix->entries[i] = matrix->entries[i] != UNSET ? matrix->entries[i] : 0;
    }
    return status;
}

irr_status_t irr_matrix_read(const char *path, irr_matrix_t *matrix, irr_file_error_t *error)
{
    reader_t reader = { .error = error };
    irr_matrix_t result;
    irr_status_t status;
    uint64_t announced = 0;
    int ranks = 0;

    reader.stream = fopen(path, "r");
    if (reader.stream == NULL) {
        return refuse(&reader, IRR_ERR_IO, "%s", strerror(errno));
    }
    status = read_header(&reader);
    if (status == IRR_OK) {
        status = read_size(&reader, &ranks, &announced);
    }
    if (status != IRR_OK) {
        goto close_stream;
    }
    status = irr_matrix_init(&result, ranks);
    if (status != IRR_OK) {
        refuse(&reader, status, "not enough memory for a matrix of %d ranks", ranks);
        goto close_stream;
    }
    status = read_entries(&reader, announced, &result);
    if (status != IRR_OK) {
        irr_matrix_fini(&result);
        goto close_stream;
    }
    *matrix = result;
close_stream:
    fclose(reader.stream);
    return status;
}
