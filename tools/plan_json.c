/*
 * plan_json.c - print --json: the messages of all ranks, in the format for the exchange of plans.
 *
 *     {"algorithm": "balanced-grid", "ranks": 61, "dims": [8, 8], "stages": 4,
 *     "pacing": "free", "lead_bytes": 0, "piece_bytes": 0, "window_messages": 0, "window_bytes": 0, "messages": [
 *     {"stage":1,"step":1,"from":0,"to":1,"bytes":800,"slices":[[0,1,0,8],...]},
 *     ...
 *     ]}
 *
 * Only plans of a grid have dims.  A value of 0 for a lead, a piece or a window means that the plans do not use it.
 * With a topology, "hosts": ["n0", ...] precedes "stages" and has the host of each rank.  Messages are sorted by stage,
 * step and sender; stages and steps count from 1.  A slice is [source, destination, offset, length], a range of the
 * bytes that rank source sends to rank destination.  Bytes that stay on a rank are not listed.
 *
 * Each message is written on its own line as soon as it is known, so the JSON of all messages is never in memory, and
 * plans can be compared by diff.
 */
#include "plan.h"

#include "chart.h"

typedef struct writer {
    const irr_tool_job_t *job;
    size_t                messages;
    bool                  good;
} writer_t;

static json_t *slices_of(const irr_plans_message_t *message)
{
    json_t *slices = json_array();

    for (size_t i = 0; i < message->nslices; i++) {
        const irr_slice_t *slice = &message->slices[i];

        json_array_append_new(slices, json_pack("[i, i, I, I]", slice->source, slice->destination,
                                                (json_int_t)slice->offset, (json_int_t)slice->length));
    }
    return irr_chart_whole(slices, message->nslices);
}

/* Writes the hosts of the ranks.  Returns false if memory runs out. */
static bool write_hosts(const irr_tool_job_t *job)
{
    json_t *hosts = json_array();
    bool good;

    for (int r = 0; r < job->plans->ranks; r++) {
        json_array_append_new(hosts, json_string(job->input->topology.names[job->input->host_of[r]]));
    }
    fputs(", \"hosts\": ", job->stream);
    hosts = irr_chart_whole(hosts, (size_t)job->plans->ranks);
    good = hosts != NULL && json_dumpf(hosts, job->stream, 0) == 0;
    json_decref(hosts);
    return good;
}

/* Writes everything before the messages. */
static bool write_head(const irr_tool_job_t *job)
{
    irr_tool_shown_t shown[IRR_TOOL_SHOWN];
    int stages = 0;
    bool good;

    for (int r = 0; r < job->plans->ranks; r++) {
        stages = job->plans->plans[r].stages > stages ? job->plans->plans[r].stages : stages;
    }
    fprintf(job->stream, "{\"algorithm\": \"%s\", \"ranks\": %d", job->algorithm, job->plans->ranks);
    for (int i = 0; i < job->ndims; i++) {
        fprintf(job->stream, "%s%d%s", i == 0 ? ", \"dims\": [" : ", ", job->dims[i], i == job->ndims - 1 ? "]" : "");
    }
    good = job->options->topology == NULL || write_hosts(job);
    fprintf(job->stream, ", \"stages\": %d,\n\"pacing\": \"%s\"", stages, job->strategy->pacing->name);
    irr_tool_shown(job->strategy, shown);
    for (int i = 0; i < IRR_TOOL_SHOWN; i++) {
        fprintf(job->stream, ", \"%s\": %zu", shown[i].name, shown[i].value);
    }
    fputs(", \"messages\": [", job->stream);
    return good;
}

static bool write_message(void *context, const irr_plans_message_t *message)
{
    writer_t *writer = context;
    int rank = writer->job->options->rank;
    json_t *line;

    if (rank != IRR_TOOL_ALL_RANKS && rank != message->from && rank != message->to) {
        return true;
    }
    line = json_pack("{s:i, s:i, s:i, s:i, s:I, s:o}", "stage", message->stage, "step", message->step,
                     "from", message->from, "to", message->to,
                     "bytes", (json_int_t)message->bytes, "slices", slices_of(message));
    writer->good = line != NULL && (writer->messages > 0 || write_head(writer->job)) &&
                   fputs(writer->messages > 0 ? ",\n" : "\n", writer->job->stream) != EOF &&
                   json_dumpf(line, writer->job->stream, JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
    writer->messages++;
    json_decref(line);
    return writer->good;
}

irr_cli_exit_t irr_tool_json(const irr_tool_job_t *job)
{
    writer_t writer = { .job = job, .good = true };
    irr_status_t status = irr_plans_each_message(job->plans, write_message, &writer);

    if (status == IRR_OK && writer.messages == 0) {
        writer.good = write_head(job);
    }
    if (status == IRR_OK && writer.good) {
        fputs("\n]}\n", job->stream);
    }
    if (status == IRR_OK && !writer.good && !ferror(job->stream)) {
        status = IRR_ERR_NO_MEMORY;
    }
    return irr_tool_outcome(job, status);
}
