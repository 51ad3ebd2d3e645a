/*
 * matrix_graph.c - reads a METIS graph file.
 *
 *     % any number of comments
 *     VERTICES EDGES             each edge counted once
 *     NEIGHBOUR...               one line for each vertex, may be empty; vertices count from 1
 *
 * Weights are not supported.  METIS does not check a graph, so this file does: for each edge from u to v there must be
 * one from v to u.  The check transposes the graph, which also sorts the neighbours of each vertex.  Time and memory
 * are linear in the file.
 */
#include "matrix.h"

#include "core/alloc.h"
#include "problem/lines.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES (1 << 20)
#define EDGES_MAX  ((uint64_t)(INT32_MAX / 2))

typedef struct reader {
    irr_lines_t        lines;
    irr_matrix_graph_t graph;
    uint64_t           vertices, edges;    /* as the first line says */
    size_t             first_max, edges_max, found;
} reader_t;

void irr_matrix_graph_fini(irr_matrix_graph_t *graph)
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
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "first line must have the numbers of vertices and edges");
    }
    if (count > 2 && (count > 3 || strspn(words[2], "0") != strlen(words[2]))) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "format '%.32s' has weights, only graphs without are read",
                                words[2]);
    }
    status = irr_lines_number(lines, "number of vertices", words[0], 1, INT32_MAX - 1, &reader->vertices);
    return status != IRR_OK ? status :
        irr_lines_number(lines, "number of edges", words[1], 0, EDGES_MAX, &reader->edges);
}

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
    irr_matrix_graph_t *graph = &reader->graph;
    char *rest = reader->lines.text, *word;
    uint64_t neighbour = 0;
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && *(word = irr_lines_word(&rest)) != '\0') {
        status = irr_lines_number(&reader->lines, "neighbour", word, 1, reader->vertices, &neighbour);
        if (status == IRR_OK && neighbour == (uint64_t)graph->vertices + 1) {
            return irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT, "vertex %s is a neighbour of itself", word);
        }
        if (status == IRR_OK && reader->found == 2 * reader->edges) {
            return irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT,
                                    "neighbours are more than twice the %llu edges",
                                    (unsigned long long)reader->edges);
        }
        if (status == IRR_OK) {
            status = put(reader, &graph->edges, &reader->edges_max, reader->found++, neighbour - 1);
        }
    }
    if (status == IRR_OK) {
        graph->vertices++;
        status = put(reader, &graph->first, &reader->first_max, (size_t)graph->vertices, reader->found);
    }
    return status;
}

/* Reads the neighbours of all vertices.  Comments may stand between them; lines after the last vertex must be blank. */
static irr_status_t read_vertices(reader_t *reader)
{
    irr_lines_t *lines = &reader->lines;
    irr_status_t status = put(reader, &reader->graph.first, &reader->first_max, 0, 0);

    while (status == IRR_OK && (uint64_t)reader->graph.vertices < reader->vertices) {
        status = irr_lines_next(lines);
        if (status == IRR_OK && lines->at_end) {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "file ends after %d of the %llu vertices announced",
                                    (int)reader->graph.vertices, (unsigned long long)reader->vertices);
        }
        if (status == IRR_OK && lines->text[0] != '%') {
            status = read_vertex(reader);
        }
    }
    if (status == IRR_OK) {
        status = irr_lines_next_data(lines, "%");
    }
    if (status == IRR_OK && !lines->at_end) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "line follows after all %llu vertices announced",
                                (unsigned long long)reader->vertices);
    }
    if (status == IRR_OK && reader->found != 2 * reader->edges) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "neighbours are %zu, not twice the %llu edges",
                                reader->found, (unsigned long long)reader->edges);
    }
    return status;
}

/* Makes the graph with all edges reversed and the neighbours of each vertex sorted.  May return IRR_ERR_NO_MEMORY. */
static irr_status_t transpose(const irr_matrix_graph_t *graph, irr_matrix_graph_t *turned)
{
    const int32_t vertices = graph->vertices, edges = graph->first[vertices];

    turned->vertices = vertices;
    turned->first = irr_alloc_zero((size_t)vertices + 2, sizeof(*turned->first));
    turned->edges = irr_alloc((size_t)edges, sizeof(*turned->edges));
    if (turned->first == NULL || turned->edges == NULL) {
        irr_matrix_graph_fini(turned);
        return IRR_ERR_NO_MEMORY;
    }
    for (int32_t e = 0; e < edges; e++) {
        turned->first[graph->edges[e] + 2]++;
    }
    for (int32_t v = 0; v < vertices; v++) {
        turned->first[v + 2] += turned->first[v + 1];
    }
    /* first[v + 1] is the place of the next neighbour of v; at the end it is where those of v + 1 begin. */
    for (int32_t v = 0; v < vertices; v++) {
        for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            turned->edges[turned->first[graph->edges[e] + 1]++] = v;
        }
    }
    return IRR_OK;
}

/* Returns IRR_OK if both graphs have the same edges, each once. */
static irr_status_t compare(const reader_t *reader, const irr_matrix_graph_t *turned,
                            const irr_matrix_graph_t *sorted)
{
    for (int32_t v = 0; v < turned->vertices; v++) {
        const int32_t begin = turned->first[v], end = turned->first[v + 1];
        const size_t bytes = (size_t)(end - begin) * sizeof(*turned->edges);

        if (sorted->first[v + 1] != end ||
            (bytes > 0 && memcmp(&turned->edges[begin], &sorted->edges[begin], bytes) != 0)) {
            return irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT,
                                    "an edge of vertex %d is not there in the other direction", (int)v + 1);
        }
        for (int32_t e = begin; e < end; e++) {
            if (e > begin && turned->edges[e] == turned->edges[e - 1]) {
                return irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT, "the edge of %d and %d is there twice",
                                        (int)turned->edges[e] + 1, (int)v + 1);
            }
        }
    }
    return IRR_OK;
}

static irr_status_t check(reader_t *reader)
{
    irr_matrix_graph_t turned = { 0 }, sorted = { 0 };
    irr_status_t status = transpose(&reader->graph, &turned);

    if (status == IRR_OK) {
        status = transpose(&turned, &sorted);
    }
    reader->lines.line = 0;
    status = status == IRR_OK ? compare(reader, &turned, &sorted) :
        irr_lines_refuse(&reader->lines, status, "not enough memory for the graph");
    irr_matrix_graph_fini(&turned);
    irr_matrix_graph_fini(&sorted);
    return status;
}

irr_status_t irr_matrix_graph_read(const char *path, irr_matrix_graph_t *graph, irr_file_error_t *error)
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
        irr_matrix_graph_fini(&reader.graph);
    }
    return status;
}
