/*
 * bench_plot.c - what irr_bench measured, kept for a picture, which is drawn at the end.
 *
 * A row has the colour of its algorithm; rows that start requests are dashed.  Colours are those that readers who are
 * colour-blind tell apart; marks differ as well, so that no two rows look alike.
 */
#include "bench_plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MICRO 1e6

enum { COLOURS = 6, MARKS = 4, WIDTH = 900 };

static const char styles[] =
    ".end { text-anchor: end; }\n"
    ".middle { text-anchor: middle; }\n"
    ".grid { stroke: #e2e2e2; fill: none; }\n"
    ".one { stroke: #222; stroke-dasharray: 6 4; fill: none; }\n"
    ".curve { fill: none; stroke-width: 2; }\n"
    ".spread { fill: none; stroke-width: 1.2; }\n"
    ".start .curve, .start .bar { stroke-dasharray: 5 3; }\n"
    ".bar { fill-opacity: 0.6; }\n"
    ".start .bar { fill-opacity: 0.15; stroke-width: 1.5; }\n"
    ".hollow { fill: #fff; stroke-width: 1.5; }\n"
    ".host { fill: #222; stroke: #222; }\n"
    ".a0 { fill: #0072b2; stroke: #0072b2; }\n"
    ".a1 { fill: #d55e00; stroke: #d55e00; }\n"
    ".a2 { fill: #009e73; stroke: #009e73; }\n"
    ".a3 { fill: #cc79a7; stroke: #cc79a7; }\n"
    ".a4 { fill: #e69f00; stroke: #e69f00; }\n"
    ".a5 { fill: #56b4e9; stroke: #56b4e9; }\n"
    "g text { fill: #222; stroke: none; }\n";

/* ---- how a row looks ---- */

int irr_bench_plot_host(const irr_bench_plot_t *plot)
{
    const irr_bench_work_t *work = &plot->options->work;

    for (int i = 0; i < work->rows; i++) {
        if (work->algorithms[i] == IRR_BENCH_HOST && !work->starts[i]) {
            return i;
        }
    }
    return -1;
}

/* Which of the algorithms beside host it is, counted from 0; below 0: host itself. */
static int number_of(const irr_bench_plot_t *plot, int row)
{
    const irr_bench_work_t *work = &plot->options->work;
    const int place = work->persistent ? row % (work->rows / 2) : row;
    int number = 0;

    for (int i = 0; i < place; i++) {
        number += work->algorithms[i] != IRR_BENCH_HOST;
    }
    return work->algorithms[place] != IRR_BENCH_HOST ? number : -1;
}

void irr_bench_plot_class(const irr_bench_plot_t *plot, int row, char *text, size_t size)
{
    const int number = number_of(plot, row);
    const char *start = plot->options->work.starts[row] ? " start" : "";

    if (number < 0) {
        snprintf(text, size, "host%s", start);
    } else {
        snprintf(text, size, "a%d%s", number % COLOURS, start);
    }
}

void irr_bench_plot_mark(const irr_bench_plot_t *plot, int row, bool misled, double x, double y)
{
    static const char *const marks[MARKS] = {
        "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.5,-3.5h7v7h-7z", "m0,-5l4.5,8h-9z", "m0,-5l5,5l-5,5l-5,-5z"
    };
    const int number = number_of(plot, row) + 1;

    fprintf(plot->stream, "<path class=\"mark%s\" d=\"M%.1f,%.1f%s\"/>", misled ? " hollow" : "", x, y,
            marks[(number + number / (2 * COLOURS)) % MARKS]);
}

bool irr_bench_plot_misled(const irr_bench_plot_t *plot)
{
    for (int u = 0; u < plot->units; u++) {
        for (int i = 0; i < plot->options->work.rows; i++) {
            if (plot->points[u][i].misled) {
                return true;
            }
        }
    }
    return false;
}

/* ---- head ---- */

static void make_title(const irr_bench_plot_t *plot, char *line)
{
    const irr_bench_work_t *work = &plot->options->work;
    char manner[IRR_BENCH_NAME_MAX];

    irr_bench_call_manner(work, plot->ranks, manner, sizeof(manner));
    irr_svg_add(line, "%s, %d rank%s%s", irr_bench_call_name(work->call, work->overlap), plot->ranks,
                plot->ranks == 1 ? "" : "s", manner);
}

static void make_input(const irr_bench_plot_t *plot, char *line)
{
    const irr_bench_options_t *options = plot->options;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    irr_bench_library(library);
    irr_svg_add(line, "%.256s, ", library);
    if (options->matrix != NULL) {
        irr_svg_add(line, "matrix %.256s", options->matrix);
    } else {
        irr_svg_add(line, "pattern %s", options->pattern);
        if (plot->units == 1) {
            irr_svg_add(line, ", unit %" PRIu64 " bytes", plot->unit[0]);
        }
        irr_svg_add(line, ", seed %" PRIu64, options->seed);
    }
    if (options->datatype != NULL) {
        irr_svg_add(line, ", datatype %.64s", options->datatype);
    }
    if (options->scale != 1) {
        irr_svg_add(line, ", scale %g", options->scale);
    }
    irr_svg_add(line, "; %d iterations after %d to warm up, each as long as the slowest rank takes",
                options->work.iterations, options->work.warmup);
}

void irr_bench_plot_head(const irr_bench_plot_t *plot, int height, const char *caption)
{
    char title[IRR_SVG_LINE] = "", input[IRR_SVG_LINE] = "";

    make_title(plot, title);
    make_input(plot, input);
    irr_svg_open(plot->stream, &(irr_svg_head_t){ WIDTH, height, styles, title, input, caption });
}

/* ---- what is drawn ---- */

static void *open(const irr_bench_options_t *options, int ranks)
{
    FILE *stream = irr_cli_output_open(options->plot);
    irr_bench_plot_t *plot = stream != NULL ? calloc(1, sizeof(*plot)) : NULL;

    if (plot != NULL) {
        plot->options = options;
        plot->ranks = ranks;
        plot->stream = stream;
    }
    return plot;
}

/* An algorithm that was misled in each unit so far has that behind its name, as in the table. */
static void name_row(irr_bench_plot_t *plot, const irr_bench_row_t *row, int i)
{
    char name[IRR_BENCH_NAME_MAX];

    irr_bench_row_title(row, name, sizeof(name));
    if (plot->units == 0) {
        memcpy(plot->names[i], name, sizeof(name));
    } else if (strcmp(plot->names[i], name) != 0) {
        snprintf(plot->names[i], sizeof(plot->names[i]), "%s%s", row->name, IRR_BENCH_SUFFIX(row));
    }
}

static void add(void *output, const irr_bench_result_t *result)
{
    irr_bench_plot_t *plot = output;

    if (plot->units == IRR_BENCH_UNITS_MAX) {
        return;
    }
    for (int i = 0; i < plot->options->work.rows; i++) {
        const irr_bench_summary_t *summary = &result->summaries[i];

        name_row(plot, &result->rows[i], i);
        plot->points[plot->units][i] = (irr_bench_point_t){
            summary->median * MICRO, summary->min * MICRO, summary->max * MICRO, summary->ratio,
            result->rows[i].misled
        };
    }
    plot->unit[plot->units++] = result->unit;
}

static irr_cli_exit_t close(void *output)
{
    irr_bench_plot_t *plot = output;
    const char *path = plot->options->plot;
    irr_cli_exit_t code;

    if (plot->units > 1) {
        irr_bench_plot_lines(plot);
    } else if (plot->units == 1) {
        irr_bench_plot_bars(plot);
    }
    code = irr_cli_output_close(plot->stream, path);
    if (plot->units == 0) {
        irr_cli_complain("%.256s: no row was measured, so there is nothing to draw", path);
        code = IRR_CLI_REFUSED;
    }
    free(plot);
    return code;
}

const irr_bench_output_t irr_bench_plot = { open, add, close };
