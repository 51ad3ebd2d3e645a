/*
 * bench.h - irr_bench: measures one all-to-all call with several algorithms in one job.
 *
 *   irr_bench.c       the sequence of a run: prepare, measure, report
 *   bench_options.c   the command line
 *   bench_input.c     makes the count matrix from a file or a pattern and checks it against MPI's limits
 *   bench_exchange.c  the counts and buffers of one rank; fills and verifies them
 *   bench_call.c      the calls, blocking, nonblocking and persistent, and the peers of each rank in each call
 *   bench_run.c       one communicator for each row, point-to-point messages, interleaved measurement
 *   bench_pvar.c      reads the counters of coll/irr through MPI_T
 *   bench_loop.c      --loop: consecutive calls, timed as a whole
 *   bench_report.c    the table
 *   bench_files.c     the results as JSON, with more detail, and as comma-separated values
 *
 * An exchange is one call on all ranks.  A row of the results is one algorithm, with calls of one kind: plain ones, or
 * starts of a persistent request.  A unit is the number of bytes from which a pattern makes the count matrix, the bytes
 * that each rank sends to each other rank.
 *
 * Rank 0 alone reads the command line and the files, and prints.  It broadcasts its results, so that all ranks continue
 * together or end together with the same exit status.  "Collective" below means over MPI_COMM_WORLD.
 */
#ifndef IRR_BENCH_H
#define IRR_BENCH_H

#include "cli_mpi.h"
#include "problem/matrix.h"

#define IRR_BENCH_LIST_MAX 16                        /* maximum number of algorithms on the command line */
#define IRR_BENCH_ROWS_MAX (2 * IRR_BENCH_LIST_MAX)  /* one plain and one persistent row for each algorithm */

/* Numbers of algorithms that are not coll/irr's; all others are row numbers of its table of algorithms. */
enum {
    IRR_BENCH_HOST = -2,   /* Open MPI's implementation of the call */
    IRR_BENCH_P2P  = -1    /* point-to-point messages of the benchmark (bench_run.c) */
};

/* ---- counters of coll/irr ---- */

/* One counter for each row of the engine's table of counters. */
#define IRR_BENCH_COUNTER_ID(field, text) IRR_BENCH_COUNTER_##field,
enum { IRR_COUNTERS_MAP(IRR_BENCH_COUNTER_ID) IRR_BENCH_COUNTERS };
#undef IRR_BENCH_COUNTER_ID

/* Name and description of counter i; NULL if i is past the last counter. */
const char *irr_bench_counter_name(int i);
const char *irr_bench_counter_text(int i);

/*
 * The increase of each counter during a number of exchanges.  A gauge is a counter that is no sum, such as a maximum:
 * it has its value after the last exchange instead.
 */
typedef struct irr_bench_counts {
    unsigned long long value[IRR_BENCH_COUNTERS];
} irr_bench_counts_t;

/* To be called after MPI_Init.  Returns false if coll/irr is not loaded; all counts then stay 0. */
bool irr_bench_pvars_open(void);
void irr_bench_pvars_close(void);

/* Returns the current value of each counter; 0 for a counter that the component does not have. */
irr_bench_counts_t irr_bench_pvars_read(void);

/* Adds the increase of each counter between two readings to *sum. */
void irr_bench_counts_add(irr_bench_counts_t *sum, const irr_bench_counts_t *before, const irr_bench_counts_t *after);

/* Returns the mean increase of counter i per exchange, or the value of a gauge; -1 if the component lacks it. */
double irr_bench_counts_share(const irr_bench_counts_t *sum, int i, int exchanges);

/* ---- options ---- */

/* The call that is timed. */
typedef enum irr_bench_call {
    IRR_BENCH_ALLTOALLV,
    IRR_BENCH_ALLTOALL,
    IRR_BENCH_ALLTOALLW,
    IRR_BENCH_NEIGHBOR    /* MPI_Neighbor_alltoallv */
} irr_bench_call_t;

/* Returns the name of the call, or of its nonblocking form. */
const char *irr_bench_call_name(irr_bench_call_t call, bool nonblocking);

/* Selects the exchanges whose bytes are all compared.  A compared exchange begins with cold caches, so it is slower. */
typedef enum irr_bench_check {
    IRR_BENCH_CHECK_NONE,
    IRR_BENCH_CHECK_ENDS,   /* one untimed exchange before the warm-up and one after the iterations */
    IRR_BENCH_CHECK_EACH
} irr_bench_check_t;

/* The calls of --loop, which times all of them as a whole. */
typedef enum irr_bench_loop {
    IRR_BENCH_LOOP_NONE,
    IRR_BENCH_LOOP_SAME,
    IRR_BENCH_LOOP_FRESH,     /* a new communicator for each call */
    IRR_BENCH_LOOP_NEW,       /* different counts in each call */
    IRR_BENCH_LOOP_ALTERNATE, /* short and long blocks alternate */
    IRR_BENCH_LOOP_PARTNERS,  /* a few partners, which change; MPI_Alltoall of the counts first */
    IRR_BENCH_LOOP_WAIT,      /* nonblocking calls */
    IRR_BENCH_LOOP_START      /* starts of a persistent request */
} irr_bench_loop_t;

/* Name and description of loop i; NULL if i is past the last loop that this MPI supports. */
const char *irr_bench_loop_name(int i);
const char *irr_bench_loop_text(int i);

/* The part of the command line that all ranks need.  It is broadcast as bytes, so it has no pointers. */
typedef struct irr_bench_work {
    bool     run;                             /* false: help was printed, and the program ends */
    irr_bench_check_t check;
    irr_bench_call_t call;
    irr_bench_loop_t loop;
    int      pieces, stride;                  /* MPI_Alltoallw: number of pieces of a block; a piece begins `stride`
                                                 lengths of a piece after the piece before it */
    int      dims, degree;                    /* dimensions of a periodic grid; neighbours on a ring; 0: no topology */
    int      inter;                           /* ranks in the first group of an intercommunicator; 0: there is none */
    bool     in_place;                        /* MPI_IN_PLACE */
    int      iterations;
    int      warmup;
    bool     persistent;                      /* some rows start persistent requests */
    bool     overlap;                         /* nonblocking calls overlap a computation */
    int      tests;                           /* calls of MPI_Test during the computation */
    int      compute_us;                      /* time of the computation in us; 0: the time of the exchange alone */
    bool     idle;                            /* ranks sleep instead of computing */
    int      rows;
    int      algorithms[IRR_BENCH_ROWS_MAX];  /* rows of the algorithm table, or IRR_BENCH_HOST, IRR_BENCH_P2P */
    bool     starts[IRR_BENCH_ROWS_MAX];      /* the row starts a persistent request instead of making the call */
    uint64_t unit_min, unit_max;              /* unit of a pattern in bytes; different if a sweep varies the unit */
} irr_bench_work_t;

/* Rank 0 only.  The strings belong to the command line. */
typedef struct irr_bench_options {
    irr_bench_work_t work;
    const char      *matrix;   /* NULL: use the pattern */
    const char      *pattern;      /* name of the pattern or of the topology */
    const char      *datatype;     /* NULL: none */
    const char      *json, *csv;   /* NULL: none */
    double           scale;
    uint64_t         seed;
    bool             full;
    int              columns;  /* number of counters to print */
    int              column[IRR_BENCH_COUNTERS];
} irr_bench_options_t;

/* Rank 0 only.  Reads the command line.  Prints help or version to stdout, and one line to stderr if it refuses. */
irr_cli_exit_t irr_bench_options_read(int argc, char **argv, irr_bench_options_t *options);

const char *irr_bench_algorithm_name(int algorithm);

/* ---- input ---- */

/*
 * Rank 0 only.  Makes the matrix of the options, scaled.  Refuses it with an error message if an entry does not fit an
 * int, if MPI_Alltoall gets different entries, or if the matrix of an in-place call is not symmetric.
 */
irr_cli_exit_t irr_bench_load(const irr_bench_options_t *options, int ranks, uint64_t unit, irr_matrix_t *matrix);

/* ---- exchange ---- */

/*
 * The send side or the receive side of a call.  It has a block for each slot; a slot stands for a peer, which is a rank
 * or a neighbour.  The blocks are contiguous.  With datatypes, the pieces of different blocks interleave.
 */
typedef struct irr_bench_side {
    int           *ints;                /* the memory of the six arrays below */
    int           *ranks, *numbers;     /* by slot: the peer; a number that tells apart several blocks between the same
                                           two ranks, equal at both ends */
    int           *counts, *offsets;    /* bytes */
    int           *longest;             /* size in bytes of the memory of each block */
    int           *ones;                /* counts of the call if each slot has a datatype */
    MPI_Datatype  *types;               /* NULL: MPI_BYTE */
    unsigned char *buffer;              /* with MPI_IN_PLACE both sides share it if their blocks have equal lengths */
} irr_bench_side_t;

/* One rank's part of an exchange. */
typedef struct irr_bench_exchange {
    const irr_bench_work_t *work;
    int                     ranks, rank, slots;
    irr_bench_side_t        send, recv;
    const void             *from;       /* the send buffer of the call, or MPI_IN_PLACE */
    unsigned char          *message;    /* room for the longest message */
    MPI_Request            *requests;   /* room for one send and one receive of each slot */
} irr_bench_exchange_t;

/*
 * Collective.  matrix: used on rank 0 only.  unit: bytes of each block to a neighbour.  Returns the same result on all
 * ranks; rank 0 prints the error message.
 */
irr_cli_exit_t irr_bench_exchange_init(irr_bench_exchange_t *exchange, const irr_bench_work_t *work,
                                       const irr_matrix_t *matrix, uint64_t unit);
void             irr_bench_exchange_fini(irr_bench_exchange_t *exchange);

/* A received byte that differs from the byte that its source sent. */
typedef struct irr_bench_fault {
    bool          found;
    int           source;
    int           offset;  /* within the message */
    unsigned char expected, got;
} irr_bench_fault_t;

/*
 * Fills the send buffer with the data of exchange `number`.  Unless the call is in place, also fills the receive blocks
 * with the complement of the expected data.
 */
void irr_bench_fill(const irr_bench_exchange_t *exchange, uint64_t number);

/* Compares every received byte with the data of exchange `number`.  Stores the first wrong byte in *fault. */
void irr_bench_verify(const irr_bench_exchange_t *exchange, uint64_t number, irr_bench_fault_t *fault);

/* ---- calls ---- */

/* Returns the number of blocks that a rank has on each side. */
int irr_bench_slots(const irr_bench_work_t *work, int ranks, int rank);

/* Returns the peer of a slot of a rank, and sets *number_p to its number (irr_bench_side_t). */
int irr_bench_peer(const irr_bench_work_t *work, int ranks, int rank, int slot, bool sends, int *number_p);

/* Collective.  Returns a communicator of the ranks of MPI_COMM_WORLD with the topology or the groups of the call. */
MPI_Comm irr_bench_topology(const irr_bench_work_t *work);

/* Collective.  Starts the nonblocking call, or makes the blocking call if request is NULL. */
void irr_bench_call(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request);

/* Returns true if this MPI has persistent collectives. */
bool irr_bench_persistent(void);

/*
 * Collective.  Creates a persistent request, which uses the buffers of the exchange.  The call is not MPI_Alltoallw,
 * and irr_bench_persistent returns true.
 */
void irr_bench_request_create(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request);

/*
 * Collective.  Makes all calls of the loop.  Rank 0 prints their time as JSON, and prints error messages.  loaded is
 * true if coll/irr is in the job.  matrix is used on rank 0 only.
 */
irr_cli_exit_t irr_bench_loop(const irr_bench_work_t *work, const irr_matrix_t *matrix, bool loaded);

/* ---- measurement ---- */

/* Figures of the times of one row. */
typedef struct irr_bench_summary {
    double median, min, max, mean, p90, p99;  /* seconds */
    double median_low, median_high;           /* 97.5 % interval of the median, if the times are independent */
    double ratio;                             /* median of row host divided by this median; negative: no row host */
    double ratio_low, ratio_high;             /* 95 % interval of ratio, or wider; negative: none, or row host */
    double start_ratio;                       /* median of the persistent row of host divided by this median */
    double alone;                             /* median of the exchange without a computation; negative: unknown */
    double hidden;                            /* median share of an exchange that the computation hides, from 0 to 1;
                                                 negative: unknown */
    double rate;                              /* 10^6 bytes per second of the busiest rank, at the median time */
} irr_bench_summary_t;

/*
 * A row, and its results on one matrix.  by_irr, misled, counters and summary are valid on rank 0 only.  On rank 0, an
 * element of times and exposed is the maximum over all ranks.
 */
typedef struct irr_bench_row {
    int               algorithm;
    const char       *name;      /* name of the algorithm */
    bool              starts;    /* persistent */
    MPI_Comm          comm;
    MPI_Request       request;   /* with `starts`: the persistent request of a measurement */
    double           *times;     /* seconds, by iteration */
    double           *alone;     /* with overlap: the exchange without the computation; or NULL */
    double           *exposed;   /* with overlap: the time minus the computation of the same rank; or NULL */
    bool              by_irr;    /* coll/irr served all iterations on all ranks */
    bool              misled;    /* by_irr contradicts the name of the row */
    bool              wrong;     /* a byte was wrong on some rank */
    irr_bench_fault_t fault;     /* the first wrong byte on this rank */
    int               round;     /* number of the exchange with this byte; all exchanges are counted from 1 */
    /* Mean of each counter per iteration, on the rank with the largest mean; negative: unknown. */
    double            counters[IRR_BENCH_COUNTERS];
    irr_bench_summary_t summary;
} irr_bench_row_t;

/* The suffix of a persistent row: it follows the name of the algorithm. */
#define IRR_BENCH_SUFFIX(row) ((row)->starts ? "-start" : "")

/* Collective.  Set up the rows of the work, each with a communicator of its own, and free the communicators. */
void irr_bench_rows_create(const irr_bench_work_t *work, irr_bench_row_t *rows);
void irr_bench_rows_destroy(const irr_bench_work_t *work, irr_bench_row_t *rows);

/*
 * Collective.  Measures work->rows rows.  The caller provides the memory of times, and of alone and exposed if not
 * NULL: work->iterations values each.  Returns the same result on all ranks; rank 0 reports wrong bytes.
 */
irr_cli_exit_t irr_bench_measure(const irr_bench_work_t *work, const irr_bench_exchange_t *exchange,
                                 irr_bench_row_t *rows);

/* ---- report, rank 0 ---- */

typedef struct irr_bench_result {
    const irr_bench_options_t *options;
    uint64_t                   unit;
    irr_cli_messages_t         messages;   /* of the matrix */
    uint64_t                   lmax;       /* irr_cli_lmax of the matrix */
    irr_bench_row_t           *rows;
} irr_bench_result_t;

/* Sets the summary of each row.  scratch: room for the values of all iterations, to sort the times in. */
void irr_bench_summarise(const irr_bench_result_t *result, double *scratch);

void irr_bench_report_head(const irr_bench_options_t *options, int ranks, const irr_matrix_t *matrix);
void irr_bench_report_rows(const irr_bench_result_t *result);

/* Prints a last line, which explains the marked rows: not the implementation in their name has served them. */
void irr_bench_report_warning(bool loaded);

/* Writes name and version of the MPI library; text has room for MPI_MAX_LIBRARY_VERSION_STRING. */
void irr_bench_library(char *text);

/*
 * The files of results.  Call open before the first exchange; it refuses a file that cannot be written.  add takes the
 * rows of one unit.  close writes the remaining results, and prints an error message on failure.
 */
irr_cli_exit_t irr_bench_files_open(const irr_bench_options_t *options, int ranks);
void           irr_bench_files_add(const irr_bench_result_t *result);
irr_cli_exit_t irr_bench_files_close(irr_cli_exit_t code);

#endif
