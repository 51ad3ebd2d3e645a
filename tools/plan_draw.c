/*
 * plan_draw.c - draw: computes the contents of a picture of the plans of all ranks.  A script draws it (chart.h).
 *
 * A plan sends its messages in stages, and in a stage in steps (plan/plan.h).  There are four kinds of pictures:
 *
 *   steps   each message, by stage and step
 *   map     instead of steps, if there are many messages: the bytes that each rank sends in each step.  If there are
 *           more ranks than ROWS_MAX or more steps than COLUMNS_MAX, several of them share a cell, which shows the
 *           greatest number of bytes
 *   times   with a schedule: the time at which each message begins
 *   tree    with a topology: the bytes in each direction of each link
 *
 * Time and memory are linear in the messages and in the cells.
 */
#include "plan.h"

#include "chart.h"

#include "order/large.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 256, COLUMNS_MAX = 128 };

/* Maximum number of messages that are drawn individually.  More messages are drawn as a map; --async has no map. */
#define MESSAGES_MAX 4096

/* ---- the texts above a picture ---- */

static void add(char line[IRR_CHART_WHOLE_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char line[IRR_CHART_WHOLE_MAX], const char *format, ...)
{
    const size_t used = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + used, IRR_CHART_WHOLE_MAX - used, format, arguments);
    va_end(arguments);
}

static json_t *title_of(const irr_tool_job_t *job)
{
    char line[IRR_CHART_WHOLE_MAX] = "";

    add(line, "%s, %d rank%s", job->algorithm, job->plans->ranks, job->plans->ranks == 1 ? "" : "s");
    for (int i = 0; i < job->ndims; i++) {
        add(line, "%s%d", i == 0 ? " in a grid of " : " x ", job->dims[i]);
    }
    return irr_chart_text("%s", line);
}

static json_t *input_of(const irr_tool_options_t *options)
{
    char line[IRR_CHART_WHOLE_MAX] = "";

    if (options->load != NULL) {
        add(line, "schedule %s%s", options->load, irr_tool_source(options) != options->load ? ", " : "");
    }
    if (options->matrix != NULL) {
        add(line, "matrix %s", options->matrix);
    } else if (options->redistribute != NULL) {
        add(line, "redistribution %s, elements of %" PRIu64 " bytes", options->redistribute, options->unit);
    } else if (options->pattern != NULL) {
        add(line, "pattern %s, unit %" PRIu64 " bytes, seed %" PRIu64, options->pattern, options->unit,
            options->settings.scheduled.seed);
    }
    if (options->scale != 1) {
        add(line, ", scaled by %g", options->scale);
    }
    if (options->topology != NULL) {
        add(line, ", topology %s", options->topology);
    }
    return irr_chart_text("%s", line);
}

/* Draws a picture with these members besides the texts.  Releases the members; NULL means that memory ran out. */
static irr_cli_exit_t draw(const irr_tool_job_t *job, const char *kind, json_t *members)
{
    json_t *picture = json_pack("{s:s, s:o, s:o, s:i}", "picture", kind, "title", title_of(job), "input",
                                input_of(job->options), "ranks", job->plans->ranks);

    if (members == NULL || picture == NULL || json_object_update(picture, members) != 0) {
        json_decref(picture);
        picture = NULL;
    }
    json_decref(members);
    return irr_chart_draw(picture, job->stream);
}

/* ---- by step ---- */

typedef struct stage {
    int       steps, columns;
    size_t    messages, largest;   /* number of messages; bytes of the longest message */
    uint64_t *cells;               /* of a map, row by row; a row has `columns` cells */
} stage_t;

typedef struct chart {
    const irr_tool_job_t *job;
    stage_t              *stages;
    int                   nstages;
    size_t                count;                            /* number of messages */
    json_t               *list;                             /* the messages, if there are few */
    int                   rows;                             /* rows of the map; 0: no map */
    int                   ranks_together, steps_together;   /* number of ranks, and of steps, that share a cell */
    uint64_t              sent;                             /* bytes so far of the sender of `last` in its step */
    irr_plans_message_t   last;                             /* the message that was added to the map last */
} chart_t;

static bool survey_message(void *context, const irr_plans_message_t *message)
{
    chart_t *chart = context;
    stage_t *stage = &chart->stages[message->stage - 1];

    chart->count++;
    stage->messages++;
    stage->steps = message->step > stage->steps ? message->step : stage->steps;
    stage->largest = message->bytes > stage->largest ? message->bytes : stage->largest;
    return true;
}

static irr_status_t survey(chart_t *chart)
{
    const irr_plans_t *plans = chart->job->plans;

    for (int r = 0; r < plans->ranks; r++) {
        chart->nstages = plans->plans[r].stages > chart->nstages ? plans->plans[r].stages : chart->nstages;
    }
    chart->stages = calloc((size_t)chart->nstages + 1, sizeof(*chart->stages));
    return chart->stages != NULL ? irr_plans_each_send(plans, survey_message, chart) : IRR_ERR_NO_MEMORY;
}

static bool list_message(void *context, const irr_plans_message_t *message)
{
    chart_t *chart = context;

    return json_array_append_new(chart->list, json_pack("[i, i, i, i, I]", message->stage, message->step, message->from,
                                                        message->to, (json_int_t)message->bytes)) == 0;
}

static int divided(int64_t count, int together)
{
    return (int)((count + together - 1) / together);
}

/* Computes how many ranks and steps share a cell, and allocates the cells of each stage. */
static irr_status_t make_cells(chart_t *chart)
{
    const int ranks = chart->job->plans->ranks;
    int64_t steps = 0;

    for (int s = 0; s < chart->nstages; s++) {
        steps += chart->stages[s].steps;
    }
    chart->ranks_together = divided(ranks, ROWS_MAX);
    chart->steps_together = divided(steps, COLUMNS_MAX);
    chart->rows = divided(ranks, chart->ranks_together);
    for (int s = 0; s < chart->nstages; s++) {
        stage_t *stage = &chart->stages[s];

        stage->columns = divided(stage->steps, chart->steps_together);
        stage->cells = calloc((size_t)stage->columns * (size_t)chart->rows + 1, sizeof(*stage->cells));
        if (stage->cells == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
    }
    return IRR_OK;
}

/* Adds a message to the map.  Messages come by stage, step and sender, so those of a rank in a step are consecutive. */
static bool map_message(void *context, const irr_plans_message_t *message)
{
    chart_t *chart = context;
    const irr_plans_message_t *last = &chart->last;
    const bool same = message->stage == last->stage && message->step == last->step && message->from == last->from;
    const stage_t *stage = &chart->stages[message->stage - 1];
    uint64_t *cell = &stage->cells[message->from / chart->ranks_together * stage->columns +
                                   (message->step - 1) / chart->steps_together];

    chart->sent = (same ? chart->sent : 0) + message->bytes;
    *cell = chart->sent > *cell ? chart->sent : *cell;
    chart->last = *message;
    return true;
}

static json_t *stages_of(const chart_t *chart)
{
    json_t *list = json_array();

    for (int s = 0; s < chart->nstages; s++) {
        const stage_t *stage = &chart->stages[s];
        json_t *cells = stage->cells != NULL ? irr_chart_cells(stage->cells, stage->columns, chart->rows) : json_null();

        json_array_append_new(list, json_pack("{s:i, s:I, s:I, s:o}", "steps", stage->steps, "messages",
                                              (json_int_t)stage->messages, "largest", (json_int_t)stage->largest,
                                              "cells", cells));
    }
    return irr_chart_whole(list, (size_t)chart->nstages);
}

static irr_status_t collect(chart_t *chart)
{
    irr_status_t status = survey(chart);

    if (status == IRR_OK && chart->count > MESSAGES_MAX) {
        status = make_cells(chart);
        return status == IRR_OK ? irr_plans_each_send(chart->job->plans, map_message, chart) : status;
    }
    chart->list = json_array();
    if (status == IRR_OK) {
        status = irr_plans_each_send(chart->job->plans, list_message, chart);
    }
    return status == IRR_OK && json_array_size(chart->list) < chart->count ? IRR_ERR_NO_MEMORY : status;
}

static irr_cli_exit_t draw_steps(const irr_tool_job_t *job)
{
    chart_t chart = { .job = job };
    irr_cli_exit_t code = irr_tool_outcome(job, collect(&chart));

    if (code == IRR_CLI_GOOD) {
        code = draw(job, chart.rows > 0 ? "map" : "steps",
                    json_pack("{s:o, s:o, s:i, s:i}", "stages", stages_of(&chart), "messages",
                              chart.list != NULL ? json_incref(chart.list) : json_null(),
                              "ranks_together", chart.ranks_together, "steps_together", chart.steps_together));
    }
    for (int s = 0; chart.stages != NULL && s < chart.nstages; s++) {
        free(chart.stages[s].cells);
    }
    free(chart.stages);
    json_decref(chart.list);
    return code;
}

/* ---- over time ---- */

/* Computes when each message begins and when its step ends.  With --async only the beginnings are known. */
static irr_status_t set_times(const irr_tool_job_t *job, irr_step_time_t *times, uint64_t *makespan)
{
    const irr_schedule_t *schedule = job->schedule;
    uint64_t *begins;
    irr_status_t status;

    if (!job->options->async) {
        return irr_schedule_times(schedule, times, makespan);
    }
    begins = calloc(schedule->count + 1, sizeof(*begins));
    status = begins != NULL ? irr_large_makespan_async(schedule, begins, makespan) : IRR_ERR_NO_MEMORY;
    for (size_t i = 0; status == IRR_OK && i < schedule->count; i++) {
        times[i].begin = times[i].end = begins[i];
    }
    free(begins);
    return status;
}

/*
 * Returns the transmissions: the messages of the schedule, and the ranges of split messages.  Each is [step, from, to,
 * offset, length, whether it is a range of a split message, begin, end of the step].
 */
static json_t *transmissions(const irr_tool_job_t *job, const irr_step_time_t *times)
{
    json_t *list = json_array();

    for (size_t i = 0; i < job->schedule->count; i++) {
        const irr_transmission_t *t = &job->schedule->list[i];

        json_array_append_new(list, json_pack("[i, i, i, I, I, b, I, I]", t->step, t->from, t->to,
                                              (json_int_t)t->offset, (json_int_t)t->length,
                                              t->length < *irr_matrix_at(job->matrix, t->from, t->to),
                                              (json_int_t)times[i].begin, (json_int_t)times[i].end));
    }
    return irr_chart_whole(list, job->schedule->count);
}

static irr_cli_exit_t draw_times(const irr_tool_job_t *job)
{
    irr_step_time_t *times = calloc(job->schedule->count + 1, sizeof(*times));
    irr_status_t status = times != NULL ? irr_schedule_check(job->schedule, job->matrix, NULL, 0) : IRR_ERR_NO_MEMORY;
    irr_cli_exit_t code;
    uint64_t makespan;

    if (status == IRR_OK) {
        status = set_times(job, times, &makespan);
    }
    code = irr_tool_outcome(job, status);
    if (code == IRR_CLI_GOOD) {
        code = draw(job, "times",
                    json_pack("{s:o, s:i, s:I, s:I, s:I, s:b}", "messages", transmissions(job, times),
                              "steps", job->schedule->steps, "makespan", (json_int_t)makespan,
                              "bound", (json_int_t)irr_schedule_bound(job->matrix),
                              "splits", (json_int_t)irr_schedule_splits(job->schedule, job->matrix),
                              "async", job->options->async));
    }
    free(times);
    return code;
}

/* ---- on a tree of switches ---- */

/* Returns the vertices of the tree, each with the bytes to its parent and the bytes from its parent. */
static json_t *vertices_of(const irr_tool_job_t *job, const irr_links_t *links)
{
    const irr_topology_t *topology = &job->input->topology;
    json_t *list = json_array();

    for (int v = 0; v < topology->vertices; v++) {
        const bool linked = topology->parent[v] >= 0;
        const uint64_t up = linked ? links->bytes[2 * v] : 0, down = linked ? links->bytes[2 * v + 1] : 0;
        json_t *vertex = json_pack("{s:o, s:i, s:I, s:[o, o], s:[o, o]}",
                                   "name", irr_chart_text("%s", topology->names[v]), "parent", topology->parent[v],
                                   "speed", (json_int_t)topology->speed[v],
                                   "bytes", irr_chart_bytes(up), irr_chart_bytes(down),
                                   "load", irr_chart_bytes(linked ? irr_tree_at_base(job->tree, 2 * v, up) : 0),
                                   irr_chart_bytes(linked ? irr_tree_at_base(job->tree, 2 * v + 1, down) : 0));

        json_array_append_new(list, vertex);
    }
    return irr_chart_whole(list, (size_t)topology->vertices);
}

static json_t *hosts_of(const irr_tool_job_t *job)
{
    json_t *list = json_array();

    for (int r = 0; r < job->plans->ranks; r++) {
        json_array_append_new(list, json_integer(job->input->host_of[r]));
    }
    return irr_chart_whole(list, (size_t)job->plans->ranks);
}

static irr_cli_exit_t draw_tree(const irr_tool_job_t *job)
{
    irr_links_t links = { .busiest = -1 };
    irr_cli_exit_t code = irr_tool_outcome(job, irr_links_count(job->plans, job->tree, &links));

    if (code == IRR_CLI_GOOD) {
        code = draw(job, "tree",
                    json_pack("{s:o, s:o, s:i, s:I, s:o, s:[i, i], s:I}", "vertices", vertices_of(job, &links),
                              "host_of", hosts_of(job), "hosts", job->input->topology.hosts,
                              "base", (json_int_t)job->tree->base,
                              "load", irr_chart_bytes(links.load), "busiest", links.busiest / 2, links.busiest % 2,
                              "contention", (json_int_t)links.contention));
    }
    irr_links_fini(&links);
    return code;
}

irr_cli_exit_t irr_tool_draw(const irr_tool_job_t *job)
{
    const bool many = job->schedule != NULL && job->schedule->count > MESSAGES_MAX;

    if (job->options->topology != NULL) {
        return draw_tree(job);
    }
    if (many && job->options->async) {
        return irr_cli_complain("draw --async shows at most %d messages, not %zu; without --async it draws a map",
                                MESSAGES_MAX, job->schedule->count);
    }
    return job->schedule == NULL || many ? draw_steps(job) : draw_times(job);
}
