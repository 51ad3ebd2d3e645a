/*
 * coll_irr_alltoallw.c - MPI_Alltoallw: blocks with a datatype each, at displacements in bytes.
 */
#include "coll_irr_entries.h"

int mca_coll_irr_host_alltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                const mca_coll_irr_call_t *call)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_alltoallw_fn_t host = (mca_coll_base_module_alltoallw_fn_t)previous->function;

    return host(send->buffer, send->counts, send->displs, send->datatypes, recv->buffer,
                recv->counts, recv->displs, recv->datatypes, comm, previous->module);
}

int mca_coll_irr_alltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *const *rdtypes, ompi_communicator_t *comm,
                           mca_coll_base_module_t *base)
{
    const mca_coll_irr_previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_ALLTOALLW);
    mca_coll_irr_call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoallw_fn_t)host->function)(sbuf, scounts, sdispls, sdtypes, rbuf, rcounts,
                                                                     rdispls, rdtypes, comm, host->module);
    }
    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, NULL, sdtypes);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, NULL, rdtypes);
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLW, &call);
}

/* ---- nonblocking ---- */

int mca_coll_irr_host_ialltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                 const mca_coll_irr_call_t *call, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_ialltoallw_fn_t host = (mca_coll_base_module_ialltoallw_fn_t)previous->function;

    return host(send->buffer, send->counts, send->displs, send->datatypes, recv->buffer,
                recv->counts, recv->displs, recv->datatypes, comm, request_p, previous->module);
}

int mca_coll_irr_ialltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                            ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                            mca_coll_irr_displs_t rdispls, ompi_datatype_t *const *rdtypes, ompi_communicator_t *comm,
                            ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, NULL, sdtypes);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, NULL, rdtypes);
    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLW, &call, request_p);
}

/* ---- persistent ---- */

int mca_coll_irr_host_alltoallw_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                     const mca_coll_irr_call_t *call, ompi_info_t *info, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_alltoallw_init_fn_t host = (mca_coll_base_module_alltoallw_init_fn_t)previous->function;

    return host(send->buffer, send->counts, send->displs, send->datatypes, recv->buffer,
                recv->counts, recv->displs, recv->datatypes, comm, info, request_p, previous->module);
}

int mca_coll_irr_alltoallw_init(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                                mca_coll_irr_displs_t rdispls, ompi_datatype_t *const *rdtypes,
                                ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,
                                mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, NULL, sdtypes);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, NULL, rdtypes);
    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLW, &call, info, request_p);
}
