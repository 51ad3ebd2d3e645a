/*
 * bench_loop.c - irr_bench --loop: consecutive calls that are timed as a whole.  contrib/irr_jobs starts such jobs.
 *
 * The job behaves like an application: it has no barrier and compares no bytes.  Its parameters decide whether coll/irr
 * serves its calls.  Sender and receiver of a block compute its length, which may change from call to call, without
 * messages; only the loop `partners` sends the lengths, as applications with changing partners do.  A block begins at
 * the same offset in all calls, with room for its longest length.  Rank 0 prints one line of JSON.
 */
#include "bench.h"

#include "cli_options.h"
#include "cli_output.h"
#include "core/random.h"

#include <jansson.h>

/* Bytes of a short block of the loop `alternate`. */
#define SHORT_BYTES 64

/* The loop `partners`: number of ranks to which a rank sends, and bytes of the shortest block. */
#define PARTNERS      3
#define PARTNER_BYTES 8

/* Names and descriptions of the loops, in the order of irr_bench_loop_t from IRR_BENCH_LOOP_SAME on. */
static const struct { const char *name, *text; } kinds[] = {
    { "same", "the same blocks in each call" },
    { "fresh", "the same blocks in each call, each call on a new communicator" },
    { "new", "in each call blocks of other random lengths, from 0 to twice the entry of the matrix" },
    { "alternate", "in every second call blocks of at most " IRR_CLI_TEXT(SHORT_BYTES) " bytes" },
    { "partners", "in each call each rank sends to " IRR_CLI_TEXT(PARTNERS) " other ranks; MPI_Alltoall exchanges the "
      "lengths, from " IRR_CLI_TEXT(PARTNER_BYTES) " bytes to the entry of the matrix, before" },
    { "wait", "the same blocks in each call, by the nonblocking call and MPI_Wait" },
    { "start", "the same blocks in each call, by MPI_Start of one persistent request and MPI_Wait" },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

_Static_assert(KINDS == (int)IRR_BENCH_LOOP_START, "each loop has a name, and start is the last loop");

/* Returns the number of loops that this MPI supports. */
static int known(void)
{
    return irr_bench_persistent() ? KINDS : KINDS - 1;
}

const char *irr_bench_loop_name(int i)
{
    return i < known() ? kinds[i].name : NULL;
}

const char *irr_bench_loop_text(int i)
{
    return i < known() ? kinds[i].text : NULL;
}

/* ---- counts ---- */

/*
 * In a call of the loop `partners`, rank i sends to the ranks i + hop for each hop of the call; all ranks compute the
 * same hops.
 */
typedef struct hops {
    int count;
    int hop[PARTNERS];
} hops_t;

static bool has_hop(const hops_t *hops, int hop)
{
    for (int i = 0; i < hops->count; i++) {
        if (hops->hop[i] == hop) {
            return true;
        }
    }
    return false;
}

/* Returns the hops of a call: different random numbers, as many as there are other ranks, but at most PARTNERS. */
static hops_t hops_of(int call, int ranks)
{
    const int count = ranks - 1 < PARTNERS ? ranks - 1 : PARTNERS;
    uint64_t state = (uint64_t)(unsigned)call;
    hops_t hops = { .count = 0 };

    while (hops.count < count) {
        const int hop = 1 + (int)irr_random_below(&state, (size_t)ranks - 1);

        if (!has_hop(&hops, hop)) {
            hops.hop[hops.count++] = hop;
        }
    }
    return hops;
}

/* A block: its ends, its number if the ends have several blocks, and its longest length, which both ends know. */
typedef struct block {
    int from, to, number, longest;
} block_t;

/* Returns the bytes of a block in a call. */
static int length_of(irr_bench_loop_t loop, int call, block_t block)
{
    uint64_t state = ((uint64_t)(unsigned)call << 32) + ((uint64_t)(unsigned)block.number << 48) +
                     ((uint64_t)(unsigned)block.from << 16) + (uint64_t)(unsigned)block.to;

    if (loop == IRR_BENCH_LOOP_NEW) {
        return (int)irr_random_below(&state, (size_t)block.longest + 1);
    }
    if (loop == IRR_BENCH_LOOP_PARTNERS && block.longest > PARTNER_BYTES) {
        return PARTNER_BYTES + (int)irr_random_below(&state, (size_t)(block.longest - PARTNER_BYTES) + 1);
    }
    return loop == IRR_BENCH_LOOP_ALTERNATE && call % 2 == 0 && block.longest > SHORT_BYTES ? SHORT_BYTES
                                                                                             : block.longest;
}

/* Sets the counts of a call.  MPI_Alltoall has one count: each block gets the length of rank 0's block to itself. */
static void set_counts(irr_bench_exchange_t *exchange, int call)
{
    const irr_bench_loop_t loop = exchange->work->loop;
    const bool equal = exchange->work->call == IRR_BENCH_ALLTOALL;
    const int me = equal ? 0 : exchange->rank;
    irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    for (int i = 0; i < exchange->slots; i++) {
        const int to = equal ? 0 : send->ranks[i], from = equal ? 0 : recv->ranks[i];

        send->counts[i] = length_of(loop, call, (block_t){ me, to, send->numbers[i], send->longest[i] });
        recv->counts[i] = length_of(loop, call, (block_t){ from, me, recv->numbers[i], recv->longest[i] });
    }
}

/* Sets the send counts of a call of the loop `partners`, and exchanges them. */
static void exchange_counts(irr_bench_exchange_t *exchange, MPI_Comm comm, int call)
{
    const int me = exchange->rank, ranks = exchange->ranks;
    const hops_t hops = hops_of(call, ranks);
    irr_bench_side_t *send = &exchange->send;

    for (int to = 0; to < ranks; to++) {
        send->counts[to] = has_hop(&hops, (to - me + ranks) % ranks)
            ? length_of(IRR_BENCH_LOOP_PARTNERS, call, (block_t){ me, to, 0, send->longest[to] }) : 0;
    }
    MPI_Alltoall(send->counts, 1, MPI_INT, exchange->recv.counts, 1, MPI_INT, comm);
}

/* ---- calls ---- */

static void call_on_new(const irr_bench_exchange_t *exchange, MPI_Comm parent)
{
    MPI_Comm comm;

    MPI_Comm_dup(parent, &comm);
    irr_bench_call(exchange, comm, NULL);
    MPI_Comm_free(&comm);
}

/* Makes a call of the loop.  request: the persistent request of the loop `start`. */
static void call_once(irr_bench_exchange_t *exchange, MPI_Comm comm, int call, MPI_Request request)
{
    switch (exchange->work->loop) {
    case IRR_BENCH_LOOP_FRESH:
        call_on_new(exchange, comm);
        break;
    case IRR_BENCH_LOOP_WAIT:
        irr_bench_call(exchange, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case IRR_BENCH_LOOP_START:
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case IRR_BENCH_LOOP_PARTNERS:
        exchange_counts(exchange, comm, call);
        irr_bench_call(exchange, comm, NULL);
        break;
    case IRR_BENCH_LOOP_NEW:
    case IRR_BENCH_LOOP_ALTERNATE:
        set_counts(exchange, call);
        irr_bench_call(exchange, comm, NULL);
        break;
    default:
        irr_bench_call(exchange, comm, NULL);
    }
}

/* What rank 0 measures.  last: seconds of the last third of the calls.  served: exchanges of coll/irr's engine. */
typedef struct loop_times {
    double             all, last;
    unsigned long long served;
} loop_times_t;

static loop_times_t call_all(irr_bench_exchange_t *exchange, MPI_Comm comm)
{
    const int calls = exchange->work->iterations;
    MPI_Request request = MPI_REQUEST_NULL;
    const unsigned long long before = irr_bench_pvars_read().value[IRR_BENCH_COUNTER_exchanges];
    const double begin = MPI_Wtime();
    double end, last_begin = begin;

    if (exchange->work->loop == IRR_BENCH_LOOP_START) {
        irr_bench_request_create(exchange, comm, &request);
    }
    for (int call = 0; call < calls; call++) {
        if (call == calls - (calls + 2) / 3) {
            last_begin = MPI_Wtime();
        }
        call_once(exchange, comm, call, request);
    }
    end = MPI_Wtime();
    if (request != MPI_REQUEST_NULL) {
        MPI_Request_free(&request);
    }
    return (loop_times_t){ end - begin, end - last_begin,
                           irr_bench_pvars_read().value[IRR_BENCH_COUNTER_exchanges] - before };
}

static irr_cli_exit_t print(const irr_bench_work_t *work, bool loaded, const loop_times_t *times)
{
    const int exchanges = work->loop == IRR_BENCH_LOOP_PARTNERS ? 2 : 1;   /* of a call */
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    irr_cli_output_t output;
    json_t *line;

    (void)irr_cli_output_open(NULL, &output);
    irr_bench_library(library);
    line = json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:I, s:b}", "program", irr_cli_program, "mpi", library,
                     "loop", irr_bench_loop_name((int)work->loop - IRR_BENCH_LOOP_SAME), "calls", work->iterations,
                     "exchanges", exchanges * work->iterations, "calls_ms", times->all * 1e3,
                     "last_ms", times->last * 1e3, "served", (json_int_t)times->served, "loaded", loaded);
    (void)json_dumpf(line, output.stream, JSON_COMPACT);   /* irr_cli_output_close finds errors */
    putc('\n', output.stream);
    json_decref(line);
    return irr_cli_output_close(&output, line != NULL ? IRR_CLI_GOOD : irr_cli_status(IRR_ERR_NO_MEMORY, "stdout"));
}

irr_cli_exit_t irr_bench_loop(const irr_bench_work_t *work, const irr_matrix_t *matrix, bool loaded)
{
    irr_bench_exchange_t exchange;
    irr_cli_exit_t code = irr_bench_exchange_init(&exchange, work, matrix, work->unit_min);
    loop_times_t times;
    MPI_Comm comm;

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    comm = irr_bench_topology(work);
    times = call_all(&exchange, comm);
    if (exchange.rank == 0) {
        code = print(work, loaded, &times);
    }
    if (comm != MPI_COMM_WORLD) {
        MPI_Comm_free(&comm);
    }
    irr_bench_exchange_fini(&exchange);
    return code;
}
