/*
 * matrix_ucc.c - reads and writes a pattern file of UCC's benchmark, ucc_perftest -c alltoallv --gen file:name=FILE.
 *
 *     [collective]                 one section for each collective, each with its own matrix
 *     type = ALLTOALLV             no other type is supported
 *     team_size = 4                ucc_perftest ignores team_size and datatype; it uses the counts and its option -d
 *     datatype = INT32
 *     counts = {
 *         5,0,3,1                  rank by rank; lines begin with a blank, and may end anywhere between counts
 *     }
 *
 * Other keys and sections do not affect the matrix.  Lines may have 8191 bytes; ';' and '#' begin comments.  The reader
 * refuses everything that ucc_perftest would misread without a message: counts of more than 32 bits, signs, and lines
 * of counts that begin without a blank.  An entry of the matrix is a count times the bytes of the datatype, which is
 * float32 by default.
 */
#include "matrix.h"

#include "core/alloc.h"
#include "problem/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define LINE_BYTES 8192

typedef struct parser {
    irr_lines_t lines;
    uint64_t    wanted, found;      /* number of the collective to read, 0: the only one; collectives found so far */
    bool        collective;         /* the line is in the section of a collective */
    bool        counting, closed;   /* the line is between the braces of counts; after the closing brace */
    uint64_t    team, bytes;        /* of the current collective; 0: not given */
    uint64_t   *counts;             /* counts of the current collective */
    size_t      count, max;
    irr_matrix_t matrix;            /* the result; its ranks are 0 until it exists */
} parser_t;

static const struct { const char *name; uint64_t bytes; } datatypes[] = {
    { "INT8", 1 }, { "UINT8", 1 }, { "INT16", 2 }, { "UINT16", 2 }, { "FLOAT16", 2 }, { "BFLOAT16", 2 },
    { "INT32", 4 }, { "UINT32", 4 }, { "FLOAT32", 4 }, { "INT64", 8 }, { "UINT64", 8 }, { "FLOAT64", 8 },
    { "FLOAT32_COMPLEX", 8 }, { "INT128", 16 }, { "UINT128", 16 }, { "FLOAT128", 16 }, { "FLOAT64_COMPLEX", 16 },
    { "FLOAT128_COMPLEX", 32 }
};

#define REFUSE(...) irr_lines_refuse(&parser->lines, IRR_ERR_FORMAT, __VA_ARGS__)

static irr_status_t add_count(parser_t *parser, const char *word)
{
    const size_t limit = (size_t)IRR_MATRIX_RANKS_MAX * IRR_MATRIX_RANKS_MAX;
    uint64_t count;
    irr_status_t status = irr_lines_number(&parser->lines, "count", word, 0, UINT32_MAX, &count);

    if (status != IRR_OK) {
        return status;
    }
    if (parser->count == limit) {
        return REFUSE("there are more than %zu counts", limit);
    }
    status = IRR_GROW(parser->counts, parser->max, parser->count + 1);
    if (status != IRR_OK) {
        return irr_lines_refuse(&parser->lines, status, "not enough memory for %zu counts", parser->count + 1);
    }
    parser->counts[parser->count++] = count;
    return IRR_OK;
}

/* Makes the matrix of the current collective. */
static irr_status_t keep(parser_t *parser)
{
    const uint64_t bytes = parser->bytes > 0 ? parser->bytes : 4;
    int ranks = 1;
    irr_status_t status;

    while ((size_t)ranks * (size_t)ranks < parser->count) {
        ranks++;
    }
    if ((size_t)ranks * (size_t)ranks != parser->count) {
        return REFUSE("%zu counts do not make a square matrix", parser->count);
    }
    if (parser->team > 0 && parser->team != (uint64_t)ranks) {
        return REFUSE("%zu counts are for %d ranks, but team_size is %llu", parser->count, ranks,
                      (unsigned long long)parser->team);
    }
    status = irr_matrix_init(&parser->matrix, ranks);
    if (status != IRR_OK) {
        return irr_lines_refuse(&parser->lines, status, "not enough memory for a matrix of %d ranks", ranks);
    }
    for (size_t i = 0; i < parser->count; i++) {
        parser->matrix.entries[i] = parser->counts[i] * bytes;
    }
    return IRR_OK;
}

/* Ends a collective, at the next section or at the end of the file. */
static irr_status_t end_collective(parser_t *parser)
{
    irr_status_t status = IRR_OK;

    if (parser->counting && !parser->closed) {
        return REFUSE("counts end without }");
    }
    if (parser->counting) {
        parser->found++;
        if (parser->wanted == 0 && parser->found == 2) {
            return REFUSE("file has several collectives; select one with --collective");
        }
        if (parser->found == (parser->wanted > 0 ? parser->wanted : 1)) {
            status = keep(parser);
        }
    }
    parser->counting = parser->closed = false;
    parser->team = parser->bytes = 0;
    parser->count = 0;
    return status;
}

/* Reads the counts of one line between the braces. */
static irr_status_t read_counts(parser_t *parser, char *text)
{
    char *brace = strchr(text, '}'), *rest = text, *item;
    irr_status_t status = IRR_OK;

    if (brace != NULL) {
        *brace++ = '\0';
        parser->closed = true;
        if (*irr_lines_word(&brace) != '\0') {
            return REFUSE("text follows the } of counts");
        }
    }
    while (status == IRR_OK && (item = strsep(&rest, ",")) != NULL) {
        char *word = irr_lines_word(&item);

        if (*word == '\0') {
            continue;
        }
        status = *irr_lines_word(&item) == '\0' ? add_count(parser, word) :
            REFUSE("a comma is missing after count '%.32s'", word);
    }
    return status;
}

static irr_status_t read_datatype(parser_t *parser, const char *value)
{
    for (size_t i = 0; i < sizeof(datatypes) / sizeof(datatypes[0]); i++) {
        if (strcmp(datatypes[i].name, value) == 0) {
            parser->bytes = datatypes[i].bytes;
            return IRR_OK;
        }
    }
    return REFUSE("datatype '%.32s' is unknown to UCC", value);
}

static irr_status_t read_key(parser_t *parser, const char *name, char *value)
{
    if (!parser->collective) {
        return IRR_OK;
    }
    if (strcmp(name, "type") == 0 && strcmp(value, "ALLTOALLV") != 0) {
        return REFUSE("type '%.32s' is not ALLTOALLV", value);
    }
    if (strcmp(name, "team_size") == 0) {
        return irr_lines_number(&parser->lines, "team_size", value, 1, IRR_MATRIX_RANKS_MAX, &parser->team);
    }
    if (strcmp(name, "datatype") == 0) {
        return read_datatype(parser, value);
    }
    if (strcmp(name, "counts") != 0) {
        return IRR_OK;
    }
    if (parser->counting) {
        return REFUSE("a collective has counts twice");
    }
    if (value[0] != '{') {
        return REFUSE("counts begin with '%.32s', not with {", value);
    }
    parser->counting = true;
    return read_counts(parser, value + 1);
}

static irr_status_t read_section(parser_t *parser, char *text)
{
    char *end = strchr(text, ']');
    irr_status_t status = end_collective(parser);

    if (status == IRR_OK && end == NULL) {
        return REFUSE("section ends without ]");
    }
    if (status == IRR_OK) {
        *end = '\0';
        parser->collective = strcmp(text, "collective") == 0;
    }
    return status;
}

/* Removes blanks at the end of a value, and a comment behind a blank. */
static void cut_value(char *value)
{
    char *end = value;

    for (char *c = value; *c != '\0' && !(*c == ';' && c > value && isspace((unsigned char)c[-1])); c++) {
        end = isspace((unsigned char)*c) ? end : c + 1;
    }
    *end = '\0';
}

static irr_status_t read_line(parser_t *parser)
{
    char *text = parser->lines.text, *start = text + strspn(text, IRR_LINES_BLANKS), *equals;

    if (parser->counting && !parser->closed) {
        if (start == text && *start != '}') {
            return REFUSE("line of counts must begin with a blank; ucc_perftest skips other lines");
        }
        return read_counts(parser, start);
    }
    if (*start == '[') {
        return read_section(parser, start + 1);
    }
    equals = strpbrk(start, "=:");
    if (equals == NULL) {
        return REFUSE("'%.32s' is neither a section nor a key with a value", start);
    }
    *equals++ = '\0';
    equals += strspn(equals, IRR_LINES_BLANKS);
    cut_value(start);
    cut_value(equals);
    return read_key(parser, start, equals);
}

static irr_status_t read_all(parser_t *parser)
{
    irr_status_t status;

    while ((status = irr_lines_next_data(&parser->lines, ";#")) == IRR_OK && !parser->lines.at_end) {
        status = read_line(parser);
        if (status != IRR_OK) {
            return status;
        }
    }
    if (status == IRR_OK) {
        status = end_collective(parser);
    }
    if (status == IRR_OK && parser->matrix.ranks == 0) {
        parser->lines.line = 0;
        return REFUSE("file has %llu collectives with counts%s", (unsigned long long)parser->found,
                      parser->wanted > 0 ? ", fewer than the number of --collective" : "");
    }
    return status;
}

irr_status_t irr_matrix_read_ucc(const char *path, uint64_t collective, irr_matrix_t *matrix, irr_file_error_t *error)
{
    char text[LINE_BYTES];
    parser_t parser = { .wanted = collective };
    irr_status_t status = irr_lines_open(&parser.lines, path, text, sizeof(text), error);

    if (status != IRR_OK) {
        return status;
    }
    status = read_all(&parser);
    irr_lines_close(&parser.lines);
    irr_free(parser.counts);
    if (status == IRR_OK) {
        *matrix = parser.matrix;
    } else if (parser.matrix.ranks > 0) {
        irr_matrix_fini(&parser.matrix);
    }
    return status;
}

/* ---- writing ---- */

/*
 * Counts are bytes, so the benchmark must run with -d int8.  It reads lines of at most 8191 bytes, so a long row is
 * written on several lines.  Each line begins with a blank, because the benchmark ignores other lines.
 */

/* A line of COUNTS_A_LINE counts, each with ten digits and a comma, is far below the limit. */
#define COUNTS_A_LINE 512

static void write_row(const irr_matrix_t *matrix, int i, FILE *stream)
{
    for (int j = 0; j < matrix->ranks; j++) {
        bool first = j % COUNTS_A_LINE == 0, last = j + 1 == matrix->ranks || (j + 1) % COUNTS_A_LINE == 0;

        fprintf(stream, "%s%" PRIu64 "%s", first ? "    " : ",", *irr_matrix_at(matrix, i, j), last ? "\n" : "");
    }
}

void irr_matrix_write_ucc(const irr_matrix_t *matrix, const char *comment, FILE *stream)
{
    fprintf(stream, "# %s\n# ucc_perftest -c alltoallv -d int8 --gen file:name=...\n", comment);
    fprintf(stream, "[format]\nversion = 1.0\n\n");
    fprintf(stream, "[collective]\ntype = ALLTOALLV\nteam_size = %d\ndatatype = INT8\nflags = COUNT_32BIT\n",
            matrix->ranks);
    fprintf(stream, "counts = {\n");
    for (int i = 0; i < matrix->ranks; i++) {
        write_row(matrix, i, stream);
    }
    fprintf(stream, "}\n");
}
