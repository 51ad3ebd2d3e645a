/*
 * bench_loop.c - irr_bench --loop: consecutive calls that are timed as a whole.  contrib/irr_jobs starts such jobs.
 *
 * The job behaves like an application: it has no barrier and compares no bytes.  Its parameters decide whether coll/irr
 * serves its calls.  Sender and receiver of a block compute its length, which may change from call to call, without
 * messages.  A block begins at the same offset in all calls, with room for its longest length.  Rank 0 prints one line
 * of JSON.
 */
#include "bench.h"

#include "cli_options.h"
#include "core/random.h"

#include <jansson.h>

/* Bytes of a short block of the loop `alternate`. */
#define SHORT_BYTES 64

/* Names and descriptions of the loops, in the order of irr_bench_loop_t from IRR_BENCH_LOOP_SAME on. */
static const struct { const char *name, *text; } kinds[] = {
    { "same", "the same blocks in each call" },
    { "fresh", "the same blocks in each call, each call on a new communicator" },
    { "new", "in each call blocks of other random lengths, from 0 to twice the entry of the matrix" },
    { "alternate", "in every second call blocks of at most " IRR_CLI_TEXT(SHORT_BYTES) " bytes" },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *irr_bench_loop_name(int i)
{
    return i < KINDS ? kinds[i].name : NULL;
}

const char *irr_bench_loop_text(int i)
{
    return i < KINDS ? kinds[i].text : NULL;
}

/* Returns the bytes of a block in a call.  longest: the longest length of the block, which both ends know. */
static int length_of(const irr_bench_work_t *work, int call, int from, int to, int longest)
{
    uint64_t state = ((uint64_t)(unsigned)call << 32) + ((uint64_t)(unsigned)from << 16) + (uint64_t)(unsigned)to;

    if (work->loop == IRR_BENCH_LOOP_NEW) {
        return (int)irr_random_below(&state, (size_t)longest + 1);
    }
    return work->loop == IRR_BENCH_LOOP_ALTERNATE && call % 2 == 0 && longest > SHORT_BYTES ? SHORT_BYTES : longest;
}

/* Sets the counts of a call.  MPI_Alltoall has one count: each block gets the length of rank 0's block to itself. */
static void set_counts(irr_bench_exchange_t *exchange, int call)
{
    const irr_bench_work_t *work = exchange->work;
    const bool equal = work->call == IRR_BENCH_ALLTOALL;
    const int me = equal ? 0 : exchange->rank;

    for (int i = 0; i < exchange->slots; i++) {
        const int peer = equal ? 0 : i;

        exchange->send.counts[i] = length_of(work, call, me, peer, exchange->send.longest[i]);
        exchange->recv.counts[i] = length_of(work, call, peer, me, exchange->recv.longest[i]);
    }
}

static void call_all(irr_bench_exchange_t *exchange)
{
    const irr_bench_loop_t loop = exchange->work->loop;

    for (int call = 0; call < exchange->work->iterations; call++) {
        MPI_Comm comm = MPI_COMM_WORLD;

        if (loop == IRR_BENCH_LOOP_NEW || loop == IRR_BENCH_LOOP_ALTERNATE) {
            set_counts(exchange, call);
        }
        if (loop == IRR_BENCH_LOOP_FRESH) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        irr_bench_call(exchange, comm, NULL);
        if (comm != MPI_COMM_WORLD) {
            MPI_Comm_free(&comm);
        }
    }
}

/* Prints the result.  served: number of calls on rank 0 that coll/irr's engine served. */
static irr_cli_exit_t print(const irr_bench_work_t *work, double seconds, bool loaded, unsigned long long served)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    json_t *line;
    bool good;

    irr_bench_library(library);
    line = json_pack("{s:s, s:s, s:s, s:i, s:f, s:I, s:b}", "program", irr_cli_program, "mpi", library, "loop",
                     irr_bench_loop_name((int)work->loop - IRR_BENCH_LOOP_SAME), "calls", work->iterations,
                     "calls_ms", seconds * 1e3, "served", (json_int_t)served, "loaded", loaded);
    good = line != NULL && json_dumpf(line, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF;
    json_decref(line);
    return good ? irr_cli_output_close(stdout, NULL, IRR_CLI_GOOD)
                : irr_cli_complain("stdout: output cannot be written");
}

irr_cli_exit_t irr_bench_loop(const irr_bench_work_t *work, const irr_matrix_t *matrix, bool loaded)
{
    irr_bench_exchange_t exchange;
    irr_cli_exit_t code = irr_bench_exchange_init(&exchange, work, matrix, work->unit_min);
    unsigned long long served;
    double begin, seconds;

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    served = irr_bench_pvars_read().value[IRR_BENCH_COUNTER_exchanges];
    begin = MPI_Wtime();
    call_all(&exchange);
    seconds = MPI_Wtime() - begin;
    served = irr_bench_pvars_read().value[IRR_BENCH_COUNTER_exchanges] - served;
    if (exchange.rank == 0) {
        code = print(work, seconds, loaded, served);
    }
    irr_bench_exchange_fini(&exchange);
    return code;
}
