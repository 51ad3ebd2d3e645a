/*
 * mpi_call.h - random arguments of MPI_Alltoallv: counts of many shapes, blocks in any order, types that match.
 */
#ifndef MPI_CALL_H
#define MPI_CALL_H

#include "mpi_test.h"

/* Open MPI 4.1 has persistent collectives as an extension. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define INIT_CALL(name) MPI_##name##_init
#else
#include <mpi-ext.h>
#define INIT_CALL(name) MPIX_##name##_init
#endif
#define ALLTOALLV_INIT INIT_CALL(Alltoallv)

/* The arguments of one side. */
typedef struct side {
    int         *counts;
    int         *displs;
    MPI_Datatype type;
    char        *buffer;    /* start of memory */
    size_t       bytes;
    char        *base;      /* what MPI gets, may lie within the memory */
} side_t;

static inline MPI_Comm dup_irr(MPI_Comm comm, char **keys, int nkeys)
{
    MPI_Comm dup;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < nkeys; i++) {
        char key[128];
        const char *equals = strchr(keys[i], '=');

        snprintf(key, sizeof(key), "%.*s", (int)(equals - keys[i]), keys[i]);
        MPI_Info_set(info, key, equals + 1);
    }
    MPI_Comm_dup_with_info(comm, info, &dup);
    MPI_Info_free(&info);
    return dup;
}

/*
 * Runs one group of arguments after the other; a comma is an argument that parts groups.  Rank 0 tells of each group
 * whether it was right on all ranks.  A start of a job costs more than most of what is tested on it.
 */
static inline void mpi_test_groups(char **arguments, int count, void (*run)(char **group, int length))
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int first = 0, number = 1, end; first <= count; first = end + 1, number++) {
        int failures = mpi_test_failures;

        for (end = first; end < count && strcmp(arguments[end], ",") != 0; end++) {
        }
        run(arguments + first, end - first);
        failures = mpi_test_failures - failures;
        MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("group %d: %s\n", number, failures == 0 ? "right" : "wrong");
            fflush(stdout);
        }
    }
}

static inline void fill(char *memory, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++) {
        memory[i] = (char)(i * 31 + seed * 131 + (i >> 8) * 7);
    }
}

static inline void side_init(side_t *side, int ranks)
{
    memset(side, 0, sizeof(*side));
    side->counts = calloc((size_t)ranks, sizeof(int));
    side->displs = calloc((size_t)ranks, sizeof(int));
}

static inline void side_fini(side_t *side)
{
    free(side->counts);
    free(side->displs);
    free(side->buffer);
}

/* Lays the blocks out in a random order with gaps; a base in the middle makes some displacements negative. */
static inline void side_lay_out(side_t *side, int ranks, MPI_Datatype type, int middle, uint64_t *state)
{
    MPI_Aint lower, extent;
    int position = (int)(mpi_test_random(state) % 3), shift;
    int *order = malloc((size_t)ranks * sizeof(int));

    for (int i = 0; i < ranks; i++) {
        int j = (int)(mpi_test_random(state) % (uint64_t)(i + 1));

        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < ranks; i++) {
        side->displs[order[i]] = position;
        position += side->counts[order[i]] + (int)(mpi_test_random(state) % 3);
    }
    free(order);
    shift = middle ? position / 2 : 0;
    for (int i = 0; i < ranks; i++) {
        side->displs[i] -= shift;
    }
    MPI_Type_get_extent(type, &lower, &extent);
    side->type = type;
    side->bytes = (size_t)(position + 2) * (size_t)extent;
    side->buffer = malloc(side->bytes);
    side->base = side->buffer + (MPI_Aint)shift * extent;
}

/* counts[i * ranks + j] elements go from i to j; the same on all ranks. */
typedef void (*counts_fn)(int *counts, int ranks, uint64_t *state);

static inline void counts_zero(int *counts, int ranks, uint64_t *state)
{
    (void)state;
    memset(counts, 0, (size_t)ranks * (size_t)ranks * sizeof(int));
}

static inline void counts_random(int *counts, int ranks, uint64_t *state)
{
    for (int i = 0; i < ranks * ranks; i++) {
        counts[i] = (int)(mpi_test_random(state) % 200);
    }
}

static inline void counts_sparse(int *counts, int ranks, uint64_t *state)
{
    for (int i = 0; i < ranks * ranks; i++) {
        counts[i] = mpi_test_random(state) % 4 == 0 ? (int)(mpi_test_random(state) % 3000) : 0;
    }
}

static inline void counts_one_row(int *counts, int ranks, uint64_t *state)
{
    int row = (int)(mpi_test_random(state) % (uint64_t)ranks);

    counts_zero(counts, ranks, state);
    for (int j = 0; j < ranks; j++) {
        counts[row * ranks + j] = 1 + (int)(mpi_test_random(state) % 5000);
    }
}

static inline void counts_one_column(int *counts, int ranks, uint64_t *state)
{
    int column = (int)(mpi_test_random(state) % (uint64_t)ranks);

    counts_zero(counts, ranks, state);
    for (int i = 0; i < ranks; i++) {
        counts[i * ranks + column] = 1 + (int)(mpi_test_random(state) % 5000);
    }
}

static inline void counts_large(int *counts, int ranks, uint64_t *state)
{
    counts_sparse(counts, ranks, state);
    counts[mpi_test_random(state) % (uint64_t)(ranks * ranks)] = 1 << 18;
    counts[mpi_test_random(state) % (uint64_t)(ranks * ranks)] = 1 << 16;
}

static const struct {
    const char *name;
    counts_fn   fill;
} shapes[] = {
    { "zero", counts_zero }, { "random", counts_random }, { "sparse", counts_sparse },
    { "one row", counts_one_row }, { "one column", counts_one_column }, { "large", counts_large }
};

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

/* A vector with gaps of two doubles, and the contiguous type of equal signature. */
static inline MPI_Datatype vector_type(void)
{
    MPI_Datatype vector, resized;

    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, 4 * (MPI_Aint)sizeof(double), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&vector);
    return resized;
}

static inline MPI_Datatype pair_type(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    return pair;
}

/* A call of one rank. */
typedef struct call {
    side_t send, recv;
} call_t;

/* Sides by which each rank has `expected` items from each other, while rank 0 sends `sent`, `stride` apart. */
static inline void sides_init_uneven(side_t *send, side_t *recv, MPI_Comm comm, int sent, int expected, int stride)
{
    int ranks, rank;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    side_init(send, ranks);
    side_init(recv, ranks);
    for (int i = 0; i < ranks; i++) {
        send->counts[i] = rank == 0 && i != 0 ? sent : expected;
        recv->counts[i] = expected;
        send->displs[i] = recv->displs[i] = i * stride;
    }
}

/* A call of a shape, with types that may differ between the sides and between the ranks, but match. */
static inline void call_init(call_t *call, MPI_Comm comm, int shape, MPI_Datatype send_type,
                             MPI_Datatype recv_type, int middle, uint64_t *state)
{
    int ranks, rank, *counts;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    counts = malloc((size_t)ranks * (size_t)ranks * sizeof(int));
    shapes[shape].fill(counts, ranks, state);
    side_init(&call->send, ranks);
    side_init(&call->recv, ranks);
    for (int i = 0; i < ranks; i++) {
        call->send.counts[i] = counts[rank * ranks + i];
        call->recv.counts[i] = counts[i * ranks + rank];
    }
    side_lay_out(&call->send, ranks, send_type, middle, state);
    side_lay_out(&call->recv, ranks, recv_type, middle, state);
    fill(call->send.buffer, call->send.bytes, (uint64_t)rank);
    free(counts);
}

/* The same counts in both directions between each two ranks, as MPI_IN_PLACE wants them; there is one buffer. */
static inline void call_init_in_place(call_t *call, MPI_Comm comm, MPI_Datatype type, uint64_t *state)
{
    int ranks, rank, *counts;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    counts = malloc((size_t)ranks * (size_t)ranks * sizeof(int));
    counts_random(counts, ranks, state);
    memset(&call->send, 0, sizeof(call->send));
    side_init(&call->recv, ranks);
    for (int i = 0; i < ranks; i++) {
        call->recv.counts[i] = counts[rank < i ? rank * ranks + i : i * ranks + rank];
    }
    side_lay_out(&call->recv, ranks, type, 0, state);
    free(counts);
}

static inline void call_fini(call_t *call)
{
    side_fini(&call->recv);
    side_fini(&call->send);
}

#endif
