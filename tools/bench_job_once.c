/*
 * bench_job_once.c - the job of irr_bench --job: calls of the collective, and nothing else.
 *
 * No barrier, no comparison: irr_bench without --job compares bytes.  Each rank knows the counts of all calls, so none
 * are told.  Blocks lie at equal distances, long enough for the longest.
 */
#include "bench_job.h"

#include "core/clock.h"
#include "core/random.h"

#include <stdlib.h>
#include <string.h>

typedef struct rank {
    const irr_job_t *job;
    int              ranks, me, block;     /* bytes from one block to the next */
    int             *ints;                 /* the memory of the next four */
    int             *send_counts, *recv_counts, *send_offsets, *recv_offsets;
    unsigned char   *input, *output;
} rank_t;

static int length_of(const irr_job_t *job, int call, int from, int to)
{
    uint64_t state = ((uint64_t)(unsigned)call << 32) + ((uint64_t)(unsigned)from << 16) + (uint64_t)(unsigned)to;

    switch (job->traffic) {
    case IRR_JOB_ALTERNATING: return call % 2 == 0 ? IRR_JOB_SHORT : IRR_JOB_LONG;
    case IRR_JOB_NEW:         return (int)irr_random_below(&state, 2 * (size_t)job->bytes + 1);
    default:                  return job->bytes;
    }
}

static bool prepare(rank_t *rank)
{
    const size_t ranks = (size_t)rank->ranks, bytes = ranks * (size_t)rank->block;

    rank->ints = malloc(4 * ranks * sizeof(*rank->ints));
    rank->input = malloc(bytes);
    rank->output = malloc(bytes);
    if (rank->ints == NULL || rank->input == NULL || rank->output == NULL) {
        return false;
    }
    rank->send_counts = rank->ints;
    rank->recv_counts = rank->ints + ranks;
    rank->send_offsets = rank->ints + 2 * ranks;
    rank->recv_offsets = rank->ints + 3 * ranks;
    for (int i = 0; i < rank->ranks; i++) {
        rank->send_offsets[i] = rank->recv_offsets[i] = i * rank->block;
    }
    memset(rank->input, 1, bytes);
    memset(rank->output, 0, bytes);
    return true;
}

/* Blocks of MPI_Alltoall are all as long as the one of rank 0 to itself. */
static void count(rank_t *rank, int call)
{
    for (int i = 0; i < rank->ranks; i++) {
        rank->send_counts[i] = rank->job->alltoall ? length_of(rank->job, call, 0, 0)
                                                   : length_of(rank->job, call, rank->me, i);
        rank->recv_counts[i] = rank->job->alltoall ? rank->send_counts[i] : length_of(rank->job, call, i, rank->me);
    }
}

static void exchange(const rank_t *rank, MPI_Comm comm)
{
    if (rank->job->alltoall) {
        MPI_Alltoall(rank->input, rank->send_counts[0], MPI_BYTE, rank->output, rank->recv_counts[0], MPI_BYTE, comm);
    } else {
        MPI_Alltoallv(rank->input, rank->send_counts, rank->send_offsets, MPI_BYTE, rank->output, rank->recv_counts,
                      rank->recv_offsets, MPI_BYTE, comm);
    }
}

static void call_all(rank_t *rank)
{
    const bool varies = rank->job->traffic == IRR_JOB_NEW || rank->job->traffic == IRR_JOB_ALTERNATING;

    for (int call = 0; call < rank->job->calls; call++) {
        MPI_Comm comm = MPI_COMM_WORLD;

        if (call == 0 || varies) {
            count(rank, call);
        }
        if (rank->job->traffic == IRR_JOB_FRESH) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        exchange(rank, comm);
        if (comm != MPI_COMM_WORLD) {
            MPI_Comm_free(&comm);
        }
    }
}

/* ---- what coll/irr served, as rank 0 counts it ---- */

typedef struct counter {
    bool               loaded;
    unsigned long long served;
} counter_t;

static void open_counter(counter_t *counter)
{
    counter->loaded = irr_bench_pvars_open();
    counter->served = irr_bench_pvars_read().value[IRR_BENCH_COUNTER_exchanges];
}

static void close_counter(counter_t *counter)
{
    counter->served = irr_bench_pvars_read().value[IRR_BENCH_COUNTER_exchanges] - counter->served;
    irr_bench_pvars_close();
}

/* ---- the job ---- */

irr_cli_exit_t irr_job_once(const irr_job_t *job)
{
    rank_t rank = { .job = job };
    counter_t counter = { 0 };
    uint64_t begin_ns, took_ns;

    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &rank.ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.me);
    if (rank.me == 0) {
        open_counter(&counter);
    }
    rank.block = job->traffic == IRR_JOB_ALTERNATING ? IRR_JOB_LONG : 2 * job->bytes;
    if (rank.ranks > IRR_JOB_RANKS_MAX || !prepare(&rank)) {
        irr_cli_complain("%d ranks are more than %d, or there is no memory for blocks of %d bytes", rank.ranks,
                         IRR_JOB_RANKS_MAX, rank.block);
        MPI_Abort(MPI_COMM_WORLD, IRR_CLI_REFUSED);
    }
    begin_ns = irr_clock_ns();
    call_all(&rank);
    took_ns = irr_clock_ns() - begin_ns;
    if (rank.me == 0) {
        close_counter(&counter);
        printf("job calls_s=%.9f served=%llu loaded=%d\n", (double)took_ns * 1e-9, counter.served, counter.loaded);
    }
    MPI_Finalize();
    free(rank.ints);
    free(rank.input);
    free(rank.output);
    return IRR_CLI_GOOD;
}
