/*
 * matrix_draw.c - draw: a heat map of a count matrix, as SVG.  Time O(P * P).
 *
 * A row for each rank that sends, a column for each that receives, coloured by the bytes of the message on a
 * logarithmic scale.  Many ranks are put together to cells of k x k, which show the longest of their messages, so that
 * a single long one is seen.  What is coloured alike is one path, and neighbours in a row are one stroke of it: the
 * file stays small for any number of ranks.
 */
#include "matrix.h"

#include "svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Sizes in pixels, but CELLS_MAX. */
enum {
    SIDE = 768, CELL_MIN = 3, CELL_MAX = 48, CELLS_MAX = SIDE / CELL_MIN, GAPS_MIN = 8,
    AXIS_LEFT = 64, AXIS_TOP = 36, TICK_MIN = 36, LETTERS_MIN = 46,
    LEGEND_GAP = 32, LEGEND_WIDTH = 18, LEGEND_HEIGHT = 288, LEGEND_TEXT = 96, LEGEND_LINE = 16
};

enum { LEVELS = 32, ANCHORS = 5 };

typedef struct chart {
    const irr_matrix_t *matrix;
    const char         *path;      /* of the matrix */
    FILE               *stream;
    int                 cells;     /* in a row */
    int                 together;  /* ranks of a row or column of cells */
    int                 size;      /* pixels of a cell */
    int                 left, top; /* of the first cell */
    uint64_t           *longest;   /* of each cell, row by row */
    uint64_t            min, max;  /* of those that are not 0; both 0: there are none */
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
    return chart->longest != NULL;
}

static void find_range(chart_t *chart)
{
    for (size_t i = 0; i < (size_t)chart->cells * (size_t)chart->cells; i++) {
        const uint64_t bytes = chart->longest[i];

        chart->min = bytes > 0 && (chart->min == 0 || bytes < chart->min) ? bytes : chart->min;
        chart->max = bytes > chart->max ? bytes : chart->max;
    }
}

/* Where on the scale, from 0 for the shortest to 1 for the longest. */
static double place_of(const chart_t *chart, double bytes)
{
    const double min = log((double)chart->min), max = log((double)chart->max);

    return max > min ? (log(bytes) - min) / (max - min) : 1;
}

/* -1: nothing is sent. */
static int level_of(const chart_t *chart, uint64_t bytes)
{
    const int level = bytes > 0 ? (int)(place_of(chart, (double)bytes) * LEVELS) : -1;

    return level < LEVELS ? level : LEVELS - 1;
}

/* ---- head ---- */

static void write_title(const void *context, FILE *out)
{
    const chart_t *chart = context;

    fprintf(out, "bytes from rank to rank, %d rank%s", chart->matrix->ranks, chart->matrix->ranks == 1 ? "" : "s");
}

static void write_input(const void *context, FILE *out)
{
    const chart_t *chart = context;

    fputs("matrix ", out);
    irr_svg_text(out, chart->path);
    if (chart->together > 1) {
        fprintf(out, "; a cell is the longest message of %d x %d ranks", chart->together, chart->together);
    }
}

/* From light, which is short, to dark. */
static uint32_t colour_of(int level)
{
    static const double anchors[ANCHORS][3] = {
        { 226, 240, 176 }, { 136, 207, 178 }, { 61, 162, 193 }, { 37, 97, 166 }, { 24, 26, 84 }
    };
    const double at = (double)level * (ANCHORS - 1) / (LEVELS - 1);
    const int from = at < ANCHORS - 2 ? (int)at : ANCHORS - 2;
    uint32_t colour = 0;

    for (int i = 0; i < 3; i++) {
        const double value = anchors[from][i] + (anchors[from + 1][i] - anchors[from][i]) * (at - from);

        colour = colour << 8 | (uint32_t)lround(value);
    }
    return colour;
}

/* CSS of all levels; text has room for it. */
static void make_styles(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, ".m { text-anchor: middle; }\n.e { text-anchor: end; }\n"
                                   ".v { font-size: 10px; text-anchor: middle; }\n.d { fill: #fff; }\n"
                                   ".none { fill: #fff; stroke: #bbb; }\n.gap { stroke: #fff; fill: none; }\n"
                                   ".line { stroke: #000; stroke-opacity: 0.12; fill: none; }\n");

    for (int i = 0; i < LEVELS; i++) {
        used += (size_t)snprintf(text + used, size - used, ".l%d { fill: #%06" PRIx32 "; }\n", i, colour_of(i));
    }
}

static void open_picture(const chart_t *chart)
{
    irr_matrix_figures_t figures;
    char styles[2048], caption[256], bytes[32], longest[32];
    const int side = chart->cells * chart->size, legend = LEGEND_GAP + LEGEND_WIDTH + LEGEND_TEXT;
    const int height = side > LEGEND_HEIGHT + 3 * LEGEND_LINE ? side : LEGEND_HEIGHT + 3 * LEGEND_LINE;
    int width = chart->left + side + legend, least;

    irr_matrix_figures(chart->matrix, &figures);
    irr_svg_bytes(figures.bytes, bytes, sizeof(bytes));
    irr_svg_bytes(figures.longest, longest, sizeof(longest));
    least = irr_svg_width(snprintf(caption, sizeof(caption),
                                   "%s in %" PRIu64 " messages to others, density %.3g; the longest %s, %.3g times the "
                                   "mean; busiest rank %.3g times the mean", bytes, figures.messages, figures.density,
                                   longest, figures.mean > 0 ? (double)figures.longest / figures.mean : 1,
                                   figures.skew));
    width = width > least ? width : least;
    make_styles(styles, sizeof(styles));
    irr_svg_open(chart->stream, &(irr_svg_head_t){ width + IRR_SVG_MARGIN, chart->top + height + IRR_SVG_MARGIN, styles,
                                                   write_title, write_input, caption, chart });
}

/* ---- the map ---- */

/* All cells of a level; true if there are any. */
static void write_level(const chart_t *chart, int level)
{
    bool any = false;

    for (int y = 0; y < chart->cells; y++) {
        const uint64_t *row = chart->longest + (size_t)y * (size_t)chart->cells;

        for (int x = 0, end; x < chart->cells; x = end) {
            const int is = level_of(chart, row[x]);

            for (end = x + 1; end < chart->cells && level_of(chart, row[end]) == is; end++) {
            }
            if (is == level) {
                const int width = (end - x) * chart->size;

                fprintf(chart->stream, "%sM%d %dh%dv%dh-%dz", any ? "" : "<path d=\"", chart->left + x * chart->size,
                        chart->top + y * chart->size, width, chart->size, width);
                any = true;
            }
        }
    }
    if (any) {
        fprintf(chart->stream, "\" class=\"l%d\"/>\n", level);
    }
}

static void write_values(const chart_t *chart)
{
    for (int i = 0; i < chart->cells * chart->cells; i++) {
        const int x = chart->left + i % chart->cells * chart->size, y = chart->top + i / chart->cells * chart->size;
        char text[32];

        if (chart->longest[i] > 0) {
            irr_svg_bytes(chart->longest[i], text, sizeof(text));
            fprintf(chart->stream, "<text class=\"v%s\" x=\"%d\" y=\"%d\">%s</text>\n",
                    level_of(chart, chart->longest[i]) >= LEVELS * 5 / 8 ? " d" : "", x + chart->size / 2,
                    y + chart->size / 2 + 4, text);
        }
    }
}

/* Lines in both directions, every so many cells. */
static void write_grid(const chart_t *chart, int step, const char *class)
{
    const int side = chart->cells * chart->size;

    fputs("<path d=\"", chart->stream);
    for (int i = step; i < chart->cells; i += step) {
        fprintf(chart->stream, "M%d %dv%dM%d %dh%d", chart->left + i * chart->size, chart->top, side, chart->left,
                chart->top + i * chart->size, side);
    }
    fprintf(chart->stream, "\" class=\"%s\"/>\n", class);
}

/* Cells from one number of an axis to the next: a power of two. */
static int tick_step(const chart_t *chart)
{
    int step = 1;

    while (step * chart->size < TICK_MIN) {
        step *= 2;
    }
    return step;
}

static void write_axes(const chart_t *chart)
{
    const int step = tick_step(chart), side = chart->cells * chart->size, middle = chart->top + side / 2;
    FILE *out = chart->stream;

    fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">to rank</text>\n", chart->left + side / 2, chart->top - 22);
    fprintf(out, "<text class=\"m\" transform=\"translate(%d,%d) rotate(-90)\">from rank</text>\n",
            IRR_SVG_MARGIN + 10, middle);
    for (int i = 0; i < chart->cells; i += step) {
        const int at = i * chart->size + chart->size / 2;

        fprintf(out, "<text class=\"rank m\" x=\"%d\" y=\"%d\">%d</text>", chart->left + at, chart->top - 6,
                i * chart->together);
        fprintf(out, "<text class=\"rank e\" x=\"%d\" y=\"%d\">%d</text>\n", chart->left - 6, chart->top + at + 4,
                i * chart->together);
    }
}

static void write_map(const chart_t *chart)
{
    const int side = chart->cells * chart->size;

    fprintf(chart->stream, "<rect class=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", chart->left,
            chart->top, side, side);
    for (int level = 0; level < LEVELS; level++) {
        write_level(chart, level);
    }
    if (chart->size >= GAPS_MIN) {
        write_grid(chart, 1, "gap");
    }
    write_grid(chart, tick_step(chart), "line");
    if (chart->size > LETTERS_MIN) {
        write_values(chart);
    }
}

/* ---- the legend ---- */

static void write_legend_text(const chart_t *chart, int y, uint64_t bytes)
{
    char text[32];

    irr_svg_bytes(bytes, text, sizeof(text));
    fprintf(chart->stream, "<text x=\"%d\" y=\"%d\">%s</text>\n",
            chart->left + chart->cells * chart->size + LEGEND_GAP + LEGEND_WIDTH + 8, y + 4, text);
}

/* Both ends of the scale, and what fits between of powers of ten, or where they are few of 1, 2, 5 times those. */
static void write_legend_texts(const chart_t *chart, int top)
{
    const bool fine = chart->max / chart->min < 1000;
    int last = top + LEGEND_HEIGHT;

    write_legend_text(chart, last, chart->min);
    write_legend_text(chart, top, chart->max);
    for (double power = 1; power <= (double)chart->max; power *= 10) {
        for (int digit = 1; digit <= (fine ? 5 : 1); digit += digit == 2 ? 3 : 1) {
            const int y = top + (int)((1 - place_of(chart, power * digit)) * LEGEND_HEIGHT);

            if (last - y >= LEGEND_LINE && y - top >= LEGEND_LINE) {
                write_legend_text(chart, y, (uint64_t)(power * digit));
                last = y;
            }
        }
    }
}

static void write_legend(const chart_t *chart)
{
    const int x = chart->left + chart->cells * chart->size + LEGEND_GAP, top = chart->top + 4;
    const int bottom = chart->max > 0 ? top + LEGEND_HEIGHT + LEGEND_LINE : top;

    for (int level = 0; level < LEVELS && chart->max > chart->min; level++) {
        fprintf(chart->stream, "<rect class=\"l%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", level, x,
                top + LEGEND_HEIGHT - (level + 1) * LEGEND_HEIGHT / LEVELS, LEGEND_WIDTH, LEGEND_HEIGHT / LEVELS);
    }
    if (chart->max > chart->min) {
        write_legend_texts(chart, top);
    } else if (chart->max > 0) {
        fprintf(chart->stream, "<rect class=\"l%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEVELS - 1, x,
                bottom - LEGEND_LINE - LEGEND_WIDTH, LEGEND_WIDTH, LEGEND_WIDTH);
        write_legend_text(chart, bottom - LEGEND_LINE - LEGEND_WIDTH / 2, chart->max);
    }
    fprintf(chart->stream, "<rect class=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
            "<text x=\"%d\" y=\"%d\">no message</text>\n", x, bottom, LEGEND_WIDTH, LEGEND_WIDTH,
            x + LEGEND_WIDTH + 8, bottom + LEGEND_WIDTH / 2 + 4);
}

irr_cli_exit_t irr_matrix_draw(const irr_matrix_t *matrix, const char *path, FILE *stream)
{
    chart_t chart = { .matrix = matrix, .path = path, .stream = stream };

    if (!make_cells(&chart)) {
        irr_cli_complain("%.256s: no memory for a picture", path);
        return IRR_CLI_REFUSED;
    }
    find_range(&chart);
    open_picture(&chart);
    write_axes(&chart);
    write_map(&chart);
    write_legend(&chart);
    fputs("</svg>\n", stream);
    free(chart.longest);
    return IRR_CLI_GOOD;
}
