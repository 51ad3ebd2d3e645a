/*
 * bench_overlap.c - a nonblocking exchange beside a computation, as OSU's osu_ialltoallv measures it.
 *
 * An exchange alone tells how long the computation has to be; then an exchange with that between its start and its end.
 * If both together take no longer than the computation, all of the exchange is hidden, and nothing if they take as long
 * as both one after the other.  The computation is arithmetic until its time is over, so it takes as long where ranks
 * share a processor.  OSU's takes the mean of exchanges that ran before; here each iteration has an exchange alone, so
 * that both see the same machine.
 */
#include "bench.h"

/* Numbers that fit the first level of any cache. */
enum { NUMBERS = 256 };

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

/* Parts of equal length, and a look at the request between two of them. */
static void compute(double seconds, int tests, MPI_Request *request)
{
    const double begin = MPI_Wtime();
    int done;

    for (int part = 1; part <= tests; part++) {
        compute_until(begin + seconds * part / (tests + 1));
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    compute_until(begin + seconds);
}

static void start(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request)
{
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    switch (exchange->work->call) {
    case IRR_BENCH_ALLTOALL:
        MPI_Ialltoall(exchange->from, send->counts[0], MPI_BYTE, recv->buffer, recv->counts[0], MPI_BYTE, comm, request);
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

double irr_bench_overlap(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request, double seconds)
{
    MPI_Request own = MPI_REQUEST_NULL;
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (*request != MPI_REQUEST_NULL) {
        MPI_Start(request);
    } else {
        request = &own;
        start(exchange, comm, request);
    }
    if (seconds > 0) {
        compute(seconds, exchange->work->tests, request);
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return MPI_Wtime() - begin;
}

double irr_bench_hidden(double alone, double together)
{
    const double hidden = alone > 0 ? 1 - (together - alone) / alone : 0;

    return hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
}
