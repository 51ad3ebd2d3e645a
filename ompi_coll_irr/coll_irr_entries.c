/*
 * coll_irr_entries.c - the MPI entry points that Open MPI calls, and the table of the collectives.
 *
 * The arguments of a collective have one of four forms: equal blocks, counts with one datatype, counts with a datatype
 * for each block, and the last with displacements of type MPI_Aint.  A call is stored as a send side and a receive
 * side.  The previous module is the module that served the collective before coll/irr.  Four macros define a form:
 *
 *   FORM_DECLARED   the declaration of the arguments
 *   FORM_PASSED     the arguments, in a call of a function with the same declaration
 *   FORM_CALL       the two sides, made from the arguments
 *   FORM_AGAIN      the arguments, made from two sides, in a call of the previous module
 *
 * Each row of the table contains the offsets of the members in which Open MPI stores the functions of a module, and the
 * functions and modules that serve a communicator.
 */
#include "coll_irr_team.h"

typedef mca_coll_irr_one_count_t one_count_t;
typedef mca_coll_irr_counts_t counts_t;
typedef mca_coll_irr_displs_t displs_t;
typedef mca_coll_irr_offsets_t offsets_t;
typedef ompi_datatype_t type_t;
typedef mca_coll_irr_call_t call_t;
typedef mca_coll_irr_side_t side_t;
typedef mca_coll_irr_previous_t previous_t;

/* ---- forms of arguments ---- */

/* Equal blocks. */
#define EQUAL_DECLARED                                                                                             \
    const void *sbuf, one_count_t scount, type_t *stype, void *rbuf, one_count_t rcount, type_t *rtype
#define EQUAL_PASSED sbuf, scount, stype, rbuf, rcount, rtype
#define EQUAL_CALL   { equal(sbuf, scount, stype), equal(rbuf, rcount, rtype), NULL }
#define EQUAL_AGAIN(send, recv)                                                                                    \
    (send).buffer, (one_count_t)(send).count, (send).datatype,                                                     \
    (recv).buffer, (one_count_t)(recv).count, (recv).datatype

static inline side_t equal(const void *buffer, one_count_t count, type_t *type)
{
    return (side_t){ .buffer = (void *)buffer, .uniform = true, .count = (size_t)count, .datatype = type };
}

/*
 * Arrays of counts and displacements.  `side` is the function that makes a side.  `displs` and `types` are the members
 * of a side that hold displacements and datatypes.
 */
#define ARRAYS_DECLARED(displs_t, types_t)                                                                         \
    const void *sbuf, counts_t scounts, displs_t sdispls, types_t stypes,                                          \
    void *rbuf, counts_t rcounts, displs_t rdispls, types_t rtypes
#define ARRAYS_PASSED sbuf, scounts, sdispls, stypes, rbuf, rcounts, rdispls, rtypes
#define ARRAYS_CALL(side) { side(sbuf, scounts, sdispls, stypes), side(rbuf, rcounts, rdispls, rtypes), NULL }
#define ARRAYS_AGAIN(send, recv, displs, types)                                                                    \
    (send).buffer, (send).counts, (send).displs, (send).types, (recv).buffer, (recv).counts, (recv).displs, (recv).types

/* With one datatype. */
#define COUNTED_DECLARED          ARRAYS_DECLARED(displs_t, type_t *)
#define COUNTED_PASSED            ARRAYS_PASSED
#define COUNTED_CALL              ARRAYS_CALL(counted)
#define COUNTED_AGAIN(send, recv) ARRAYS_AGAIN(send, recv, displs, datatype)

static inline side_t counted(const void *buffer, counts_t counts, displs_t displs, type_t *type)
{
    return (side_t){ .buffer = (void *)buffer, .counts = counts, .displs = displs, .datatype = type };
}

/* With a datatype for each block, displacements in bytes. */
#define TYPED_DECLARED            ARRAYS_DECLARED(displs_t, type_t *const *)
#define TYPED_PASSED              ARRAYS_PASSED
#define TYPED_CALL                ARRAYS_CALL(typed)
#define TYPED_AGAIN(send, recv)   ARRAYS_AGAIN(send, recv, displs, datatypes)

static inline side_t typed(const void *buffer, counts_t counts, displs_t displs, type_t *const *types)
{
    return (side_t){ .buffer = (void *)buffer, .counts = counts, .displs = displs, .datatypes = types };
}

/* With a datatype for each block, displacements of type MPI_Aint. */
#define FAR_DECLARED              ARRAYS_DECLARED(offsets_t, type_t *const *)
#define FAR_PASSED                ARRAYS_PASSED
#define FAR_CALL                  ARRAYS_CALL(far)
#define FAR_AGAIN(send, recv)     ARRAYS_AGAIN(send, recv, offsets, datatypes)

static inline side_t far(const void *buffer, counts_t counts, offsets_t offsets, type_t *const *types)
{
    return (side_t){ .buffer = (void *)buffer, .far = true, .counts = counts, .offsets = offsets, .datatypes = types };
}

/* ---- the functions of a collective ---- */

/* With the type of the function that Open MPI calls by this name. */
#define SERVED(host, member) ((__typeof__(((mca_coll_base_module_t *)NULL)->coll_##member))(host)->function)

/*
 * Defines the blocking, nonblocking and persistent function of a collective, and the function host_NAME, which calls
 * one of the three functions of the previous module.  `FORM` is the form of the arguments.
 */
#define ENTRIES(name, which, FORM)                                                                                 \
static int name(FORM##_DECLARED, ompi_communicator_t *comm, mca_coll_base_module_t *base)                          \
{                                                                                                                  \
    const previous_t *host = mca_coll_irr_left_to(base, which);                                                    \
                                                                                                                   \
    if (host == NULL) {                                                                                            \
        call_t call = FORM##_CALL;                                                                                 \
                                                                                                                   \
        return mca_coll_irr_call((mca_coll_irr_module_t *)base, which, &call);                                     \
    }                                                                                                              \
    return SERVED(host, name)(FORM##_PASSED, comm, host->module);                                                  \
}                                                                                                                  \
                                                                                                                   \
static int i##name(FORM##_DECLARED, ompi_communicator_t *comm, ompi_request_t **request_p,                         \
                   mca_coll_base_module_t *base)                                                                   \
{                                                                                                                  \
    call_t call = FORM##_CALL;                                                                                     \
                                                                                                                   \
    (void)comm;                                                                                                    \
    return mca_coll_irr_icall((mca_coll_irr_module_t *)base, which, &call, request_p);                             \
}                                                                                                                  \
                                                                                                                   \
static int name##_init(FORM##_DECLARED, ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,  \
                       mca_coll_base_module_t *base)                                                               \
{                                                                                                                  \
    call_t call = FORM##_CALL;                                                                                     \
                                                                                                                   \
    (void)comm;                                                                                                    \
    return mca_coll_irr_init_call((mca_coll_irr_module_t *)base, which, &call, info, request_p);                   \
}                                                                                                                  \
                                                                                                                   \
static int host_##name(const previous_t *host, mca_coll_irr_form_t form, ompi_communicator_t *comm,                \
                       const call_t *call, ompi_info_t *info, ompi_request_t **request_p)                          \
{                                                                                                                  \
    switch (form) {                                                                                                \
    case MCA_COLL_IRR_BLOCKING:                                                                                    \
        return SERVED(host, name)(                                                                                 \
            FORM##_AGAIN(call->send, call->recv), comm, host->module);                                             \
    case MCA_COLL_IRR_NONBLOCKING:                                                                                 \
        return SERVED(host, i##name)(                                                                              \
            FORM##_AGAIN(call->send, call->recv), comm, request_p, host->module);                                  \
    default:                                                                                                       \
        return SERVED(host, name##_init)(                                                                          \
            FORM##_AGAIN(call->send, call->recv), comm, info, request_p, host->module);                            \
    }                                                                                                              \
}

ENTRIES(alltoallv, MCA_COLL_IRR_ALLTOALLV, COUNTED)
ENTRIES(alltoall, MCA_COLL_IRR_ALLTOALL, EQUAL)
ENTRIES(alltoallw, MCA_COLL_IRR_ALLTOALLW, TYPED)
ENTRIES(neighbor_alltoallv, MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, COUNTED)
ENTRIES(neighbor_alltoall, MCA_COLL_IRR_NEIGHBOR_ALLTOALL, EQUAL)
ENTRIES(neighbor_alltoallw, MCA_COLL_IRR_NEIGHBOR_ALLTOALLW, FAR)

/* ---- the table ---- */

#define ENTRY(name, member) {                                                                                      \
        .call = "MPI_" name, .function = (mca_coll_irr_function_t)(member),                                        \
        .in_module = offsetof(mca_coll_base_module_t, coll_##member),                                              \
        .in_comm = offsetof(mca_coll_base_comm_coll_t, coll_##member),                                             \
        .in_comm_module = offsetof(mca_coll_base_comm_coll_t, coll_##member##_module) }

/* The members of a row that follow from the names of its collective. */
#define NAMED(Name, Iname, name)                                                                                   \
        .forms = { ENTRY(Name, name), ENTRY(Iname, i##name), ENTRY(Name "_init", name##_init) },                   \
        .host = host_##name,                                                                                       \
        .variable = #name

/* Collectives with the same primary share engine communicators. */
#define OF_ALL       .primary = MCA_COLL_IRR_ALLTOALLV
#define OF_NEIGHBORS .primary = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV, .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM

const mca_coll_irr_collective_t mca_coll_irr_collectives[MCA_COLL_IRR_COLLECTIVES] = {
    [MCA_COLL_IRR_ALLTOALLV] = {
        NAMED("Alltoallv", "Ialltoallv", alltoallv), OF_ALL, .algorithm = MCA_COLL_IRR_ALLTOALLV_ALGORITHM
    },
    [MCA_COLL_IRR_ALLTOALL] = {
        NAMED("Alltoall", "Ialltoall", alltoall), OF_ALL, .algorithm = MCA_COLL_IRR_ALLTOALL_ALGORITHM
    },
    [MCA_COLL_IRR_ALLTOALLW] = {
        NAMED("Alltoallw", "Ialltoallw", alltoallw), OF_ALL, .algorithm = MCA_COLL_IRR_ALLTOALLV_ALGORITHM
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALLV] = {
        NAMED("Neighbor_alltoallv", "Ineighbor_alltoallv", neighbor_alltoallv), OF_NEIGHBORS
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALL] = {
        NAMED("Neighbor_alltoall", "Ineighbor_alltoall", neighbor_alltoall), OF_NEIGHBORS
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALLW] = {
        NAMED("Neighbor_alltoallw", "Ineighbor_alltoallw", neighbor_alltoallw), OF_NEIGHBORS
    }
};
