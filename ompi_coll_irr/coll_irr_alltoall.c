/*
 * coll_irr_alltoall.c - MPI_Alltoall: an exchange in which all blocks are equally long and lie one behind the other.
 */
#include "coll_irr.h"

int mca_coll_irr_host_alltoall(mca_coll_irr_module_t *module, const mca_coll_irr_call_t *call, bool in_place)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;

    return module->previous_alltoall(in_place ? MPI_IN_PLACE : send->buffer, (mca_coll_irr_one_count_t)send->count,
                                     send->datatype, recv->buffer, (mca_coll_irr_one_count_t)recv->count,
                                     recv->datatype, module->comm, module->previous_alltoall_module);
}

int mca_coll_irr_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                          mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                          mca_coll_base_module_t *base)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    int ranks = ompi_comm_size(comm);
    bool in_place = sbuf == MPI_IN_PLACE;
    mca_coll_irr_call_t call;
    int result = mca_coll_irr_activate_alltoall(module);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    call.recv = (mca_coll_irr_side_t){
        .buffer = rbuf, .datatype = rdtype, .slots = ranks, .uniform = true, .count = (size_t)rcount
    };
    call.send = in_place ? call.recv : (mca_coll_irr_side_t){
        .buffer = (void *)sbuf, .datatype = sdtype, .slots = ranks, .uniform = true, .count = (size_t)scount
    };
    return mca_coll_irr_serve(module, &module->alltoall, &call, in_place);
}
