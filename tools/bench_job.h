/*
 * bench_job.h - irr_bench --job: whole jobs with coll/irr and without it, in pairs.
 *
 *   bench_job.c          the order of a run: which jobs, and those of a pair in random order
 *   bench_job_options.c  the command line
 *   bench_job_launch.c   one job: mpirun is started, and what rank 0 tells is read
 *   bench_job_once.c     the job itself, on each rank
 *   bench_job_report.c   the table, and the same as JSON
 *
 * The driver is one process that never calls MPI_Init; each job is an mpirun of its own, of the same program or of the
 * command that the user gives.
 */
#ifndef IRR_BENCH_JOB_H
#define IRR_BENCH_JOB_H

#include "bench.h"

#define IRR_JOB_LIST_MAX  16                      /* values of --ranks, --calls, --bytes, --traffic */
#define IRR_JOB_RUNS_MAX  (1 + IRR_BENCH_LIST_MAX)  /* jobs of a pair: the one without coll/irr is the first */
#define IRR_JOB_RANKS_MAX 1023                    /* with twice the longest block all is within MPI's int */
#define IRR_JOB_BYTES_MAX (1 << 20)
#define IRR_JOB_PAIRS_MAX 1000
#define IRR_JOB_WORDS_MAX 64                      /* of --launch, and of a command */

/* Lengths of traffic that alternates. */
#define IRR_JOB_SHORT 64
#define IRR_JOB_LONG  (256 * 1024)

typedef enum irr_job_traffic { IRR_JOB_SAME, IRR_JOB_FRESH, IRR_JOB_NEW, IRR_JOB_ALTERNATING } irr_job_traffic_t;

/* NULL past the last. */
const char *irr_job_traffic_name(int i);
const char *irr_job_traffic_text(int i);

/* What a job does. */
typedef struct irr_job {
    int  traffic, calls;
    int  bytes;     /* to each rank; those of traffic that alternates are fixed */
    bool alltoall;  /* MPI_Alltoall, not MPI_Alltoallv */
} irr_job_t;

/* The strings are the command line's own. */
typedef struct irr_job_options {
    bool        run;       /* false: help or version was printed, there is nothing to do */
    bool        once;      /* this process is a rank of the job */
    irr_job_t   job;       /* with once; else only its alltoall */
    int         ranks[IRR_JOB_LIST_MAX], nranks;
    int         calls[IRR_JOB_LIST_MAX], ncalls;
    int         bytes[IRR_JOB_LIST_MAX], nbytes;
    int         traffic[IRR_JOB_LIST_MAX], ntraffic;
    int         algorithms[IRR_BENCH_LIST_MAX], nalgorithms;  /* beside the job without coll/irr */
    int         pairs;
    uint64_t    seed;      /* of the order of the jobs of each pair */
    const char *launch;    /* words with blanks between */
    char      **command;   /* of the jobs, NULL behind its last word; NULL: they are irr_bench itself */
    const char *json;      /* NULL: none */
} irr_job_options_t;

/* argv[0] is "--job".  Prints help or version, or one line to stderr if the command line is refused. */
irr_cli_exit_t irr_job_options_read(int argc, char **argv, irr_job_options_t *options);

/* The same: all of irr_bench where its first argument is --job. */
irr_cli_exit_t irr_job_main(int argc, char **argv);

/* A rank of the job, from MPI_Init to MPI_Finalize; rank 0 then prints what irr_job_launch reads. */
irr_cli_exit_t irr_job_once(const irr_job_t *job);

/* What a job took, in seconds. */
typedef struct irr_job_sample {
    double             whole;   /* the launcher, from its start to its exit */
    double             calls;   /* rank 0, from the first call to the end of the last one */
    unsigned long long served;  /* calls that coll/irr served */
} irr_job_sample_t;

/*
 * Starts a job and waits for its end; algorithm: IRR_BENCH_HOST is without coll/irr.  job: NULL is the command of the
 * options, of which there is the whole time alone.  What the job prints beside goes to stderr.  Complains.
 */
irr_cli_exit_t irr_job_launch(const irr_job_options_t *options, const irr_job_t *job, int ranks, int algorithm,
                              irr_job_sample_t *sample);

/* The jobs of all pairs: sample p of run i is samples[i * pairs + p]; run 0 is without coll/irr. */
typedef struct irr_job_cell {
    irr_job_t               job;       /* unless there is a command */
    int                     ranks;
    const irr_job_sample_t *samples;
} irr_job_cell_t;

typedef struct irr_job_report irr_job_report_t;

/* Prints the head of the table; complains and returns NULL if there is no memory or the file cannot be written. */
irr_job_report_t *irr_job_report_open(const irr_job_options_t *options);
void              irr_job_report_cell(irr_job_report_t *report, const irr_job_cell_t *cell);
irr_cli_exit_t    irr_job_report_close(irr_job_report_t *report);

#endif
