/*
 * plan_draw.c - draw by step: which rank sends to which in each step, as an SVG chart.
 *
 * A row for each rank, a column for each step, the stages side by side with a heading.  A cell shows the ranks
 * that the row sends to, and stays empty where the row sends nothing.  A red frame marks a message whose receiver
 * receives others in the same step.  A dashed frame marks a block that its receiver reads from the sender's shared
 * memory.  The legend explains what occurs in the picture.  Pointing at a cell shows its messages.
 *
 * The messages are listed once.  A first pass in their order finds what occurs and how wide cells must be; a second
 * one writes them.  Many messages are a map: plan_map.c.
 */
#include "plan.h"

#include <stdlib.h>

/* Sizes in pixels. */
enum {
    CELL_WIDTH = 26, CELL_HEIGHT = 18, LABEL_WIDTH = 36, STAGE_GAP = 24, STAGE_WIDTH_MIN = 64,
    LEGEND_HEIGHT = 20, HEADING_HEIGHT = 44, LETTER_WIDTH = 7, CELL_MARGIN = 10
};

typedef struct message {
    int    stage, step, from, to;
    size_t bytes;
} message_t;

typedef struct chart {
    const irr_tool_job_t *job;
    FILE                 *stream;
    message_t            *messages;
    size_t                count, max;  /* a map of more messages than there is room for needs no list of them */
    irr_tool_stage_t     *stages;    /* from 0 */
    int                   nstages;
    size_t                runs;      /* cells that are not empty */
    bool                  contended;   /* occurs in the picture */
    int                  *received;  /* by rank, in the step that is being drawn */
    int                   top;       /* of the first row */
    int                   right;     /* of the last column */
} chart_t;

/* ---- what is drawn ---- */

static bool add_message(void *context, const irr_plans_message_t *message)
{
    chart_t *chart = context;
    irr_tool_stage_t *stage = &chart->stages[message->stage - 1];

    if (chart->count == chart->max && chart->max <= IRR_TOOL_DRAW_MESSAGES_MAX) {
        size_t max = chart->max > 0 ? 2 * chart->max : 256;
        message_t *messages = realloc(chart->messages, max * sizeof(*messages));

        if (messages == NULL) {
            return false;
        }
        chart->messages = messages;
        chart->max = max;
    }
    if (chart->count < chart->max) {
        chart->messages[chart->count] = (message_t){
            message->stage, message->step, message->from, message->to, message->bytes
        };
    }
    chart->count++;
    stage->steps = message->step > stage->steps ? message->step : stage->steps;
    stage->largest = message->bytes > stage->largest ? message->bytes : stage->largest;
    stage->messages++;
    return true;
}

static size_t planned_messages(const irr_plans_t *plans)
{
    size_t count = 0;

    for (int r = 0; r < plans->ranks; r++) {
        for (size_t i = 0; i < plans->plans[r].nsteps; i++) {
            const irr_step_t *step = &plans->plans[r].steps[i];

            count += step->kind == IRR_STEP_SEND && step->peer != r;
        }
    }
    return count;
}

static irr_status_t collect(chart_t *chart)
{
    const irr_plans_t *plans = chart->job->plans;
    irr_status_t status;

    for (int r = 0; r < plans->ranks; r++) {
        chart->nstages = plans->plans[r].stages > chart->nstages ? plans->plans[r].stages : chart->nstages;
    }
    chart->stages = calloc((size_t)chart->nstages + 1, sizeof(*chart->stages));
    chart->received = calloc((size_t)plans->ranks, sizeof(*chart->received));
    if (chart->stages == NULL || chart->received == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    status = irr_plans_each_send(plans, add_message, chart);
    return status == IRR_OK && chart->count < planned_messages(plans) ? IRR_ERR_NO_MEMORY : status;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* ---- cells: a rank sends at most one message in a step ---- */

static bool is_contended(const chart_t *chart, const message_t *message)
{
    return chart->received[message->to] > 1;
}

static void survey_cell(chart_t *chart, const message_t *message)
{
    irr_tool_stage_t *stage = &chart->stages[message->stage - 1];

    stage->cell = larger(stage->cell, snprintf(NULL, 0, "%d", message->to) * LETTER_WIDTH + CELL_MARGIN);
    chart->runs++;
    chart->contended = chart->contended || is_contended(chart, message);
}

/* The number of messages from the first on that are in its step. */
static size_t run_of(const message_t *messages, size_t count)
{
    size_t i = 1;

    while (i < count && messages[i].stage == messages[0].stage && messages[i].step == messages[0].step) {
        i++;
    }
    return i;
}

typedef void visit_t(chart_t *chart, const message_t *message);

static void each_cell_of_step(chart_t *chart, const message_t *messages, size_t count, visit_t *visit)
{
    for (size_t i = 0; i < count; i++) {
        chart->received[messages[i].to]++;
    }
    for (size_t i = 0; i < count; i++) {
        visit(chart, &messages[i]);
    }
    for (size_t i = 0; i < count; i++) {
        chart->received[messages[i].to] = 0;
    }
}

/* Visits the cells of a stage, whose messages begin with the first that is given; returns where they end. */
static size_t each_cell(chart_t *chart, int stage, size_t first, visit_t *visit)
{
    while (first < chart->count && chart->messages[first].stage == stage) {
        size_t count = run_of(chart->messages + first, chart->count - first);

        each_cell_of_step(chart, chart->messages + first, count, visit);
        first += count;
    }
    return first;
}

/* Finds what occurs in the picture. */
static void survey(chart_t *chart)
{
    size_t next = 0;

    for (int s = 0; s < chart->nstages; s++) {
        chart->stages[s].cell = CELL_WIDTH;
        next = each_cell(chart, s + 1, next, survey_cell);
    }
}

static bool has_empty(const chart_t *chart)
{
    size_t cells = 0;

    for (int s = 0; s < chart->nstages; s++) {
        cells += (size_t)chart->stages[s].steps * (size_t)chart->job->plans->ranks;
    }
    return cells > chart->runs;
}

/* Places the stages; returns the width of the picture. */
static int lay_out(chart_t *chart)
{
    int x = IRR_SVG_MARGIN + LABEL_WIDTH;

    for (int s = 0; s < chart->nstages; s++) {
        chart->stages[s].x = x;
        x += larger(chart->stages[s].steps * chart->stages[s].cell, STAGE_WIDTH_MIN);
        x += s + 1 < chart->nstages ? STAGE_GAP : 0;
    }
    chart->right = x;
    chart->top = IRR_SVG_TITLE + HEADING_HEIGHT + LEGEND_HEIGHT *
                 (chart->nstages + chart->contended + has_empty(chart));
    return x + LABEL_WIDTH + IRR_SVG_MARGIN;
}

/* ---- how it is drawn ---- */

static void write_head(const chart_t *chart, int width, int height)
{
    FILE *out = chart->stream;

    irr_tool_svg_open(chart->job, width, height, NULL,
                      ".to { text-anchor: middle; }\n"
                      ".contended { stroke: #d01c1c; stroke-width: 1.5; }\n",
                      "A cell names the ranks that the rank of its row sends to in the step of its column.");
    for (int s = 0; s < chart->nstages; s++) {
        fprintf(out, "<defs><pattern id=\"empty%d\" width=\"%d\" height=\"%d\" "
                "patternUnits=\"userSpaceOnUse\"><rect width=\"%d\" height=\"%d\" fill=\"#e9e9e9\" stroke=\"#fff\"/>"
                "<circle cx=\"%d\" cy=\"%d\" r=\"1.5\" fill=\"#888\"/></pattern></defs>\n", s,
                chart->stages[s].cell, CELL_HEIGHT, chart->stages[s].cell, CELL_HEIGHT, chart->stages[s].cell / 2,
                CELL_HEIGHT / 2);
    }
}

/* The cell of the legend's row i; the caller adds the text. */
static void write_sample(const chart_t *chart, int i, const char *class, const char *label)
{
    int y = IRR_SVG_TITLE - 8 + i * LEGEND_HEIGHT;

    fprintf(chart->stream, "<g transform=\"translate(%d,%d)\"><rect class=\"%s\" width=\"%d\" height=\"%d\"%s/>"
            "<text class=\"to\" x=\"%d\" y=\"%d\">%s</text></g>", IRR_SVG_MARGIN, y, class, CELL_WIDTH,
            CELL_HEIGHT, class[0] == '\0' ? " fill=\"#e9e9e9\"" : "", CELL_WIDTH / 2, CELL_HEIGHT - 5, label);
    fprintf(chart->stream, "<text x=\"%d\" y=\"%d\">", IRR_SVG_MARGIN + CELL_WIDTH + 8, y + CELL_HEIGHT - 5);
}

static void write_legend(const chart_t *chart)
{
    int row = 0;

    for (; row < chart->nstages; row++) {
        char class[32];

        snprintf(class, sizeof(class), "cell s%d", row % IRR_SVG_COLOURS);
        write_sample(chart, row, class, "");
        fprintf(chart->stream, "stage %d: ", row + 1);
        irr_tool_svg_stage(chart->stream, &chart->stages[row]);
        fputs("</text>\n", chart->stream);
    }
    if (chart->contended) {
        write_sample(chart, row++, "cell contended s0", "7");
        fputs("rank 7 receives several messages in this step</text>\n", chart->stream);
    }
    if (has_empty(chart)) {
        write_sample(chart, row, "", "&#183;");
        fputs("nothing is sent in this step</text>\n", chart->stream);
    }
}

/* On both sides, because a row of a wide chart is hard to follow. */
static void write_ranks(const chart_t *chart, int x, const char *anchor)
{
    fprintf(chart->stream, "<g style=\"text-anchor: %s\">", anchor);
    irr_svg_label(chart->stream, "rank", x, chart->top - 6, "rank");
    for (int r = 0; r < chart->job->plans->ranks; r++) {
        irr_svg_label(chart->stream, "rank", x, chart->top + (r + 1) * CELL_HEIGHT - 5, "%d", r);
    }
    fputs("</g>\n", chart->stream);
}

/* Heading, step numbers and the empty cells; the messages come over them. */
static void write_stage(const chart_t *chart, int s)
{
    const irr_tool_stage_t *stage = &chart->stages[s];

    irr_svg_label(chart->stream, "stage", 0, 18 - HEADING_HEIGHT, "stage %d", s + 1);
    for (int k = 1; k <= stage->steps; k++) {
        irr_svg_label(chart->stream, "step", (k - 1) * stage->cell + stage->cell / 2, -6, "%d", k);
    }
    fprintf(chart->stream, "<rect width=\"%d\" height=\"%d\" fill=\"url(#empty%d)\"/>\n", stage->steps * stage->cell,
            chart->job->plans->ranks * CELL_HEIGHT, s);
}

static void write_cell(chart_t *chart, const message_t *message)
{
    const int width = chart->stages[message->stage - 1].cell;
    const int x = (message->step - 1) * width, y = message->from * CELL_HEIGHT;

    fprintf(chart->stream, "<g><title>stage %d step %d: %d to %d, %zu bytes</title>", message->stage,
            message->step, message->from, message->to, message->bytes);
    fprintf(chart->stream, "<rect class=\"cell %ss%d\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\"/>"
            "<text class=\"to\" x=\"%d\" y=\"%d\">%d</text></g>\n",
            is_contended(chart, message) ? "contended " : "", (message->stage - 1) % IRR_SVG_COLOURS, x + 1.0, y + 1.0,
            width - 2, CELL_HEIGHT - 2, x + width / 2, y + CELL_HEIGHT - 5, message->to);
}

static void write_chart(chart_t *chart, int width)
{
    int height = chart->top + chart->job->plans->ranks * CELL_HEIGHT + IRR_SVG_MARGIN;
    size_t next = 0;

    write_head(chart, width, height);
    write_legend(chart);
    write_ranks(chart, IRR_SVG_MARGIN + LABEL_WIDTH - 8, "end");
    write_ranks(chart, chart->right + 8, "start");
    for (int s = 0; s < chart->nstages; s++) {
        fprintf(chart->stream, "<g transform=\"translate(%d,%d)\">\n", chart->stages[s].x, chart->top);
        write_stage(chart, s);
        next = each_cell(chart, s + 1, next, write_cell);
        fputs("</g>\n", chart->stream);
    }
    fputs("</svg>\n", chart->stream);
}

irr_cli_exit_t irr_tool_draw_steps(const irr_tool_job_t *job)
{
    chart_t chart = { .job = job, .stream = job->stream };
    irr_status_t status = collect(&chart);

    if (status == IRR_OK && chart.count > IRR_TOOL_DRAW_MESSAGES_MAX) {
        status = irr_tool_draw_map(job, chart.stages, chart.nstages);
    } else if (status == IRR_OK) {
        survey(&chart);
        write_chart(&chart, lay_out(&chart));
    }
    free(chart.received);
    free(chart.stages);
    free(chart.messages);
    return irr_tool_outcome(job, status);
}
