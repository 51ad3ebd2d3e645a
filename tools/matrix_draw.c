/*
 * matrix_draw.c - draw: a heat map of a count matrix, for the script that draws it (chart.h).  Time O(P * P).
 *
 * The map has a row for each sending rank and a column for each receiving rank.  With many ranks, k x k entries share a
 * cell.  A cell shows its longest message, so that a single long message remains visible.
 */
#include "matrix.h"

#include "chart.h"

#include <stdlib.h>

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

static json_t *figures_of(const irr_matrix_t *matrix)
{
    irr_matrix_figures_t figures;

    irr_matrix_figures(matrix, &figures);
    return json_pack("{s:o, s:I, s:o, s:f, s:f, s:f}", "bytes", irr_chart_bytes(figures.bytes), "messages",
                     (json_int_t)figures.messages, "longest", irr_chart_bytes(figures.longest), "mean", figures.mean,
                     "density", figures.density, "skew", figures.skew);
}

irr_cli_exit_t irr_matrix_draw(const irr_matrix_t *matrix, const char *path, FILE *stream)
{
    const int together = (matrix->ranks + CELLS_MAX - 1) / CELLS_MAX;
    const int cells = (matrix->ranks + together - 1) / together;
    uint64_t *longest = longest_of(matrix, together, cells);
    json_t *picture = NULL;

    if (longest != NULL) {
        picture = json_pack("{s:s, s:o, s:i, s:i, s:o, s:o}", "picture", "matrix", "path",
                            irr_chart_text("%.256s", path), "ranks", matrix->ranks, "together", together, "cells",
                            irr_chart_cells(longest, cells, cells), "figures", figures_of(matrix));
    }
    free(longest);
    return irr_chart_draw(picture, stream);
}
