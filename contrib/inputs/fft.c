/*
 * fft.c - round trips of FFTW in three dimensions, out of place, with sizes that ranks share unevenly.
 *
 *     mpicc -O2 -o fft fft.c -lfftw3_mpi -lfftw3 -lm && mpirun -np 4 fft [ROUNDS]
 *
 * In place, FFTW transposes by pairs of messages.  Out of place, and if it may destroy the input, FFTW also tries
 * MPI_Alltoall and MPI_Alltoallv.  Exit status 1: a result is wrong.
 */
#include <fftw3-mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ptrdiff_t sizes[][3] = { { 32, 30, 28 }, { 33, 31, 16 }, { 61, 24, 20 }, { 48, 48, 24 }, { 19, 40, 36 } };

/* Returns a test value that a rank can compute again. */
static double value(ptrdiff_t i)
{
    return sin((double)i * 0.37) + (double)(i % 7);
}

/* Returns the largest error of the round trips of one size. */
static double round_trips(const ptrdiff_t n[3], int rounds)
{
    ptrdiff_t planes, first, room = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &planes, &first);
    fftw_complex *in = fftw_alloc_complex((size_t)room), *out = fftw_alloc_complex((size_t)room);
    fftw_plan there = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], in, out, MPI_COMM_WORLD, FFTW_FORWARD,
                                           FFTW_MEASURE | FFTW_DESTROY_INPUT);
    fftw_plan back = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], out, in, MPI_COMM_WORLD, FFTW_BACKWARD,
                                          FFTW_MEASURE | FFTW_DESTROY_INPUT);
    const ptrdiff_t count = planes * n[1] * n[2];
    const double scale = 1.0 / (double)(n[0] * n[1] * n[2]);
    double error = 0;

    for (ptrdiff_t i = 0; i < count; i++) {
        in[i][0] = value(i);
        in[i][1] = value(i + first);
    }
    for (int round = 0; round < rounds; round++) {
        fftw_execute(there);
        fftw_execute(back);
        for (ptrdiff_t i = 0; i < count; i++) {
            in[i][0] *= scale;
            in[i][1] *= scale;
        }
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        error = fmax(error, fmax(fabs(in[i][0] - value(i)), fabs(in[i][1] - value(i + first))));
    }
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(in);
    fftw_free(out);
    return error;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    double error = 0;
    int rank;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        error = fmax(error, round_trips(sizes[i], rounds));
    }
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("largest error %g\n", error);
    }
    fftw_mpi_cleanup();
    MPI_Finalize();
    return error < 1e-9 ? 0 : 1;
}
