/*
 * mpi_counts.c - the patterns of counts of a call (mpi_call.h).
 */
#include "mpi_call.h"

uint64_t mpi_call_hash(uint64_t seed, int from, int to, int edge)
{
    uint64_t state = seed + (uint64_t)from * 7919 + (uint64_t)to * 104729 + (uint64_t)edge;

    return mpi_test_random(&state);
}

static int count_zero(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)from, (void)to, (void)edge;
    return 0;
}

static int count_one(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)from, (void)to, (void)edge;
    return 1;
}

/* Returns random counts. One to four quarters of all blocks are not empty. */
static int count_random(const mpi_spec_t *spec, int from, int to, int edge)
{
    const uint64_t random = mpi_call_hash(spec->seed, from, to, edge);

    return random % 4 <= spec->seed % 4 ? (int)(random / 4 % (uint64_t)spec->most) : 0;
}

static int count_sparse(const mpi_spec_t *spec, int from, int to, int edge)
{
    const uint64_t random = mpi_call_hash(spec->seed, from, to, edge);

    return random % 4 == 0 ? (int)(random / 4 % (uint64_t)(15 * spec->most)) : 0;
}

/* Returns counts with which only rank 0, 1 or 2 sends, to all ranks. */
static int count_row(const mpi_spec_t *spec, int from, int to, int edge)
{
    const int row = (int)(spec->seed % 3);

    return from == row || (to == row && spec->kind->in_place)
               ? 1 + (int)(mpi_call_hash(spec->seed, from, to, edge) % (uint64_t)(10 * spec->most)) : 0;
}

static int count_column(const mpi_spec_t *spec, int from, int to, int edge)
{
    const int column = (int)(spec->seed % 3);

    return to == column || (from == column && spec->kind->in_place)
               ? 1 + (int)(mpi_call_hash(spec->seed, from, to, edge) % (uint64_t)(10 * spec->most)) : 0;
}

/* Returns counts with one block of a mebibyte and one block of a quarter of a mebibyte, or uniform blocks of 100 kB. */
static int count_large(const mpi_spec_t *spec, int from, int to, int edge)
{
    const int low = from < to ? from : to, high = from < to ? to : from;
    int size;

    MPI_Type_size(spec->base, &size);
    if (spec->kind->layout == UNIFORM) {
        return 100000 / (spec->items * size) + 1;
    }
    return low == 0 && high == 1 && edge < 2 ? (1 << 20 >> 2 * edge) / (spec->items * size)
                                             : count_sparse(spec, from, to, edge);
}

int mpi_count_most(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)from, (void)to, (void)edge;
    return spec->most;
}

const mpi_counts_t mpi_shapes[SHAPES] = {
    count_zero, count_one, count_random, count_sparse, count_row, count_column, count_large
};
