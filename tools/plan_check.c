/*
 * plan_check.c - check: proves the plans of all ranks, runs them, and prints their costs and the bounds that they keep,
 * one key=value a line.
 *
 * A run that would need too much memory is skipped with an error message; delivery then rests on the proof alone.
 */
#include "plan.h"

#include "order/large.h"
#include "study/bounds.h"
#include "study/figures.h"

#include <inttypes.h>

typedef struct check {
    const irr_tool_job_t *job;
    irr_figures_t         figures;
    irr_bounds_t          bounds;
    irr_tool_headers_t    headers;
    bool                  no_memory;
    bool                  proved;
    bool                  delivered;
    uint64_t              header_bytes;
    uint64_t              async;      /* makespan of the schedule */
    irr_links_t           links;      /* with a topology */
    irr_tool_phases_t     phases;     /* with a schedule, too */
    char                  reason[256];
} check_t;

static bool meet_message(void *context, const irr_plans_message_t *message)
{
    check_t *check = context;

    irr_bounds_message(&check->bounds, message);
    check->no_memory = !irr_tool_headers_add(&check->headers, check->job->plans, message);
    return !check->no_memory;
}

/* Proves the plans.  Counts the headers and checks lemma 3 on the way, as both need the contents of messages. */
static irr_status_t prove(check_t *check)
{
    const irr_tool_job_t *job = check->job;
    const irr_plans_t *plans = job->plans;
    irr_status_t status = irr_tool_headers_open(&check->headers, job->strategy, job->nodes, plans->ranks);

    if (status == IRR_OK) {
        status = irr_plans_each_message(plans, meet_message, check);
    }
    check->header_bytes = irr_tool_headers_close(&check->headers);
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_plan_check(plans->plans, plans->problems, plans->ranks, check->reason,
                                sizeof(check->reason));
        return status == IRR_ERR_INVALID_PLAN ? IRR_OK : status;
    }
    check->proved = status == IRR_OK;
    return check->no_memory ? IRR_ERR_NO_MEMORY : status;
}

static irr_status_t run(check_t *check)
{
    uint64_t bytes = irr_tool_run_bytes(check->job->plans);
    irr_status_t status;

    if (bytes > IRR_TOOL_RUN_BYTES_MAX) {
        irr_cli_complain("proved but not run: that takes %" PRIu64 " MiB, more than %" PRIu64, bytes >> 20,
                         IRR_TOOL_RUN_BYTES_MAX >> 20);
        check->delivered = true;
        return IRR_OK;
    }
    status = irr_tool_run(check->job->strategy, check->job->plans, check->reason, sizeof(check->reason));
    check->delivered = status == IRR_OK;
    return status == IRR_ERR_NO_MEMORY ? status : IRR_OK;
}

static irr_status_t measure(check_t *check)
{
    const irr_tool_job_t *job = check->job;
    irr_status_t status = irr_figures_count(job->plans, &check->figures);

    irr_bounds_init(&check->bounds, job->strategy, job->nodes, job->plans->ranks, irr_cli_lmax(job->matrix));
    for (int r = 0; r < job->plans->ranks; r++) {
        irr_bounds_plan(&check->bounds, &job->plans->plans[r]);
    }
    if (status == IRR_OK && job->schedule != NULL) {
        status = irr_large_makespan_async(job->schedule, NULL, &check->async);
    }
    if (status == IRR_OK && job->topology != NULL) {
        status = irr_links_count(job->plans, job->tree, &check->links);
    }
    if (status == IRR_OK && job->schedule != NULL && job->topology != NULL) {
        status = irr_tool_phases_count(job, &check->phases);
    }
    if (status == IRR_OK) {
        status = prove(check);
    }
    return status == IRR_OK && check->proved ? run(check) : status;
}

/*
 * Prints whether a bound is kept, or by how much it is missed. known: false if the bound needs the proof and the proof
 * failed.
 */
static void print_bound(const check_t *check, const char *key, bool known, uint64_t missed, const char *unit)
{
    FILE *stream = check->job->stream;

    if (!known) {
        fprintf(stream, "%s=unknown\n", key);
    } else if (missed == 0) {
        fprintf(stream, "%s=ok\n", key);
    } else {
        fprintf(stream, "%s=missed by %" PRIu64 " %s%s\n", key, missed, unit, missed == 1 ? "" : "s");
    }
}

/* Prints the makespan of a schedule if steps wait for each other, and if messages wait only for their two ranks. */
static void print_schedule(const irr_tool_job_t *job, uint64_t async)
{
    fprintf(job->stream, "permutations=%d\nmakespan_bytes=%" PRIu64 "\n", job->schedule->steps,
            irr_schedule_makespan(job->schedule));
    fprintf(job->stream, "async_bytes=%" PRIu64 "\nlower_bound_bytes=%" PRIu64 "\n", async,
            irr_schedule_bound(job->delivered));
    fprintf(job->stream, "schedule_ms=%.3f\nsplits=%zu\n", job->schedule_ms,
            irr_schedule_splits(job->schedule, job->delivered));
}

static void print_links(const irr_tool_job_t *job, const irr_links_t *links)
{
    const irr_topology_t *topology = job->topology;
    const int vertex = links->busiest / 2;

    fprintf(job->stream, "link_contention=%zu\nload=%" PRIu64 "\nload_link=", links->contention, links->load);
    if (links->busiest < 0) {
        fputs("none\n", job->stream);
    } else {
        const char *name = topology->names[vertex], *parent = topology->names[topology->parent[vertex]];
        const bool up = links->busiest % 2 == 0;

        fprintf(job->stream, "%s->%s\n", up ? name : parent, up ? parent : name);
    }
}

static void print(const check_t *check)
{
    const irr_figures_t *figures = &check->figures;
    irr_tool_shown_t shown[IRR_TOOL_SHOWN];
    FILE *stream = check->job->stream;

    irr_tool_shown(check->job->strategy, shown);
    fprintf(stream, "pacing=%s\n", check->job->strategy->pacing->name);
    for (int i = 0; i < IRR_TOOL_SHOWN; i++) {
        fprintf(stream, "%s=%zu\n", shown[i].name, shown[i].value);
    }
    fprintf(stream, "ranks=%d\nstages=%d\nsteps=%zu\n", check->job->plans->ranks, figures->stages,
            figures->steps);
    fprintf(stream, "messages_sent_max=%zu\nmessages_received_max=%zu\nmessage_bytes_max=%zu\n",
            figures->sent_max, figures->received_max, figures->message_bytes_max);
    fprintf(stream, "scratch_bytes_max=%zu\ntraffic_bytes_max=%" PRIu64 "\nlmax=%" PRIu64 "\n",
            figures->scratch_bytes_max, figures->traffic_bytes_max, check->bounds.lmax);
    if (check->proved) {
        fprintf(stream, "header_bytes=%" PRIu64 "\n", check->header_bytes);
    } else {
        fprintf(stream, "header_bytes=unknown\n");
    }
    fprintf(stream, "contention=%zu\n", figures->contention);
    print_bound(check, "lemma1", true, check->bounds.lemma1, "message");
    print_bound(check, "lemma3", check->proved, check->bounds.lemma3, "byte");
    print_bound(check, "theorem1", true, check->bounds.theorem1, "byte");
    fprintf(stream, "delivered=%s\n", check->delivered ? "ok" : check->reason);
    if (check->job->schedule != NULL) {
        print_schedule(check->job, check->async);
    }
    if (check->job->topology != NULL) {
        print_links(check->job, &check->links);
    }
    if (check->job->schedule != NULL && check->job->topology != NULL) {
        irr_tool_phases_print(check->job, &check->phases);
    }
}

irr_cli_exit_t irr_tool_check(const irr_tool_job_t *job)
{
    check_t check = { .job = job };
    irr_status_t status = measure(&check);
    bool kept = check.bounds.lemma1 == 0 && check.bounds.lemma3 == 0 && check.bounds.theorem1 == 0;

    if (status != IRR_OK) {
        irr_cli_complain("%s", irr_status_text(status));
        irr_links_fini(&check.links);
        return IRR_CLI_REFUSED;
    }
    print(&check);
    irr_links_fini(&check.links);
    if (check.bounds.contention_free && check.figures.contention > 0) {
        kept = false;
    }
    if (check.phases.is_tree && check.phases.contended) {
        kept = false;
    }
    return check.delivered && kept ? IRR_CLI_GOOD : IRR_CLI_WRONG;
}
