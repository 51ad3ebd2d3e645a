/*
 * plan_map.c - draw of many messages: a heat map by step, as an SVG chart.
 *
 * As the chart of few messages, a row for each rank, a column for each step, and the stages side by side; a cell is
 * coloured by the bytes that the rank sends in the step.  Many ranks, or steps, share a cell, which shows the most that
 * one of these ranks sends in one of these steps: ROWS_MAX x COLUMNS_MAX cells and a column for each stage, so that the
 * file has less than 500 kB.  Time and memory: that of listing the messages, and of the cells.
 */
#include "plan.h"

#include "svg_map.h"

#include <limits.h>
#include <stdlib.h>

/* Sizes in pixels, but ROWS_MAX and COLUMNS_MAX. */
enum {
    SIDE = 768, ROWS_MAX = 256, COLUMNS_MAX = 128, WIDTH_MAX = 26, HEIGHT_MAX = 18,
    AXIS_LEFT = 64, STAGE_GAP = 24, STAGE_WIDTH_MIN = 64, LINE = 18, HEADING = 44, LEGEND_GAP = 32
};

typedef struct chart {
    const irr_tool_job_t   *job;
    irr_tool_stage_t       *stages;
    int                     nstages, rows;
    int                     ranks_together, steps_together;   /* of a cell */
    irr_svg_map_t          *maps;                             /* one a stage */
    uint64_t               *cells;                            /* of all maps */
    irr_svg_scale_t         scale;
    irr_plans_message_t     last;                             /* the bytes of all that its rank sends in its step */
} chart_t;

static int share(int64_t count, int together)
{
    return (int)((count + together - 1) / together);
}

static int within(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* ---- cells ---- */

/* How many ranks and steps share a cell, and the cells of each stage. */
static irr_status_t make_cells(chart_t *chart)
{
    const int ranks = chart->job->plans->ranks;
    int64_t steps = 0;
    size_t columns = 0;

    for (int s = 0; s < chart->nstages; s++) {
        steps += chart->stages[s].steps;
    }
    chart->ranks_together = share(ranks, ROWS_MAX);
    chart->steps_together = share(steps, COLUMNS_MAX);
    chart->rows = share(ranks, chart->ranks_together);
    chart->maps = calloc((size_t)chart->nstages, sizeof(*chart->maps));
    if (chart->maps == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int s = 0; s < chart->nstages; s++) {
        chart->maps[s].columns = share(chart->stages[s].steps, chart->steps_together);
        chart->maps[s].rows = chart->rows;
        columns += (size_t)chart->maps[s].columns;
    }
    chart->cells = calloc(columns * (size_t)chart->rows, sizeof(*chart->cells));
    return chart->cells != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* What the last rank sends in its step is complete. */
static void end_step(chart_t *chart)
{
    const irr_plans_message_t *last = &chart->last;
    uint64_t *cells = chart->cells, *cell;
    int s;

    if (last->stage == 0) {
        return;
    }
    for (s = 0; s + 1 < last->stage; s++) {
        cells += (size_t)chart->maps[s].columns * (size_t)chart->rows;
    }
    cell = &cells[(size_t)(last->from / chart->ranks_together) * (size_t)chart->maps[s].columns +
                  (size_t)((last->step - 1) / chart->steps_together)];
    *cell = last->bytes > *cell ? last->bytes : *cell;
}

/* The messages come in the order of stages, steps and senders. */
static bool add_message(void *context, const irr_plans_message_t *message)
{
    chart_t *chart = context;
    irr_plans_message_t *last = &chart->last;

    if (message->stage == last->stage && message->step == last->step && message->from == last->from) {
        last->bytes += message->bytes;
        return true;
    }
    end_step(chart);
    *last = *message;
    return true;
}

/* ---- picture ---- */

/* Places the maps; returns the right end of the last one. */
static int lay_out(chart_t *chart)
{
    const uint64_t *cells = chart->cells;
    int columns = 0, x = IRR_SVG_MARGIN + AXIS_LEFT;

    for (int s = 0; s < chart->nstages; s++) {
        columns += chart->maps[s].columns;
    }
    for (int s = 0; s < chart->nstages; s++) {
        irr_svg_map_t *map = &chart->maps[s];

        map->bytes = cells;
        map->left = x;
        map->top = IRR_SVG_TITLE + chart->nstages * LINE + HEADING;
        map->width = within(columns > 0 ? SIDE / columns : SIDE, SIDE / COLUMNS_MAX, WIDTH_MAX);
        map->height = within(SIDE / chart->rows, SIDE / ROWS_MAX, HEIGHT_MAX);
        x += within(map->columns * map->width, STAGE_WIDTH_MIN, INT_MAX) + (s + 1 < chart->nstages ? STAGE_GAP : 0);
        cells += (size_t)map->columns * (size_t)map->rows;
        irr_svg_scale_meet(&chart->scale, map->bytes, (size_t)map->columns * (size_t)map->rows);
    }
    return x;
}

static void write_head(const chart_t *chart, int right)
{
    const int side = chart->rows * chart->maps[0].height;
    const int height = chart->maps[0].top + (side > IRR_SVG_LEGEND_HEIGHT ? side : IRR_SVG_LEGEND_HEIGHT);
    char styles[IRR_SVG_MAP_STYLES], cell[128], ranks[64] = "a rank sends", steps[64] = "a step";
    const bool many = chart->ranks_together > 1 || chart->steps_together > 1;

    if (chart->ranks_together > 1) {
        snprintf(ranks, sizeof(ranks), "one of %d ranks sends", chart->ranks_together);
    }
    if (chart->steps_together > 1) {
        snprintf(steps, sizeof(steps), "one of %d steps", chart->steps_together);
    }
    snprintf(cell, sizeof(cell), "%s %s in %s", many ? "the most bytes that" : "bytes that", ranks, steps);
    irr_svg_map_styles(styles, sizeof(styles));
    irr_tool_svg_open(chart->job, right + LEGEND_GAP + IRR_SVG_LEGEND_WIDTH + IRR_SVG_MARGIN, height + IRR_SVG_MARGIN,
                      cell, styles, "A row for each rank, or so many, that sends; a column for each step, or so many.");
}

/* Heading, numbers of steps, and the cells. */
static void write_stage(const chart_t *chart, int s)
{
    const irr_svg_map_t *map = &chart->maps[s];
    FILE *out = chart->job->stream;

    irr_svg_label(out, "stage", map->left, map->top - 26, "stage %d", s + 1);
    irr_svg_map_columns(out, map, "step", chart->steps_together, 1);
    irr_svg_map(out, map, &chart->scale);
}

static void write_picture(chart_t *chart)
{
    const int right = lay_out(chart);
    FILE *out = chart->job->stream;

    write_head(chart, right);
    for (int s = 0; s < chart->nstages; s++) {
        fprintf(out, "<text x=\"%d\" y=\"%d\">stage %d: ", IRR_SVG_MARGIN, IRR_SVG_TITLE + 8 + s * LINE, s + 1);
        irr_tool_svg_stage(out, &chart->stages[s]);
        fputs("</text>\n", out);
        write_stage(chart, s);
    }
    irr_svg_map_ranks(out, &chart->maps[0], chart->ranks_together);
    irr_svg_legend(out, &chart->scale, right + LEGEND_GAP, chart->maps[0].top + 4, "nothing sent");
    fputs("</svg>\n", out);
}

irr_status_t irr_tool_draw_map(const irr_tool_job_t *job, irr_tool_stage_t *stages, int nstages)
{
    chart_t chart = { .job = job, .stages = stages, .nstages = nstages };
    irr_status_t status = make_cells(&chart);

    if (status == IRR_OK) {
        status = irr_plans_each_send(job->plans, add_message, &chart);
    }
    if (status == IRR_OK) {
        end_step(&chart);
        write_picture(&chart);
    }
    free(chart.cells);
    free(chart.maps);
    return status;
}
