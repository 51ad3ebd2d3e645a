/*
 * coll_irr_alltoall.c - MPI_Alltoall and MPI_Ialltoall: exchanges in which all blocks are equally long and lie one
 * behind the other.
 */
#include "coll_irr_entries.h"

int mca_coll_irr_host_alltoall(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                               const mca_coll_irr_call_t *call)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_alltoall_fn_t host = (mca_coll_base_module_alltoall_fn_t)previous->function;

    return host(send->buffer, (mca_coll_irr_one_count_t)send->count, send->datatype,
                recv->buffer, (mca_coll_irr_one_count_t)recv->count, recv->datatype, comm, previous->module);
}

int mca_coll_irr_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                          mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                          mca_coll_base_module_t *base)
{
    const mca_coll_irr_previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_ALLTOALL);
    mca_coll_irr_call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoall_fn_t)host->function)(sbuf, scount, sdtype, rbuf, rcount, rdtype, comm,
                                                                    host->module);
    }
    mca_coll_irr_set_uniform(&call.send, sbuf, scount, sdtype);
    mca_coll_irr_set_uniform(&call.recv, rbuf, rcount, rdtype);
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALL, &call);
}

/* ---- nonblocking ---- */

int mca_coll_irr_host_ialltoall(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                const mca_coll_irr_call_t *call, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_ialltoall_fn_t host = (mca_coll_base_module_ialltoall_fn_t)previous->function;

    return host(send->buffer, (mca_coll_irr_one_count_t)send->count, send->datatype,
                recv->buffer, (mca_coll_irr_one_count_t)recv->count, recv->datatype, comm, request_p,
                previous->module);
}

int mca_coll_irr_host_alltoall_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                    const mca_coll_irr_call_t *call, ompi_info_t *info, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_alltoall_init_fn_t host = (mca_coll_base_module_alltoall_init_fn_t)previous->function;

    return host(send->buffer, (mca_coll_irr_one_count_t)send->count, send->datatype,
                recv->buffer, (mca_coll_irr_one_count_t)recv->count, recv->datatype, comm, info, request_p,
                previous->module);
}

int mca_coll_irr_ialltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                           mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_uniform(&call.send, sbuf, scount, sdtype);
    mca_coll_irr_set_uniform(&call.recv, rbuf, rcount, rdtype);
    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALL, &call, request_p);
}

/* ---- persistent ---- */

int mca_coll_irr_alltoall_init(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                               mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                               ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_uniform(&call.send, sbuf, scount, sdtype);
    mca_coll_irr_set_uniform(&call.recv, rbuf, rcount, rdtype);
    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALL, &call, info, request_p);
}
