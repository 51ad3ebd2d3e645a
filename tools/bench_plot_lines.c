/*
 * bench_plot_lines.c - a sweep: median with its spread over the unit, and below it host/this; all axes logarithmic.
 *
 * The rows are a little apart at each unit, so that their spreads do not hide each other.
 */
#include "bench_plot.h"

#include <inttypes.h>
#include <math.h>

/* Sizes in pixels. */
enum {
    LEFT = IRR_SVG_MARGIN + 52, WIDTH = 600, TIME_HEIGHT = 320, RATIO_HEIGHT = 190,
    HEADING = 30, GAP = 44, AXIS = 44, TICK_WIDTH = 40, APART_MAX = 3,
    LEGEND_GAP = 20, LEGEND_LINE = 20, SAMPLE = 28
};

typedef struct panel {
    irr_svg_axis_t up;
    bool           ratio;   /* host/this, not times */
} panel_t;

typedef struct chart {
    const irr_bench_plot_t *plot;
    FILE                   *out;
    irr_svg_axis_t          along;
    int                     host;     /* -1: no ratios */
    double                  apart;    /* of two rows */
    panel_t                 panels[2];
    int                     count;    /* of panels */
} chart_t;

/* ---- axes ---- */

/* The value that a panel shows, 0 or below: none. */
static double value_of(const panel_t *panel, const irr_bench_point_t *point)
{
    return panel->ratio ? point->ratio : point->median;
}

/* Has the panel a line of the row?  host/this of host itself is the line at 1. */
static bool shows(const chart_t *chart, const panel_t *panel, int row)
{
    return !panel->ratio || row != chart->host;
}

static void meet(irr_svg_axis_t *axis, double value)
{
    if (value > 0) {
        axis->least = fmin(axis->least, value);
        axis->most = fmax(axis->most, value);
    }
}

/* A little more than what is shown; of ratios at least from half to twice. */
static void set_range(const chart_t *chart, panel_t *panel)
{
    const irr_bench_plot_t *plot = chart->plot;
    irr_svg_axis_t *up = &panel->up;

    up->least = panel->ratio ? 0.5 : INFINITY;
    up->most = panel->ratio ? 2 : 0;
    for (int u = 0; u < plot->units; u++) {
        for (int i = 0; i < plot->options->work.rows; i++) {
            const irr_bench_point_t *point = &plot->points[u][i];

            meet(up, value_of(panel, point));
            if (!panel->ratio) {
                meet(up, point->min);
                meet(up, point->max);
            }
        }
    }
    if (up->most <= 0) {
        up->least = up->most = 1;
    }
    up->least *= 0.85;
    up->most *= 1.18;
}

static int set_panels(chart_t *chart)
{
    const irr_bench_plot_t *plot = chart->plot;
    int y = IRR_SVG_TITLE + HEADING;

    chart->host = irr_bench_plot_host(plot);
    chart->count = chart->host >= 0 ? 2 : 1;
    for (int p = 0; p < chart->count; p++) {
        const int height = p > 0 ? RATIO_HEIGHT : TIME_HEIGHT;
        panel_t *panel = &chart->panels[p];

        *panel = (panel_t){ .up = { .from = y + height, .to = y }, .ratio = p > 0 };
        set_range(chart, panel);
        y += height + GAP;
    }
    chart->along = (irr_svg_axis_t){ (double)plot->unit[0], (double)plot->unit[plot->units - 1], LEFT + 20,
                                     LEFT + WIDTH - 20 };
    chart->apart = fmin(APART_MAX, 0.5 * (WIDTH - 40) / (plot->units * plot->options->work.rows));
    return y - GAP + AXIS;
}

/* 8, 1k, 64k. */
static void write_unit(uint64_t unit, char *text, size_t size)
{
    static const char suffixes[] = "kmg";
    int suffix = -1;

    while (unit > 0 && unit % 1024 == 0 && suffix < 2) {
        unit /= 1024;
        suffix++;
    }
    snprintf(text, size, "%" PRIu64 "%.1s", unit, suffix >= 0 ? suffixes + suffix : "");
}

/* Lines and numbers of the units, as many as have room. */
static void write_units(const chart_t *chart, const panel_t *panel, bool numbers)
{
    const int step = (chart->plot->units * TICK_WIDTH + WIDTH - 1) / WIDTH;

    for (int u = 0; u < chart->plot->units; u += step) {
        const double x = irr_svg_at(&chart->along, (double)chart->plot->unit[u]);
        char text[32];

        fprintf(chart->out, "<path class=\"grid\" d=\"M%.1f %.0fV%.0f\"/>", x, panel->up.from, panel->up.to);
        if (numbers) {
            write_unit(chart->plot->unit[u], text, sizeof(text));
            irr_svg_label(chart->out, "middle unit", x, panel->up.from + 17, "%s", text);
        }
        fputc('\n', chart->out);
    }
    if (numbers) {
        irr_svg_label(chart->out, "middle", LEFT + WIDTH / 2, panel->up.from + 36, "unit, bytes");
    }
}

/* 1, 2 and 5 times powers of ten, or those powers alone where they are many. */
static void write_values(const chart_t *chart, const panel_t *panel)
{
    const irr_svg_axis_t *up = &panel->up;
    const bool fine = up->most / up->least < 2000;

    for (double power = pow(10, floor(log10(up->least))); power <= up->most; power *= 10) {
        for (int digit = 1; digit <= (fine ? 5 : 1); digit += digit == 2 ? 3 : 1) {
            const double value = power * digit, y = irr_svg_at(up, value);

            if (value >= up->least && value <= up->most) {
                fprintf(chart->out, "<path class=\"grid\" d=\"M%d %.1fh%d\"/>", LEFT, y, WIDTH);
                irr_svg_label(chart->out, "end", LEFT - 6, y + 4, "%g", value);
            }
        }
    }
}

/* ---- rows ---- */

static double x_of(const chart_t *chart, int unit, int row)
{
    const double middle = (chart->plot->options->work.rows - 1) / 2.0;

    return irr_svg_at(&chart->along, (double)chart->plot->unit[unit]) + (row - middle) * chart->apart;
}

static void write_spread(const chart_t *chart, const panel_t *panel, int unit, int row)
{
    const irr_bench_point_t *point = &chart->plot->points[unit][row];

    if (!panel->ratio && point->min > 0) {
        fprintf(chart->out, "<path class=\"spread\" d=\"M%.1f %.1fV%.1f\"/>\n", x_of(chart, unit, row),
                irr_svg_at(&panel->up, point->min), irr_svg_at(&panel->up, point->max));
    }
}

static void write_point(const chart_t *chart, const panel_t *panel, int unit, int row)
{
    const irr_bench_plot_t *plot = chart->plot;
    const irr_bench_point_t *point = &plot->points[unit][row];
    const double value = value_of(panel, point);

    if (value <= 0) {
        return;
    }
    fprintf(chart->out, "<g><title>%s, unit %" PRIu64 ": ", plot->names[row], plot->unit[unit]);
    if (panel->ratio) {
        fprintf(chart->out, "host/this %.2f</title>", value);
    } else {
        fprintf(chart->out, "median %.2f us, min %.2f, max %.2f</title>", point->median, point->min, point->max);
    }
    irr_bench_plot_mark(plot, row, point->misled, x_of(chart, unit, row), irr_svg_at(&panel->up, value));
    fputs("</g>\n", chart->out);
}

static void write_row(const chart_t *chart, const panel_t *panel, int row)
{
    const irr_bench_plot_t *plot = chart->plot;
    char class[32];

    irr_bench_plot_class(plot, row, class, sizeof(class));
    fprintf(chart->out, "<g class=\"%s\">\n<polyline class=\"curve\" points=\"", class);
    for (int u = 0; u < plot->units; u++) {
        const double value = value_of(panel, &plot->points[u][row]);

        if (value > 0) {
            fprintf(chart->out, " %.1f,%.1f", x_of(chart, u, row), irr_svg_at(&panel->up, value));
        }
    }
    fputs("\"/>\n", chart->out);
    for (int u = 0; u < plot->units; u++) {
        write_spread(chart, panel, u, row);
    }
    for (int u = 0; u < plot->units; u++) {
        write_point(chart, panel, u, row);
    }
    fputs("</g>\n", chart->out);
}

static void write_panel(const chart_t *chart, const panel_t *panel)
{
    const irr_svg_axis_t *up = &panel->up;

    irr_svg_label(chart->out, "stage", LEFT, up->to - 10, "%s",
                  panel->ratio ? "host/this, above 1 where this row is faster" : "median, us");
    write_units(chart, panel, panel == &chart->panels[chart->count - 1]);
    write_values(chart, panel);
    if (panel->ratio) {
        fprintf(chart->out, "<path class=\"one\" d=\"M%d %.1fh%d\"/>\n", LEFT, irr_svg_at(up, 1), WIDTH);
    }
    for (int i = 0; i < chart->plot->options->work.rows; i++) {
        if (shows(chart, panel, i)) {
            write_row(chart, panel, i);
        }
    }
}

static void write_legend(const chart_t *chart)
{
    const irr_bench_plot_t *plot = chart->plot;
    const int x = LEFT + WIDTH + LEGEND_GAP;

    for (int i = 0; i < plot->options->work.rows; i++) {
        const int y = IRR_SVG_TITLE + HEADING + 8 + i * LEGEND_LINE;
        char class[32];

        irr_bench_plot_class(plot, i, class, sizeof(class));
        fprintf(chart->out, "<g class=\"%s\"><path class=\"curve\" d=\"M%d %dh%d\"/>", class, x, y, SAMPLE);
        irr_bench_plot_mark(plot, i, false, x + SAMPLE / 2.0, y);
        irr_svg_label(chart->out, "name", x + SAMPLE + 8, y + 4, "%s", plot->names[i]);
        fputs("</g>\n", chart->out);
    }
}

void irr_bench_plot_lines(const irr_bench_plot_t *plot)
{
    chart_t chart = { .plot = plot, .out = plot->stream };
    const int height = set_panels(&chart);
    const int legend = IRR_SVG_TITLE + HEADING + (plot->options->work.rows + 1) * LEGEND_LINE;
    char caption[256];

    snprintf(caption, sizeof(caption), "Vertical lines from min to max.%s%s",
             chart.host < 0 ? " Without host among the algorithms there is no host/this." : "",
             irr_bench_plot_misled(plot) ? " Hollow: not served by what the row is called; most often Open MPI did."
                                         : "");
    irr_bench_plot_head(plot, height > legend ? height : legend, caption);
    for (int p = 0; p < chart.count; p++) {
        write_panel(&chart, &chart.panels[p]);
    }
    write_legend(&chart);
    fputs("</svg>\n", plot->stream);
}
