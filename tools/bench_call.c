/*
 * bench_call.c - the calls that irr_bench times: the peers of each rank, and the memory layout of the blocks.
 *
 * With a datatype, the blocks of a side lie as in the transposition of a matrix.  A block is divided into pieces, and
 * the pieces of the next blocks fill the gaps between them.  Neighbours are those on a periodic grid, as even as
 * possible, or the next ones on a ring.  With two groups, each rank has a block for each rank of the other group.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

const char *irr_bench_call_name(irr_bench_call_t call, bool nonblocking)
{
    static const char *const names[][2] = {
        { "MPI_Alltoallv", "MPI_Ialltoallv" }, { "MPI_Alltoall", "MPI_Ialltoall" },
        { "MPI_Alltoallw", "MPI_Ialltoallw" }, { "MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv" }
    };

    return names[call][nonblocking];
}

void irr_bench_call_manner(const irr_bench_work_t *work, int ranks, char *text, size_t size)
{
    if (work->inter > 0) {
        snprintf(text, size, ", groups of %d and %d ranks", work->inter, ranks - work->inter);
    } else {
        snprintf(text, size, "%s", work->in_place ? ", in place" : "");
    }
}

const char *irr_bench_key(irr_bench_call_t call)
{
    switch (call) {
    case IRR_BENCH_ALLTOALL: return "coll_irr_alltoall_algorithm";
    case IRR_BENCH_NEIGHBOR: return "coll_irr_neighbor_algorithm";
    default:                 return "coll_irr_alltoallv_algorithm";
    }
}

/* ---- peers ---- */

int irr_bench_slots(const irr_bench_work_t *work, int ranks, int rank)
{
    if (work->inter > 0) {
        return rank < work->inter ? ranks - work->inter : work->inter;
    }
    return work->dims > 0 ? 2 * work->dims : work->degree > 0 ? work->degree : ranks;
}

bool irr_bench_speak(const irr_bench_work_t *work, int a, int b)
{
    return work->inter == 0 || (a < work->inter) != (b < work->inter);
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

/* Returns an intercommunicator of the first ranks and the others.  The first rank of each group leads it. */
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

/* ---- blocks in memory ---- */

size_t irr_bench_place(const irr_bench_exchange_t *exchange, const irr_bench_side_t *side, int slot, size_t byte,
                       size_t *run_p)
{
    const size_t length = (size_t)side->counts[slot], offset = (size_t)side->offsets[slot];
    size_t piece;

    if (side->types == NULL) {
        *run_p = length - byte;
        return offset + byte;
    }
    piece = length / (size_t)exchange->work->pieces;
    *run_p = piece - byte % piece;
    return offset + byte / piece * piece * (size_t)exchange->work->stride + byte % piece;
}

uint64_t irr_bench_span(const irr_bench_work_t *work, int ranks, uint64_t bytes)
{
    const uint64_t stride = (uint64_t)work->stride;

    return ((uint64_t)ranks + stride - 1) / stride * stride * bytes;
}

bool irr_bench_types_init(const irr_bench_work_t *work, irr_bench_side_t *side, int slots)
{
    side->types = malloc((size_t)slots * sizeof(*side->types));
    for (int i = 0; side->types != NULL && i < slots; i++) {
        const int piece = side->counts[i] / work->pieces;

        MPI_Type_vector(work->pieces, piece, work->stride * piece, MPI_BYTE, &side->types[i]);
        MPI_Type_commit(&side->types[i]);
        side->ones[i] = 1;
    }
    return side->types != NULL;
}

void irr_bench_types_fini(irr_bench_side_t *side, int slots)
{
    for (int i = 0; side->types != NULL && i < slots; i++) {
        MPI_Type_free(&side->types[i]);
    }
    free(side->types);
    side->types = NULL;
}
