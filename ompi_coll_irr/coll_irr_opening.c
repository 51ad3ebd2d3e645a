/*
 * coll_irr_opening.c - see coll_irr_opening.h.
 */
#include "coll_irr_engine.h"
#include "coll_irr_opening.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

/* ---- what the engine asks of its host ---- */

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    mca_coll_irr_opening_t *opening = context;

    mca_coll_irr_rounds_gather(&opening->rounds, input, output, bytes);
    return mca_coll_irr_rounds_test(&opening->rounds);
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    mca_coll_irr_opening_t *opening = context;

    mca_coll_irr_rounds_maxima(&opening->rounds, values, count, &MCA_COLL_IRR_PARTNERS_ALL);
    return mca_coll_irr_rounds_test(&opening->rounds);
}

static irr_status_t test(void *context)
{
    mca_coll_irr_opening_t *opening = context;

    return mca_coll_irr_rounds_test(&opening->rounds);
}

/* The rank in the job: communicators that span jobs are not ours. */
static uint64_t process_name(void *context, int rank)
{
    const mca_coll_irr_opening_t *opening = context;

    return mca_coll_irr_process(&opening->module->ranks, rank).vpid;
}

/* ---- steps: each returns IRR_IN_PROGRESS until what it waits for is over ---- */

static irr_status_t wait_for_all(mca_coll_irr_opening_t *opening)
{
    const irr_status_t status = mca_coll_irr_rounds_test(&opening->rounds);

    if (status != IRR_OK) {
        return status;
    }
    opening->next = NULL;
    return opening->failed != 0 ? IRR_ERR_NOT_SUPPORTED : IRR_OK;
}

/* Planned, or not: so do all say. */
static irr_status_t wait_for_plan(mca_coll_irr_opening_t *opening)
{
    const irr_status_t status = opening->failed != 0 ? IRR_OK : irr_exchange_test(irr_comm_exchange(opening->comm));

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    opening->failed = opening->failed != 0 || status != IRR_OK;
    mca_coll_irr_rounds_maxima(&opening->rounds, &opening->failed, 1, &MCA_COLL_IRR_PARTNERS_ALL);
    opening->next = wait_for_all;
    return IRR_OK;
}

static irr_status_t wait_for_comm(mca_coll_irr_opening_t *opening)
{
    const irr_status_t status = irr_opening_test(&opening->opening, &opening->comm);

    if (status == IRR_OK) {
        opening->failed = opening->purpose.plans &&
                          irr_exchange_plan(irr_comm_exchange(opening->comm), opening->purpose.problem) != IRR_OK;
        opening->next = opening->purpose.plans ? wait_for_plan : NULL;
    }
    return status;
}

/* ---- start, test, end ---- */

/* Equal on ranks that share a node: the lowest rank on mine. */
static uint64_t node_label(mca_coll_irr_module_t *module)
{
    size_t ranks_per_node = module->settings->ranks_per_node;
    int me = module->ranks.rank, lowest = 0;

    if (ranks_per_node > 0) {
        return (size_t)me / ranks_per_node;
    }
    while (lowest < me && !mca_coll_irr_on_my_node(module, lowest)) {
        lowest++;
    }
    return (uint64_t)lowest;
}

void mca_coll_irr_opening_start(mca_coll_irr_opening_t *opening, mca_coll_irr_module_t *module, int tag,
                                const irr_settings_t *settings, const mca_coll_irr_purpose_t *purpose,
                                irr_status_t trouble, const char *reason)
{
    const irr_comm_params_t params = {
        .ranks = module->ranks.size,
        .rank = module->ranks.rank,
        .settings = *settings,
        .oob = &opening->oob,
        .trouble = trouble,
        .reason = reason != NULL ? reason : trouble == IRR_ERR_NO_MEMORY
                      ? "a rank has no memory for a communicator" : "a rank cannot open the engine of its process",
        .parameter = purpose->parameter,
        .otherwise = "Open MPI's own algorithm serves the communicator",
        .host = mca_coll_irr_process_info.nodename,
        .node = (int)node_label(module),
        .switch_address = getenv("SLURM_TOPOLOGY_ADDR"),
        .switch_pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN"),
        .only_shared = purpose->only_shared
    };

    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: rank %d of communicator %s is on node %d",
                        params.rank, module->comm->c_name, params.node);
    opening->module = module;
    opening->oob = (irr_oob_t){
        .context = opening, .allgather = allgather, .allreduce_max = allreduce_max, .test = test,
        .process_name = process_name
    };
    opening->purpose = *purpose;
    opening->comm = NULL;
    opening->failed = 0;
    opening->next = wait_for_comm;
    opening->status = IRR_IN_PROGRESS;
    mca_coll_irr_rounds_init(&opening->rounds, &module->ranks, tag);
    irr_opening_start(&opening->opening, mca_coll_irr_component.engine, &params);
}

irr_status_t mca_coll_irr_opening_test(mca_coll_irr_opening_t *opening, irr_comm_t **comm_p)
{
    while (opening->status == IRR_IN_PROGRESS) {
        const irr_status_t status = opening->next(opening);

        if (status == IRR_IN_PROGRESS) {
            return status;
        }
        if (status != IRR_OK || opening->next == NULL) {
            opening->status = status;
        }
    }
    if (opening->status == IRR_OK) {
        *comm_p = opening->comm;
    } else {
        mca_coll_irr_opening_abandon(opening);
    }
    return opening->status;
}

const char *mca_coll_irr_opening_why(const mca_coll_irr_opening_t *opening)
{
    return opening->opening.why[0] != '\0' ? opening->opening.why : "a rank cannot plan its exchange";
}

irr_status_t mca_coll_irr_opening_wait(mca_coll_irr_opening_t *opening, irr_comm_t **comm_p)
{
    irr_status_t status = mca_coll_irr_opening_test(opening, comm_p);

    while (status == IRR_IN_PROGRESS) {
        opal_progress();
        mca_coll_irr_engine_progress();
        status = mca_coll_irr_opening_test(opening, comm_p);
    }
    return status;
}

void mca_coll_irr_opening_abandon(mca_coll_irr_opening_t *opening)
{
    irr_opening_abandon(&opening->opening);
    if (opening->comm != NULL) {
        irr_comm_destroy(opening->comm);
        opening->comm = NULL;
    }
}
