/*
 * irr_settings.h - the settings of a communicator: algorithm, composition of messages, grid, schedule, pacing, limits.
 *
 * Lengths are in bytes.  Parsers return IRR_ERR_BAD_PARAM and leave their output unchanged if the text is not valid. No
 * function here blocks, allocates or logs.
 */
#ifndef IRR_SETTINGS_H
#define IRR_SETTINGS_H

#include "irr_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- algorithms ---- */

/* Return name and help text of row i of the algorithm table, or NULL past the last row.  Row 0 is "auto". */
const char *irr_algorithm_name(int i);
const char *irr_algorithm_text(int i);

/*
 * If `name` is the older name of an algorithm, in upper or lower case, returns its present name; otherwise returns
 * `name`.
 */
const char *irr_algorithm_newer(const char *name);

/* Returns the row of the algorithm with this present or older name, or -1. */
int irr_algorithm_find(const char *name);

/* How a message of several pieces is sent.  With "auto", exec/compose.c decides. */
#define IRR_COMPOSE_MAP(X)  \
    X(IRR_COMPOSE_AUTO,   "auto")   \
    X(IRR_COMPOSE_IOVEC,  "iovec")  \
    X(IRR_COMPOSE_GATHER, "gather") \
    X(IRR_COMPOSE_SPLIT,  "split")

#define IRR_COMPOSE_ENUM(name, text) name,
typedef enum irr_compose { IRR_COMPOSE_MAP(IRR_COMPOSE_ENUM) IRR_COMPOSE_COUNT } irr_compose_t;
#undef IRR_COMPOSE_ENUM

/* Returns the name of composition i, or NULL past the last. */
const char *irr_compose_name(int i);

/*
 * The condition on which a send of a store-and-forward route may start on a rank:
 *
 * - pipelined: when the data of the message has arrived
 * - dual: when all messages of the previous stage have arrived
 * - single: when, in addition, all sends of the previous stage are complete
 * - blocking: when the previous send is complete; a barrier follows each stage
 */
#define IRR_OVERLAP_MAP(X)                   \
    X(IRR_OVERLAP_PIPELINED, "pipelined")    \
    X(IRR_OVERLAP_DUAL,      "dual")         \
    X(IRR_OVERLAP_SINGLE,    "single")       \
    X(IRR_OVERLAP_BLOCKING,  "blocking")

#define IRR_OVERLAP_ENUM(name, text) name,
typedef enum irr_overlap { IRR_OVERLAP_MAP(IRR_OVERLAP_ENUM) IRR_OVERLAP_COUNT } irr_overlap_t;
#undef IRR_OVERLAP_ENUM

/* Returns the name of overlap i, or NULL past the last. */
const char *irr_overlap_name(int i);

#define IRR_DIMS_MAX 15   /* largest number of dimensions of a grid */

/*
 * Sizes of the dimensions of a grid.  The last of them is a placeholder: its size is computed from the number of ranks,
 * whatever the given size is.  count 0: the algorithm chooses the grid.
 */
typedef struct irr_dims {
    int count;
    int size[IRR_DIMS_MAX];
} irr_dims_t;

/* Reads "auto", or sizes of at least 2 as in "8x8" or "4x2^3". */
irr_status_t irr_dims_parse(const char *text, irr_dims_t *dims);

/* Defaults: */
#define IRR_SLICE_MIN_DEFAULT   256       /* shortest slice of a message */
#define IRR_DIRECT_DEFAULT      1536      /* length of the shortest message that hybrid sends directly; such a message
                                             costs about as much as a message through a grid */
#define IRR_NODE_DIRECT_DEFAULT 1025      /* shortest message that node sends directly */
#define IRR_LATENCY_DEFAULT     16384     /* number of bytes that a rank sends in the time to start a message */

/* ---- schedules ---- */

#define IRR_LAMBDA_ONE 65536  /* fixed-point form of lambda = 1 */

#define IRR_LAMBDA_MAP(X)                         \
    X(IRR_LAMBDA_INCREMENTAL,  "incremental")     \
    X(IRR_LAMBDA_FIXED,        "fixed")           \
    X(IRR_LAMBDA_PROPORTIONAL, "proportional")    \
    X(IRR_LAMBDA_SEARCH,       "search")

#define IRR_LAMBDA_ENUM(name, text) name,
typedef enum irr_lambda_rule { IRR_LAMBDA_MAP(IRR_LAMBDA_ENUM) IRR_LAMBDA_RULES } irr_lambda_rule_t;
#undef IRR_LAMBDA_ENUM

/*
 * The rule by which the algorithm "random-heap" chooses how many messages of a step it sends whole.  It splits the
 * longer messages of the step; see order/lambda.h.
 */
typedef struct irr_lambda {
    irr_lambda_rule_t rule;
    uint32_t          share;   /* parameter of the rule, in units of 1 / IRR_LAMBDA_ONE; unused by search */
} irr_lambda_t;

/* The rule and the parameter of Ranka, Wang, Kumar. */
#define IRR_LAMBDA_DEFAULT ((irr_lambda_t){ IRR_LAMBDA_INCREMENTAL, IRR_LAMBDA_ONE / 4 * 3 })

/*
 * Reads "incremental", "incremental:0.75", "fixed:0.875", "proportional:0.8", "search" or "one".  The number after the
 * colon must be above 0 and at most 1; for "proportional" at most 100.
 */
irr_status_t irr_lambda_parse(const char *text, irr_lambda_t *lambda);

/* Redistribution of an array from cyclic(x) on p ranks to cyclic(y) on q ranks; see problem/redistribution.h. */
typedef struct irr_redistribution {
    uint64_t x;         /* number of elements of a block before the redistribution */
    int      p;         /* number of ranks that own blocks before the redistribution; 0: no redistribution */
    uint64_t y;         /* number of elements of a block after the redistribution */
    int      q;         /* number of ranks that own blocks after the redistribution */
    uint64_t elements;  /* number of elements of the array */
    uint64_t unit;      /* length of an element in bytes */
} irr_redistribution_t;

/*
 * Reads "x,p,y,q" or "x,p,y,q,N", where N is the number of elements.  Without N the array has lcm(xp, yq) elements,
 * after which the pattern of messages repeats; this number must fit 64 bits.  x, p, y and q must not be 0.  The unit is
 * not changed.
 */
irr_status_t irr_redistribution_parse(const char *text, irr_redistribution_t *redistribution);

/* The switches and hosts of a job's ranks; see order/tree/tree.h. */
typedef struct irr_tree irr_tree_t;

/* The end of the time that a computation may take; see core/deadline.h. */
typedef struct irr_deadline irr_deadline_t;

/* Parameters of the orders that compute a schedule from the count matrix. */
typedef struct irr_scheduled_params {
    uint64_t     seed;       /* seed of the random orders */
    irr_lambda_t lambda;     /* random-heap: rule for the share of a step's messages that is sent whole */
    uint64_t     latency;    /* random-heap with the rule "incremental": number of bytes that a rank sends in the time
                                that it takes to start a message; below 2^40 */
    int          max_steps;  /* optimal, tree: approximate limit of the number of steps; 0: no limit */
    bool         shift;      /* xor: true: rank i sends to rank (i + k) mod P in step k, even if P is a power of two */
    irr_redistribution_t redistribution;  /* redistribution: x, p, y and q; elements and unit are not used */
    const irr_tree_t *tree;  /* tree: borrowed; NULL: all hosts at one switch, one rank per host */
    const irr_deadline_t *deadline;   /* borrowed; NULL: no deadline; unused in irr_settings_t, see schedule_ms */
} irr_scheduled_params_t;

/*
 * The condition on which a send may start.  The window of sends in flight applies to every pacing.
 *
 * - free: at once, in the order of the plan
 * - loose: when this rank has sent and received all messages of the previous steps
 * - grant: when the receiver has sent a grant; a receiver admits a few senders at a time
 * - sync: when this rank has received a signal for each earlier message that would share a link with this send; the
 *   receiver of the earlier message sends the signal shortly before the message is complete
 * - auto: the default of the algorithm.  Algorithm "tree" has "sync" on one host, and on several hosts the pacing that
 *   wins a trial.  Algorithm "optimal" has "grant".  The other algorithms that compute a schedule have "loose".  All
 *   others have "free".
 *
 * A store-and-forward algorithm always has pacing "free".  If an exchange has no schedule, "sync" acts like "loose".
 */
#define IRR_PACING_MAP(X)          \
    X(IRR_PACING_AUTO,  "auto")    \
    X(IRR_PACING_FREE,  "free")    \
    X(IRR_PACING_LOOSE, "loose")   \
    X(IRR_PACING_GRANT, "grant")   \
    X(IRR_PACING_SYNC,  "sync")

#define IRR_PACING_ENUM(name, text) name,
typedef enum irr_pacing_kind { IRR_PACING_MAP(IRR_PACING_ENUM) IRR_PACING_COUNT } irr_pacing_kind_t;
#undef IRR_PACING_ENUM

/* Returns the name of pacing i, or NULL past the last. */
const char *irr_pacing_name(int i);

/*
 * The route of tree between hosts with several ranks each:
 *
 * - direct: each rank sends its messages to their destinations
 * - node: each rank sends its messages to leaders on its own host, which forward them to the other hosts
 * - auto: the route that wins a trial
 */
#define IRR_HOST_ROUTE_MAP(X)               \
    X(IRR_HOST_ROUTE_AUTO,   "auto")        \
    X(IRR_HOST_ROUTE_DIRECT, "direct")      \
    X(IRR_HOST_ROUTE_NODE,   "node")

#define IRR_HOST_ROUTE_ENUM(name, text) name,
typedef enum irr_host_route { IRR_HOST_ROUTE_MAP(IRR_HOST_ROUTE_ENUM) IRR_HOST_ROUTE_COUNT } irr_host_route_t;
#undef IRR_HOST_ROUTE_ENUM

/* Returns the name of host route i, or NULL past the last. */
const char *irr_host_route_name(int i);

/* With 2 grants, the second sender gets its grant before the first sender has finished. */
#define IRR_GRANTS_DEFAULT 2

#define IRR_LEAD_DEFAULT 49152   /* sync: a receiver signals the next sender when only this number of bytes has yet to
                                    arrive */

/*
 * The value "auto" of piece_bytes and lead_bytes: tree on several hosts compares several lengths in trials; all other
 * algorithms send messages in one piece, and have the lead IRR_LEAD_DEFAULT.
 */
#define IRR_BYTES_AUTO SIZE_MAX

/* ---- settings of a communicator ---- */

/* Settings of a communicator; irr_comm_create checks that they are equal on all ranks.  The texts are borrowed. */
typedef struct irr_settings {
    int           algorithm;        /* row of the algorithm table */
    irr_compose_t compose;
    size_t        window_messages;  /* largest number of sends in flight; a split message counts as one send; 0: no
                                       limit */
    size_t        window_bytes;     /* largest number of bytes of sends in flight; 0: no limit */
    irr_dims_t    dims;             /* sizes of the grid */
    size_t        slice_min;        /* shortest slice into which a balanced route cuts a message; 0: slices of any
                                       length */
    size_t        direct_bytes;     /* hybrid, node: shortest message that is sent directly; 0: no message is sent
                                       directly; IRR_BYTES_AUTO: the default of the algorithm */
    irr_overlap_t overlap;
    irr_pacing_kind_t pacing;       /* pacing of an algorithm that does not forward */
    size_t        grants;           /* pacing grant: largest number of messages that a rank receives at a time, and
                                       that it sends at a time; 0: IRR_GRANTS_DEFAULT, and in a trial of tree with
                                       pieces, a number that fits their length */
    size_t        lead_bytes;       /* sync: a receiver signals the next sender when only this number of bytes has yet
                                       to arrive; or IRR_BYTES_AUTO */
    irr_scheduled_params_t scheduled;
    size_t        piece_bytes;      /* with a schedule: longest piece of a message; 0: no limit; or IRR_BYTES_AUTO */
    size_t        matrix_max_bytes; /* longest count matrix on rank 0; if the matrix is longer, a scheduled algorithm
                                       sends directly; 0: no limit */
    size_t        schedule_ms;      /* time in ms in which rank 0 may compute the schedules of one count matrix; if it
                                       takes longer, the exchange has no schedule; 0: no limit */
    size_t        cache_bytes;      /* largest number of bytes of schedules that a communicator keeps; 0: at most seven
                                       schedules of any length */
    irr_host_route_t host_route;    /* used by tree with several ranks on a host, and pacing sync or free */
    bool          shm;              /* true: ranks of a node use shared memory if all of them can */
    size_t        timeout;          /* time in seconds after which a running exchange ends in an error; 0: no limit */
    const char   *schedule_file;    /* schedule written by irr_plan --save, for exchanges with the same counts; NULL or
                                       "": no file */
    const char   *topology_file;    /* Slurm's topology.conf, for tree and auto; NULL or "": all hosts at one
                                       switch */
    const char   *matrix_dump;      /* prefix of the count-matrix files that rank 0 writes, see comm/dump.h; NULL or "":
                                       none */
} irr_settings_t;

/*
 * Returns the settings of a job in which the user has configured nothing.  All limits of memory and time are 0; the
 * parameters of the Open MPI component set defaults for them.
 */
irr_settings_t irr_settings_default(void);

#endif
