/*
 * matrix_draw.c - draw: a heat map of a count matrix, as SVG.  Time O(P * P).
 *
 * A row for each rank that sends, a column for each that receives, coloured by the bytes of the message on a
 * logarithmic scale.  Many ranks are put together to cells of k x k, which show the longest of their messages, so that
 * a single long one is seen.
 */
#include "matrix.h"

#include "svg_map.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sizes in pixels, but CELLS_MAX. */
enum {
    SIDE = 768, CELL_MIN = 3, CELL_MAX = 48, CELLS_MAX = SIDE / CELL_MIN,
    AXIS_LEFT = 64, AXIS_TOP = 36, LETTERS_MIN = 46, LEGEND_GAP = 32
};

typedef struct chart {
    const irr_matrix_t *matrix;
    const char         *path;      /* of the matrix */
    FILE               *stream;
    int                 cells;     /* in a row */
    int                 together;  /* ranks of a row or column of cells */
    int                 size;      /* pixels of a cell */
    int                 left, top; /* of the first cell */
    uint64_t           *longest;   /* of each cell, row by row */
    irr_svg_scale_t     scale;
    irr_svg_map_t       map;
} chart_t;

/* ---- what is drawn ---- */

static bool make_cells(chart_t *chart)
{
    const irr_matrix_t *matrix = chart->matrix;
    const int ranks = matrix->ranks;

    chart->together = (ranks + CELLS_MAX - 1) / CELLS_MAX;
    chart->cells = (ranks + chart->together - 1) / chart->together;
    chart->size = SIDE / chart->cells < CELL_MAX ? SIDE / chart->cells : CELL_MAX;
    chart->left = IRR_SVG_MARGIN + AXIS_LEFT;
    chart->top = IRR_SVG_TITLE + AXIS_TOP;
    chart->longest = calloc((size_t)chart->cells * (size_t)chart->cells, sizeof(*chart->longest));
    for (int i = 0; chart->longest != NULL && i < ranks; i++) {
        uint64_t *row = chart->longest + (size_t)(i / chart->together) * (size_t)chart->cells;

        for (int j = 0; j < ranks; j++) {
            uint64_t bytes = *irr_matrix_at(matrix, i, j), *cell = &row[j / chart->together];

            *cell = bytes > *cell ? bytes : *cell;
        }
    }
    chart->map = (irr_svg_map_t){ chart->cells, chart->cells, chart->size, chart->size, chart->left, chart->top,
                                  chart->longest };
    return chart->longest != NULL;
}

/* ---- head ---- */

static void open_picture(const chart_t *chart)
{
    irr_matrix_figures_t figures;
    const int side = chart->cells * chart->size, ranks = chart->matrix->ranks;
    const int height = side > IRR_SVG_LEGEND_HEIGHT ? side : IRR_SVG_LEGEND_HEIGHT;
    const int width = chart->left + side + LEGEND_GAP + IRR_SVG_LEGEND_WIDTH + IRR_SVG_MARGIN;
    char styles[IRR_SVG_MAP_STYLES], bytes[32], longest[32];
    char title[IRR_SVG_LINE] = "", input[IRR_SVG_LINE] = "", caption[IRR_SVG_LINE] = "";

    irr_matrix_figures(chart->matrix, &figures);
    irr_svg_bytes(figures.bytes, bytes, sizeof(bytes));
    irr_svg_bytes(figures.longest, longest, sizeof(longest));
    irr_svg_add(title, "bytes from rank to rank, %d rank%s", ranks, ranks == 1 ? "" : "s");
    irr_svg_add(input, "matrix %.256s", chart->path);
    if (chart->together > 1) {
        irr_svg_add(input, "; a cell is the longest message of %d x %d ranks", chart->together, chart->together);
    }
    irr_svg_add(caption, "%s in %" PRIu64 " messages to others, density %.3g; the longest %s, %.3g times the mean; "
                "busiest rank %.3g times the mean", bytes, figures.messages, figures.density, longest,
                figures.mean > 0 ? (double)figures.longest / figures.mean : 1, figures.skew);
    irr_svg_map_styles(styles, sizeof(styles));
    irr_svg_open(chart->stream, &(irr_svg_head_t){ width, chart->top + height + IRR_SVG_MARGIN, styles, title, input,
                                                   caption });
}

/* ---- the map ---- */

static void write_values(const chart_t *chart)
{
    for (int i = 0; i < chart->cells * chart->cells; i++) {
        const int x = chart->left + i % chart->cells * chart->size, y = chart->top + i / chart->cells * chart->size;
        char text[32];

        if (chart->longest[i] > 0) {
            irr_svg_bytes(chart->longest[i], text, sizeof(text));
            irr_svg_label(chart->stream, irr_svg_scale_dark(&chart->scale, chart->longest[i]) ? "v d" : "v",
                          x + chart->size / 2, y + chart->size / 2 + 4, "%s", text);
        }
    }
}

static void write_axes(const chart_t *chart)
{
    FILE *out = chart->stream;

    irr_svg_label(out, "m", chart->left + chart->cells * chart->size / 2, chart->top - 22, "to rank");
    irr_svg_map_columns(out, &chart->map, "rank m", chart->together, 0);
    irr_svg_map_ranks(out, &chart->map, chart->together);
}

irr_cli_exit_t irr_matrix_draw(const irr_matrix_t *matrix, const char *path, FILE *stream)
{
    chart_t chart = { .matrix = matrix, .path = path, .stream = stream };

    if (!make_cells(&chart)) {
        irr_cli_complain("%.256s: no memory for a picture", path);
        return IRR_CLI_REFUSED;
    }
    irr_svg_scale_meet(&chart.scale, chart.longest, (size_t)chart.cells * (size_t)chart.cells);
    open_picture(&chart);
    write_axes(&chart);
    irr_svg_map(stream, &chart.map, &chart.scale);
    if (chart.size > LETTERS_MIN) {
        write_values(&chart);
    }
    irr_svg_legend(stream, &chart.scale, chart.left + chart.cells * chart.size + LEGEND_GAP, chart.top + 4,
                   "no message");
    fputs("</svg>\n", stream);
    free(chart.longest);
    return IRR_CLI_GOOD;
}
