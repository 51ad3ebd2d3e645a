/*
 * cycles.c - communicators come and go: duplicate, exchange, free, many times, at constant memory.
 *
 *     mpi_cycles CYCLES KIBIBYTES   resident memory may grow by so much from a tenth of the cycles on
 */
#include "mpi_test.h"

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file != NULL) {
        if (fscanf(file, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * 4;
}

static void cycle(int i)
{
    int rank, ranks, in[2] = { 1, 2 }, out[64];
    int counts[64] = { 0 }, displs[64] = { 0 };
    MPI_Comm comm;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (i % 2 == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 4 == 1 ? rank : -rank, &comm);
    }
    MPI_Comm_size(comm, &ranks);
    for (int j = 0; j < ranks; j++) {
        counts[j] = 1;
        displs[j] = j;
        out[j] = 0;
    }
    MPI_Alltoallv(in, counts, counts, MPI_INT, out, counts, displs, MPI_INT, comm);
    CHECK(out[0] == 2 && out[ranks - 1] == 2);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int cycles = argc > 1 ? atoi(argv[1]) : 1000;
    long allowed = argc > 2 ? atol(argv[2]) : 64, base = 0, grown;

    MPI_Init(&argc, &argv);
    mpi_test_served();
    for (int i = 0; i < cycles; i++) {
        if (i == cycles / 10) {
            base = resident_kib();
        }
        cycle(i);
    }
    grown = resident_kib() - base;
    if (!CHECK(grown <= allowed)) {
        fprintf(stderr, "resident memory grew by %ld KiB in %d cycles, %ld are allowed\n", grown, cycles, allowed);
    }
    CHECK(mpi_test_served() == (unsigned long long)cycles);
    return mpi_test_end();
}
