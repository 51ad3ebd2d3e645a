/*
 * routes.h - irr_routes: store-and-forward routes on the engine itself, beside plain contiguous messages.
 *
 *   irr_routes.c       the order of a run; the engine and its host, which is MPI
 *   routes_options.c   the command line
 *   routes_job.c       the exchange of one rank: what it sends, and whether it got what it should
 *   routes_twin.c      the contiguous twin of a plan
 *   routes_measure.c   the variants of one algorithm, in turn, and their table
 *
 * Whatever fails in the middle of a run ends the job: all that is left then is to know where.
 */
#ifndef IRR_ROUTES_H
#define IRR_ROUTES_H

#include "cli.h"
#include "comm/exchange.h"

#include <mpi.h>

#define IRR_ROUTES_ROWS_MAX 16

/* Broadcast as bytes, so there are no pointers in it. */
typedef struct irr_routes_options {
    bool     run;             /* false: help was printed */
    int      pattern;         /* row of the table of patterns */
    uint64_t unit, seed, slice_min;
    int      iterations, warmup;
    int      transport;       /* row of the table of transports; -1: auto */
    int      ranks_per_node;
    int      algorithms, algorithm[IRR_ROUTES_ROWS_MAX];
    int      overlaps, overlap[IRR_OVERLAP_COUNT];
} irr_routes_options_t;

/* Rank 0.  Prints the help to stdout, or one line to stderr if the command line is refused. */
irr_cli_exit_t irr_routes_options_read(int argc, char **argv, irr_routes_options_t *options);

typedef struct irr_routes_job {
    const irr_routes_options_t *options;
    irr_engine_t               *engine;
    irr_oob_t                   oob;
    irr_problem_t               problem;
    irr_block_t                *blocks;        /* the memory of the problem */
    size_t                      input_bytes, output_bytes;
    unsigned char              *input, *output;
    uint64_t                    wrong_bytes;   /* seen on this rank */
} irr_routes_job_t;

/* Ends the job with a line about what failed and why, unless nothing did. */
void irr_routes_must(const char *what, irr_status_t status);

/* A barrier of all ranks that keeps their engines moving. */
void irr_routes_barrier(const irr_routes_job_t *job);

/* Blocks one behind the other, as the pattern has them; input is filled.  Engine and oob stay as they are. */
void irr_routes_job_init(irr_routes_job_t *job, int ranks, int rank);
void irr_routes_job_fini(irr_routes_job_t *job);

/* Output holds nothing that may be right; and the bytes of it that are wrong. */
void     irr_routes_job_poison(const irr_routes_job_t *job);
uint64_t irr_routes_job_verify(const irr_routes_job_t *job);

/*
 * Makes a communicator with a direct algorithm run the twin of a plan instead, with irr_exchange_restart: the
 * same messages in the same order and with the same dependencies, but each of them one contiguous piece.
 */
irr_status_t irr_routes_twin(const irr_plan_t *plan, size_t input_bytes, irr_comm_t *comm);

/* Collective: all variants of one algorithm; rank 0 prints their table. */
void irr_routes_measure(irr_routes_job_t *job, int algorithm);

#endif
