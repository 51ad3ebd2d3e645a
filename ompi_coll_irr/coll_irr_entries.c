/*
 * coll_irr_entries.c - the functions of MPI that Open MPI calls, and the table of the collectives.
 *
 * A collective has one of four forms of arguments: equal blocks, counts with one datatype, counts with a datatype for
 * each block, and the same with displacements of MPI_Aint.  An entry makes a call of its arguments and leaves it to the
 * dispatch.  The function `host` of a row makes arguments of a call again, for the module that served before.
 *
 * Open MPI keeps the functions of a module, and of a communicator each with its module, as members of structures.  A
 * row of the table knows where, so no other file asks which collective it is.
 */
#include "coll_irr_dispatch.h"

typedef mca_coll_irr_one_count_t one_count_t;
typedef mca_coll_irr_counts_t counts_t;
typedef mca_coll_irr_displs_t displs_t;
typedef mca_coll_irr_offsets_t offsets_t;
typedef ompi_datatype_t type_t;
typedef mca_coll_irr_call_t call_t;
typedef mca_coll_irr_side_t side_t;
typedef mca_coll_irr_previous_t previous_t;

/* ---- equal blocks ---- */

static inline side_t equal(const void *buffer, one_count_t count, type_t *type)
{
    return (side_t){ .buffer = (void *)buffer, .uniform = true, .count = (size_t)count, .datatype = type };
}

static int host_equal(const previous_t *host, mca_coll_irr_form_t form, ompi_communicator_t *comm, const call_t *call,
                      ompi_info_t *info, ompi_request_t **request_p)
{
    const side_t *send = &call->send, *recv = &call->recv;
    const one_count_t sent = (one_count_t)send->count, received = (one_count_t)recv->count;

    switch (form) {
    case MCA_COLL_IRR_BLOCKING:
        return ((mca_coll_base_module_alltoall_fn_t)host->function)(
            send->buffer, sent, send->datatype, recv->buffer, received, recv->datatype, comm, host->module);
    case MCA_COLL_IRR_NONBLOCKING:
        return ((mca_coll_base_module_ialltoall_fn_t)host->function)(
            send->buffer, sent, send->datatype, recv->buffer, received, recv->datatype, comm, request_p,
            host->module);
    default:
        return ((mca_coll_base_module_alltoall_init_fn_t)host->function)(
            send->buffer, sent, send->datatype, recv->buffer, received, recv->datatype, comm, info, request_p,
            host->module);
    }
}

__attribute__((always_inline))
static inline int block_equal(mca_coll_irr_which_t which, const void *sbuf, one_count_t scount, type_t *stype,
                              void *rbuf, one_count_t rcount, type_t *rtype, ompi_communicator_t *comm,
                              mca_coll_base_module_t *base)
{
    const previous_t *host = mca_coll_irr_left_to(base, which);
    call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoall_fn_t)host->function)(sbuf, scount, stype, rbuf, rcount, rtype, comm,
                                                                    host->module);
    }
    call = (call_t){ .send = equal(sbuf, scount, stype), .recv = equal(rbuf, rcount, rtype) };
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, which, &call);
}

static int alltoall(const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount,
                    type_t *rtype, ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    return block_equal(MCA_COLL_IRR_ALLTOALL, sbuf, scount, stype, rbuf, rcount, rtype, comm, base);
}

static int neighbor_alltoall(const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount,
                             type_t *rtype, ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    return block_equal(MCA_COLL_IRR_NEIGHBOR_ALLTOALL, sbuf, scount, stype, rbuf, rcount, rtype, comm, base);
}

static int ialltoall(const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount,
                     type_t *rtype, ompi_communicator_t *comm, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = equal(sbuf, scount, stype), .recv = equal(rbuf, rcount, rtype) };

    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALL, &call, request_p);
}

static int ineighbor_alltoall(const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount,
                              type_t *rtype, ompi_communicator_t *comm, ompi_request_t **request_p,
                              mca_coll_base_module_t *base)
{
    call_t call = { .send = equal(sbuf, scount, stype), .recv = equal(rbuf, rcount, rtype) };

    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALL, &call, request_p);
}

static int alltoall_init(const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount,
                         type_t *rtype, ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,
                         mca_coll_base_module_t *base)
{
    call_t call = { .send = equal(sbuf, scount, stype), .recv = equal(rbuf, rcount, rtype) };

    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALL, &call, info, request_p);
}

static int neighbor_alltoall_init(const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount,
                                  type_t *rtype, ompi_communicator_t *comm, ompi_info_t *info,
                                  ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = equal(sbuf, scount, stype), .recv = equal(rbuf, rcount, rtype) };

    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALL, &call, info,
                                  request_p);
}

/* ---- counts, one datatype ---- */

static inline side_t counted(const void *buffer, counts_t counts, displs_t displs, type_t *type)
{
    return (side_t){ .buffer = (void *)buffer, .counts = counts, .displs = displs, .datatype = type };
}

static int host_counted(const previous_t *host, mca_coll_irr_form_t form, ompi_communicator_t *comm,
                        const call_t *call, ompi_info_t *info, ompi_request_t **request_p)
{
    const side_t *send = &call->send, *recv = &call->recv;

    switch (form) {
    case MCA_COLL_IRR_BLOCKING:
        return ((mca_coll_base_module_alltoallv_fn_t)host->function)(
            send->buffer, send->counts, send->displs, send->datatype, recv->buffer, recv->counts, recv->displs,
            recv->datatype, comm, host->module);
    case MCA_COLL_IRR_NONBLOCKING:
        return ((mca_coll_base_module_ialltoallv_fn_t)host->function)(
            send->buffer, send->counts, send->displs, send->datatype, recv->buffer, recv->counts, recv->displs,
            recv->datatype, comm, request_p, host->module);
    default:
        return ((mca_coll_base_module_alltoallv_init_fn_t)host->function)(
            send->buffer, send->counts, send->displs, send->datatype, recv->buffer, recv->counts, recv->displs,
            recv->datatype, comm, info, request_p, host->module);
    }
}

__attribute__((always_inline))
static inline int block_counted(mca_coll_irr_which_t which, const void *sbuf, counts_t scounts, displs_t sdispls,
                                type_t *stype, void *rbuf, counts_t rcounts, displs_t rdispls, type_t *rtype,
                                ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    const previous_t *host = mca_coll_irr_left_to(base, which);
    call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoallv_fn_t)host->function)(sbuf, scounts, sdispls, stype, rbuf, rcounts,
                                                                     rdispls, rtype, comm, host->module);
    }
    call = (call_t){ .send = counted(sbuf, scounts, sdispls, stype), .recv = counted(rbuf, rcounts, rdispls, rtype) };
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, which, &call);
}

static int alltoallv(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *stype, void *rbuf,
                     counts_t rcounts, displs_t rdispls, type_t *rtype, ompi_communicator_t *comm,
                     mca_coll_base_module_t *base)
{
    return block_counted(MCA_COLL_IRR_ALLTOALLV, sbuf, scounts, sdispls, stype, rbuf, rcounts, rdispls, rtype, comm,
                         base);
}

static int neighbor_alltoallv(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *stype, void *rbuf,
                              counts_t rcounts, displs_t rdispls, type_t *rtype, ompi_communicator_t *comm,
                              mca_coll_base_module_t *base)
{
    return block_counted(MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, sbuf, scounts, sdispls, stype, rbuf, rcounts, rdispls, rtype,
                         comm, base);
}

static int ialltoallv(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *stype, void *rbuf,
                      counts_t rcounts, displs_t rdispls, type_t *rtype, ompi_communicator_t *comm,
                      ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = counted(sbuf, scounts, sdispls, stype), .recv = counted(rbuf, rcounts, rdispls, rtype) };

    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLV, &call, request_p);
}

static int ineighbor_alltoallv(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *stype, void *rbuf,
                               counts_t rcounts, displs_t rdispls, type_t *rtype, ompi_communicator_t *comm,
                               ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = counted(sbuf, scounts, sdispls, stype), .recv = counted(rbuf, rcounts, rdispls, rtype) };

    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, &call, request_p);
}

static int alltoallv_init(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *stype, void *rbuf,
                          counts_t rcounts, displs_t rdispls, type_t *rtype, ompi_communicator_t *comm,
                          ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = counted(sbuf, scounts, sdispls, stype), .recv = counted(rbuf, rcounts, rdispls, rtype) };

    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLV, &call, info, request_p);
}

static int neighbor_alltoallv_init(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *stype, void *rbuf,
                                   counts_t rcounts, displs_t rdispls, type_t *rtype, ompi_communicator_t *comm,
                                   ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = counted(sbuf, scounts, sdispls, stype), .recv = counted(rbuf, rcounts, rdispls, rtype) };

    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, &call, info,
                                  request_p);
}

/* ---- counts, a datatype for each block, displacements in bytes ---- */

static inline side_t typed(const void *buffer, counts_t counts, displs_t displs, type_t *const *types)
{
    return (side_t){ .buffer = (void *)buffer, .counts = counts, .displs = displs, .datatypes = types };
}

static int host_typed(const previous_t *host, mca_coll_irr_form_t form, ompi_communicator_t *comm, const call_t *call,
                      ompi_info_t *info, ompi_request_t **request_p)
{
    const side_t *send = &call->send, *recv = &call->recv;

    switch (form) {
    case MCA_COLL_IRR_BLOCKING:
        return ((mca_coll_base_module_alltoallw_fn_t)host->function)(
            send->buffer, send->counts, send->displs, send->datatypes, recv->buffer, recv->counts, recv->displs,
            recv->datatypes, comm, host->module);
    case MCA_COLL_IRR_NONBLOCKING:
        return ((mca_coll_base_module_ialltoallw_fn_t)host->function)(
            send->buffer, send->counts, send->displs, send->datatypes, recv->buffer, recv->counts, recv->displs,
            recv->datatypes, comm, request_p, host->module);
    default:
        return ((mca_coll_base_module_alltoallw_init_fn_t)host->function)(
            send->buffer, send->counts, send->displs, send->datatypes, recv->buffer, recv->counts, recv->displs,
            recv->datatypes, comm, info, request_p, host->module);
    }
}

static int alltoallw(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *const *stypes, void *rbuf,
                     counts_t rcounts, displs_t rdispls, type_t *const *rtypes, ompi_communicator_t *comm,
                     mca_coll_base_module_t *base)
{
    const previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_ALLTOALLW);
    call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_alltoallw_fn_t)host->function)(sbuf, scounts, sdispls, stypes, rbuf, rcounts,
                                                                     rdispls, rtypes, comm, host->module);
    }
    call = (call_t){ .send = typed(sbuf, scounts, sdispls, stypes), .recv = typed(rbuf, rcounts, rdispls, rtypes) };
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLW, &call);
}

static int ialltoallw(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *const *stypes, void *rbuf,
                      counts_t rcounts, displs_t rdispls, type_t *const *rtypes, ompi_communicator_t *comm,
                      ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = typed(sbuf, scounts, sdispls, stypes), .recv = typed(rbuf, rcounts, rdispls, rtypes) };

    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLW, &call, request_p);
}

static int alltoallw_init(const void *sbuf, counts_t scounts, displs_t sdispls, type_t *const *stypes, void *rbuf,
                          counts_t rcounts, displs_t rdispls, type_t *const *rtypes, ompi_communicator_t *comm,
                          ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = typed(sbuf, scounts, sdispls, stypes), .recv = typed(rbuf, rcounts, rdispls, rtypes) };

    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_ALLTOALLW, &call, info, request_p);
}

/* ---- the same, displacements of MPI_Aint ---- */

static inline side_t typed_far(const void *buffer, counts_t counts, offsets_t offsets, type_t *const *types)
{
    return (side_t){ .buffer = (void *)buffer, .far = true, .counts = counts, .offsets = offsets,
                     .datatypes = types };
}

static int host_typed_far(const previous_t *host, mca_coll_irr_form_t form, ompi_communicator_t *comm,
                          const call_t *call, ompi_info_t *info, ompi_request_t **request_p)
{
    const side_t *send = &call->send, *recv = &call->recv;

    switch (form) {
    case MCA_COLL_IRR_BLOCKING:
        return ((mca_coll_base_module_neighbor_alltoallw_fn_t)host->function)(
            send->buffer, send->counts, send->offsets, send->datatypes, recv->buffer, recv->counts, recv->offsets,
            recv->datatypes, comm, host->module);
    case MCA_COLL_IRR_NONBLOCKING:
        return ((mca_coll_base_module_ineighbor_alltoallw_fn_t)host->function)(
            send->buffer, send->counts, send->offsets, send->datatypes, recv->buffer, recv->counts, recv->offsets,
            recv->datatypes, comm, request_p, host->module);
    default:
        return ((mca_coll_base_module_neighbor_alltoallw_init_fn_t)host->function)(
            send->buffer, send->counts, send->offsets, send->datatypes, recv->buffer, recv->counts, recv->offsets,
            recv->datatypes, comm, info, request_p, host->module);
    }
}

static int neighbor_alltoallw(const void *sbuf, counts_t scounts, offsets_t sdispls, type_t *const *stypes, void *rbuf,
                              counts_t rcounts, offsets_t rdispls, type_t *const *rtypes, ompi_communicator_t *comm,
                              mca_coll_base_module_t *base)
{
    const previous_t *host = mca_coll_irr_left_to(base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW);
    call_t call;

    if (host != NULL) {
        return ((mca_coll_base_module_neighbor_alltoallw_fn_t)host->function)(
            sbuf, scounts, sdispls, stypes, rbuf, rcounts, rdispls, rtypes, comm, host->module);
    }
    call = (call_t){ .send = typed_far(sbuf, scounts, sdispls, stypes),
                     .recv = typed_far(rbuf, rcounts, rdispls, rtypes) };
    return mca_coll_irr_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, &call);
}

static int ineighbor_alltoallw(const void *sbuf, counts_t scounts, offsets_t sdispls, type_t *const *stypes,
                               void *rbuf, counts_t rcounts, offsets_t rdispls, type_t *const *rtypes,
                               ompi_communicator_t *comm, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    call_t call = { .send = typed_far(sbuf, scounts, sdispls, stypes),
                    .recv = typed_far(rbuf, rcounts, rdispls, rtypes) };

    (void)comm;
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, &call, request_p);
}

static int neighbor_alltoallw_init(const void *sbuf, counts_t scounts, offsets_t sdispls, type_t *const *stypes,
                                   void *rbuf, counts_t rcounts, offsets_t rdispls, type_t *const *rtypes,
                                   ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,
                                   mca_coll_base_module_t *base)
{
    call_t call = { .send = typed_far(sbuf, scounts, sdispls, stypes),
                    .recv = typed_far(rbuf, rcounts, rdispls, rtypes) };

    (void)comm;
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, &call, info,
                                  request_p);
}

/* ---- the table ---- */

/* A function of MPI, where Open MPI has it, and ours. */
#define ENTRY(name, member) {                                                                                      \
        .call = "MPI_" name, .function = (mca_coll_irr_function_t)(member),                                        \
        .in_module = offsetof(mca_coll_base_module_t, coll_##member),                                              \
        .in_comm = offsetof(mca_coll_base_comm_coll_t, coll_##member),                                             \
        .in_comm_module = offsetof(mca_coll_base_comm_coll_t, coll_##member##_module) }

const mca_coll_irr_collective_t mca_coll_irr_collectives[MCA_COLL_IRR_COLLECTIVES] = {
    [MCA_COLL_IRR_ALLTOALLV] = {
        .forms = { ENTRY("Alltoallv", alltoallv), ENTRY("Ialltoallv", ialltoallv),
                   ENTRY("Alltoallv_init", alltoallv_init) },
        .host = host_counted,
        .variable = "alltoallv",
        .algorithm = MCA_COLL_IRR_ALLTOALLV_ALGORITHM,
        .leader = MCA_COLL_IRR_ALLTOALLV
    },
    [MCA_COLL_IRR_ALLTOALL] = {
        .forms = { ENTRY("Alltoall", alltoall), ENTRY("Ialltoall", ialltoall), ENTRY("Alltoall_init", alltoall_init) },
        .host = host_equal,
        .variable = "alltoall",
        .algorithm = MCA_COLL_IRR_ALLTOALL_ALGORITHM,
        .leader = MCA_COLL_IRR_ALLTOALLV
    },
    [MCA_COLL_IRR_ALLTOALLW] = {
        .forms = { ENTRY("Alltoallw", alltoallw), ENTRY("Ialltoallw", ialltoallw),
                   ENTRY("Alltoallw_init", alltoallw_init) },
        .host = host_typed,
        .variable = "alltoallw",
        .algorithm = MCA_COLL_IRR_ALLTOALLV_ALGORITHM,
        .leader = MCA_COLL_IRR_ALLTOALLV
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALLV] = {
        .forms = { ENTRY("Neighbor_alltoallv", neighbor_alltoallv), ENTRY("Ineighbor_alltoallv", ineighbor_alltoallv),
                   ENTRY("Neighbor_alltoallv_init", neighbor_alltoallv_init) },
        .host = host_counted,
        .variable = "neighbor_alltoallv",
        .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
        .leader = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
        .neighbors = true
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALL] = {
        .forms = { ENTRY("Neighbor_alltoall", neighbor_alltoall), ENTRY("Ineighbor_alltoall", ineighbor_alltoall),
                   ENTRY("Neighbor_alltoall_init", neighbor_alltoall_init) },
        .host = host_equal,
        .variable = "neighbor_alltoall",
        .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
        .leader = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
        .neighbors = true
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALLW] = {
        .forms = { ENTRY("Neighbor_alltoallw", neighbor_alltoallw), ENTRY("Ineighbor_alltoallw", ineighbor_alltoallw),
                   ENTRY("Neighbor_alltoallw_init", neighbor_alltoallw_init) },
        .host = host_typed_far,
        .variable = "neighbor_alltoallw",
        .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
        .leader = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
        .neighbors = true
    }
};
