/*
 * flip.c - preloaded, makes one byte wrong of what call number FLIP of MPI_Alltoallv brings rank 0, counted from 1.
 */
#include <mpi.h>
#include <stdlib.h>

int MPI_Alltoallv(const void *send, const int *counts, const int *offsets, MPI_Datatype type, void *recv,
                  const int *recv_counts, const int *recv_offsets, MPI_Datatype recv_type, MPI_Comm comm)
{
    static int calls;
    const char *flip = getenv("FLIP");
    const int result = PMPI_Alltoallv(send, counts, offsets, type, recv, recv_counts, recv_offsets, recv_type, comm);
    int rank = -1;

    MPI_Comm_rank(comm, &rank);
    if (++calls == (flip != NULL ? atoi(flip) : 0) && rank == 0) {
        ((unsigned char *)recv)[0] ^= 1;
    }
    return result;
}
