/*
 * mpi_edges.h - random communicators, and the peers of a rank on them. The peers are all ranks, the ranks of the other
 * group, or the neighbours of a topology.
 *
 * Both ends of an edge know its number. Between two ranks the first edge has number 0, the next edge 1. On a grid the
 * number is the slot of the sender. Messages with these numbers as tags therefore deliver each block as the standard
 * requires.
 */
#ifndef MPI_EDGES_H
#define MPI_EDGES_H

#include "mpi_test.h"

/* The slots of one side: the peer, or MPI_PROC_NULL, and the number of the edge. */
typedef struct mpi_edges {
    int  count;
    int *ranks, *numbers;
} mpi_edges_t;

typedef enum mpi_pair_kind {
    ALL, REVERSED, HALVES, GRID, GRAPH, DIST_GRAPH, INTER_UNEVEN, INTER_ONE, INTER_REVERSED, PAIRS
} mpi_pair_kind_t;

/* A communicator that coll/irr may serve, and a communicator of the same ranks for the reference. */
typedef struct mpi_pair {
    const char *name;
    MPI_Comm    irr, plain;   /* plain is MPI_COMM_NULL if the program owns irr */
    int         ranks, rank;
    int         is_inter, has_nobody;
    int         first, other_first;   /* number of rank 0 of this group, and of rank 0 of the other group */
    int         has_neighbors;
    mpi_edges_t all, out, in;
} mpi_pair_t;

/* Makes a pair. Collective over the job, with one state on all ranks. coll/irr's communicator gets the keys. */
void mpi_pair_init(mpi_pair_t *pair, int which, char **keys, int nkeys, uint64_t *state);

/* Makes a pair with the keys of the running case. */
void mpi_pair_open(mpi_pair_t *pair, int which);

/* Makes a pair of a communicator without neighbours that the program owns.  The ranks of both groups count from 0. */
void mpi_pair_wrap(mpi_pair_t *pair, MPI_Comm comm);

/* Releases a pair.  Its communicator of coll/irr may have been freed, and be MPI_COMM_NULL. */
void mpi_pair_fini(mpi_pair_t *pair);

#endif
