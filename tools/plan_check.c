/*
 * plan_check.c - check: proves that the plans of all ranks deliver every byte, and runs them.  Then prints their costs,
 * and whether they keep the bounds of the papers, one key=value per line.
 *
 * A run that would need too much memory is skipped with a message; the proof alone then shows that all bytes arrive.
 */
#include "plan.h"

#include "core/alloc.h"
#include "exec/header.h"
#include "order/large.h"
#include "order/tree/phases.h"
#include "order/tree/syncs.h"
#include "plan/strategy.h"
#include "route/stages.h"
#include "study/bounds.h"
#include "study/figures.h"

#include <inttypes.h>

/* ---- the headers of a first run ---- */

/*
 * Counts the headers of the messages on a grid, in an exchange whose counts the receivers do not know yet.
 *
 * In each stage of the grid a rank sends one message, possibly empty, to each neighbour.  A header at the start of the
 * message (exec/header.h) lists its slices, which are ranges of blocks.  A slice is a piece of the send in the plan.
 * irr_plans_each_message has merged adjacent slices, so they are cut again at the ends of these pieces.  If a large
 * piece travels separately from the header, the header may be a byte longer; this byte is not counted.  Messages that
 * do not travel through the grid have no headers.
 */
typedef struct headers {
    uint64_t     all;              /* number of messages of all ranks and stages, including empty ones; 0: no grid */
    uint64_t     messages, bytes;  /* number of messages that are not empty; bytes of their headers */
    irr_slice_t *slices;           /* the slices of one message */
    size_t       max;
} headers_t;

static uint64_t length_of(const irr_slice_t *slices, size_t count)
{
    const irr_header_t header = { .status = IRR_OK, .messages = 0, .slices = count };

    return irr_header_encode(&header, slices, NULL);
}

/* Cuts the slices of a message at the ends of its pieces.  There are at least as many pieces as slices. */
static void cut(const irr_plans_message_t *message, const irr_piece_t *pieces, size_t count, irr_slice_t *slices)
{
    const irr_slice_t *merged = message->slices;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        slices[i] = *merged;
        slices[i].offset += used;
        slices[i].length = pieces[i].length;
        used += pieces[i].length;
        if (used == merged->length) {
            merged++;
            used = 0;
        }
    }
}

/* Counts the header of a message.  Returns false if memory runs out. */
static bool headers_add(headers_t *headers, const irr_plans_t *plans, const irr_plans_message_t *message)
{
    const irr_plan_t *plan = &plans->plans[message->from];
    const irr_step_t *step = &plan->steps[message->index];

    if (headers->all == 0) {
        return true;
    }
    if (IRR_GROW(headers->slices, headers->max, step->pieces) != IRR_OK) {
        return false;
    }
    cut(message, plan->pieces + step->first_piece, step->pieces, headers->slices);
    headers->bytes += length_of(headers->slices, step->pieces);
    headers->messages++;
    return true;
}

/* Prepares the count.  Returns IRR_OK or IRR_ERR_NO_MEMORY.  The caller closes the count even after an error. */
static irr_status_t headers_open(headers_t *headers, const irr_strategy_t *strategy, const irr_nodes_t *nodes,
                                 int ranks)
{
    irr_grid_t grid;
    irr_stages_t stages;
    irr_status_t status = IRR_OK;

    *headers = (headers_t){ .bytes = 0 };
    if (irr_strategy_grid(strategy, ranks, nodes, &grid) != IRR_OK) {
        return IRR_OK;
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = irr_stages_init(&stages, &grid, ranks, r);
        if (status == IRR_OK) {
            headers->all += (uint64_t)(stages.slots - stages.count);
            irr_stages_fini(&stages);
        }
    }
    return status;
}

/* Releases the memory of the count.  Returns the bytes of all headers. */
static uint64_t headers_close(headers_t *headers)
{
    uint64_t empty = headers->all - headers->messages;

    irr_free(headers->slices);
    return headers->bytes + empty * length_of(NULL, 0);
}

/* ---- the steps of a schedule on the tree of switches ---- */

/*
 * Two messages of different steps may share a link, and the steps of two ranks may overlap in time.  A sync is a signal
 * that delays the later of two such messages (order/tree/syncs.h).  Signals cannot separate messages of the same step:
 * if these share a link, the signals are not counted.
 */
typedef struct phases {
    bool     is_tree;        /* the order is tree, whose steps have no contention */
    bool     contended;      /* messages of a step share a link in one direction */
    int      root;           /* a vertex of the topology; see irr_tree_root_find */
    uint64_t bound;          /* see irr_tree_bound */
    uint64_t syncs, removed; /* see irr_syncs_t */
} phases_t;

static irr_status_t count_syncs(const irr_tool_job_t *job, phases_t *phases)
{
    irr_status_t status = irr_tree_check(job->tree, job->schedule, NULL);
    irr_syncs_t syncs;

    phases->contended = status == IRR_ERR_INVALID_PLAN;
    if (phases->contended) {
        return IRR_OK;
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(job->tree, job->schedule, NULL, &syncs);
    }
    if (status == IRR_OK) {
        phases->syncs = syncs.count;
        phases->removed = syncs.removed;
        irr_syncs_fini(&syncs);
    }
    return status;
}

/* Computes the members of *phases for a job that has a schedule and a topology.  May return IRR_ERR_NO_MEMORY. */
static irr_status_t phases_count(const irr_tool_job_t *job, phases_t *phases)
{
    irr_tree_bound_t bound = { 0 };
    irr_tree_root_t root = { 0 };
    irr_status_t status = irr_tree_bound(job->tree, job->delivered, &bound);

    *phases = (phases_t){ .is_tree = job->strategy->order == &irr_order_tree, .bound = bound.bytes };
    if (status == IRR_OK) {
        status = count_syncs(job, phases);
    }
    if (status == IRR_OK && phases->is_tree) {
        status = irr_tree_root_find(job->tree, &root);
        phases->root = root.vertex;
        irr_tree_root_fini(&root);
    }
    return status;
}

static void phases_print(const irr_tool_job_t *job, const phases_t *phases)
{
    fprintf(job->stream, "link_bound_bytes=%" PRIu64 "\n", phases->bound);
    if (phases->bound > 0) {
        fprintf(job->stream, "link_ratio=%.3f\n", (double)irr_schedule_makespan(job->schedule) / (double)phases->bound);
    }
    if (phases->contended) {
        fputs("syncs=unknown\nsyncs_removed=unknown\n", job->stream);
    } else {
        fprintf(job->stream, "syncs=%" PRIu64 "\nsyncs_removed=%" PRIu64 "\n", phases->syncs, phases->removed);
    }
    if (phases->is_tree) {
        fprintf(job->stream, "phases=%d\nroot=%s\n", job->schedule->steps, job->input->topology.names[phases->root]);
    }
}

/* ---- the check ---- */

typedef struct check {
    const irr_tool_job_t *job;
    irr_figures_t         figures;
    irr_bounds_t          bounds;
    headers_t             headers;
    bool                  no_memory;
    bool                  proved;
    bool                  delivered;
    uint64_t              header_bytes;
    uint64_t              async;      /* makespan in bytes if a message waits only for its two ranks */
    irr_links_t           links;      /* with a topology */
    phases_t              phases;     /* with a topology and a schedule */
    char                  reason[256];   /* the reason why the proof or the run failed */
} check_t;

static bool meet_message(void *context, const irr_plans_message_t *message)
{
    check_t *check = context;

    irr_bounds_message(&check->bounds, message);
    check->no_memory = !headers_add(&check->headers, check->job->plans, message);
    return !check->no_memory;
}

static irr_status_t open_check(check_t *check)
{
    const irr_tool_job_t *job = check->job;
    const int ranks = job->matrix->ranks;

    check->reason[0] = '\0';
    irr_bounds_init(&check->bounds, job->strategy, job->nodes, ranks, irr_cli_lmax(job->matrix));
    return headers_open(&check->headers, job->strategy, job->nodes, ranks);
}

/* Proves plans that are in memory as a whole.  If they are wrong, sets the reason. */
static irr_status_t prove_built(check_t *check)
{
    const irr_plans_t *plans = check->job->plans;
    irr_status_t status = open_check(check);

    status = status == IRR_OK ? irr_plans_each_message(plans, meet_message, check) : status;
    check->proved = status == IRR_OK;
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_plan_check(plans->plans, plans->problems, plans->ranks, check->reason, sizeof(check->reason));
    }
    return status == IRR_ERR_INVALID_PLAN ? IRR_OK : status;
}

/*
 * Proves the plans while they are built, which takes less memory.  This proof may fail for correct plans, so plans that
 * fail are built as a whole and proved again.  Both proofs pass each message to meet_message, which counts the headers
 * and checks lemma 3 (study/bounds.h).
 */
static irr_status_t prove(check_t *check)
{
    const irr_tool_job_t *job = check->job;
    irr_status_t status = open_check(check);

    status = status == IRR_OK ? irr_plans_prove(job->strategy, job->known, job->plans, meet_message, check,
                                                &check->proved) : status;
    if (status == IRR_OK && !check->proved && !check->no_memory) {
        headers_close(&check->headers);
        irr_plans_fini(job->plans);
        status = irr_plans_build(job->strategy, job->known, job->plans);
        status = status == IRR_OK ? prove_built(check) : status;
    }
    check->header_bytes = headers_close(&check->headers);
    return check->no_memory ? IRR_ERR_NO_MEMORY : status;
}

/* Builds the plans again, because a run needs the pieces of their messages, and runs them. */
static irr_status_t run_plans(check_t *check)
{
    const irr_tool_job_t *job = check->job;
    irr_plans_t plans;
    irr_status_t status = irr_plans_build(job->strategy, job->known, &plans);

    if (status == IRR_OK) {
        status = irr_tool_run(job->strategy, &plans, check->reason, sizeof(check->reason));
        irr_plans_fini(&plans);
    }
    return status;
}

static irr_status_t run(check_t *check)
{
    uint64_t bytes = irr_tool_run_bytes(check->job->plans);
    irr_status_t status;

    if (bytes > IRR_TOOL_RUN_BYTES_MAX) {
        irr_cli_complain("the plans are proved, but were not run: a run needs %" PRIu64 " MiB, more than %" PRIu64
                         " MiB", bytes >> 20, IRR_TOOL_RUN_BYTES_MAX >> 20);
        check->delivered = true;
        return IRR_OK;
    }
    status = run_plans(check);
    check->delivered = status == IRR_OK;
    return status == IRR_ERR_NO_MEMORY ? status : IRR_OK;
}

static irr_status_t measure(check_t *check)
{
    const irr_tool_job_t *job = check->job;
    irr_status_t status = prove(check);

    for (int r = 0; r < job->plans->ranks; r++) {
        irr_bounds_plan(&check->bounds, &job->plans->plans[r]);
    }
    status = status == IRR_OK ? irr_figures_count(job->plans, &check->figures) : status;
    if (status == IRR_OK && job->schedule != NULL) {
        status = irr_large_makespan_async(job->schedule, NULL, &check->async);
    }
    if (status == IRR_OK && job->options->topology != NULL) {
        status = irr_links_count(job->plans, job->tree, &check->links);
    }
    if (status == IRR_OK && job->schedule != NULL && job->options->topology != NULL) {
        status = phases_count(job, &check->phases);
    }
    return status == IRR_OK && check->proved ? run(check) : status;
}

/* Prints whether a bound is kept, or by how much it is missed.  known: false if only the proof would have shown it. */
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

static void print_schedule(const irr_tool_job_t *job, uint64_t async)
{
    fprintf(job->stream, "permutations=%d\nmakespan_bytes=%" PRIu64 "\n", job->schedule->steps,
            irr_schedule_makespan(job->schedule));
    fprintf(job->stream, "async_bytes=%" PRIu64 "\nlower_bound_bytes=%" PRIu64 "\n", async,
            irr_schedule_bound(job->delivered));
    fprintf(job->stream, "schedule_ms=%.3f\nsplits=%zu\n", job->input->schedule_ms,
            irr_schedule_splits(job->schedule, job->delivered));
}

static void print_links(const irr_tool_job_t *job, const irr_links_t *links)
{
    const irr_topology_t *topology = &job->input->topology;
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
    fprintf(stream, "ranks=%d\nstages=%d\nsteps=%zu\n", check->job->plans->ranks, figures->stages, figures->steps);
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
    if (check->job->options->topology != NULL) {
        print_links(check->job, &check->links);
    }
    if (check->job->schedule != NULL && check->job->options->topology != NULL) {
        phases_print(check->job, &check->phases);
    }
}

irr_cli_exit_t irr_tool_check(const irr_tool_job_t *job)
{
    check_t check = { .job = job };
    irr_status_t status = measure(&check);
    bool kept = check.bounds.lemma1 == 0 && check.bounds.lemma3 == 0 && check.bounds.theorem1 == 0;

    if (status == IRR_OK) {
        print(&check);
    }
    irr_links_fini(&check.links);
    if (status != IRR_OK) {
        return irr_cli_complain("%s", irr_status_text(status));
    }
    kept = kept && !(check.bounds.contention_free && check.figures.contention > 0) &&
           !(check.phases.is_tree && check.phases.contended);
    return check.delivered && kept ? IRR_CLI_GOOD : IRR_CLI_WRONG;
}
