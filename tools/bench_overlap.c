/*
 * bench_overlap.c - a nonblocking exchange beside a computation, as OSU's osu_ialltoallv measures it.
 *
 * An exchange alone tells how long the computation has to be; then an exchange with that between its start and its end.
 * If no rank spends time on anything but the computation, all of the exchange is hidden, and nothing if one spends as
 * much as for an exchange alone.  The computation is arithmetic until its time is over.  Where ranks share a processor
 * it takes longer than that, as a rank sees the end when its turn comes, so what it took is measured.  OSU's takes the
 * mean of exchanges that ran before; here each iteration has an exchange alone, so that both see the same machine.
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
    volatile double numbers[NUMBERS] = { 1 };   /* nobody reads them, and the compiler must not see that */

    while (MPI_Wtime() < end) {
        for (int i = 1; i < NUMBERS; i++) {
            numbers[i] = numbers[i - 1] * 1.0000001 + numbers[i] * 0.5;
        }
        numbers[0] = numbers[NUMBERS - 1] < 1e6 ? numbers[NUMBERS - 1] : 1;
    }
}

/* Computes in parts of equal length, and tests the requests between two of them.  Returns seconds without the tests. */
static double compute(double seconds, const irr_bench_work_t *work, MPI_Request *requests, int count)
{
    const double begin = MPI_Wtime();
    double part_begin = begin, computed = 0;
    int done;

    for (int part = 1; part <= work->tests + 1; part++) {
        (work->idle ? rest_until : compute_until)(begin + seconds * part / (work->tests + 1));
        computed += MPI_Wtime() - part_begin;
        if (part <= work->tests) {
            MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        }
        part_begin = MPI_Wtime();
    }
    return computed;
}

static void start(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request)
{
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    switch (exchange->work->call) {
    case IRR_BENCH_ALLTOALL:
        MPI_Ialltoall(exchange->from, send->counts[0], MPI_BYTE, recv->buffer, recv->counts[0], MPI_BYTE, comm,
                      request);
        break;
    case IRR_BENCH_ALLTOALLW:
        MPI_Ialltoallw(exchange->from, send->ones, send->offsets, send->types, recv->buffer, recv->ones, recv->offsets,
                       recv->types, comm, request);
        break;
    case IRR_BENCH_NEIGHBOR:
        MPI_Ineighbor_alltoallv(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts,
                                recv->offsets, MPI_BYTE, comm, request);
        break;
    default:
        MPI_Ialltoallv(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts, recv->offsets,
                       MPI_BYTE, comm, request);
    }
}

double irr_bench_overlap(const irr_bench_exchange_t *exchange, irr_bench_means_t *means, double seconds,
                         double *exposed_p)
{
    MPI_Request own = MPI_REQUEST_NULL, *requests = means->by_hand ? exchange->requests : &own;
    double begin, computed = 0, all;
    int count = 1;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (means->request != MPI_REQUEST_NULL) {
        requests = &means->request;
        MPI_Start(requests);
    } else if (means->by_hand) {
        count = irr_bench_p2p_start(exchange, means->comm);
    } else {
        start(exchange, means->comm, requests);
    }
    if (seconds > 0) {
        computed = compute(seconds, exchange->work, requests, count);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    all = MPI_Wtime() - begin;
    *exposed_p = all - computed;
    return all;
}

double irr_bench_hidden(double alone, double exposed)
{
    const double hidden = alone > 0 ? 1 - exposed / alone : 0;

    return hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
}
