/*
 * coll_irr_alltoallv.c - MPI_Alltoallv.
 */
#include "coll_irr.h"

static int exchange(mca_coll_irr_module_t *module, const mca_coll_irr_call_t *call)
{
    irr_problem_t problem = {
        .ranks = ompi_comm_size(module->comm),
        .rank = ompi_comm_rank(module->comm),
        .send = call->send_blocks,
        .recv = call->recv_blocks
    };
    irr_status_t status = irr_exchange_start(module->irr_comm, &problem, call->input, call->output);

    if (status == IRR_OK) {
        status = mca_coll_irr_engine_wait(module->irr_comm);
    }
    return mca_coll_irr_error(status);
}

/* Packs what must be packed, exchanges, unpacks. */
static int serve(mca_coll_irr_module_t *module, mca_coll_irr_call_t *call, bool in_place)
{
    int result;

    call->send_blocks = module->send_blocks;
    call->recv_blocks = module->recv_blocks;
    result = mca_coll_irr_call_open(call, in_place);
    if (result != OMPI_SUCCESS) {
        return result;
    }
    result = mca_coll_irr_call_pack(call);
    if (result == OMPI_SUCCESS) {
        result = exchange(module, call);
    }
    if (result == OMPI_SUCCESS) {
        result = mca_coll_irr_call_unpack(call);
    }
    mca_coll_irr_call_close(call);
    return result;
}

int mca_coll_irr_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           mca_coll_base_module_t *base)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    int ranks = ompi_comm_size(comm);
    bool in_place = sbuf == MPI_IN_PLACE;
    mca_coll_irr_side_t recv = { rbuf, rcounts, rdispls, rdtype, ranks };
    mca_coll_irr_side_t send = { (void *)sbuf, scounts, sdispls, sdtype, ranks };
    mca_coll_irr_call_t call = { .send = in_place ? recv : send, .recv = recv };
    int result = mca_coll_irr_activate(module);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    if (module->state != MCA_COLL_IRR_SERVING) {
        return module->previous_alltoallv(sbuf, scounts, sdispls, sdtype, rbuf, rcounts, rdispls, rdtype, comm,
                                          module->previous_alltoallv_module);
    }
    return serve(module, &call, in_place);
}
