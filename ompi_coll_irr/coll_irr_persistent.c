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
#include "coll_irr_opening.h"
#include "coll_irr_tell.h"

#include "core/clock.h"

/*
 * Collective, with or without a request on this rank: makes it ready to be started.  IRR_ERR_NOT_SUPPORTED, alike
 * on all ranks, or IRR_ERR_OOB.
 */
static irr_status_t make_ready(mca_coll_irr_module_t *module, const irr_settings_t *settings,
                               mca_coll_irr_request_t *request)
{
    const irr_status_t trouble = request == NULL ? IRR_ERR_NO_MEMORY : IRR_OK;
    const mca_coll_irr_purpose_t purpose = { .plans = true, .call = request == NULL ? NULL : &request->call };
    mca_coll_irr_opening_t opening;
    irr_comm_t *irr_comm;
    irr_status_t status;

    mca_coll_irr_opening_start(&opening, module, MCA_COLL_BASE_TAG_BARRIER, settings, &purpose, trouble,
                               "a rank has no memory for a persistent request");
    status = mca_coll_irr_opening_wait(&opening, &irr_comm);
    if (status == IRR_OK) {
        request->irr_comm = irr_comm;
    }
    return status;
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
        .buffer = rbuf, .counts = rcounts, .displs = rdispls, .datatype = rdtype, .slots = ranks
    };
    mca_coll_irr_side_t send = {
        .buffer = (void *)sbuf, .counts = scounts, .displs = sdispls, .datatype = sdtype, .slots = ranks
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
