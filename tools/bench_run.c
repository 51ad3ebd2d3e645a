/*
 * bench_run.c - the measurement of irr_bench: a row is an algorithm, blocking or persistent.
 *
 * Each row has a communicator of its own, created with the info key that selects its algorithm.  An iteration has one
 * exchange of each row, in a random order that all ranks know and that changes every time.  A disturbance therefore
 * affects all rows.  A barrier precedes each exchange.  The time of a rank is the duration of the call, or of
 * MPI_Start and MPI_Wait.  The time of an exchange is the time of its slowest rank.
 *
 * Reading counters, and filling and verifying the buffers, is not timed.  Filling and verifying evicts data from the
 * caches.  It therefore happens in untimed rounds before the warm-up and after the iterations, unless the user wants
 * each exchange verified.
 */
#include "bench.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

/* ---- communicators ---- */

static void choose(MPI_Info info, int algorithm, irr_bench_call_t call)
{
    const char *key = call == IRR_BENCH_ALLTOALL   ? "coll_irr_alltoall_algorithm"
                      : call == IRR_BENCH_NEIGHBOR ? "coll_irr_neighbor_algorithm" : "coll_irr_alltoallv_algorithm";

    if (algorithm < 0) {
        MPI_Info_set(info, "ompi_comm_coll_preference", "^irr");
    } else {
        MPI_Info_set(info, key, irr_algorithm_name(algorithm));
    }
}

void irr_bench_rows_create(const irr_bench_work_t *work, irr_bench_row_t *rows)
{
    MPI_Comm topology = irr_bench_topology(work);

    for (int i = 0; i < work->rows; i++) {
        MPI_Info info;

        rows[i].algorithm = work->algorithms[i];
        rows[i].starts = work->starts[i];
        rows[i].name = irr_bench_algorithm_name(work->algorithms[i]);
        MPI_Info_create(&info);
        choose(info, work->algorithms[i], work->call);
        MPI_Comm_dup_with_info(topology, info, &rows[i].comm);
        MPI_Info_free(&info);
    }
    if (topology != MPI_COMM_WORLD) {
        MPI_Comm_free(&topology);
    }
}

void irr_bench_rows_destroy(const irr_bench_work_t *work, irr_bench_row_t *rows)
{
    for (int i = 0; i < work->rows; i++) {
        MPI_Comm_free(&rows[i].comm);
    }
}

/* ---- point-to-point messages ---- */

/*
 * Posts a message for the block of a slot (a peer) unless the block is empty; both ends know the counts.  Two ranks may
 * have several blocks for each other, so the tag is the number of the block, which is the same at both ends.  Returns
 * the number of messages.
 */
static int post(const irr_bench_exchange_t *exchange, MPI_Comm comm, bool sends, int slot, MPI_Request *request)
{
    const irr_bench_side_t *side = sends ? &exchange->send : &exchange->recv;
    const int peer = exchange->work->inter > 0 ? slot : side->ranks[slot], tag = side->numbers[slot];
    const int count = side->types != NULL ? side->ones[slot] : side->counts[slot];
    MPI_Datatype type = side->types != NULL ? side->types[slot] : MPI_BYTE;
    unsigned char *block = side->buffer + side->offsets[slot];

    if (side->counts[slot] == 0) {
        return 0;
    }
    if (sends) {
        MPI_Isend(block, count, type, peer, tag, comm, request);
    } else {
        MPI_Irecv(block, count, type, peer, tag, comm, request);
    }
    return 1;
}

/* As many applications do, posts all receives and then all sends, in the order of ranks, also those to itself. */
static int post_all(const irr_bench_exchange_t *exchange, MPI_Comm comm)
{
    int count = 0;

    for (int i = 0; i < 2 * exchange->slots; i++) {
        count += post(exchange, comm, i >= exchange->slots, i % exchange->slots, &exchange->requests[count]);
    }
    return count;
}

/* ---- exchanges ---- */

/* Starts an exchange.  Returns the number of requests that are not complete; 0 if the call was blocking. */
static int start_exchange(const irr_bench_exchange_t *exchange, const irr_bench_row_t *row)
{
    if (row->algorithm == IRR_BENCH_P2P) {
        return post_all(exchange, row->comm);
    }
    if (row->starts) {
        exchange->requests[0] = row->request;
        MPI_Start(&exchange->requests[0]);
        return 1;
    }
    irr_bench_call(exchange, row->comm, exchange->work->overlap ? &exchange->requests[0] : NULL);
    return exchange->work->overlap;
}

/* ---- the computation ---- */

/*
 * With --overlap an iteration has an exchange alone, and then a nonblocking exchange with a computation between start
 * and wait, as in OSU's osu_ialltoallv.  The computation lasts as long as the exchange alone, unless --compute sets its
 * time.  On a shared processor a rank notices the end of this time late, so the computation is measured, too.  The
 * exchange is hidden completely if no rank spends time outside the computation.  Nothing is hidden if some rank spends
 * as much time outside the computation as for the exchange alone.
 */

/* Size of the array of the computation, which fits into the first-level cache of any processor. */
enum { NUMBERS = 256 };

static void rest_until(double end)
{
    const double seconds = end - MPI_Wtime();
    struct timespec left;

    if (seconds > 0) {
        left.tv_sec = (time_t)seconds;
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        }
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

/*
 * Computes, or sleeps with --idle, for `seconds` in intervals of equal length.  Between two intervals tests the first
 * `count` requests of the exchange.  Returns the seconds without the tests.
 */
static double compute_for(const irr_bench_exchange_t *exchange, double seconds, int count)
{
    const irr_bench_work_t *work = exchange->work;
    const double begin = MPI_Wtime();
    double interval_begin = begin, computed = 0;
    int done;

    for (int interval = 1; interval <= work->tests + 1; interval++) {
        (work->idle ? rest_until : compute_until)(begin + seconds * interval / (work->tests + 1));
        computed += MPI_Wtime() - interval_begin;
        if (interval <= work->tests) {
            MPI_Testall(count, exchange->requests, &done, MPI_STATUSES_IGNORE);
        }
        interval_begin = MPI_Wtime();
    }
    return computed;
}

/* ---- one exchange ---- */

/*
 * Returns the seconds of an exchange on this rank.  compute: seconds of the computation to overlap it with, or 0.  Sets
 * *exposed_p to the seconds outside the computation.
 */
static double exchange_once(const irr_bench_row_t *row, const irr_bench_exchange_t *exchange, double compute,
                            double *exposed_p)
{
    double begin, seconds, computed = 0;
    int count;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    count = start_exchange(exchange, row);
    if (compute > 0) {
        computed = compute_for(exchange, compute, count);
    }
    if (count == 1) {
        MPI_Wait(&exchange->requests[0], MPI_STATUS_IGNORE);
    } else if (count > 1) {
        MPI_Waitall(count, exchange->requests, MPI_STATUSES_IGNORE);
    }
    seconds = MPI_Wtime() - begin;
    *exposed_p = seconds - computed;
    return seconds;
}

/* Returns the seconds of an exchange alone on its slowest rank. */
static double exchange_alone(const irr_bench_row_t *row, const irr_bench_exchange_t *exchange)
{
    double exposed, alone = exchange_once(row, exchange, 0, &exposed);

    MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return alone;
}

/* ---- results of all ranks ---- */

/* Finds the first round in which a rank found a wrong byte; rank 0 prints an error message about that byte. */
static void gather_fault(irr_bench_row_t *row, int me)
{
    struct { int round, rank; } first = { row->fault.found ? row->round : INT_MAX, me };
    irr_bench_fault_t fault;

    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    row->wrong = first.round != INT_MAX;
    if (!row->wrong) {
        return;
    }
    fault = row->fault;
    MPI_Bcast(&fault, sizeof(fault), MPI_BYTE, first.rank, MPI_COMM_WORLD);
    if (me == 0) {
        irr_cli_complain("wrong byte with %s%s: rank %d, message from rank %d, offset %d: 0x%02x instead of "
                         "0x%02x, in round %d", row->name, IRR_BENCH_SUFFIX(row), first.rank, fault.source,
                         fault.offset, fault.got, fault.expected, first.round);
    }
}

static void reduce_to_rank_0(void *values, int count, MPI_Datatype type, MPI_Op op, int me)
{
    MPI_Reduce(me == 0 ? MPI_IN_PLACE : values, values, count, type, op, 0, MPI_COMM_WORLD);
}

/*
 * Returns how many exchanges of a row coll/irr must have served on each rank, so that the row counts as served by it.
 * The algorithm auto also tries Open MPI's implementation, so more than half of the exchanges are enough.
 */
static unsigned long long enough(int algorithm, unsigned long long iterations)
{
    return algorithm == irr_algorithm_find("auto") ? iterations / 2 + 1 : iterations;
}

static void gather_row(const irr_bench_work_t *work, const irr_bench_counts_t *counts, irr_bench_row_t *row, int me)
{
    const int algorithm = row->algorithm;
    const unsigned long long iterations = (unsigned long long)work->iterations;
    unsigned long long least = counts->value[IRR_BENCH_COUNTER_exchanges];
    irr_bench_counts_t most = *counts;

    reduce_to_rank_0(row->times, work->iterations, MPI_DOUBLE, MPI_MAX, me);   /* all ranks know `alone` already */
    if (work->overlap) {
        reduce_to_rank_0(row->exposed, work->iterations, MPI_DOUBLE, MPI_MAX, me);
    }
    reduce_to_rank_0(&least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, me);
    reduce_to_rank_0(most.value, IRR_BENCH_COUNTERS, MPI_UNSIGNED_LONG_LONG, MPI_MAX, me);
    row->by_irr = algorithm < 0 ? most.value[IRR_BENCH_COUNTER_exchanges] > 0 : least >= enough(algorithm, iterations);
    row->misled = row->by_irr != (algorithm >= 0);
    for (int i = 0; i < IRR_BENCH_COUNTERS; i++) {
        row->counters[i] = row->by_irr ? irr_bench_counts_share(&most, i, work->iterations) : -1;
    }
    gather_fault(row, me);
}

/* ---- all exchanges ---- */

/* A round has one exchange of each row: a turn of the row. */
typedef struct turn {
    int      round;
    int      iteration;   /* -1: the round is not timed */
    bool     checked;     /* the bytes are compared */
    uint64_t number;      /* number of the exchange in all rounds, from 1 */
} turn_t;

/* Runs an exchange of a row.  If it is timed, stores the times and adds the increase of the counters. */
static void take_turn(const irr_bench_exchange_t *exchange, const turn_t *turn, irr_bench_row_t *row,
                      irr_bench_counts_t *counts)
{
    const irr_bench_work_t *work = exchange->work;
    const double alone = work->overlap ? exchange_alone(row, exchange) : 0;
    const double compute = work->overlap && work->compute_us > 0 ? work->compute_us * 1e-6 : alone;
    irr_bench_counts_t before, after;
    double seconds, exposed;

    if (turn->checked) {
        irr_bench_fill(exchange, turn->number);
    }
    before = irr_bench_pvars_read();
    seconds = exchange_once(row, exchange, compute, &exposed);
    after = irr_bench_pvars_read();
    if (turn->checked) {
        MPI_Barrier(MPI_COMM_WORLD);   /* a rank that verifies takes the processor from ranks that still exchange */
        row->round = row->fault.found ? row->round : turn->round + 1;
        irr_bench_verify(exchange, turn->number, &row->fault);
    }
    if (turn->iteration < 0) {
        return;
    }
    row->times[turn->iteration] = seconds;
    if (work->overlap) {
        row->alone[turn->iteration] = alone;
        row->exposed[turn->iteration] = exposed;
    }
    irr_bench_counts_add(counts, &before, &after);
}

irr_cli_exit_t irr_bench_measure(const irr_bench_work_t *work, const irr_bench_exchange_t *exchange,
                                 irr_bench_row_t *rows)
{
    const int ends = work->check == IRR_BENCH_CHECK_ENDS, first = ends + work->warmup;
    const int all = first + work->iterations + ends;
    int order[IRR_BENCH_ROWS_MAX];
    irr_bench_counts_t counts[IRR_BENCH_ROWS_MAX] = { { { 0 } } };
    irr_cli_exit_t code = IRR_CLI_GOOD;
    turn_t turn = { .number = 0 };
    uint64_t random = 0;

    for (int i = 0; i < work->rows; i++) {
        rows[i].fault.found = false;
        if (rows[i].starts) {
            irr_bench_request_create(exchange, rows[i].comm, &rows[i].request);
        }
    }
    irr_bench_fill(exchange, 0);
    for (; turn.round < all; turn.round++) {
        if (exchange->rank == 0) {
            irr_cli_progress("%d of %d iterations", turn.round, all);
        }
        turn.iteration = turn.round >= first && turn.round < first + work->iterations ? turn.round - first : -1;
        turn.checked = work->check == IRR_BENCH_CHECK_EACH || (ends && (turn.round == 0 || turn.round == all - 1));
        irr_cli_shuffle(order, work->rows, &random);
        for (int i = 0; i < work->rows; i++) {
            turn.number++;
            take_turn(exchange, &turn, &rows[order[i]], &counts[order[i]]);
        }
    }
    if (exchange->rank == 0) {
        irr_cli_progress_end();
    }
    for (int i = 0; i < work->rows; i++) {
        if (rows[i].starts) {
            MPI_Request_free(&rows[i].request);
        }
        gather_row(work, &counts[i], &rows[i], exchange->rank);
        code = rows[i].wrong ? IRR_CLI_WRONG : code;
    }
    return code;
}
