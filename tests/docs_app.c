/*
 * docs_app.c - the program that the documents call app: it calls MPI_Alltoallv and MPI_Alltoall.
 *
 * Message lengths differ from pair to pair, and every byte is compared.  Exit status 1: a byte is wrong.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 200, UNIT = 64 };

static int length(int from, int to)
{
    return UNIT * ((from + 2 * to) % 5);
}

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0, out = 0, in = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int *counts = calloc(4 * (size_t)ranks, sizeof(int));
    int *offsets = counts + ranks, *expected = counts + 2 * ranks, *places = counts + 3 * ranks;

    for (int i = 0; i < ranks; i++) {
        counts[i] = length(rank, i);
        expected[i] = length(i, rank);
        offsets[i] = out;
        places[i] = in;
        out += counts[i];
        in += expected[i];
    }

    char *sent = malloc((size_t)out + 1), *received = malloc((size_t)in + 1);

    memset(sent, rank, (size_t)out);
    for (int call = 0; call < CALLS; call++) {
        MPI_Alltoallv(sent, counts, offsets, MPI_BYTE, received, expected, places, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Alltoall(counts, 1, MPI_INT, offsets, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0, at = 0; i < ranks; i++) {
            wrong |= offsets[i] != expected[i];
            offsets[i] = at;
            at += counts[i];
        }
    }
    for (int i = 0; i < ranks; i++) {
        for (int k = 0; k < expected[i]; k++) {
            wrong |= received[places[i] + k] != (char)i;
        }
    }
    free(counts);
    free(sent);
    free(received);
    MPI_Finalize();
    return wrong;
}
