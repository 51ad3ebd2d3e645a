/*
 * plan_time.c - draw of a schedule: which rank sends to which, and for how long, as an SVG chart.
 *
 * Two rows for each rank, what it sends and what it receives; time from left to right, in bytes of one port.  A
 * step begins when the step before has ended on all ranks, that is when its longest message has; where a rank does
 * not send, or does not receive, its row is hatched: idle.  Guo and Pan compare schedules so in figure 1 (d) and
 * (e).  With --async steps are no more than the order of the messages of a rank, as in the large steps of their
 * section 4.2.  A broken line shows when the busiest rank would be done if it never waited.  Pointing at a bar
 * tells what the message is.
 */
#include "plan.h"

#include "order/large.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sizes in pixels. */
enum {
    ROW_HEIGHT = 16, RANK_HEIGHT = 40, LABEL_WIDTH = 72, SIDE_WIDTH = 42, STEP_WIDTH = 26, PLOT_MIN = 900,
    PLOT_MAX = 4000, LEGEND_HEIGHT = 20, SAMPLE_WIDTH = 26, HEADING_HEIGHT = 32, AXIS_HEIGHT = 44,
    DIGIT_WIDTH = 7, TICKS_MAX = 12
};

/* The rows of a rank. */
typedef enum side { TO, FROM } side_t;

typedef struct chart {
    const irr_tool_job_t *job;
    FILE                 *stream;
    uint64_t              makespan, bound;
    uint64_t             *begins;                    /* by transmission; NULL: with its step */
    irr_step_time_t      *times;                     /* of its step, if so */
    size_t                wholes, splits;            /* whole messages; parts beyond one for each message */
    double                idle;                      /* percent of the time in which the ranks do not send */
    int                   left, top, width, bottom;  /* of the rows */
} chart_t;

/* A step of the schedule, and when it is. */
typedef struct step {
    const irr_transmission_t *list;
    size_t                    count;
    uint64_t                  begin, longest;
} step_t;

static double x_of(const chart_t *chart, uint64_t time)
{
    return chart->left + (double)chart->width * (double)time / (double)(chart->makespan > 0 ? chart->makespan : 1);
}

static bool is_part(const chart_t *chart, const irr_transmission_t *t)
{
    return t->length < *irr_matrix_at(chart->job->matrix, t->from, t->to);
}

/* Finds what the legend must explain.  The ranks receive in as much of the time as they send. */
static void survey(chart_t *chart)
{
    const irr_schedule_t *schedule = chart->job->schedule;
    const uint64_t all = chart->makespan * (uint64_t)chart->job->plans->ranks;
    uint64_t busy = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        busy += schedule->list[i].length;
        chart->wholes += !is_part(chart, &schedule->list[i]);
    }
    chart->splits = irr_schedule_splits(schedule, chart->job->matrix);
    chart->idle = all > 0 ? 100 * (1 - (double)busy / (double)all) : 0;
}

static void lay_out(chart_t *chart)
{
    int wanted = chart->job->schedule->steps < PLOT_MAX / STEP_WIDTH ?
                 chart->job->schedule->steps * STEP_WIDTH : PLOT_MAX;

    chart->left = IRR_SVG_MARGIN + LABEL_WIDTH;
    chart->top = IRR_SVG_TITLE + HEADING_HEIGHT + LEGEND_HEIGHT *
                 ((chart->wholes > 0) + (chart->splits > 0) + (chart->idle > 0) + (chart->bound > 0));
    chart->width = wanted > PLOT_MIN ? wanted : PLOT_MIN;
    chart->bottom = chart->top + chart->job->plans->ranks * RANK_HEIGHT;
}

/* Of the upper side of a row. */
static int y_of(const chart_t *chart, int rank, side_t side)
{
    return chart->top + rank * RANK_HEIGHT + (RANK_HEIGHT - 2 * ROW_HEIGHT) / 2 + (int)side * ROW_HEIGHT;
}

/* The next step in which a message begins. */
static bool next_step(const chart_t *chart, size_t first, step_t *step)
{
    const irr_schedule_t *schedule = chart->job->schedule;

    *step = (step_t){ .list = &schedule->list[first] };
    while (first + step->count < schedule->count && step->list[step->count].step == step->list->step) {
        step->count++;
    }
    if (step->count > 0 && chart->times != NULL) {
        step->begin = chart->times[first].begin;
        step->longest = chart->times[first].end - step->begin;
    }
    return step->count > 0;
}

/* ---- around the rows ---- */

static void write_sample(const chart_t *chart, int row, const char *class)
{
    int y = IRR_SVG_TITLE - 8 + row * LEGEND_HEIGHT;

    fprintf(chart->stream, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/><text x=\"%d\" "
            "y=\"%d\">", class, IRR_SVG_MARGIN, y, SAMPLE_WIDTH, ROW_HEIGHT,
            IRR_SVG_MARGIN + SAMPLE_WIDTH + 8, y + ROW_HEIGHT - 4);
}

static void write_legend(const chart_t *chart)
{
    const int steps = chart->job->schedule->steps;
    int row = 0;

    if (chart->wholes > 0) {
        write_sample(chart, row++, "cell s0");
        fputs("a whole message, dark where it is sent and pale where it is received</text>\n", chart->stream);
    }
    if (chart->splits > 0) {
        write_sample(chart, row++, "cell s1");
        fprintf(chart->stream, "a part of a message; there %s %zu more part%s than messages</text>\n",
                chart->splits == 1 ? "is" : "are", chart->splits, chart->splits == 1 ? "" : "s");
    }
    if (chart->idle > 0) {
        write_sample(chart, row++, "idle");
        fprintf(chart->stream, "idle: the ranks do not send, or receive, in %.1f %% of the %" PRIu64 " bytes of %d "
                "step%s</text>\n", chart->idle, chart->makespan, steps, steps == 1 ? "" : "s");
    }
    if (chart->bound > 0) {
        const int y = IRR_SVG_TITLE + row * LEGEND_HEIGHT;

        fprintf(chart->stream, "<path class=\"bound\" d=\"M%d %dh%d\"/><text x=\"%d\" y=\"%d\">%" PRIu64
                " bytes: the busiest rank sends or receives so much; no schedule ends earlier</text>\n",
                IRR_SVG_MARGIN, y, SAMPLE_WIDTH, IRR_SVG_MARGIN + SAMPLE_WIDTH + 8, y + 5, chart->bound);
    }
}

static void write_axis(const chart_t *chart)
{
    uint64_t tick = irr_svg_tick(chart->makespan, TICKS_MAX);

    for (uint64_t i = 0; i <= chart->makespan / tick; i++) {
        double x = x_of(chart, i * tick);

        fprintf(chart->stream, "<path class=\"tick\" d=\"M%.2f %dv5\"/>", x, chart->bottom);
        irr_svg_label(chart->stream, "step", x, chart->bottom + 17, "%" PRIu64, i * tick);
    }
    irr_svg_label(chart->stream, "step", chart->left + chart->width / 2, chart->bottom + 32, "bytes");
    if (chart->bound > 0) {
        fprintf(chart->stream, "<path class=\"bound\" d=\"M%.2f %dV%d\"/>\n", x_of(chart, chart->bound),
                chart->top - 4, chart->bottom + 4);
    }
}

static void write_row(const chart_t *chart, int rank, side_t side)
{
    static const char *const names[] = { "to", "from" };
    int y = y_of(chart, rank, side);

    irr_svg_label(chart->stream, "rank", chart->left - 6, y + ROW_HEIGHT - 4, "%s", names[side]);
    fprintf(chart->stream, "<rect class=\"idle\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", chart->left, y + 1,
            chart->makespan > 0 ? chart->width : 0, ROW_HEIGHT - 2);
}

static void write_rows(const chart_t *chart)
{
    int x = chart->left - SIDE_WIDTH;

    irr_svg_label(chart->stream, "rank", x, chart->top - 6, "rank");
    for (int r = 0; r < chart->job->plans->ranks; r++) {
        irr_svg_label(chart->stream, "rank number", x, y_of(chart, r, FROM) + 4, "%d", r);
        write_row(chart, r, TO);
        write_row(chart, r, FROM);
    }
}

/* ---- the bars ---- */

static int digits(int number)
{
    return snprintf(NULL, 0, "%d", number);
}

/* On one of its sides, with the rank on the other. */
static void write_bar(const chart_t *chart, uint64_t begin, const irr_transmission_t *t, side_t side)
{
    double x = x_of(chart, begin), width = x_of(chart, begin + t->length) - x;
    int rank = side == TO ? t->from : t->to, other = side == TO ? t->to : t->from, y = y_of(chart, rank, side);

    fprintf(chart->stream, "<rect class=\"cell s%d%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>",
            is_part(chart, t), side == FROM ? " from" : "", x, y + 1, width, ROW_HEIGHT - 2);
    if (width > digits(other) * DIGIT_WIDTH + 2) {
        irr_svg_label(chart->stream, "to", x + width / 2, y + ROW_HEIGHT - 4, "%d", other);
    }
}

static void write_message(const chart_t *chart, const step_t *step, const irr_transmission_t *t)
{
    uint64_t begin = chart->begins != NULL ? chart->begins[t - chart->job->schedule->list] : step->begin;

    fprintf(chart->stream, "<g><title>step %d: %d to %d, bytes %" PRIu64 " to %" PRIu64 "</title>", t->step,
            t->from, t->to, t->offset, t->offset + t->length);
    write_bar(chart, begin, t, TO);
    write_bar(chart, begin, t, FROM);
    fputs("</g>\n", chart->stream);
}

static void write_bars(const chart_t *chart, const step_t *step)
{
    for (size_t i = 0; i < step->count; i++) {
        write_message(chart, step, &step->list[i]);
    }
}

/* Where a step ends, and its number. */
static void write_barrier(const chart_t *chart, const step_t *step)
{
    double x = x_of(chart, step->begin), end = x_of(chart, step->begin + step->longest);
    int number = step->list->step;

    fprintf(chart->stream, "<path class=\"barrier\" d=\"M%.2f %dV%d\"/>\n", end, chart->top, chart->bottom);
    if (end - x > digits(number) * DIGIT_WIDTH + 2) {
        irr_svg_label(chart->stream, "step", (x + end) / 2, chart->top - 6, "%d", number);
    }
}

static void each_step(const chart_t *chart, void (*write)(const chart_t *chart, const step_t *step))
{
    step_t step = { .begin = 0 };

    for (size_t i = 0; next_step(chart, i, &step); i += step.count) {
        write(chart, &step);
    }
}

static void write_head(const chart_t *chart)
{
    int right = chart->left + chart->width + LABEL_WIDTH + IRR_SVG_MARGIN;
    const char *caption = chart->begins == NULL ?
        "A bar is a message to, or from, the rank that it names, as long as its bytes take. A step begins when "
        "the one before has ended on all ranks." :
        "A bar is a message to, or from, the rank that it names, as long as its bytes take. It begins when both "
        "ranks have done with those before it.";

    irr_tool_svg_open(chart->job, right, chart->bottom + AXIS_HEIGHT, NULL,
                      ".rank { text-anchor: end; }\n"
                      ".from.s0 { fill: #cfe5f7; }\n"
                      ".from.s1 { fill: #fde4c5; }\n"
                      ".number { font-size: 13px; fill: #222; }\n"
                      ".to { font-size: 11px; text-anchor: middle; }\n"
                      ".idle { fill: url(#hatch); }\n"
                      ".cell { stroke-width: .5; }\n"
                      ".tick, .barrier { stroke: #666; stroke-width: 1; }\n"
                      ".bound { stroke: #d01c1c; stroke-width: 2; stroke-dasharray: 6 4; }\n",
                      caption);
    fputs("<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#f0f0f0\"/>"
          "<rect width=\"1.5\" height=\"6\" fill=\"#bbb\"/></pattern></defs>\n", chart->stream);
}

static void write_chart(const chart_t *chart)
{
    write_head(chart);
    write_legend(chart);
    write_rows(chart);
    each_step(chart, write_bars);
    if (chart->begins == NULL) {
        each_step(chart, write_barrier);
    }
    write_axis(chart);
    fputs("</svg>\n", chart->stream);
}

/* When each message begins, and when all are over. */
static irr_status_t set_times(chart_t *chart)
{
    const irr_schedule_t *schedule = chart->job->schedule;

    if (!chart->job->options->async) {
        chart->times = calloc(schedule->count + 1, sizeof(*chart->times));
        return chart->times != NULL ? irr_schedule_times(schedule, chart->times, &chart->makespan)
                                    : IRR_ERR_NO_MEMORY;
    }
    chart->begins = calloc(schedule->count + 1, sizeof(*chart->begins));
    return chart->begins != NULL ? irr_large_makespan_async(schedule, chart->begins, &chart->makespan)
                                 : IRR_ERR_NO_MEMORY;
}

irr_cli_exit_t irr_tool_draw_time(const irr_tool_job_t *job)
{
    chart_t chart = { .job = job, .stream = job->stream, .bound = irr_schedule_bound(job->matrix) };
    irr_status_t status = irr_schedule_check(job->schedule, job->matrix, NULL, 0);

    if (status == IRR_OK) {
        status = set_times(&chart);
    }
    if (status == IRR_OK) {
        survey(&chart);
        lay_out(&chart);
        write_chart(&chart);
    }
    free(chart.times);
    free(chart.begins);
    return irr_tool_outcome(job, status);
}
