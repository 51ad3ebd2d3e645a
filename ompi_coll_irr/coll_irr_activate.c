/*
 * coll_irr_activate.c - the first call of a collective on a communicator decides whether coll/irr serves it.
 *
 * All members are there by definition, and the functions of the previous module work, so this is where the
 * engine's agreement runs.  Local trouble (a bad parameter, no memory, no transport) is taken into the
 * agreement, so that either all ranks are served or all are left to the previous module.
 *
 * An engine communicator has one algorithm.  MPI_Alltoall uses that of MPI_Alltoallv if it has the same, and one of
 * its own if not.  Parameters may differ between ranks, so which of the two, and whether Open MPI is to serve
 * MPI_Alltoall, is agreed as well: by one all-reduce of two words, which is all that MPI_Alltoall costs where it
 * stays with Open MPI.
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

/* What only this rank can know: no memory, no transport. */
static irr_status_t prepare(mca_coll_irr_module_t *module, mca_coll_irr_group_t **group_p)
{
    size_t ranks = (size_t)ompi_comm_size(module->comm);

    if (module->send_blocks == NULL) {
        module->send_blocks = calloc(ranks, sizeof(*module->send_blocks));
    }
    if (module->recv_blocks == NULL) {
        module->recv_blocks = calloc(ranks, sizeof(*module->recv_blocks));
    }
    *group_p = mca_coll_irr_group_create(module->comm);
    if (module->send_blocks == NULL || module->recv_blocks == NULL || *group_p == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    free(module->reason);   /* of the other collective, if the engine could not be opened for it */
    module->reason = NULL;
    return mca_coll_irr_engine_open(&module->reason);
}

static void serve(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    service->state = MCA_COLL_IRR_SERVING;
    opal_output_verbose(1, mca_coll_irr_component.output, "coll:irr: communicator %s of %d ranks is served, "
                        "%s by %s", module->comm->c_name, ompi_comm_size(module->comm), service->call,
                        irr_comm_algorithm(service->irr_comm));
}

static void decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why)
{
    service->state = MCA_COLL_IRR_DECLINED;
    if (module->alltoallv.state != MCA_COLL_IRR_SERVING && module->alltoall.state != MCA_COLL_IRR_SERVING) {
        free(module->send_blocks);
        free(module->recv_blocks);
        module->send_blocks = NULL;
        module->recv_blocks = NULL;
    }
    opal_output_verbose(1, mca_coll_irr_component.output, "coll:irr: %s on communicator %s is left to others: %s",
                        service->call, module->comm->c_name, why);
}

void mca_coll_irr_service_end(mca_coll_irr_service_t *service)
{
    if (service->irr_comm == NULL) {
        return;
    }
    if (!service->shares) {
        irr_comm_destroy(service->irr_comm);
    }
    service->irr_comm = NULL;
    service->state = MCA_COLL_IRR_DECLINED;
}

irr_status_t mca_coll_irr_agree(mca_coll_irr_module_t *module, int algorithm, irr_status_t trouble,
                                const char *reason, irr_comm_t **comm_p)
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

    params.settings.algorithm = algorithm;
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

/* Collective: an engine communicator for a service, or none.  trouble and reason are this rank's. */
static int decide(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, irr_status_t trouble,
                  const char *reason)
{
    mca_coll_irr_group_t *group = NULL;
    irr_status_t status;

    if (trouble == IRR_OK) {
        trouble = prepare(module, &group);
        reason = module->reason;
    }
    if (trouble == IRR_ERR_NO_MEMORY && reason == NULL) {
        reason = "a rank has no memory for a communicator";
    }
    status = mca_coll_irr_agree(module, service->algorithm, trouble, reason, &service->irr_comm);
    if (status == IRR_OK) {
        mca_coll_irr_teardown_add(group);
        serve(module, service);
        return OMPI_SUCCESS;
    }
    free(group);
    decline(module, service, "not all ranks can take part with equal settings");
    return status == IRR_ERR_NOT_SUPPORTED ? OMPI_SUCCESS : mca_coll_irr_error(status);
}

/*
 * Collective over the ranks that have coll/irr, before any other message.  Where not all have it both services are
 * DECLINED.  OMPI_SUCCESS, or the error of a message.
 */
static int ask_who_has_it(mca_coll_irr_module_t *module)
{
    irr_status_t trouble = IRR_OK, status = IRR_OK;

    if (!module->everywhere) {
        status = mca_coll_irr_records_agree(module->comm, &trouble);
    }
    if (status == IRR_OK) {
        module->everywhere = true;
        module->trouble = module->trouble != IRR_OK ? module->trouble : trouble;
        return OMPI_SUCCESS;
    }
    decline(module, &module->alltoallv, "coll/irr is not the same on all ranks");
    decline(module, &module->alltoall, "coll/irr is not the same on all ranks");
    return status == IRR_ERR_NOT_SUPPORTED ? OMPI_SUCCESS : mca_coll_irr_error(status);
}

int mca_coll_irr_activate_alltoallv(mca_coll_irr_module_t *module)
{
    mca_coll_irr_service_t *service = &module->alltoallv;
    int result;

    if (service->state != MCA_COLL_IRR_NEW) {
        return OMPI_SUCCESS;
    }
    result = ask_who_has_it(module);
    return service->state == MCA_COLL_IRR_NEW ? decide(module, service, module->trouble, module->reason) : result;
}

/* Collective: MPI_Alltoall goes the way of MPI_Alltoallv. */
static int share(mca_coll_irr_module_t *module)
{
    int result = mca_coll_irr_activate_alltoallv(module);

    if (result != OMPI_SUCCESS || module->alltoallv.state != MCA_COLL_IRR_SERVING) {
        decline(module, &module->alltoall, "nor is MPI_Alltoallv served");
        return result;
    }
    module->alltoall.irr_comm = module->alltoallv.irr_comm;
    module->alltoall.shares = true;
    serve(module, &module->alltoall);
    return OMPI_SUCCESS;
}

/* Collective. */
static int decide_alltoall(mca_coll_irr_module_t *module)
{
    enum { WANTED, APART, WORDS };
    mca_coll_irr_service_t *service = &module->alltoall;
    const bool bad = module->trouble != IRR_OK, host = !bad && service->algorithm == MCA_COLL_IRR_HOST;
    uint64_t words[WORDS] = {
        [WANTED] = !host && module->trouble != IRR_ERR_NO_MEMORY,   /* without a module a rank has read no settings */
        [APART] = bad || service->algorithm != module->alltoallv.algorithm
    };

    if (allreduce_max(module, words, WORDS) != IRR_OK) {
        decline(module, service, "a collective of Open MPI failed");
        return mca_coll_irr_error(IRR_ERR_OOB);
    }
    if (words[WANTED] == 0) {
        decline(module, service, "coll_irr_alltoall_algorithm is host");
        return OMPI_SUCCESS;
    }
    if (words[APART] == 0) {
        return share(module);
    }
    if (host) {
        return decide(module, service, IRR_ERR_NOT_SUPPORTED, "coll_irr_alltoall_algorithm is host on some ranks of a "
                      "communicator and not on others; it must be the same on all ranks");
    }
    return decide(module, service, module->trouble, module->reason);
}

int mca_coll_irr_activate_alltoall(mca_coll_irr_module_t *module)
{
    int result;

    if (module->alltoall.state != MCA_COLL_IRR_NEW) {
        return OMPI_SUCCESS;
    }
    result = ask_who_has_it(module);
    return module->alltoall.state == MCA_COLL_IRR_NEW ? decide_alltoall(module) : result;
}
