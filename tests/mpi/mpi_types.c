/*
 * mpi_types.c - random datatypes of one signature (mpi_types.h).
 */
#include "mpi_types.h"

/* Returns a type of runs of random lengths. Each run is some items behind or before the previous run. */
static MPI_Datatype scattered(MPI_Datatype base, int items, int backwards, uint64_t *state)
{
    int lengths[8], displs[8], count = 0, at = backwards ? 4 * items + 64 : 0;
    MPI_Datatype type;

    for (int left = items; left > 0; count++) {
        const int length = count == 7 ? left : 1 + mpi_test_below(state, left);

        lengths[count] = length;
        at -= backwards ? length + mpi_test_below(state, 3) : 0;
        displs[count] = at;
        at += backwards ? 0 : length + mpi_test_below(state, 3);
        left -= length;
    }
    MPI_Type_indexed(count, lengths, displs, base, &type);
    return type;
}

/* Returns a type of every second item, then the other items in one run. The first is at item 8. */
static MPI_Datatype structure(MPI_Datatype base, int items, int size)
{
    const int first = items / 2;
    int lengths[2] = { 1, items - first };
    MPI_Aint displs[2] = { 8 * size, (8 + 2 * (MPI_Aint)first + 1) * size };
    MPI_Datatype types[2] = { MPI_DATATYPE_NULL, base }, type;

    MPI_Type_vector(first, 1, 2, base, &types[0]);
    MPI_Type_create_struct(2, lengths, displs, types, &type);
    MPI_Type_free(&types[0]);
    return type;
}

enum { KINDS = 8 };

MPI_Datatype mpi_types_random(MPI_Datatype base, int items, uint64_t *state)
{
    const int half = items > 1 && items % 2 == 0 ? items / 2 : 1;
    MPI_Aint lower, extent, wider;
    MPI_Datatype type, resized;
    int size;

    MPI_Type_size(base, &size);
    wider = (MPI_Aint)size * mpi_test_below(state, 3);
    switch (mpi_test_below(state, KINDS)) {
    case 0:  MPI_Type_vector(items, 1, 2, base, &type); break;
    case 1:  MPI_Type_vector(items / half, half, half + 3, base, &type); break;
    case 2:  type = scattered(base, items, 0, state); break;
    case 3:  type = scattered(base, items, 1, state); break;
    case 4:  type = structure(base, items, size); break;
    case 5:  MPI_Type_create_hvector(items, 1, -3 * (MPI_Aint)size, base, &type); break;   /* backwards from the last */
    default: MPI_Type_contiguous(items, base, &type); break;
    }
    MPI_Type_get_true_extent(type, &lower, &extent);
    MPI_Type_create_resized(type, lower - wider, extent + wider, &resized);
    MPI_Type_free(&type);
    MPI_Type_commit(&resized);
    return resized;
}

MPI_Datatype mpi_types_runs(MPI_Datatype base, int items, int pieces)
{
    const int run = items / pieces;
    MPI_Datatype vector, type;
    int size;

    MPI_Type_size(base, &size);
    MPI_Type_vector(pieces, run, 2 * run, base, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint)(pieces > 1 ? 2 * pieces * run : run) * size, &type);
    MPI_Type_free(&vector);
    MPI_Type_commit(&type);
    return type;
}

MPI_Datatype mpi_types_slots(MPI_Datatype base, int items, int pieces, uint64_t *state)
{
    const int run = items / pieces;
    int *slots = malloc((size_t)pieces * sizeof(int)), size;
    MPI_Datatype indexed, type;

    for (int i = 0, slot = 0; i < pieces; i++, slot++) {
        const int room = pieces + i - slot;   /* slots that may be empty before this piece */

        slot += i == 0 ? 0 : i == pieces - 1 ? room : mpi_test_below(state, (room < 3 ? room : 3) + 1);
        slots[i] = slot * run;
    }
    MPI_Type_size(base, &size);
    MPI_Type_create_indexed_block(pieces, run, slots, base, &indexed);
    MPI_Type_create_resized(indexed, 0, 2 * (MPI_Aint)pieces * run * size, &type);
    MPI_Type_free(&indexed);
    MPI_Type_commit(&type);
    free(slots);
    return type;
}

MPI_Aint mpi_types_extent(MPI_Datatype type)
{
    MPI_Aint lower, extent;

    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}
