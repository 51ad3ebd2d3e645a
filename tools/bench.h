/*
 * bench.h - irr_bench: an all-to-all call with several algorithms side by side, in one job.
 *
 *   irr_bench.c       the order of a run: prepare, measure, report
 *   bench_options.c   the command line
 *   bench_input.c     a file or a pattern becomes the count matrix, checked against MPI's limits
 *   bench_exchange.c  the counts and buffers of one rank; what they must hold before and after
 *   bench_call.c      the calls: who has blocks for whom, and how they lie in memory
 *   bench_operation.c the call itself, its nonblocking form, a persistent request, or messages by hand
 *   bench_run.c       one communicator a row, interleaved measurement
 *   bench_overlap.c   the computation beside a nonblocking exchange
 *   bench_pvar.c      what coll/irr counted, through MPI_T
 *   bench_loop.c      --loop: calls one behind the other, for whole jobs
 *   bench_report.c    the table
 *   bench_json.c      the same and more as JSON
 *   bench_csv.c       the same as comma-separated values
 *
 * Rank 0 alone reads the command line and files, and prints.  What it finds is broadcast, so that all ranks
 * go on together or end together with one exit status.  "Collective" below means over MPI_COMM_WORLD.
 */
#ifndef IRR_BENCH_H
#define IRR_BENCH_H

#include "cli_mpi.h"
#include "problem/matrix.h"

#define IRR_BENCH_NAME_MAX 64                        /* of a text of a few words, with its end */
#define IRR_BENCH_LIST_MAX 16                        /* algorithms that are named */
#define IRR_BENCH_ROWS_MAX (2 * IRR_BENCH_LIST_MAX)  /* each plain and persistent */

/* In place of a row of the algorithm table; both are without coll/irr. */
enum {
    IRR_BENCH_HOST = -2,   /* Open MPI's implementation of the call */
    IRR_BENCH_P2P  = -1    /* messages of the benchmark's own (bench_operation.c) */
};

/* ---- counters of coll/irr ---- */

/* One for each row of the engine's table. */
#define IRR_BENCH_COUNTER_ID(field, text) IRR_BENCH_COUNTER_##field,
enum { IRR_COUNTERS_MAP(IRR_BENCH_COUNTER_ID) IRR_BENCH_COUNTERS };
#undef IRR_BENCH_COUNTER_ID

/* NULL past the last. */
const char *irr_bench_counter_name(int i);
const char *irr_bench_counter_text(int i);

/* What some exchanges added to each counter; a gauge as it stood after the last of them. */
typedef struct irr_bench_counts {
    unsigned long long value[IRR_BENCH_COUNTERS];
} irr_bench_counts_t;

/* After MPI_Init.  False: coll/irr is not loaded, and counts stay 0. */
bool irr_bench_pvars_open(void);
void irr_bench_pvars_close(void);

/* Each counter as it is now; one that the component does not have is 0. */
irr_bench_counts_t irr_bench_pvars_read(void);

/* Adds what was counted between two readings. */
void irr_bench_counts_add(irr_bench_counts_t *sum, const irr_bench_counts_t *before,
                          const irr_bench_counts_t *after);

/* What one exchange of many had of counter i; a gauge as it is.  Below 0 if the component has no such counter. */
double irr_bench_counts_share(const irr_bench_counts_t *sum, int i, int exchanges);

/* ---- options ---- */

/* What is timed. */
typedef enum irr_bench_call {
    IRR_BENCH_ALLTOALLV,
    IRR_BENCH_ALLTOALL,
    IRR_BENCH_ALLTOALLW,
    IRR_BENCH_NEIGHBOR    /* MPI_Neighbor_alltoallv */
} irr_bench_call_t;

/* The name of the call, or of its nonblocking form. */
const char *irr_bench_call_name(irr_bench_call_t call, bool nonblocking);

/* Which exchanges are compared byte by byte.  To fill and compare the buffers of each one leaves caches cold for it. */
typedef enum irr_bench_check {
    IRR_BENCH_CHECK_NONE,
    IRR_BENCH_CHECK_ENDS,   /* one before the warm-up and one after the iterations, neither timed */
    IRR_BENCH_CHECK_EACH
} irr_bench_check_t;

/* --loop: what the calls of a job are like that are timed as a whole. */
typedef enum irr_bench_loop {
    IRR_BENCH_LOOP_NONE,
    IRR_BENCH_LOOP_SAME,
    IRR_BENCH_LOOP_FRESH,     /* a communicator for each call */
    IRR_BENCH_LOOP_NEW,       /* other counts in each call */
    IRR_BENCH_LOOP_ALTERNATE  /* short and long blocks in turn */
} irr_bench_loop_t;

/* NULL past the last. */
const char *irr_bench_loop_name(int i);
const char *irr_bench_loop_text(int i);

/* What all ranks must know of the command line; broadcast as bytes, so there are no pointers in it. */
typedef struct irr_bench_work {
    bool     run;                             /* false: help was printed, there is nothing to do */
    irr_bench_check_t check;
    irr_bench_call_t call;
    irr_bench_loop_t loop;
    int      pieces, stride;                  /* MPI_Alltoallw: of a block, which begin so many pieces apart */
    int      dims, degree;                    /* neighbours on a periodic grid, or so many of a ring; else 0 */
    int      inter;                           /* ranks of the first of two groups that exchange; else 0 */
    bool     in_place;                        /* MPI_IN_PLACE */
    int      iterations;
    int      warmup;
    bool     persistent;                      /* there are rows that start requests */
    bool     overlap;                         /* nonblocking calls beside a computation, */
    int      tests;                           /* in which MPI_Test is called so many times, */
    int      compute_us;                      /* of so many microseconds; 0: as long as the exchange alone */
    bool     idle;                            /* a rank sleeps in place of computing */
    int      rows;
    int      algorithms[IRR_BENCH_ROWS_MAX];  /* rows of the algorithm table, or IRR_BENCH_HOST and so on */
    bool     starts[IRR_BENCH_ROWS_MAX];      /* MPI_Start and MPI_Wait of a request, not the call itself */
    uint64_t unit_min, unit_max;              /* of a pattern; equal unless it is swept */
} irr_bench_work_t;

/* Rank 0.  The strings are the command line's own. */
typedef struct irr_bench_options {
    irr_bench_work_t work;
    const char      *matrix;   /* NULL: a pattern */
    const char      *pattern;      /* or the topology */
    const char      *datatype;     /* NULL: none */
    const char      *json, *csv;   /* NULL: none */
    double           scale;
    uint64_t         seed;
    bool             full;
    int              columns;  /* of counters */
    int              column[IRR_BENCH_COUNTERS];
} irr_bench_options_t;

/* Rank 0.  Prints help or version to stdout, or one line to stderr if the command line is refused. */
irr_cli_exit_t irr_bench_options_read(int argc, char **argv, irr_bench_options_t *options);

const char *irr_bench_algorithm_name(int algorithm);

/* ---- input ---- */

/*
 * Rank 0.  The matrix that the options ask for, scaled, within the limits of int, with equal entries for MPI_Alltoall
 * and symmetric in place; complains if not.
 */
irr_cli_exit_t irr_bench_load(const irr_bench_options_t *options, int ranks, uint64_t unit,
                              irr_matrix_t *matrix);

/* What is said of a matrix.  busiest: the most that one rank sends or receives, JPDC's Lmax. */
typedef struct irr_bench_facts {
    uint64_t messages;
    uint64_t bytes;
    uint64_t largest;
    uint64_t busiest;
} irr_bench_facts_t;

irr_bench_facts_t irr_bench_facts(const irr_matrix_t *matrix);

/* ---- exchange ---- */

/*
 * One side of a call: a block for each slot, which is a rank, or a neighbour.  Blocks lie one behind the other; or,
 * with a datatype each, between the pieces of others.
 */
typedef struct irr_bench_side {
    int           *ints;                /* the memory of the next six */
    int           *ranks, *numbers;     /* at the other end of a slot, and of the edge, as both ends count them */
    int           *counts, *offsets;    /* bytes */
    int           *longest;             /* the counts that the blocks have room for */
    int           *ones;                /* elements where each slot has a datatype */
    MPI_Datatype  *types;               /* NULL: MPI_BYTE */
    size_t         bytes;
    unsigned char *buffer;              /* of both sides the same in place, where their blocks are as long */
} irr_bench_side_t;

/* One rank's part of an exchange. */
typedef struct irr_bench_exchange {
    const irr_bench_work_t *work;
    int                     ranks, rank, slots;
    irr_bench_side_t        send, recv;
    const void             *from;       /* what the call gets to send: the buffer of that side, or MPI_IN_PLACE */
    unsigned char          *message;    /* room for the longest */
    MPI_Request            *requests;   /* room for a message to each slot and from each */
} irr_bench_exchange_t;

/* Collective.  matrix: rank 0 only.  All ranks get the same result; rank 0 complains. */
irr_cli_exit_t irr_bench_exchange_init(irr_bench_exchange_t *exchange, const irr_bench_work_t *work,
                                       const irr_matrix_t *matrix, uint64_t unit);
void             irr_bench_exchange_fini(irr_bench_exchange_t *exchange);

/* A byte that is not what its source sent. */
typedef struct irr_bench_fault {
    bool          found;
    int           source;
    int           offset;  /* within the message */
    unsigned char expected, got;
} irr_bench_fault_t;

/* Writes what the number-th exchange sends, and the complement of what it must deliver where it must deliver. */
void irr_bench_fill(const irr_bench_exchange_t *exchange, uint64_t number);

/* Compares every byte that arrived; the first wrong one goes to *fault. */
void irr_bench_verify(const irr_bench_exchange_t *exchange, uint64_t number, irr_bench_fault_t *fault);

/* ---- calls ---- */

/* Blocks of a rank on each side. */
int irr_bench_slots(const irr_bench_work_t *work, int ranks, int rank);

/* May one rank have a block for the other?  Not where both are of one group of two. */
bool irr_bench_speak(const irr_bench_work_t *work, int a, int b);

/* What else is to be said of the call: the two groups, or in place; else nothing. */
void irr_bench_call_manner(const irr_bench_work_t *work, int ranks, char *text, size_t size);

/* Whom slot number `slot` of a rank sends to, or receives from, and the number of that edge. */
int irr_bench_peer(const irr_bench_work_t *work, int ranks, int rank, int slot, bool sends, int *number_p);

/* Where byte number `byte` of the block of a slot is, and how many behind it are there, too. */
size_t irr_bench_place(const irr_bench_exchange_t *exchange, const irr_bench_side_t *side, int slot, size_t byte,
                       size_t *run_p);

/* Bytes between the first and the last of all blocks of so many bytes, where they are pieces. */
uint64_t irr_bench_span(const irr_bench_work_t *work, int ranks, uint64_t bytes);

/* The datatypes of a side, if it has some.  False: no memory. */
bool irr_bench_types_init(const irr_bench_work_t *work, irr_bench_side_t *side, int slots);
void irr_bench_types_fini(irr_bench_side_t *side, int slots);

/* Collective.  The ranks of MPI_COMM_WORLD as the call wants them. */
MPI_Comm irr_bench_topology(const irr_bench_work_t *work);

/* The info key of a communicator that names the algorithm. */
const char *irr_bench_key(irr_bench_call_t call);

/* Collective. */
void irr_bench_call(const irr_bench_exchange_t *exchange, MPI_Comm comm);

/* How a row exchanges: by messages by hand, by a persistent request, or else by the call. */
typedef struct irr_bench_operation {
    MPI_Comm    comm;
    MPI_Request persistent;   /* MPI_REQUEST_NULL: none */
    bool        by_hand;
} irr_bench_operation_t;

/* Does this MPI have persistent collectives? */
bool irr_bench_persistent(void);

/* Collective.  The operation of each row; persistent requests are those of the buffers of the exchange. */
void irr_bench_operations_create(const irr_bench_work_t *work, const MPI_Comm *comms,
                                 const irr_bench_exchange_t *exchange, irr_bench_operation_t *operations);
void irr_bench_operations_destroy(const irr_bench_work_t *work, irr_bench_operation_t *operations);

/*
 * Collective.  Starts an exchange, nonblocking if the work overlaps.  Returns how many requests of the exchange are to
 * be completed; 0: the exchange is over.
 */
int irr_bench_start(const irr_bench_exchange_t *exchange, const irr_bench_operation_t *operation);

/*
 * Collective.  Makes all calls and prints their time as JSON on rank 0; complains.  loaded: coll/irr is in the job.
 * matrix: rank 0 only.
 */
irr_cli_exit_t irr_bench_loop(const irr_bench_work_t *work, const irr_matrix_t *matrix, bool loaded);

/* ---- overlap ---- */

/*
 * Computes for so many seconds in parts of equal length, and tests the first `count` requests of the exchange between
 * two parts.  Returns the seconds without the tests.
 */
double irr_bench_compute(const irr_bench_exchange_t *exchange, double seconds, int count);

/* What share of an exchange is hidden behind a computation, from 0 to 1. */
double irr_bench_hidden(double alone, double exposed);

/* ---- measurement ---- */

/*
 * One algorithm on one matrix, plain or persistent.  by_irr, misled, counters and the times of all ranks: rank 0
 * only.
 */
typedef struct irr_bench_row {
    const char       *name;      /* of the algorithm */
    bool              starts;    /* persistent */
    double           *times;     /* seconds of the slowest rank, one an iteration */
    double           *alone;     /* of an overlap, the same without the computation; or NULL */
    double           *exposed;   /* the same with it, less what the computation took on that rank; or NULL */
    bool              by_irr;    /* coll/irr served it: each iteration on each rank */
    bool              misled;    /* and should not have, or did not and should have */
    bool              wrong;     /* some byte on some rank was wrong */
    irr_bench_fault_t fault;     /* the first one on this rank */
    int               round;     /* in which it was found, from 1, over all exchanges */
    /* Of one iteration, of the rank that has most; below 0 if unknown. */
    double            counters[IRR_BENCH_COUNTERS];
} irr_bench_row_t;

/* What the row is called in text: a persistent one has this behind the name of its algorithm. */
#define IRR_BENCH_SUFFIX(row) ((row)->starts ? "-start" : "")

/* The communicators, one a row.  Collective. */
void irr_bench_comms_create(const irr_bench_work_t *work, MPI_Comm *comms);
void irr_bench_comms_destroy(const irr_bench_work_t *work, MPI_Comm *comms);

/*
 * Collective.  Fills work->rows rows, whose times, and alone and exposed if any, have room for work->iterations.  All
 * ranks get the same result; rank 0 complains about wrong bytes.
 */
irr_cli_exit_t irr_bench_measure(const irr_bench_work_t *work, const MPI_Comm *comms,
                                 const irr_bench_exchange_t *exchange, irr_bench_row_t *rows);

/* ---- report, rank 0 ---- */

/* Figures of one row. */
typedef struct irr_bench_summary {
    double median, min, max, mean, p90, p99;  /* seconds */
    double median_low, median_high;           /* its 97.5 % interval, if the times are independent */
    double ratio;                             /* host's median over this one; below 0 without a host */
    double ratio_low, ratio_high;             /* where that is with 95 % or more; below 0 also for the host itself */
    double start_ratio;                       /* the same of host's persistent row */
    double alone;                             /* median of the exchange without a computation; below 0: none */
    double hidden;                            /* median share that is hidden behind it; below 0: none */
} irr_bench_summary_t;

/* summaries has room for work->rows; scratch, in which times are sorted, for work->iterations. */
void irr_bench_summarise(const irr_bench_work_t *work, const irr_bench_row_t *rows, double *scratch,
                         irr_bench_summary_t *summaries);

typedef struct irr_bench_result {
    const irr_bench_options_t *options;
    uint64_t                   unit;
    irr_bench_facts_t          facts;
    const irr_bench_row_t     *rows;
    const irr_bench_summary_t *summaries;
} irr_bench_result_t;

/* A figure of a row as files have it; times are in microseconds. */
typedef struct irr_bench_figure {
    const char *name;
    double      value;      /* below 0: there is none */
    int         decimals;
} irr_bench_figure_t;

/* The first IRR_BENCH_FIRST stand in front of whether bytes were right, where the order matters. */
enum { IRR_BENCH_FIRST = 8, IRR_BENCH_FIGURES = 13 };

void irr_bench_figures_of(const irr_bench_result_t *result, int row, irr_bench_figure_t figures[IRR_BENCH_FIGURES]);

void irr_bench_report_head(const irr_bench_options_t *options, int ranks, const irr_bench_facts_t *facts);
void irr_bench_report_rows(const irr_bench_result_t *result);

/* The last line if a row is not what its name says; loaded: coll/irr's counters exist. */
void irr_bench_report_warning(bool loaded);

/* Name and version of the MPI library; text has room for MPI_MAX_LIBRARY_VERSION_STRING. */
void irr_bench_library(char *text);

/*
 * A file of results.  open is called before the first exchange; it complains and returns NULL if the file cannot be
 * written.  add takes the rows of a unit.  close writes what is left and complains if that fails.
 */
typedef struct irr_bench_output {
    void          *(*open)(const irr_bench_options_t *options, int ranks);
    void           (*add)(void *output, const irr_bench_result_t *result);
    irr_cli_exit_t (*close)(void *output);
} irr_bench_output_t;

extern const irr_bench_output_t irr_bench_json, irr_bench_csv;

#endif
