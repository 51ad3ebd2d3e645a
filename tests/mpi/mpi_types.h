/*
 * mpi_types.h - random datatypes of one signature: so many doubles, with short and long runs of bytes, in any order.
 */
#ifndef MPI_TYPES_H
#define MPI_TYPES_H

#include "mpi_test.h"

static inline int types_below(uint64_t *state, int limit)
{
    return (int)(mpi_test_random(state) % (uint64_t)limit);
}

static inline MPI_Datatype types_blocks(int doubles, int block, int stride)
{
    MPI_Datatype type;

    MPI_Type_vector(doubles / block, block, stride, MPI_DOUBLE, &type);
    return type;
}

/* Blocks of random lengths, each some doubles behind or before the last one. */
static inline MPI_Datatype types_scattered(int doubles, int backwards, uint64_t *state)
{
    int lengths[8], displs[8], count = 0, at = backwards ? 4 * doubles + 64 : 0;
    MPI_Datatype type;

    for (int left = doubles; left > 0; count++) {
        const int length = count == 7 ? left : 1 + types_below(state, left);

        lengths[count] = length;
        at -= backwards ? length + types_below(state, 3) : 0;
        displs[count] = at;
        at += backwards ? 0 : length + types_below(state, 3);
        left -= length;
    }
    MPI_Type_indexed(count, lengths, displs, MPI_DOUBLE, &type);
    return type;
}

static inline MPI_Datatype types_struct(int doubles)
{
    const int first = doubles / 2;
    int lengths[2] = { 1, doubles - first };
    MPI_Aint displs[2] = { 64, 0 };
    MPI_Datatype types[2] = { MPI_DATATYPE_NULL, MPI_DOUBLE }, type;

    MPI_Type_vector(first, 1, 2, MPI_DOUBLE, &types[0]);
    displs[1] = 64 + (MPI_Aint)(2 * first + 1) * (MPI_Aint)sizeof(double);
    MPI_Type_create_struct(2, lengths, displs, types, &type);
    MPI_Type_free(&types[0]);
    return type;
}

/* Its blocks from the last one to the first one. */
static inline MPI_Datatype types_negative(int doubles)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(doubles, 1, -3 * (MPI_Aint)sizeof(double), MPI_DOUBLE, &type);
    return type;
}

enum { TYPES_KINDS = 8 };

/* Elements of it do not overlap, and the first one may begin before its address. */
static inline MPI_Datatype types_random(int doubles, uint64_t *state)
{
    const int half = doubles > 1 && doubles % 2 == 0 ? doubles / 2 : 1;
    MPI_Aint lower, extent, wider = (MPI_Aint)sizeof(double) * types_below(state, 3);
    MPI_Datatype type, resized;

    switch (types_below(state, TYPES_KINDS)) {
    case 0:  type = types_blocks(doubles, 1, 2); break;
    case 1:  type = types_blocks(doubles, half, half + 3); break;
    case 2:  type = types_scattered(doubles, 0, state); break;
    case 3:  type = types_scattered(doubles, 1, state); break;
    case 4:  type = doubles > 1 ? types_struct(doubles) : types_blocks(1, 1, 1); break;
    case 5:  type = types_negative(doubles); break;
    default: MPI_Type_contiguous(doubles, MPI_DOUBLE, &type); break;
    }
    MPI_Type_get_true_extent(type, &lower, &extent);
    MPI_Type_create_resized(type, lower - wider, extent + wider, &resized);
    MPI_Type_free(&type);
    MPI_Type_commit(&resized);
    return resized;
}

#endif
