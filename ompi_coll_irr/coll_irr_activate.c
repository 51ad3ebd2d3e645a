/*
 * coll_irr_activate.c - the first collective on a communicator decides whether coll/irr serves it.
 *
 * All members are there by definition, and the functions of the previous module work, so this is where the
 * engine's agreement runs.  Local trouble (a bad parameter, no memory, no transport) is taken into the
 * agreement, so that either all ranks are served or all are left to the previous module.
 */
#include "coll_irr.h"

#include <stdlib.h>

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    mca_coll_irr_module_t *module = context;
    int result;

    if (bytes > INT_MAX) {
        return IRR_ERR_OOB;
    }
    result = module->previous_allgather(input, (int)bytes, MPI_BYTE, output, (int)bytes, MPI_BYTE, module->comm,
                                        module->previous_allgather_module);
    return result == OMPI_SUCCESS ? IRR_OK : IRR_ERR_OOB;
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    mca_coll_irr_module_t *module = context;
    int result = module->previous_allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_MAX, module->comm,
                                            module->previous_allreduce_module);

    return result == OMPI_SUCCESS ? IRR_OK : IRR_ERR_OOB;
}

/* The rank in the job: communicators that span jobs are not ours. */
static uint64_t process_name(void *context, int rank)
{
    mca_coll_irr_module_t *module = context;

    return ompi_group_get_proc_name(module->comm->c_local_group, rank).vpid;
}

/*
 * Equal on ranks that share a node: the lowest rank on mine, from what Open MPI knows without asking anybody.
 * Open MPI makes the procs of its node when it starts, so a proc that does not exist yet is elsewhere.
 */
static uint64_t node_label(mca_coll_irr_module_t *module)
{
    size_t ranks_per_node = module->settings.ranks_per_node;
    int me = ompi_comm_rank(module->comm), lowest = 0;

    if (ranks_per_node > 0) {
        return (size_t)me / ranks_per_node;
    }
    while (lowest < me) {
        ompi_proc_t *proc = ompi_group_get_proc_ptr_raw(module->comm->c_local_group, lowest);

        if (!ompi_proc_is_sentinel(proc) && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            break;
        }
        lowest++;
    }
    return (uint64_t)lowest;
}

/* What only this rank can know: bad settings, no memory, no transport. */
static irr_status_t prepare(mca_coll_irr_module_t *module, mca_coll_irr_group_t **group_p)
{
    size_t ranks = (size_t)ompi_comm_size(module->comm);

    if (module->trouble != IRR_OK) {
        return module->trouble;
    }
    module->send_blocks = calloc(ranks, sizeof(*module->send_blocks));
    module->recv_blocks = calloc(ranks, sizeof(*module->recv_blocks));
    *group_p = mca_coll_irr_group_create(module->comm);
    if (module->send_blocks == NULL || module->recv_blocks == NULL || *group_p == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    return mca_coll_irr_engine_open(&module->reason);
}

static void serve(mca_coll_irr_module_t *module, mca_coll_irr_group_t *group)
{
    mca_coll_irr_teardown_add(group);
    module->state = MCA_COLL_IRR_SERVING;
    opal_output_verbose(1, mca_coll_irr_component.output, "coll:irr: communicator %s of %d ranks is served, "
                        "MPI_Alltoallv by %s", module->comm->c_name, ompi_comm_size(module->comm),
                        irr_algorithm_name(module->settings.engine.algorithm));
}

static void decline(mca_coll_irr_module_t *module, mca_coll_irr_group_t *group)
{
    free(group);
    free(module->send_blocks);
    free(module->recv_blocks);
    module->send_blocks = NULL;
    module->recv_blocks = NULL;
    module->state = MCA_COLL_IRR_DECLINED;
    opal_output_verbose(1, mca_coll_irr_component.output, "coll:irr: communicator %s is left to others: not all of "
                        "its ranks can take part with equal settings", module->comm->c_name);
}

irr_status_t mca_coll_irr_agree(mca_coll_irr_module_t *module, irr_status_t trouble, const char *reason,
                                irr_comm_t **comm_p)
{
    const irr_oob_t oob = {
        .context = module, .allgather = allgather, .allreduce_max = allreduce_max, .process_name = process_name
    };
    irr_comm_params_t params = {
        .ranks = ompi_comm_size(module->comm),
        .rank = ompi_comm_rank(module->comm),
        .settings = module->settings.engine,
        .oob = &oob,
        .trouble = trouble,
        .reason = reason,
        .host = mca_coll_irr_process_info.nodename,
        .node = node_label(module)
    };

    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: rank %d of communicator %s is on node %llu",
                        params.rank, module->comm->c_name, (unsigned long long)params.node);
    return irr_comm_create(mca_coll_irr_component.engine, &params, comm_p);
}

irr_status_t mca_coll_irr_agree_all(mca_coll_irr_module_t *module, bool mine)
{
    uint64_t failed = !mine;
    irr_status_t status = allreduce_max(module, &failed, 1);

    return status == IRR_OK && failed != 0 ? IRR_ERR_NOT_SUPPORTED : status;
}

int mca_coll_irr_activate(mca_coll_irr_module_t *module)
{
    mca_coll_irr_group_t *group = NULL;
    irr_status_t status;

    if (module->state != MCA_COLL_IRR_NEW) {
        return OMPI_SUCCESS;
    }
    status = prepare(module, &group);
    status = mca_coll_irr_agree(module, status, module->reason, &module->irr_comm);
    if (status == IRR_OK) {
        serve(module, group);
        return OMPI_SUCCESS;
    }
    decline(module, group);
    return status == IRR_ERR_NOT_SUPPORTED ? OMPI_SUCCESS : mca_coll_irr_error(status);
}
