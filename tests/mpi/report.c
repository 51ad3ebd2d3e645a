/*
 * report.c - exchanges whose bytes and numbers are known, for coll_irr_report and for the variables of MPI_T.
 *
 *     mpi_report CALLS COMMUNICATORS
 *
 * CALLS of MPI_Alltoallv on MPI_COMM_WORLD, of which rank r sends 10 (r + 1) bytes to each other but nothing to rank 0;
 * as many of MPI_Alltoall, of 8 bytes; as many communicators as asked for, with two of the first each, freed at once;
 * one of half of the ranks, with a name of letters that nobody expects, and never freed; and three starts of a request.
 */
#include "mpi_call.h"

enum { ROOM = 1024 };

typedef struct exchange {
    int ranks, rank;
    int send_counts[ROOM], send_displs[ROOM], recv_counts[ROOM], recv_displs[ROOM];
    unsigned char in[ROOM * 8], out[ROOM * 8];
} exchange_t;

static exchange_t exchange;

static void prepare(MPI_Comm comm)
{
    int sent = 0, received = 0;

    MPI_Comm_size(comm, &exchange.ranks);
    MPI_Comm_rank(comm, &exchange.rank);
    for (int i = 0; i < exchange.ranks; i++) {
        exchange.send_counts[i] = i == 0 ? 0 : 10 * (exchange.rank + 1);
        exchange.recv_counts[i] = exchange.rank == 0 ? 0 : 10 * (i + 1);
        exchange.send_displs[i] = sent;
        exchange.recv_displs[i] = received;
        sent += exchange.send_counts[i];
        received += exchange.recv_counts[i];
    }
}

static void exchange_some(MPI_Comm comm, int calls)
{
    prepare(comm);
    for (int i = 0; i < calls; i++) {
        MPI_Alltoallv(exchange.in, exchange.send_counts, exchange.send_displs, MPI_BYTE, exchange.out,
                      exchange.recv_counts, exchange.recv_displs, MPI_BYTE, comm);
    }
}

static void exchange_equally(MPI_Comm comm, int calls)
{
    for (int i = 0; i < calls; i++) {
        MPI_Alltoall(exchange.in, 8, MPI_BYTE, exchange.out, 8, MPI_BYTE, comm);
    }
}

static void exchange_persistently(MPI_Comm comm)
{
    MPI_Request request;

    prepare(comm);
    ALLTOALLV_INIT(exchange.in, exchange.send_counts, exchange.send_displs, MPI_BYTE, exchange.out,
                   exchange.recv_counts, exchange.recv_displs, MPI_BYTE, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 0, communicators = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Comm half, dup;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange_some(MPI_COMM_WORLD, calls);
    exchange_equally(MPI_COMM_WORLD, calls);
    for (int i = 0; i < communicators; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        exchange_some(dup, 2);
        MPI_Comm_free(&dup);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, "half \"of\" \\ all\n\xe4");
    exchange_some(half, 5);
    exchange_persistently(MPI_COMM_WORLD);
    return mpi_test_end();
}
