/*
 * matrix_read.c - reads a count matrix from a Matrix Market file.
 *
 *     %%MatrixMarket matrix coordinate integer general
 *     % any number of comments
 *     RANKS RANKS ENTRIES
 *     FROM TO BYTES              once per entry; ranks count from 1, missing entries are zero
 *
 * The file is untrusted: each word is checked before it is used.  An error message has the number of the line, the
 * wrong word and the allowed values.  Blank lines are accepted, as are LF and CR LF as ends of lines.  Time is linear
 * in the length of the file plus P * P for P ranks.
 */
#include "problem/lines.h"
#include "study/matrices.h"

#include <inttypes.h>
#include <strings.h>

#define LINE_BYTES  1024            /* maximum length of a line in the format, with the end of the line */
#define ENTRY_LIMIT ((uint64_t)INT64_MAX)
#define UNSET       UINT64_MAX      /* an entry that the file has not set yet; above ENTRY_LIMIT */

static irr_status_t read_header(irr_lines_t *lines)
{
    static const struct { const char *what, *allowed; } fields[] = {
        { "first word", "%%MatrixMarket" },
        { "object",     "matrix" },
        { "format",     "coordinate" },
        { "field",      "integer" },
        { "symmetry",   "general" },
    };
    enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };
    char *words[FIELDS];
    irr_status_t status = irr_lines_next(lines);
    size_t found;

    if (status != IRR_OK) {
        return status;
    }
    found = irr_lines_split(lines, words, FIELDS);
    for (int i = 0; i < FIELDS; i++) {
        if (strcasecmp(words[i], fields[i].allowed) != 0) {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "%s of the header is '%.32s', only '%s' is read",
                          fields[i].what, words[i], fields[i].allowed);
        }
    }
    if (found > FIELDS) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "header has %zu words, %d are allowed", found, FIELDS);
    }
    return IRR_OK;
}

static irr_status_t read_size(irr_lines_t *lines, int *ranks_p, uint64_t *entries_p)
{
    char *words[3];
    uint64_t rows, columns, entries;
    irr_status_t status = irr_lines_next_data(lines, "%");
    size_t found;

    if (status != IRR_OK) {
        return status;
    }
    if (lines->at_end) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "file ends before the line with rows, columns and entries");
    }
    found = irr_lines_split(lines, words, 3);
    if (found != 3) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT,
                                "size line has %zu words, it must have rows, columns and entries", found);
    }
    if ((status = irr_lines_number(lines, "number of rows", words[0], 1, IRR_MATRIX_RANKS_MAX, &rows)) != IRR_OK ||
        (status = irr_lines_number(lines, "number of columns", words[1], 1, IRR_MATRIX_RANKS_MAX,
                                   &columns)) != IRR_OK) {
        return status;
    }
    if (rows != columns) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "matrix is %" PRIu64 " x %" PRIu64 ", it must be square",
                      rows, columns);
    }
    if ((status = irr_lines_number(lines, "number of entries", words[2], 0, rows * columns, &entries)) != IRR_OK) {
        return status;
    }
    *ranks_p = (int)rows;
    *entries_p = entries;
    return IRR_OK;
}

static irr_status_t read_entry(irr_lines_t *lines, irr_matrix_t *matrix)
{
    const uint64_t ranks = (uint64_t)matrix->ranks;
    uint64_t row, column, bytes, *entry;
    char *words[3];
    irr_status_t status;
    size_t found = irr_lines_split(lines, words, 3);

    if (found != 3) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "entry has %zu words, it must have row, column and bytes",
                                found);
    }
    if ((status = irr_lines_number(lines, "row", words[0], 1, ranks, &row)) != IRR_OK ||
        (status = irr_lines_number(lines, "column", words[1], 1, ranks, &column)) != IRR_OK ||
        (status = irr_lines_number(lines, "entry", words[2], 0, ENTRY_LIMIT, &bytes)) != IRR_OK) {
        return status;
    }
    entry = irr_matrix_at(matrix, (int)row - 1, (int)column - 1);
    if (*entry != UNSET) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT,
                                "entry (%" PRIu64 ", %" PRIu64 ") appears twice, once is allowed", row, column);
    }
    *entry = bytes;
    return IRR_OK;
}

static irr_status_t read_entries(irr_lines_t *lines, uint64_t announced, irr_matrix_t *matrix)
{
    const size_t cells = (size_t)matrix->ranks * (size_t)matrix->ranks;
    irr_status_t status;
    uint64_t found = 0;

    for (size_t i = 0; i < cells; i++) {
        matrix->entries[i] = UNSET;
    }
    while ((status = irr_lines_next_data(lines, "")) == IRR_OK && !lines->at_end) {
        if (found == announced) {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "the file has more than the %" PRIu64 " entries announced",
                                    announced);
        }
        status = read_entry(lines, matrix);
        if (status != IRR_OK) {
            return status;
        }
        found++;
    }
    if (status == IRR_OK && found < announced) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT,
                                "file ends after %" PRIu64 " of the %" PRIu64 " entries announced", found,
                                announced);
    }
    for (size_t i = 0; i < cells; i++) {
        matrix->entries[i] = matrix->entries[i] != UNSET ? matrix->entries[i] : 0;
    }
    return status;
}

irr_status_t irr_matrix_read(const char *path, irr_matrix_t *matrix, irr_file_error_t *error)
{
    char text[LINE_BYTES];
    irr_lines_t lines;
    irr_matrix_t result;
    irr_status_t status = irr_lines_open(&lines, path, text, sizeof(text), error);
    uint64_t announced = 0;
    int ranks = 0;

    if (status != IRR_OK) {
        return status;
    }
    status = read_header(&lines);
    if (status == IRR_OK) {
        status = read_size(&lines, &ranks, &announced);
    }
    if (status != IRR_OK) {
        goto close_lines;
    }
    status = irr_matrix_init(&result, ranks);
    if (status != IRR_OK) {
        irr_lines_refuse(&lines, status, "not enough memory for a matrix of %d ranks", ranks);
        goto close_lines;
    }
    status = read_entries(&lines, announced, &result);
    if (status != IRR_OK) {
        irr_matrix_fini(&result);
        goto close_lines;
    }
    *matrix = result;
close_lines:
    irr_lines_close(&lines);
    return status;
}
