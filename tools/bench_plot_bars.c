/*
 * bench_plot_bars.c - one unit, or a matrix: a bar a row, as long as its median, with the spread, and the figures.
 *
 * The axis ends at twice the longest median, so that one iteration that took very long does not squeeze all bars; an
 * arrow marks a spread that goes on.
 */
#include "bench_plot.h"

#include <math.h>

/* Sizes in pixels. */
enum {
    LEFT = IRR_SVG_MARGIN + 160, WIDTH = 360, ROW = 26, BAR = 16, HEADING = 30, AXIS = 48, COLUMN = 84, TICKS_MAX = 6
};

#define NANO 1e3   /* of a microsecond */

typedef struct chart {
    const irr_bench_plot_t *plot;
    irr_svg_axis_t          along;  /* nanoseconds */
    int                     top, bottom;
} chart_t;

static void set_axis(chart_t *chart)
{
    const irr_bench_plot_t *plot = chart->plot;
    double median = 0, max = 0;

    for (int i = 0; i < plot->options->work.rows; i++) {
        median = fmax(median, plot->points[0][i].median * NANO);
        max = fmax(max, plot->points[0][i].max * NANO);
    }
    chart->along = (irr_svg_axis_t){ 0, fmax(fmin(max, 2 * median), 1), LEFT, LEFT + WIDTH };
    chart->top = IRR_SVG_TITLE + HEADING;
    chart->bottom = chart->top + plot->options->work.rows * ROW;
}

static void write_axis(const chart_t *chart)
{
    static const char *const columns[] = { "median", "min", "max", "host/this" };
    FILE *out = chart->plot->stream;
    const uint64_t most = (uint64_t)chart->along.most, tick = irr_svg_tick(most, TICKS_MAX);

    for (uint64_t i = 0; i <= most / tick; i++) {
        const double x = irr_svg_at(&chart->along, (double)(i * tick));

        fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>", x, chart->top, chart->bottom);
        irr_svg_label(out, "middle", x, chart->bottom + 17, "%g", (double)(i * tick) / NANO);
    }
    irr_svg_label(out, "middle", LEFT + WIDTH / 2, chart->bottom + 36, "us");
    for (int i = 0; i < 4; i++) {
        irr_svg_label(out, "stage end", LEFT + WIDTH + (i + 1) * COLUMN, chart->top - 10, "%s", columns[i]);
    }
}

/* From min to max, as far as the axis goes. */
static void write_spread(const chart_t *chart, const irr_bench_point_t *point, double y)
{
    const irr_svg_axis_t *along = &chart->along;
    const double end = irr_svg_at(along, fmin(point->max * NANO, along->most));
    FILE *out = chart->plot->stream;

    fprintf(out, "<path fill=\"none\" stroke=\"#000\" d=\"M%.1f %.1fv6m0 -3H%.1f", irr_svg_at(along, point->min * NANO),
            y - 3, end);
    fprintf(out, "%s\"/>", point->max * NANO > along->most ? "m-5 -4l5 4l-5 4" : "m0 -3v6");
}

static void write_figures(const chart_t *chart, const irr_bench_point_t *point, double y)
{
    const double figures[] = { point->median, point->min, point->max, point->ratio };

    for (int i = 0; i < 4; i++) {
        if (figures[i] >= 0) {
            irr_svg_label(chart->plot->stream, "end", LEFT + WIDTH + (i + 1) * COLUMN, y + 4, "%.2f", figures[i]);
        }
    }
}

static void write_row(const chart_t *chart, int row)
{
    const irr_bench_plot_t *plot = chart->plot;
    const irr_bench_point_t *point = &plot->points[0][row];
    const double y = chart->top + (row + 0.5) * ROW, width = irr_svg_at(&chart->along, point->median * NANO) - LEFT;
    char class[32];

    irr_bench_plot_class(plot, row, class, sizeof(class));
    fprintf(plot->stream, "<g class=\"%s\">", class);
    irr_svg_label(plot->stream, "end name", LEFT - 8, y + 4, "%s", plot->names[row]);
    fprintf(plot->stream, "<rect class=\"bar\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", LEFT,
            y - BAR / 2.0, width, BAR);
    write_spread(chart, point, y);
    write_figures(chart, point, y);
    fputs("</g>\n", plot->stream);
}

void irr_bench_plot_bars(const irr_bench_plot_t *plot)
{
    chart_t chart = { .plot = plot };

    set_axis(&chart);
    irr_bench_plot_head(plot, chart.bottom + AXIS, "Bars are medians, lines from min to max; host/this is above 1 "
                        "where the row is faster.");
    write_axis(&chart);
    for (int i = 0; i < plot->options->work.rows; i++) {
        write_row(&chart, i);
    }
    fputs("</svg>\n", plot->stream);
}
