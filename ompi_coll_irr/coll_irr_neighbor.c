/*
 * coll_irr_neighbor.c - MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw: what the calls for
 * all ranks are, with the blocks of neighbours in place of those of ranks (coll_irr_neighbors.c).
 */
#include "coll_irr_entries.h"

int mca_coll_irr_neighbor_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype,
                                   void *rbuf, mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype,
                                   ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    const mca_coll_irr_previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_NEIGHBOR_ALLTOALL);
    mca_coll_irr_call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoall_fn_t)host->function)(sbuf, scount, sdtype, rbuf, rcount, rdtype, comm,
                                                                    host->module);
    }
    mca_coll_irr_set_uniform(&call.send, sbuf, scount, sdtype);
    mca_coll_irr_set_uniform(&call.recv, rbuf, rcount, rdtype);
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALL, &call);
}

int mca_coll_irr_neighbor_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                    ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                    mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype,
                                    ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    const mca_coll_irr_previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV);
    mca_coll_irr_call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoallv_fn_t)host->function)(sbuf, scounts, sdispls, sdtype, rbuf, rcounts,
                                                                     rdispls, rdtype, comm, host->module);
    }
    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, sdtype, NULL);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, rdtype, NULL);
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, &call);
}

int mca_coll_irr_host_neighbor_alltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                         const mca_coll_irr_call_t *call)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_neighbor_alltoallw_fn_t host =
        (mca_coll_base_module_neighbor_alltoallw_fn_t)previous->function;

    return host(send->buffer, send->counts, send->offsets, send->datatypes, recv->buffer, recv->counts, recv->offsets,
                recv->datatypes, comm, previous->module);
}

int mca_coll_irr_neighbor_alltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_offsets_t sdispls,
                                    ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                                    mca_coll_irr_offsets_t rdispls, ompi_datatype_t *const *rdtypes,
                                    ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    const mca_coll_irr_previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW);
    mca_coll_irr_call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_neighbor_alltoallw_fn_t)host->function)(sbuf, scounts, sdispls, sdtypes, rbuf,
                                                                              rcounts, rdispls, rdtypes, comm,
                                                                              host->module);
    }
    mca_coll_irr_set_offsets(&call.send, sbuf, scounts, sdispls, sdtypes);
    mca_coll_irr_set_offsets(&call.recv, rbuf, rcounts, rdispls, rdtypes);
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, &call);
}

/* ---- nonblocking ---- */

int mca_coll_irr_ineighbor_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype,
                                    void *rbuf, mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype,
                                    ompi_communicator_t *comm, ompi_request_t **request_p,
                                    mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_uniform(&call.send, sbuf, scount, sdtype);
    mca_coll_irr_set_uniform(&call.recv, rbuf, rcount, rdtype);
    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALL, &call, request_p);
}

int mca_coll_irr_ineighbor_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                     ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                     mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype,
                                     ompi_communicator_t *comm, ompi_request_t **request_p,
                                     mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, sdtype, NULL);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, rdtype, NULL);
    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, &call, request_p);
}

int mca_coll_irr_host_ineighbor_alltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                          const mca_coll_irr_call_t *call, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_ineighbor_alltoallw_fn_t host =
        (mca_coll_base_module_ineighbor_alltoallw_fn_t)previous->function;

    return host(send->buffer, send->counts, send->offsets, send->datatypes, recv->buffer, recv->counts, recv->offsets,
                recv->datatypes, comm, request_p, previous->module);
}

int mca_coll_irr_ineighbor_alltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_offsets_t sdispls,
                                     ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                                     mca_coll_irr_offsets_t rdispls, ompi_datatype_t *const *rdtypes,
                                     ompi_communicator_t *comm, ompi_request_t **request_p,
                                     mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_offsets(&call.send, sbuf, scounts, sdispls, sdtypes);
    mca_coll_irr_set_offsets(&call.recv, rbuf, rcounts, rdispls, rdtypes);
    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, &call, request_p);
}

/* ---- persistent ---- */

int mca_coll_irr_neighbor_alltoall_init(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype,
                                        void *rbuf, mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype,
                                        ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,
                                        mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_uniform(&call.send, sbuf, scount, sdtype);
    mca_coll_irr_set_uniform(&call.recv, rbuf, rcount, rdtype);
    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALL, &call, info,
                                  request_p);
}

int mca_coll_irr_neighbor_alltoallv_init(const void *sbuf, mca_coll_irr_counts_t scounts,
                                         mca_coll_irr_displs_t sdispls, ompi_datatype_t *sdtype, void *rbuf,
                                         mca_coll_irr_counts_t rcounts, mca_coll_irr_displs_t rdispls,
                                         ompi_datatype_t *rdtype, ompi_communicator_t *comm, ompi_info_t *info,
                                         ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_counts(&call.send, sbuf, scounts, sdispls, sdtype, NULL);
    mca_coll_irr_set_counts(&call.recv, rbuf, rcounts, rdispls, rdtype, NULL);
    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, &call, info,
                                  request_p);
}

int mca_coll_irr_host_neighbor_alltoallw_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                              const mca_coll_irr_call_t *call, ompi_info_t *info,
                                              ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &call->send, *recv = &call->recv;
    const mca_coll_base_module_neighbor_alltoallw_init_fn_t host =
        (mca_coll_base_module_neighbor_alltoallw_init_fn_t)previous->function;

    return host(send->buffer, send->counts, send->offsets, send->datatypes, recv->buffer, recv->counts, recv->offsets,
                recv->datatypes, comm, info, request_p, previous->module);
}

int mca_coll_irr_neighbor_alltoallw_init(const void *sbuf, mca_coll_irr_counts_t scounts,
                                         mca_coll_irr_offsets_t sdispls, ompi_datatype_t *const *sdtypes, void *rbuf,
                                         mca_coll_irr_counts_t rcounts, mca_coll_irr_offsets_t rdispls,
                                         ompi_datatype_t *const *rdtypes, ompi_communicator_t *comm,
                                         ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_call_t call;

    mca_coll_irr_set_offsets(&call.send, sbuf, scounts, sdispls, sdtypes);
    mca_coll_irr_set_offsets(&call.recv, rbuf, rcounts, rdispls, rdtypes);
    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, &call, info,
                                  request_p);
}
