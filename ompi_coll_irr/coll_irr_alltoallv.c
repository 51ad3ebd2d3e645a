/*
 * coll_irr_alltoallv.c - MPI_Alltoallv, and MPI_Ialltoallv.
 */
#include "coll_irr_entries.h"

int mca_coll_irr_host_alltoallv(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                const mca_coll_irr_call_t *call)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_alltoallv_fn_t host = (mca_coll_base_module_alltoallv_fn_t)previous->function;

    return host(send->buffer, send->counts, send->displs, send->datatype, recv->buffer,
                recv->counts, recv->displs, recv->datatype, comm, previous->module);
}

int mca_coll_irr_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           mca_coll_base_module_t *base)
{
    const mca_coll_irr_previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_ALLTOALLV);
    mca_coll_irr_call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoallv_fn_t)host->function)(sbuf, scounts, sdispls, sdtype, rbuf, rcounts,
                                                                     rdispls, rdtype, comm, host->module);
    }
    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, sdtype, NULL);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, rdtype, NULL);
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLV, &call);
}

/* ---- nonblocking ---- */

int mca_coll_irr_host_ialltoallv(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                 const mca_coll_irr_call_t *call, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_ialltoallv_fn_t host = (mca_coll_base_module_ialltoallv_fn_t)previous->function;

    return host(send->buffer, send->counts, send->displs, send->datatype, recv->buffer,
                recv->counts, recv->displs, recv->datatype, comm, request_p, previous->module);
}

int mca_coll_irr_host_alltoallv_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                     const mca_coll_irr_call_t *call, ompi_info_t *info, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_alltoallv_init_fn_t host = (mca_coll_base_module_alltoallv_init_fn_t)previous->function;

    return host(send->buffer, send->counts, send->displs, send->datatype, recv->buffer,
                recv->counts, recv->displs, recv->datatype, comm, info, request_p, previous->module);
}

int mca_coll_irr_ialltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                            ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                            mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                            ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, sdtype, NULL);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, rdtype, NULL);
    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLV, &call, request_p);
}

/* ---- persistent ---- */

int mca_coll_irr_alltoallv_init(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                                ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, sdtype, NULL);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, rdtype, NULL);
    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLV, &call, info, request_p);
}
