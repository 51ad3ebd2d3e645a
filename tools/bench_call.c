/*
 * bench_call.c - the calls that irr_bench times, blocking, nonblocking and persistent, and the peers of each rank.
 *
 * A rank has a slot for each block that it sends, and for each block that it receives.  The peer of a slot is the rank
 * at the other end.  With --neighbor the peers are the neighbours on a periodic grid with dimensions of similar size,
 * or on a ring: a rank sends to the ranks after it, and receives from the ranks before it.  With --inter the peers are
 * the ranks of the other group.  Otherwise they are all ranks.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Open MPI 4.1 has persistent collectives as an extension, with the prefix MPIX_ instead of MPI_. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT(name) MPI_##name
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT(name) MPIX_##name
#endif
#endif

const char *irr_bench_call_name(irr_bench_call_t call, bool nonblocking)
{
    static const char *const names[][2] = {
        { "MPI_Alltoallv", "MPI_Ialltoallv" }, { "MPI_Alltoall", "MPI_Ialltoall" },
        { "MPI_Alltoallw", "MPI_Ialltoallw" }, { "MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv" }
    };

    return names[call][nonblocking];
}

/* ---- the call ---- */

/* The arguments of a call except the request: one count for each block, one count for all, or datatypes. */
#define COUNTS exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts, recv->offsets, \
               MPI_BYTE, comm
#define ONE    exchange->from, send->counts[0], MPI_BYTE, recv->buffer, recv->counts[0], MPI_BYTE, comm
#define TYPES  exchange->from, send->ones, send->offsets, send->types, recv->buffer, recv->ones, recv->offsets, \
               recv->types, comm

void irr_bench_call(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request)
{
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;
    const bool blocks = request == NULL;

    switch (exchange->work->call) {
    case IRR_BENCH_ALLTOALL:
        (void)(blocks ? MPI_Alltoall(ONE) : MPI_Ialltoall(ONE, request));
        break;
    case IRR_BENCH_ALLTOALLW:
        (void)(blocks ? MPI_Alltoallw(TYPES) : MPI_Ialltoallw(TYPES, request));
        break;
    case IRR_BENCH_NEIGHBOR:
        (void)(blocks ? MPI_Neighbor_alltoallv(COUNTS) : MPI_Ineighbor_alltoallv(COUNTS, request));
        break;
    default:
        (void)(blocks ? MPI_Alltoallv(COUNTS) : MPI_Ialltoallv(COUNTS, request));
    }
}

/* ---- persistent requests ---- */

bool irr_bench_persistent(void)
{
#ifdef PERSISTENT
    return true;
#else
    return false;
#endif
}

void irr_bench_request_create(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request)
{
#ifdef PERSISTENT
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    switch (exchange->work->call) {
    case IRR_BENCH_ALLTOALL:
        PERSISTENT(Alltoall_init)(ONE, MPI_INFO_NULL, request);
        break;
    case IRR_BENCH_NEIGHBOR:
        PERSISTENT(Neighbor_alltoallv_init)(COUNTS, MPI_INFO_NULL, request);
        break;
    default:
        PERSISTENT(Alltoallv_init)(COUNTS, MPI_INFO_NULL, request);
    }
#else
    (void)comm;
    (void)exchange;
    (void)request;
#endif
}

/* ---- peers ---- */

int irr_bench_slots(const irr_bench_work_t *work, int ranks, int rank)
{
    if (work->inter > 0) {
        return rank < work->inter ? ranks - work->inter : work->inter;
    }
    return work->dims > 0 ? 2 * work->dims : work->degree > 0 ? work->degree : ranks;
}

/* Returns the neighbour one step up or down in a dimension of the grid. */
static int grid_peer(int dims, int ranks, int rank, int slot)
{
    int sizes[3] = { 0, 0, 0 }, stride = 1, at;

    MPI_Dims_create(ranks, dims, sizes);
    for (int i = slot / 2 + 1; i < dims; i++) {
        stride *= sizes[i];
    }
    at = rank / stride % sizes[slot / 2];
    return rank + ((at + (slot % 2 != 0 ? 1 : sizes[slot / 2] - 1)) % sizes[slot / 2] - at) * stride;
}

int irr_bench_peer(const irr_bench_work_t *work, int ranks, int rank, int slot, bool sends, int *number_p)
{
    const int away = slot % ranks + 1;

    *number_p = 0;
    if (work->inter > 0) {
        return rank < work->inter ? work->inter + slot : slot;
    }
    if (work->dims > 0) {
        *number_p = sends ? slot : slot ^ 1;
        return grid_peer(work->dims, ranks, rank, slot);
    }
    if (work->degree > 0) {
        *number_p = slot;
        return sends ? (rank + away) % ranks : (rank + ranks - away) % ranks;
    }
    return slot;
}

/* Returns an intercommunicator of the first ranks and the other ranks.  The first rank of each group is its leader. */
static MPI_Comm groups(const irr_bench_work_t *work, int rank)
{
    const bool first = rank < work->inter;
    MPI_Comm group, comm;

    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? work->inter : 0, 0, &comm);
    MPI_Comm_free(&group);
    return comm;
}

MPI_Comm irr_bench_topology(const irr_bench_work_t *work)
{
    const int periods[3] = { 1, 1, 1 };
    int sizes[3] = { 0, 0, 0 }, *lists, ranks, rank, number;
    MPI_Comm comm;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (work->inter > 0) {
        return groups(work, rank);
    }
    if (work->dims > 0) {
        MPI_Dims_create(ranks, work->dims, sizes);
        MPI_Cart_create(MPI_COMM_WORLD, work->dims, sizes, periods, 0, &comm);
        return comm;
    }
    lists = calloc(3 * (size_t)work->degree + 1, sizeof(*lists));
    if (work->degree == 0 || lists == NULL) {
        free(lists);
        return MPI_COMM_WORLD;
    }
    for (int i = 0; i < work->degree; i++) {
        lists[i] = irr_bench_peer(work, ranks, rank, i, false, &number);
        lists[work->degree + i] = irr_bench_peer(work, ranks, rank, i, true, &number);
        lists[2 * work->degree + i] = 1;   /* the weights */
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, work->degree, lists, lists + 2 * work->degree, work->degree,
                                   lists + work->degree, lists + 2 * work->degree, MPI_INFO_NULL, 0, &comm);
    free(lists);
    return comm;
}
