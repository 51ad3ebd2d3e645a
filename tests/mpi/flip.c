/*
 * flip.c - a library to be preloaded. It corrupts one byte that rank 0 receives in exchange number FLIP, counted from
 * 1. An exchange is a call of MPI_Alltoallv, or the messages that a call of MPI_Waitall completes.
 */
#include <mpi.h>
#include <stdlib.h>

static unsigned char *first;   /* buffer of the first message that was posted since the last exchange */

/* Ends an exchange whose first byte is at `byte`. */
static void end(unsigned char *byte)
{
    static int exchanges;
    const char *flip = getenv("FLIP");
    int rank = -1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (++exchanges == (flip != NULL ? atoi(flip) : 0) && rank == 0) {
        byte[0] ^= 1;
    }
}

int MPI_Alltoallv(const void *send, const int *counts, const int *offsets, MPI_Datatype type, void *recv,
                  const int *recv_counts, const int *recv_offsets, MPI_Datatype recv_type, MPI_Comm comm)
{
    const int result = PMPI_Alltoallv(send, counts, offsets, type, recv, recv_counts, recv_offsets, recv_type, comm);

    end(recv);
    return result;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    first = first != NULL ? first : buffer;
    return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const int result = PMPI_Waitall(count, requests, statuses);

    end(first);
    first = NULL;
    return result;
}
