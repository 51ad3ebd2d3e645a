/*
 * mpi_edges.h - random communicators, and whom a rank sends blocks to on them: all ranks, those of the other group, or
 * the neighbours of a topology.
 *
 * An edge has a number, which both ends know: between two ranks the first one is 0, the next one 1; but on a grid it is
 * the slot of the sender.  So messages with these tags bring each block where the standard says.
 */
#ifndef MPI_EDGES_H
#define MPI_EDGES_H

#include "mpi_test.h"

/* Slots of one side: the rank at the other end, or MPI_PROC_NULL, and the number of the edge. */
typedef struct mpi_edges {
    int  count;
    int *ranks, *numbers;
} mpi_edges_t;

typedef enum mpi_pair_kind {
    ALL, REVERSED, HALVES, GRID, GRAPH, DIST_GRAPH, INTER_UNEVEN, INTER_ONE, INTER_REVERSED, PAIRS
} mpi_pair_kind_t;

/* A communicator of coll/irr, and one of the same ranks for the reference. */
typedef struct mpi_pair {
    const char *name;
    MPI_Comm    irr, plain;   /* plain is MPI_COMM_NULL if the program keeps irr */
    int         ranks, rank;
    int         is_inter, has_nobody;
    int         first, other_first;   /* numbers of rank 0, and of rank 0 of the other group */
    int         has_neighbors;
    mpi_edges_t all, out, in;
} mpi_pair_t;

/* The keys go to the communicator of coll/irr.  All ranks of the job take part, with the same state. */
void mpi_pair_init(mpi_pair_t *pair, int which, char **keys, int nkeys, uint64_t *state);

/* The same with the keys of the case that runs. */
void mpi_pair_open(mpi_pair_t *pair, int which);

/* One of a communicator without neighbours that the program has, and keeps: the ranks of both groups count from 0. */
void mpi_pair_wrap(mpi_pair_t *pair, MPI_Comm comm);

/* The communicator of coll/irr may have been freed, and be MPI_COMM_NULL. */
void mpi_pair_fini(mpi_pair_t *pair);

#endif
