/*
 * plan_phases.c - check --topology: the steps of a schedule on the tree of switches.
 *
 * Steps without contention use links exclusively only if messages of different steps do not overlap either; syncs are
 * the synchronisations that ensure this.  If messages within a step contend, syncs are not counted.  For the cost see
 * irr_tree_bound, irr_tree_check and syncs.c.
 */
#include "plan.h"

#include "order/tree/phases.h"
#include "order/tree/syncs.h"
#include "plan/strategy.h"

#include <inttypes.h>

static irr_status_t find_root(const irr_tree_t *tree, int *vertex)
{
    irr_tree_root_t root;
    irr_status_t status = irr_tree_root_find(tree, &root);

    if (status == IRR_OK) {
        *vertex = root.vertex;
        irr_tree_root_fini(&root);
    }
    return status;
}

static irr_status_t count_syncs(const irr_tool_job_t *job, irr_tool_phases_t *phases)
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

irr_status_t irr_tool_phases_count(const irr_tool_job_t *job, irr_tool_phases_t *phases)
{
    irr_tool_phases_t counted = { .is_tree = job->strategy->order == &irr_order_tree };
    irr_tree_bound_t bound;
    irr_status_t status = irr_tree_bound(job->tree, job->delivered, &bound);

    if (status == IRR_OK) {
        counted.bound = bound.bytes;
        status = count_syncs(job, &counted);
    }
    if (status == IRR_OK && counted.is_tree) {
        status = find_root(job->tree, &counted.root);
    }
    if (status == IRR_OK) {
        *phases = counted;
    }
    return status;
}

void irr_tool_phases_print(const irr_tool_job_t *job, const irr_tool_phases_t *phases)
{
    fprintf(job->stream, "link_bound_bytes=%" PRIu64 "\n", phases->bound);
    if (phases->bound > 0) {
        fprintf(job->stream, "link_ratio=%.3f\n",
                (double)irr_schedule_makespan(job->schedule) / (double)phases->bound);
    }
    if (phases->contended) {
        fputs("syncs=unknown\nsyncs_removed=unknown\n", job->stream);
    } else {
        fprintf(job->stream, "syncs=%" PRIu64 "\nsyncs_removed=%" PRIu64 "\n", phases->syncs, phases->removed);
    }
    if (phases->is_tree) {
        fprintf(job->stream, "phases=%d\nroot=%s\n", job->schedule->steps, job->topology->names[phases->root]);
    }
}
