/*
 * mpi_types.h - random datatypes of one signature. A datatype has a number of items of a basic datatype, in short and
 * long runs and in any order.
 */
#ifndef MPI_TYPES_H
#define MPI_TYPES_H

#include "mpi_test.h"

/*
 * Returns a committed datatype of `items` items of a basic datatype. Its elements do not overlap. The first item may
 * lie before the address of an element. Types of equal `items` and `base` match.
 */
MPI_Datatype mpi_types_random(MPI_Datatype base, int items, uint64_t *state);

/* Returns a type with the same items in `pieces` runs, each with a gap of its length behind it. */
MPI_Datatype mpi_types_runs(MPI_Datatype base, int items, int pieces);

/*
 * Returns a type with the same items in `pieces` runs, in random slots of twice as many slots. The first slot and the
 * last slot are always used, so the bounds and sizes of these types are equal.
 */
MPI_Datatype mpi_types_slots(MPI_Datatype base, int items, int pieces, uint64_t *state);

/* Returns the distance between two elements, in bytes. */
MPI_Aint mpi_types_extent(MPI_Datatype type);

#endif
