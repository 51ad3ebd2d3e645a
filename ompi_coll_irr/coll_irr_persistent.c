/*
 * coll_irr_persistent.c - MPI_Alltoallv_init: agree, plan, or leave it to the previous module.
 *
 * A persistent collective is planned once and started many times.  All that may fail, wait or differ between
 * ranks is done here, where all ranks are: each takes its own trouble into the agreement on an engine communicator
 * for the request, plans its exchange, and then all ask each other whether that went well.  If not, all ranks have
 * a request of the previous module.
 *
 * Cost: an agreement as for a communicator's first collective, what planning takes, and one all-reduce.
 */
#include "coll_irr_tell.h"

#include "core/clock.h"

/* The plan of a request's exchange, waited for. */
static irr_status_t plan(mca_coll_irr_request_t *request, ompi_communicator_t *comm)
{
    irr_problem_t problem = {
        .ranks = ompi_comm_size(comm),
        .rank = ompi_comm_rank(comm),
        .send = request->call.input.blocks,
        .recv = request->call.output.blocks
    };
    irr_exchange_t *exchange = irr_comm_exchange(request->irr_comm);
    irr_status_t status = irr_exchange_plan(exchange, &problem);

    return status == IRR_OK ? mca_coll_irr_engine_wait(exchange) : status;
}

/*
 * Collective, with or without a request on this rank: makes it ready to be started.  IRR_ERR_NOT_SUPPORTED, alike
 * on all ranks, or IRR_ERR_OOB.
 */
static irr_status_t make_ready(mca_coll_irr_module_t *module, const irr_settings_t *settings,
                               mca_coll_irr_request_t *request)
{
    irr_status_t trouble = request == NULL ? IRR_ERR_NO_MEMORY : IRR_OK;
    irr_comm_t *irr_comm;
    irr_status_t status = mca_coll_irr_agree(module, settings, MCA_COLL_IRR_PLANNED, trouble,
                                             "a rank has no memory for a persistent request", &irr_comm);

    if (status != IRR_OK) {
        return status;
    }
    request->irr_comm = irr_comm;
    status = plan(request, module->comm);
    return mca_coll_irr_agree_all(module, status == IRR_OK);
}

/* Collective: a request of ours, or IRR_ERR_NOT_SUPPORTED alike on all ranks. */
static irr_status_t create(mca_coll_irr_module_t *module, const irr_settings_t *settings,
                           const mca_coll_irr_side_t *send, const mca_coll_irr_side_t *recv, bool in_place,
                           ompi_request_t **request_p)
{
    const uint64_t begin_ns = mca_coll_irr_component.measures ? irr_clock_ns() : 0;
    mca_coll_irr_request_t *request = mca_coll_irr_request_create(module->comm, send, recv, in_place);
    irr_status_t status = make_ready(module, settings, request);

    if (status == IRR_OK) {
        mca_coll_irr_tally_request(module, request, begin_ns);
        *request_p = &request->super.super;
    } else if (request != NULL) {
        mca_coll_irr_request_destroy(request);
    }
    return status;
}

int mca_coll_irr_alltoallv_init(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                                ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    int ranks = ompi_comm_size(comm);
    bool in_place = sbuf == MPI_IN_PLACE;
    mca_coll_irr_side_t recv = {
        .buffer = rbuf, .counts = rcounts, .displs = rdispls, .datatype = rdtype, .ranks = ranks
    };
    mca_coll_irr_side_t send = {
        .buffer = (void *)sbuf, .counts = scounts, .displs = sdispls, .datatype = sdtype, .ranks = ranks
    };
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    irr_settings_t settings;
    int result = mca_coll_irr_activate_alltoallv(module);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    if (mca_coll_irr_service_settings(module, &module->alltoallv, &settings)) {
        status = create(module, &settings, in_place ? &recv : &send, &recv, in_place, request_p);
    }
    if (status != IRR_ERR_NOT_SUPPORTED) {
        return mca_coll_irr_error(status);
    }
    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: a persistent request of communicator %s is "
                        "left to others", comm->c_name);
    return module->previous_alltoallv_init(sbuf, scounts, sdispls, sdtype, rbuf, rcounts, rdispls, rdtype, comm,
                                           info, request_p, module->previous_alltoallv_init_module);
}
