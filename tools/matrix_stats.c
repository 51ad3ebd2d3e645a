/*
 * matrix_stats.c - stats and draw: figures that describe a count matrix, and a heat map.  Time O(P * P).
 *
 * The map has a row for each sending rank and a column for each receiving rank; a script draws it (chart.h).  With more
 * than CELLS_MAX ranks, several rows and columns share a cell.  A cell shows its longest message, so that a single long
 * message remains visible.
 */
#include "matrix.h"

#include "chart.h"

#include <inttypes.h>
#include <stdlib.h>

/* Figures of a matrix.  A message is a nonzero entry from a rank to another one; self_bytes counts the diagonal. */
typedef struct figures {
    irr_cli_messages_t messages;
    uint64_t self_bytes;
    double   mean;                      /* mean bytes of a message */
    double   density;                   /* messages divided by the number of ordered pairs of ranks */
    double   skew;                      /* bytes of the busiest rank, in or out, divided by the mean of all ranks */
    int      degree, rows, columns;     /* most messages of a rank; ranks without sends; ranks without receives */
    double   total, busiest;            /* bytes of all ranks, and of the busiest one, in or out; double: no overflow */
} figures_t;

/* Adds row i, or column i, to the figures. */
static void count_line(const irr_matrix_t *matrix, int i, bool row, figures_t *figures)
{
    double bytes = 0;
    int messages = 0;

    for (int j = 0; j < matrix->ranks; j++) {
        uint64_t entry = i == j ? 0 : row ? *irr_matrix_at(matrix, i, j) : *irr_matrix_at(matrix, j, i);

        bytes += (double)entry;
        messages += entry > 0;
    }
    figures->busiest = bytes > figures->busiest ? bytes : figures->busiest;
    figures->degree = messages > figures->degree ? messages : figures->degree;
    if (row) {
        figures->total += bytes;
        figures->rows += messages == 0;
    } else {
        figures->columns += messages == 0;
    }
}

static figures_t figures_of(const irr_matrix_t *matrix)
{
    const double ranks = matrix->ranks, pairs = ranks * (ranks - 1);
    figures_t figures = { .messages = irr_cli_messages(matrix, false) };
    const double messages = (double)figures.messages.count;

    for (int i = 0; i < matrix->ranks; i++) {
        count_line(matrix, i, true, &figures);
        count_line(matrix, i, false, &figures);
        figures.self_bytes = irr_cli_plus(figures.self_bytes, *irr_matrix_at(matrix, i, i));
    }
    figures.mean = messages > 0 ? figures.total / messages : 0;
    figures.density = pairs > 0 ? messages / pairs : 0;
    figures.skew = figures.total > 0 ? figures.busiest * ranks / figures.total : 1;
    return figures;
}

irr_cli_exit_t irr_matrix_stats(const irr_matrix_t *matrix, const char *path, FILE *stream)
{
    const figures_t figures = figures_of(matrix);

    (void)path;
    fprintf(stream, "ranks=%d\n", matrix->ranks);
    fprintf(stream, "messages=%" PRIu64 "\n", figures.messages.count);
    fprintf(stream, "bytes=%" PRIu64 "\n", figures.messages.bytes);
    fprintf(stream, "self_bytes=%" PRIu64 "\n", figures.self_bytes);
    fprintf(stream, "lmax=%" PRIu64 "\n", irr_cli_lmax(matrix));
    fprintf(stream, "message_bytes_max=%" PRIu64 "\n", figures.messages.longest);
    fprintf(stream, "message_bytes_mean=%.1f\n", figures.mean);
    fprintf(stream, "zero_rows=%d\n", figures.rows);
    fprintf(stream, "zero_columns=%d\n", figures.columns);
    fprintf(stream, "density=%.4f\n", figures.density);
    fprintf(stream, "degree_mean=%.2f\n", (double)figures.messages.count / matrix->ranks);
    fprintf(stream, "degree_max=%d\n", figures.degree);
    fprintf(stream, "skew=%.3f\n", figures.skew);
    return IRR_CLI_GOOD;
}

/* ---- the heat map ---- */

enum { CELLS_MAX = 256 };   /* cells in a row */

/*
 * Returns the longest message of each cell, row by row.  A cell has `together` ranks in each direction.  NULL: no
 * memory.
 */
static uint64_t *longest_of(const irr_matrix_t *matrix, int together, int cells)
{
    uint64_t *longest = calloc((size_t)cells * (size_t)cells, sizeof(*longest));

    for (int i = 0; longest != NULL && i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t bytes = *irr_matrix_at(matrix, i, j), *cell = &longest[i / together * cells + j / together];

            *cell = bytes > *cell ? bytes : *cell;
        }
    }
    return longest;
}

irr_cli_exit_t irr_matrix_draw(const irr_matrix_t *matrix, const char *path, FILE *stream)
{
    const int together = (matrix->ranks + CELLS_MAX - 1) / CELLS_MAX;
    const int cells = (matrix->ranks + together - 1) / together;
    const figures_t figures = figures_of(matrix);
    uint64_t *longest = longest_of(matrix, together, cells);
    json_t *picture = NULL;

    if (longest != NULL) {
        picture = json_pack("{s:s, s:o, s:i, s:i, s:o, s:{s:o, s:I, s:o, s:f, s:f, s:f}}", "picture", "matrix", "path",
                            irr_chart_text("%s", path), "ranks", matrix->ranks, "together", together, "cells",
                            irr_chart_cells(longest, cells, cells), "figures",
                            "bytes", irr_chart_bytes(figures.messages.bytes),
                            "messages", (json_int_t)figures.messages.count,
                            "longest", irr_chart_bytes(figures.messages.longest),
                            "mean", figures.mean, "density", figures.density, "skew", figures.skew);
    }
    free(longest);
    return irr_chart_draw(picture, stream);
}
