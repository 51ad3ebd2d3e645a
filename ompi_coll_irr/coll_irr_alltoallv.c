/*
 * coll_irr_alltoallv.c - MPI_Alltoallv.
 */
#include "coll_irr.h"

int mca_coll_irr_host_alltoallv(mca_coll_irr_module_t *module, const mca_coll_irr_call_t *call, bool in_place)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const void *input = in_place ? MPI_IN_PLACE : send->buffer;

    return module->previous_alltoallv(input, send->counts, send->displs, send->datatype, recv->buffer,
                                      recv->counts, recv->displs, recv->datatype, module->comm,
                                      module->previous_alltoallv_module);
}

int mca_coll_irr_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           mca_coll_base_module_t *base)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    int ranks = ompi_comm_size(comm);
    bool in_place = sbuf == MPI_IN_PLACE;
    mca_coll_irr_call_t call;
    int result = mca_coll_irr_activate_alltoallv(module);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    call.recv = (mca_coll_irr_side_t){
        .buffer = rbuf, .counts = rcounts, .displs = rdispls, .datatype = rdtype, .slots = ranks
    };
    call.send = in_place ? call.recv : (mca_coll_irr_side_t){
        .buffer = (void *)sbuf, .counts = scounts, .displs = sdispls, .datatype = sdtype, .slots = ranks
    };
    return mca_coll_irr_serve(module, &module->alltoallv, &call, in_place);
}
