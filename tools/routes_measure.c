/*
 * routes_measure.c - the variants of one algorithm: plain exchanges, frozen ones, and the contiguous twin.
 *
 * Each has a communicator of its own.  All run in one process and take turns, round by round, another one first
 * each time, so that what changes on the machine changes for all alike.  The time of a variant in a round is
 * that of the slowest rank; its processor time, which other programs disturb less, that of all ranks together.
 * Every byte is compared before the measured rounds and after them.
 */
#include "routes.h"

#include "plan/way.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    VARIANTS_MAX  = IRR_OVERLAP_COUNT + 2,
    ENGINE_ROUNDS = 8,   /* of progress, before the processor is given away */
    MPI_TURNS     = 8    /* turns of those before MPI moves, for a rank that is still in the barrier */
};

#define MILLI 1e3

typedef struct variant {
    char           name[32];
    irr_comm_t    *comm;
    bool           again;      /* runs with irr_exchange_restart */
    bool           twin;       /* delivers nothing */
    irr_counters_t counters;   /* of the last run */
    double        *times;      /* seconds, by round */
    double        *busy;       /* seconds of processor time, by round */
} variant_t;

typedef struct sample {
    double seconds, busy;
} sample_t;

typedef struct variants {
    int       count;
    variant_t row[VARIANTS_MAX];
    double   *times;           /* the memory of all times */
} variants_t;

/* ---- one exchange ---- */

static irr_status_t wait_for(const irr_routes_job_t *job, irr_comm_t *comm)
{
    int flag;

    for (unsigned turn = 1;; turn++) {
        for (int i = 0; i < ENGINE_ROUNDS; i++) {
            irr_status_t status;

            irr_engine_progress(job->engine);
            status = irr_exchange_test(irr_comm_exchange(comm));
            if (status != IRR_IN_PROGRESS) {
                return status;
            }
        }
        if (turn % MPI_TURNS == 0) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        sched_yield();
    }
}

static double busy_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static sample_t run(const irr_routes_job_t *job, variant_t *variant)
{
    irr_exchange_t *exchange = irr_comm_exchange(variant->comm);
    irr_status_t status;
    sample_t start, end;

    irr_routes_barrier(job);
    start = (sample_t){ MPI_Wtime(), busy_seconds() };
    status = variant->again ? irr_exchange_restart(exchange, job->input, job->output)
                            : irr_exchange_start(exchange, &job->problem, job->input, job->output);
    if (status == IRR_OK) {
        status = wait_for(job, variant->comm);
    }
    end = (sample_t){ MPI_Wtime(), busy_seconds() };
    irr_routes_must(variant->name, status);
    irr_exchange_counters(exchange, &variant->counters);
    irr_routes_barrier(job);
    return (sample_t){ end.seconds - start.seconds, end.busy - start.busy };
}

static void run_and_verify(irr_routes_job_t *job, variant_t *variant)
{
    uint64_t wrong;

    irr_routes_job_poison(job);
    run(job, variant);
    wrong = irr_routes_job_verify(job);
    if (wrong > 0) {
        irr_cli_complain("%s on rank %d: %llu wrong bytes", variant->name, job->problem.rank,
                         (unsigned long long)wrong);
    }
    job->wrong_bytes += wrong;
}

/* ---- variants ---- */

static variant_t *add(const irr_routes_job_t *job, variants_t *variants, const char *name, int algorithm,
                      irr_overlap_t overlap)
{
    const irr_routes_options_t *options = job->options;
    variant_t *variant = &variants->row[variants->count];
    irr_comm_params_t params = {
        .ranks = job->problem.ranks, .rank = job->problem.rank, .oob = &job->oob,
        .settings = { .algorithm = algorithm, .slice_min = (size_t)options->slice_min, .overlap = overlap },
        .node = job->problem.rank / options->ranks_per_node
    };

    variant->times = variants->times + 2 * (size_t)variants->count * (size_t)options->iterations;
    variant->busy = variant->times + options->iterations;
    variants->count++;
    snprintf(variant->name, sizeof(variant->name), "%s", name);
    irr_routes_must("making a communicator", irr_comm_create(job->engine, &params, &variant->comm));
    return variant;
}

static variant_t *add_frozen(irr_routes_job_t *job, variants_t *variants, const char *name, int algorithm,
                             irr_overlap_t overlap)
{
    variant_t *variant = add(job, variants, name, algorithm, overlap);

    irr_routes_must("planning", irr_exchange_plan(irr_comm_exchange(variant->comm), &job->problem));
    irr_routes_must("planning", wait_for(job, variant->comm));
    variant->again = true;
    run_and_verify(job, variant);
    run_and_verify(job, variant);
    return variant;
}

static void add_all(irr_routes_job_t *job, int algorithm, variants_t *variants)
{
    const irr_routes_options_t *options = job->options;
    bool direct = irr_way_is_local(irr_algorithm_way(algorithm));
    const irr_plan_t *plan = NULL;
    variant_t *variant = add(job, variants, "plain", algorithm, IRR_OVERLAP_PIPELINED);

    run_and_verify(job, variant);
    for (int i = 0; i < (direct ? 1 : options->overlaps); i++) {
        char name[32];

        snprintf(name, sizeof(name), direct ? "frozen" : "frozen-%s", irr_overlap_name(options->overlap[i]));
        variant = add_frozen(job, variants, name, algorithm, (irr_overlap_t)options->overlap[i]);
        if (i == 0) {
            plan = direct ? &variant->comm->exchange->own.plan : &variant->comm->exchange->frozen.plan;
        }
    }
    variant = add(job, variants, "twin", irr_algorithm_find("a1"), IRR_OVERLAP_PIPELINED);
    irr_routes_must("making the twin", irr_routes_twin(plan, job->input_bytes, variant->comm));
    variant->again = true;
    variant->twin = true;
}

/* ---- the table ---- */

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(const double *sorted, int count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static void reduce(const irr_routes_job_t *job, void *values, size_t count, MPI_Datatype type, MPI_Op op)
{
    const void *own = job->problem.rank == 0 ? MPI_IN_PLACE : values;

    MPI_Reduce(own, values, (int)count, type, op, 0, MPI_COMM_WORLD);
}

/* The slowest rank's times, sorted, and the processor's; the largest counters; on rank 0. */
static void gather(const irr_routes_job_t *job, variant_t *variant)
{
    const size_t iterations = (size_t)job->options->iterations;

    reduce(job, variant->times, iterations, MPI_DOUBLE, MPI_MAX);
    reduce(job, variant->busy, iterations, MPI_DOUBLE, MPI_SUM);
    reduce(job, &variant->counters, sizeof(variant->counters) / sizeof(uint64_t), MPI_UINT64_T, MPI_MAX);
    qsort(variant->times, iterations, sizeof(*variant->times), compare);
    qsort(variant->busy, iterations, sizeof(*variant->busy), compare);
}

static void print_row(int algorithm, const variant_t *variant, const variant_t *twin, int iterations)
{
    const irr_counters_t *counters = &variant->counters;
    double middle = median(variant->times, iterations);

    printf("  %-10s %-16s %9.4f %9.4f %9.4f %8llu %10llu %10llu %8llu %10llu %8.3f %8.3f %8.3f\n",
           irr_algorithm_name(algorithm), variant->name, middle * MILLI, variant->times[0] * MILLI,
           variant->times[iterations - 1] * MILLI, (unsigned long long)counters->messages_sent,
           (unsigned long long)counters->bytes_staged, (unsigned long long)counters->bytes_gathered,
           (unsigned long long)counters->header_bytes, (unsigned long long)counters->scratch_bytes,
           variant->times[0] / twin->times[0],
           median(variant->busy, iterations) / median(twin->busy, iterations),
           middle / median(twin->times, iterations));
}

static void report(const irr_routes_job_t *job, int algorithm, variants_t *variants)
{
    for (int i = 0; i < variants->count; i++) {
        gather(job, &variants->row[i]);
    }
    for (int i = 0; job->problem.rank == 0 && i < variants->count; i++) {
        print_row(algorithm, &variants->row[i], &variants->row[variants->count - 1], job->options->iterations);
    }
    fflush(stdout);
}

void irr_routes_measure(irr_routes_job_t *job, int algorithm)
{
    const int iterations = job->options->iterations, rounds = job->options->warmup + iterations;
    variants_t variants = { .times = calloc((size_t)iterations * VARIANTS_MAX, 2 * sizeof(double)) };

    irr_routes_must("making room for times", variants.times == NULL ? IRR_ERR_NO_MEMORY : IRR_OK);
    add_all(job, algorithm, &variants);
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < variants.count; turn++) {
            variant_t *variant = &variants.row[(round + turn) % variants.count];
            sample_t sample = run(job, variant);

            if (round >= job->options->warmup) {
                variant->times[round - job->options->warmup] = sample.seconds;
                variant->busy[round - job->options->warmup] = sample.busy;
            }
        }
    }
    for (int i = 0; i < variants.count; i++) {
        if (!variants.row[i].twin) {
            run_and_verify(job, &variants.row[i]);
        }
    }
    report(job, algorithm, &variants);
    for (int i = 0; i < variants.count; i++) {
        irr_comm_destroy(variants.row[i].comm);
    }
    free(variants.times);
}
