/*
 * matrix_partition.c - the halo exchange of a mesh: divides a graph into parts; each part is a rank.
 *
 * Entry (i, j) is `unit` bytes for each vertex of part i that has a neighbour in part j.  The METIS library divides the
 * graph with the defaults of gpmetis -ptype=kway, which gives the same parts.  Without the library the command is not
 * available.  Apart from METIS, memory is linear in the graph.  Time is also linear, except for the sort below.
 *
 * The graph is a METIS graph file:
 *
 *     % any number of comments
 *     VERTICES EDGES             each edge counted once
 *     NEIGHBOUR...               one line for each vertex, may be empty; vertices count from 1
 *
 * Weights are not supported.  METIS does not check a graph, so this file does: for each edge from u to v there must be
 * an edge from v to u.  The check sorts a copy of the neighbours of each vertex.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "matrix.h"

#ifdef HAVE_METIS

#include "core/alloc.h"
#include "problem/lines.h"

#include <inttypes.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#if IDXTYPEWIDTH != 32
#error "this METIS counts with 64 bits, irr_matrix needs one that counts with 32"
#endif

/* ---- the graph ---- */

/* A graph in the form of METIS: the neighbours of vertex v, from 0, are edges[first[v]] to edges[first[v + 1] - 1]. */
typedef struct graph {
    int32_t  vertices;
    int32_t *first, *edges;
} graph_t;

#define LINE_BYTES (1 << 20)
#define EDGES_MAX  ((uint64_t)(INT32_MAX / 2))

typedef struct reader {
    irr_lines_t lines;
    graph_t     graph;
    uint64_t    vertices, edges;    /* numbers of the first line */
    size_t      first_max, edges_max, found;
} reader_t;

#define REFUSE(...) irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT, __VA_ARGS__)

static void graph_fini(graph_t *graph)
{
    irr_free(graph->first);
    irr_free(graph->edges);
    memset(graph, 0, sizeof(*graph));
}

static irr_status_t read_size(reader_t *reader)
{
    irr_lines_t *lines = &reader->lines;
    char *words[3];
    irr_status_t status = irr_lines_next_data(lines, "%");
    size_t count;

    if (status != IRR_OK) {
        return status;
    }
    count = irr_lines_split(lines, words, 3);
    if (lines->at_end || count < 2) {
        return REFUSE("first line must have the numbers of vertices and edges");
    }
    if (count > 2 && (count > 3 || strspn(words[2], "0") != strlen(words[2]))) {
        return REFUSE("format '%.32s' has weights, which are not supported", words[2]);
    }
    status = irr_lines_number(lines, "number of vertices", words[0], 1, INT32_MAX - 1, &reader->vertices);
    return status != IRR_OK ? status :
        irr_lines_number(lines, "number of edges", words[1], 0, EDGES_MAX, &reader->edges);
}

/* Stores a value in an array, which grows if needed. */
static irr_status_t put(const reader_t *reader, int32_t **array, size_t *max, size_t index, size_t value)
{
    irr_status_t status = IRR_GROW(*array, *max, index + 1);

    if (status != IRR_OK) {
        return irr_lines_refuse(&reader->lines, status, "not enough memory for the graph");
    }
    (*array)[index] = (int32_t)value;
    return IRR_OK;
}

static irr_status_t read_vertex(reader_t *reader)
{
    graph_t *graph = &reader->graph;
    char *rest = reader->lines.text, *word;
    uint64_t neighbour = 0;
    irr_status_t status;

    while (*(word = irr_lines_word(&rest)) != '\0') {
        status = irr_lines_number(&reader->lines, "neighbour", word, 1, reader->vertices, &neighbour);
        if (status != IRR_OK) {
            return status;
        }
        if (neighbour == (uint64_t)graph->vertices + 1) {
            return REFUSE("vertex %.32s is a neighbour of itself", word);
        }
        if (reader->found == 2 * reader->edges) {
            return REFUSE("there are more neighbours than two for each of the %llu edges",
                          (unsigned long long)reader->edges);
        }
        status = put(reader, &graph->edges, &reader->edges_max, reader->found++, neighbour - 1);
        if (status != IRR_OK) {
            return status;
        }
    }
    graph->vertices++;
    return put(reader, &graph->first, &reader->first_max, (size_t)graph->vertices, reader->found);
}

/* Reads the neighbours of all vertices.  Comments may stand between them; lines after the last vertex must be blank. */
static irr_status_t read_vertices(reader_t *reader)
{
    irr_lines_t *lines = &reader->lines;
    irr_status_t status = put(reader, &reader->graph.first, &reader->first_max, 0, 0);

    while (status == IRR_OK && (uint64_t)reader->graph.vertices < reader->vertices) {
        status = irr_lines_next(lines);
        if (status == IRR_OK && lines->at_end) {
            return REFUSE("file ends after %d of the %llu vertices", (int)reader->graph.vertices,
                          (unsigned long long)reader->vertices);
        }
        if (status == IRR_OK && lines->text[0] != '%') {
            status = read_vertex(reader);
        }
    }
    if (status == IRR_OK) {
        status = irr_lines_next_data(lines, "%");
    }
    if (status == IRR_OK && !lines->at_end) {
        return REFUSE("a line follows the last of the %llu vertices", (unsigned long long)reader->vertices);
    }
    if (status == IRR_OK && reader->found != 2 * reader->edges) {
        return REFUSE("there are %zu neighbours, not two for each of the %llu edges", reader->found,
                      (unsigned long long)reader->edges);
    }
    return status;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Checks that each edge of a vertex exists once in each direction.  sorted: edges, sorted within each vertex. */
static irr_status_t check_vertex(const reader_t *reader, const int32_t *sorted, int32_t vertex)
{
    const int32_t *first = reader->graph.first;

    for (int32_t e = first[vertex]; e < first[vertex + 1]; e++) {
        const int32_t other = sorted[e], *others = &sorted[first[other]];

        if (e > first[vertex] && sorted[e - 1] == other) {
            return REFUSE("the edge of %d and %d appears twice", (int)other + 1, (int)vertex + 1);
        }
        if (bsearch(&vertex, others, (size_t)(first[other + 1] - first[other]), sizeof(*others), by_number) == NULL) {
            return REFUSE("an edge of vertex %d is missing in the other direction", (int)vertex + 1);
        }
    }
    return IRR_OK;
}

static irr_status_t check(reader_t *reader)
{
    const graph_t *graph = &reader->graph;
    int32_t *sorted = irr_alloc(reader->found + 1, sizeof(*sorted));
    irr_status_t status = IRR_OK;

    reader->lines.line = 0;
    if (sorted == NULL) {
        return irr_lines_refuse(&reader->lines, IRR_ERR_NO_MEMORY, "not enough memory for the graph");
    }
    if (reader->found > 0) {
        memcpy(sorted, graph->edges, reader->found * sizeof(*sorted));
    }
    for (int32_t v = 0; v < graph->vertices; v++) {
        qsort(&sorted[graph->first[v]], (size_t)(graph->first[v + 1] - graph->first[v]), sizeof(*sorted), by_number);
    }
    for (int32_t v = 0; v < graph->vertices && status == IRR_OK; v++) {
        status = check_vertex(reader, sorted, v);
    }
    irr_free(sorted);
    return status;
}

/*
 * Reads a graph without loops and double edges, where each edge is in both directions.  Errors are those of
 * irr_matrix_read.
 */
static irr_status_t graph_read(const char *path, graph_t *graph, irr_file_error_t *error)
{
    reader_t reader = { .found = 0 };
    char *text = irr_alloc(1, LINE_BYTES);
    irr_status_t status;

    if (text == NULL) {
        *error = (irr_file_error_t){ .reason = "not enough memory for a line" };
        return IRR_ERR_NO_MEMORY;
    }
    status = irr_lines_open(&reader.lines, path, text, LINE_BYTES, error);
    if (status == IRR_OK) {
        status = read_size(&reader);
        status = status == IRR_OK ? read_vertices(&reader) : status;
        status = status == IRR_OK ? check(&reader) : status;
        irr_lines_close(&reader.lines);
    }
    irr_free(text);
    if (status == IRR_OK) {
        *graph = reader.graph;
    } else {
        graph_fini(&reader.graph);
    }
    return status;
}

/* ---- the parts ---- */

static irr_cli_exit_t cut(const graph_t *graph, const irr_matrix_options_t *options, idx_t *part)
{
    idx_t vertices = graph->vertices, parts = options->parts, constraints = 1, edges_cut;
    idx_t settings[METIS_NOPTIONS];
    int code;

    METIS_SetDefaultOptions(settings);
    settings[METIS_OPTION_SEED] = (idx_t)options->seed;
    code = METIS_PartGraphKway(&vertices, &constraints, graph->first, graph->edges, NULL, NULL, NULL, &parts, NULL,
                               NULL, settings, &edges_cut, part);
    if (code != METIS_OK) {
        return irr_cli_complain("METIS failed with status %d", code);
    }
    return IRR_CLI_GOOD;
}

/*
 * Adds `unit` bytes from part i to part j for each vertex of part i with neighbours in part j.  seen[j]: the vertex,
 * from 1, that was counted last for part j; a vertex with several neighbours in part j therefore counts once.  Returns
 * false on overflow.
 */
static bool count(const graph_t *graph, const idx_t *part, uint64_t unit, idx_t *seen, irr_matrix_t *matrix)
{
    for (idx_t v = 0; v < graph->vertices; v++) {
        for (idx_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            const idx_t to = part[graph->edges[e]];
            uint64_t *entry = irr_matrix_at(matrix, part[v], to);

            if (to != part[v] && seen[to] != v + 1) {
                seen[to] = v + 1;
                if (__builtin_add_overflow(*entry, unit, entry)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static irr_cli_exit_t make_matrix(const graph_t *graph, const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    const uint64_t unit = options->unit > 0 ? options->unit : 8;
    idx_t *part = irr_alloc((size_t)graph->vertices, sizeof(*part));
    idx_t *seen = irr_alloc_zero((size_t)options->parts, sizeof(*seen));
    irr_matrix_t result = { .ranks = 0 };
    irr_cli_exit_t code;

    if (part == NULL || seen == NULL || irr_matrix_init(&result, options->parts) != IRR_OK) {
        code = irr_cli_fail("not enough memory for %d parts", options->parts);
    } else {
        code = cut(graph, options, part);
    }
    if (code == IRR_CLI_GOOD && !count(graph, part, unit, seen, &result)) {
        code = irr_cli_complain("--unit %" PRIu64 " makes entries overflow", unit);
    }
    if (code == IRR_CLI_GOOD) {
        *matrix = result;
    } else {
        irr_matrix_fini(&result);
    }
    irr_free(seen);
    irr_free(part);
    return code;
}

irr_cli_exit_t irr_matrix_partition(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    const char *path = options->operands[0];
    irr_file_error_t error = { 0 };
    graph_t graph = { 0 };
    irr_cli_exit_t code;

    if (options->parts == 0) {
        return irr_cli_complain("the number of parts is missing: -k K");
    }
    code = irr_cli_file_read(path, graph_read(path, &graph, &error), &error);
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    if (options->parts > graph.vertices) {
        code = irr_cli_complain("%s: %d vertices cannot be divided into %d parts", path, (int)graph.vertices,
                                options->parts);
    } else if (options->seed > INT32_MAX) {
        code = irr_cli_complain("--seed %" PRIu64 " is above %d, the maximum of METIS", options->seed, INT32_MAX);
    } else {
        code = make_matrix(&graph, options, matrix);
    }
    graph_fini(&graph);
    return code;
}

#else

irr_cli_exit_t irr_matrix_partition(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    (void)options;
    (void)matrix;
    return irr_cli_complain("this irr_matrix was built without the METIS library, which partition needs (Debian: "
                            "libmetis-dev)");
}

#endif
