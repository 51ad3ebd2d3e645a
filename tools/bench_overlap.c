/*
 * bench_overlap.c - the computation that overlaps a nonblocking exchange, as in OSU's osu_ialltoallv.
 *
 * An exchange is hidden completely if no rank spends time on anything but the computation.  Nothing is hidden if a rank
 * spends as much as for an exchange alone.  The computation is arithmetic until its time is over.  On a shared
 * processor a rank notices the end late, so the time of the computation is measured.  OSU's benchmark uses the mean of
 * earlier exchanges; here each iteration has an exchange alone, so that both see the same state of the machine.
 */
#include "bench.h"

#include <time.h>

/* Numbers that fit the first level of any cache. */
enum { NUMBERS = 256 };

static void rest_until(double end)
{
    const double seconds = end - MPI_Wtime();
    struct timespec left;

    if (seconds > 0) {
        left.tv_sec = (time_t)seconds;
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
        nanosleep(&left, NULL);
    }
}

static void compute_until(double end)
{
    volatile double numbers[NUMBERS] = { 1 };   /* volatile: the compiler must keep results that nothing reads */

    while (MPI_Wtime() < end) {
        for (int i = 1; i < NUMBERS; i++) {
            numbers[i] = numbers[i - 1] * 1.0000001 + numbers[i] * 0.5;
        }
        numbers[0] = numbers[NUMBERS - 1] < 1e6 ? numbers[NUMBERS - 1] : 1;
    }
}

double irr_bench_compute(const irr_bench_exchange_t *exchange, double seconds, int count)
{
    const irr_bench_work_t *work = exchange->work;
    const double begin = MPI_Wtime();
    double part_begin = begin, computed = 0;
    int done;

    for (int part = 1; part <= work->tests + 1; part++) {
        (work->idle ? rest_until : compute_until)(begin + seconds * part / (work->tests + 1));
        computed += MPI_Wtime() - part_begin;
        if (part <= work->tests) {
            MPI_Testall(count, exchange->requests, &done, MPI_STATUSES_IGNORE);
        }
        part_begin = MPI_Wtime();
    }
    return computed;
}

double irr_bench_hidden(double alone, double exposed)
{
    const double hidden = alone > 0 ? 1 - exposed / alone : 0;

    return hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
}
