/*
 * plan_draw.c - draw by step: which rank sends to which in each step, as an SVG chart.
 *
 * A row for each rank, a column for each step, the stages side by side with a heading.  A cell shows the rank
 * that the row sends to, and stays empty where the row sends nothing.  A red frame marks a message whose receiver
 * receives others in the same step.  A dashed frame is no message: its receiver reads what is on the sender's
 * board.  Pointing at a cell tells what the message is.
 *
 * The messages are listed once; then everything is written in their order, in one pass.  Many messages are a map:
 * plan_map.c.
 */
#include "plan.h"

#include <stdlib.h>

/* Sizes in pixels. */
enum {
    CELL_WIDTH = 26, CELL_HEIGHT = 18, LABEL_WIDTH = 36, STAGE_GAP = 24, STAGE_WIDTH_MIN = 64,
    LEGEND_HEIGHT = 20, HEADING_HEIGHT = 44
};

typedef struct message {
    int    stage, step, from, to;
    size_t bytes;
    bool   boarded;
} message_t;

typedef struct chart {
    const irr_tool_job_t *job;
    FILE                 *stream;
    message_t            *messages;
    size_t                count, max;  /* a map of more messages than there is room for needs no list of them */
    irr_tool_stage_t              *stages;    /* from 0 */
    int                   nstages;
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
            message->stage, message->step, message->from, message->to, message->bytes, message->boarded
        };
    }
    chart->count++;
    stage->steps = message->step > stage->steps ? message->step : stage->steps;
    if (message->boarded) {
        stage->boarded++;
        return true;
    }
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

/* Places the stages; returns the width of the picture, which has room for the titles, too. */
static int lay_out(chart_t *chart)
{
    int x = IRR_SVG_MARGIN + LABEL_WIDTH;

    for (int s = 0; s < chart->nstages; s++) {
        chart->stages[s].x = x;
        x += larger(chart->stages[s].steps * CELL_WIDTH, STAGE_WIDTH_MIN);
        x += s + 1 < chart->nstages ? STAGE_GAP : 0;
    }
    chart->right = x;
    chart->top = IRR_SVG_TITLE + (chart->nstages + 2 + chart->job->way->boards) * LEGEND_HEIGHT + HEADING_HEIGHT;
    return larger(x + LABEL_WIDTH + IRR_SVG_MARGIN, irr_tool_svg_width(chart->job));
}

/* ---- how it is drawn ---- */

static void write_head(const chart_t *chart, int width, int height)
{
    FILE *out = chart->stream;

    irr_tool_svg_open(chart->job, width, height, NULL,
                      ".to { text-anchor: middle; }\n"
                      ".small { font-size: 8px; text-anchor: middle; }\n"
                      ".contended { stroke: #d01c1c; stroke-width: 1.5; }\n"
                      ".boarded { stroke: #444; stroke-dasharray: 2 2; }\n",
                      "A cell names the rank that the rank of its row sends to in the step of its column.");
    fprintf(out, "<defs><pattern id=\"empty\" width=\"%d\" height=\"%d\" "
            "patternUnits=\"userSpaceOnUse\"><rect width=\"%d\" height=\"%d\" fill=\"#e9e9e9\" stroke=\"#fff\"/>"
            "<circle cx=\"%d\" cy=\"%d\" r=\"1.5\" fill=\"#888\"/></pattern></defs>\n",
            CELL_WIDTH, CELL_HEIGHT, CELL_WIDTH, CELL_HEIGHT, CELL_WIDTH / 2, CELL_HEIGHT / 2);
}

/* The cell of the legend's row i; the caller adds the text. */
static void write_sample(const chart_t *chart, int i, const char *class, const char *label)
{
    int y = IRR_SVG_TITLE - 8 + i * LEGEND_HEIGHT;

    fprintf(chart->stream, "<g transform=\"translate(%d,%d)\"><rect class=\"%s\" width=\"%d\" height=\"%d\"%s/>"
            "<text class=\"to\" x=\"%d\" y=\"%d\">%s</text></g>", IRR_SVG_MARGIN, y, class, CELL_WIDTH,
            CELL_HEIGHT, class[0] == '\0' ? " fill=\"url(#empty)\"" : "", CELL_WIDTH / 2, CELL_HEIGHT - 5, label);
    fprintf(chart->stream, "<text x=\"%d\" y=\"%d\">", IRR_SVG_MARGIN + CELL_WIDTH + 8, y + CELL_HEIGHT - 5);
}

static void write_legend(const chart_t *chart)
{
    for (int s = 0; s < chart->nstages; s++) {
        const irr_tool_stage_t *stage = &chart->stages[s];
        char class[32];

        snprintf(class, sizeof(class), "cell s%d", s % IRR_SVG_COLOURS);
        write_sample(chart, s, class, "");
        fprintf(chart->stream, "stage %d: ", s + 1);
        irr_tool_svg_stage(chart->stream, stage);
        fputs("</text>\n", chart->stream);
    }
    write_sample(chart, chart->nstages, "cell contended s0", "7");
    fputs("rank 7 receives other messages, too, in this step</text>\n", chart->stream);
    write_sample(chart, chart->nstages + 1, "", "");
    fputs("nothing is sent in this step</text>\n", chart->stream);
    if (chart->job->way->boards) {
        write_sample(chart, chart->nstages + 2, "cell boarded s0", "7");
        fputs("no message: rank 7 reads it of memory that both share, the board of this rank</text>\n", chart->stream);
    }
}

/* On both sides, because a row of a wide chart is hard to follow. */
static void write_ranks(const chart_t *chart, int x, const char *anchor)
{
    fprintf(chart->stream, "<g style=\"text-anchor: %s\"><text class=\"rank\" x=\"%d\" y=\"%d\">rank</text>\n",
            anchor, x, chart->top - 6);
    for (int r = 0; r < chart->job->plans->ranks; r++) {
        fprintf(chart->stream, "<text class=\"rank\" x=\"%d\" y=\"%d\">%d</text>\n", x,
                chart->top + (r + 1) * CELL_HEIGHT - 5, r);
    }
    fputs("</g>\n", chart->stream);
}

/* Heading, step numbers and the empty cells; the messages come over them. */
static void write_stage(const chart_t *chart, int s)
{
    const irr_tool_stage_t *stage = &chart->stages[s];

    fprintf(chart->stream, "<text class=\"stage\" x=\"0\" y=\"%d\">stage %d</text>\n", 18 - HEADING_HEIGHT, s + 1);
    for (int k = 1; k <= stage->steps; k++) {
        fprintf(chart->stream, "<text class=\"step\" x=\"%d\" y=\"-6\">%d</text>\n",
                (k - 1) * CELL_WIDTH + CELL_WIDTH / 2, k);
    }
    fprintf(chart->stream, "<rect width=\"%d\" height=\"%d\" fill=\"url(#empty)\"/>\n", stage->steps * CELL_WIDTH,
            chart->job->plans->ranks * CELL_HEIGHT);
}

/* The messages of one rank in one step, nearly always a single one: the cell names it and counts any others. */
static void write_cell(const chart_t *chart, const message_t *messages, size_t count)
{
    const message_t *first = &messages[0];
    int x = (first->step - 1) * CELL_WIDTH, y = first->from * CELL_HEIGHT;
    bool contended = false, boarded = true;
    char label[32];
    int length = snprintf(label, sizeof(label), "%d", first->to);

    if (count > 1) {
        length += snprintf(label + length, sizeof(label) - (size_t)length, "+%zu", count - 1);
    }
    fputs("<g><title>", chart->stream);
    for (size_t i = 0; i < count; i++) {
        contended = contended || (!messages[i].boarded && chart->received[messages[i].to] > 1);
        boarded = boarded && messages[i].boarded;
        fprintf(chart->stream, "%sstage %d step %d: %d to %d, %zu bytes%s", i > 0 ? "\n" : "", messages[i].stage,
                messages[i].step, messages[i].from, messages[i].to, messages[i].bytes,
                messages[i].boarded ? " over the board" : "");
    }
    fprintf(chart->stream, "</title><rect class=\"cell %s%ss%d\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\"/>"
            "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text></g>\n", contended ? "contended " : "",
            boarded ? "boarded " : "", (first->stage - 1) % IRR_SVG_COLOURS, x + 1.0, y + 1.0, CELL_WIDTH - 2,
            CELL_HEIGHT - 2, length > 3 ? "small" : "to", x + CELL_WIDTH / 2, y + CELL_HEIGHT - 5, label);
}

/* How many of the messages from the first on are in its step, and, if that is asked for, from its sender. */
static size_t run_of(const message_t *messages, size_t count, bool same_sender)
{
    size_t i = 1;

    while (i < count && messages[i].stage == messages[0].stage && messages[i].step == messages[0].step &&
           (!same_sender || messages[i].from == messages[0].from)) {
        i++;
    }
    return i;
}

static void write_step(const chart_t *chart, const message_t *messages, size_t count)
{
    size_t same;

    for (size_t i = 0; i < count; i++) {
        chart->received[messages[i].to] += !messages[i].boarded;
    }
    for (size_t i = 0; i < count; i += same) {
        same = run_of(messages + i, count - i, true);
        write_cell(chart, messages + i, same);
    }
    for (size_t i = 0; i < count; i++) {
        chart->received[messages[i].to] = 0;
    }
}

static void write_chart(const chart_t *chart, int width)
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
        while (next < chart->count && chart->messages[next].stage == s + 1) {
            size_t count = run_of(chart->messages + next, chart->count - next, false);

            write_step(chart, chart->messages + next, count);
            next += count;
        }
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
        write_chart(&chart, lay_out(&chart));
    }
    free(chart.received);
    free(chart.stages);
    free(chart.messages);
    return irr_tool_outcome(job, status);
}
