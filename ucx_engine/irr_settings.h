/*
 * irr_settings.h - the settings of a communicator: algorithm, form of messages, grid, schedule, pacing, limits.
 *
 * With a direct algorithm, each rank sends its messages to their destinations.  Some direct algorithms compute a
 * schedule: the step in which each message is sent.  With a store-and-forward algorithm, such as "grid" or "node",
 * ranks also forward messages of other ranks.
 *
 * Lengths are in bytes.  Parsers return IRR_ERR_BAD_PARAM and leave their output unchanged if the text is not valid.
 * No function here blocks, allocates or logs.
 */
#ifndef IRR_SETTINGS_H
#define IRR_SETTINGS_H

#include "irr_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- algorithms ---- */

/* Return the name and the help text of row i of the table of algorithms; NULL past the last row.  Row 0 is "auto". */
const char *irr_algorithm_name(int i);
const char *irr_algorithm_text(int i);

/*
 * Returns the present name of an algorithm if `name` is an older name of it, in upper or lower case; otherwise `name`.
 */
const char *irr_algorithm_newer(const char *name);

/* Returns the row of the algorithm with this present or older name; -1: there is none. */
int irr_algorithm_find(const char *name);

/*
 * How a message is sent whose data is in several pieces of memory: as a list (iovec), as one copy (gather), or as
 * several messages (split).  With "auto", exec/compose.c decides.
 */
#define IRR_COMPOSE_MAP(X)  \
    X(IRR_COMPOSE_AUTO,   "auto")   \
    X(IRR_COMPOSE_IOVEC,  "iovec")  \
    X(IRR_COMPOSE_GATHER, "gather") \
    X(IRR_COMPOSE_SPLIT,  "split")

#define IRR_COMPOSE_ENUM(name, text) name,
typedef enum irr_compose { IRR_COMPOSE_MAP(IRR_COMPOSE_ENUM) IRR_COMPOSE_COUNT } irr_compose_t;
#undef IRR_COMPOSE_ENUM

/* Returns name i; NULL past the last, as do irr_overlap_name, irr_pacing_name and irr_host_route_name. */
const char *irr_compose_name(int i);

/*
 * A store-and-forward algorithm has stages: a rank sends in one stage what it received in the previous stage.  The
 * overlap is the condition on which a send may start:
 *
 * - pipelined: when the data of the message has arrived
 * - dual: when all messages of the previous stage have arrived on this rank
 * - single: as dual, and all sends of the previous stage are complete
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

const char *irr_overlap_name(int i);

#define IRR_DIMS_MAX 15   /* largest number of dimensions of a grid */

/*
 * The sizes of the dimensions of a grid of ranks.  The size of the last dimension is computed from the number of ranks,
 * and its value here has no effect.  count 0: the algorithm chooses the grid.
 */
typedef struct irr_dims {
    int count;
    int size[IRR_DIMS_MAX];
} irr_dims_t;

/* Reads "auto", or sizes of at least 2 as in "8x8" or "4x2^3". */
irr_status_t irr_dims_parse(const char *text, irr_dims_t *dims);

/* Defaults: */
#define IRR_SLICE_MIN_DEFAULT   256       /* shortest slice of a block in bytes; slices travel separately */
#define IRR_DIRECT_DEFAULT      1536      /* shortest message that "hybrid" sends directly, in bytes; such a message
                                             takes about as long directly as through a grid */
#define IRR_NODE_DIRECT_DEFAULT 1025      /* shortest message that "node" sends directly, in bytes */
#define IRR_LATENCY_DEFAULT     16384     /* number of bytes that take as long to send as a message to start */

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
 * The algorithm "random-heap" sends some messages of a step whole, and splits the longer ones.  lambda is the share of
 * the messages that it sends whole.  Its rule computes lambda; see order/lambda.h.
 */
typedef struct irr_lambda {
    irr_lambda_rule_t rule;
    uint32_t          share;   /* parameter of the rule, in units of 1 / IRR_LAMBDA_ONE; the rule "search" has none */
} irr_lambda_t;

/* The rule and the parameter in the paper by Ranka, Wang, Kumar. */
#define IRR_LAMBDA_DEFAULT ((irr_lambda_t){ IRR_LAMBDA_INCREMENTAL, IRR_LAMBDA_ONE / 4 * 3 })

/*
 * Reads "incremental", "incremental:0.75", "fixed:0.875", "proportional:0.8", "search" or "one".  The number after the
 * colon must be above 0 and at most 1; for "proportional" at most 100.
 */
irr_status_t irr_lambda_parse(const char *text, irr_lambda_t *lambda);

/*
 * Redistribution of an array whose blocks of x elements are on p ranks in turn; afterwards blocks of y elements are on
 * q ranks in turn.  See problem/redistribution.h.
 */
typedef struct irr_redistribution {
    uint64_t x;         /* elements in a block before the redistribution */
    int      p;         /* ranks that own blocks before the redistribution; 0: no redistribution is set */
    uint64_t y;         /* elements in a block after the redistribution */
    int      q;         /* ranks that own blocks after the redistribution */
    uint64_t elements;  /* number of elements of the array */
    uint64_t unit;      /* length of an element in bytes */
} irr_redistribution_t;

/*
 * Reads "x,p,y,q" or "x,p,y,q,N", where N is the number of elements.  Without N the array has lcm(xp, yq) elements;
 * beyond them the pattern of messages repeats.  This number must fit 64 bits.  x, p, y and q must not be 0.  The
 * function leaves `unit` unchanged.
 */
irr_status_t irr_redistribution_parse(const char *text, irr_redistribution_t *redistribution);

/* A tree of the switches and hosts of the ranks; see order/tree/tree.h. */
typedef struct irr_tree irr_tree_t;

/* The time at which a computation must end; see core/deadline.h. */
typedef struct irr_deadline irr_deadline_t;

/* Parameters of the orders that compute a schedule from the count matrix. */
typedef struct irr_scheduled_params {
    uint64_t     seed;       /* seed of the random orders */
    irr_lambda_t lambda;     /* random-heap: see irr_lambda_t */
    uint64_t     latency;    /* random-heap with the rule "incremental": as IRR_LATENCY_DEFAULT; below 2^40 */
    int          max_steps;  /* optimal, tree: approximate limit of the number of steps; 0: no limit */
    bool         shift;      /* xor: rank i sends to rank (i + k) mod P in step k, even if P is a power of two */
    irr_redistribution_t redistribution;  /* redistribution: only x, p, y and q are used */
    const irr_tree_t *tree;  /* tree: borrowed; NULL: all hosts at one switch, one rank per host */
    const irr_deadline_t *deadline;   /* borrowed; NULL: no deadline; unused in irr_settings_t, which has schedule_ms */
} irr_scheduled_params_t;

/*
 * The pacing: the condition on which a send of a direct algorithm may start.  With each pacing, the window also limits
 * the number and the bytes of sends in flight.
 *
 * - free: at once, in the order of the steps
 * - loose: when this rank has sent and received all messages of the previous steps
 * - grant: when the receiver has sent a grant, an empty message; a receiver grants a few senders at a time
 * - sync: when this rank has received a signal for each earlier message that would share a link of the network with
 *   this send; the receiver of the earlier message sends the signal, shortly before that message is complete
 * - auto: the default of the algorithm.  For "tree" it is "sync" on one host, and on several hosts the fastest pacing
 *   in a trial.  For "optimal" it is "grant", for the other algorithms that compute a schedule "loose", and for all
 *   others "free".
 *
 * A store-and-forward algorithm always has the pacing "free".  If an exchange has no schedule, "sync" acts as "loose".
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

const char *irr_pacing_name(int i);

/*
 * How algorithm "tree" sends between hosts that have several ranks each:
 *
 * - direct: each rank sends its messages to their destinations
 * - node: each rank sends its messages to some ranks of its own host (leaders), which send them to the other hosts
 * - auto: the faster of the two in a trial
 */
#define IRR_HOST_ROUTE_MAP(X)               \
    X(IRR_HOST_ROUTE_AUTO,   "auto")        \
    X(IRR_HOST_ROUTE_DIRECT, "direct")      \
    X(IRR_HOST_ROUTE_NODE,   "node")

#define IRR_HOST_ROUTE_ENUM(name, text) name,
typedef enum irr_host_route { IRR_HOST_ROUTE_MAP(IRR_HOST_ROUTE_ENUM) IRR_HOST_ROUTE_COUNT } irr_host_route_t;
#undef IRR_HOST_ROUTE_ENUM

const char *irr_host_route_name(int i);

/* Pacing "grant": a receiver has two senders at a time, so that it does not idle between the first and the second. */
#define IRR_GRANTS_DEFAULT 2

/* Pacing "sync": a receiver sends the signal when this number of bytes has yet to arrive. */
#define IRR_LEAD_DEFAULT 49152

/*
 * The value "auto" of piece_bytes and lead_bytes.  Algorithm "tree" on several hosts then compares several values in
 * trials.  All other algorithms send each message in one piece, and use IRR_LEAD_DEFAULT.
 */
#define IRR_BYTES_AUTO SIZE_MAX

/* ---- settings of a communicator ---- */

/* irr_comm_create checks that the settings are equal on all ranks.  It reads the texts only during the call. */
typedef struct irr_settings {
    int           algorithm;        /* row of the algorithm table */
    irr_compose_t compose;
    size_t        window_messages;  /* largest number of sends in flight; several pieces count as one; 0: no limit */
    size_t        window_bytes;     /* largest number of bytes in flight on a rank; 0: no limit */
    irr_dims_t    dims;             /* the grid of a store-and-forward algorithm */
    size_t        slice_min;        /* balanced-grid: shortest slice into which it cuts a message; 0: any length */
    size_t        direct_bytes;     /* hybrid, node: shortest message that is sent directly; 0: no message is sent
                                       directly; IRR_BYTES_AUTO: the default of the algorithm */
    irr_overlap_t overlap;
    irr_pacing_kind_t pacing;       /* for algorithms that do not forward */
    size_t        grants;           /* pacing grant: largest number of messages that a rank receives at a time, and
                                       largest number that it sends at a time; 0: IRR_GRANTS_DEFAULT, or a number that a
                                       trial of "tree" derives from piece_bytes */
    size_t        lead_bytes;       /* pacing sync: as IRR_LEAD_DEFAULT; or IRR_BYTES_AUTO */
    irr_scheduled_params_t scheduled;
    size_t        piece_bytes;      /* with a schedule: longest piece of a message; 0: no limit; or IRR_BYTES_AUTO */
    size_t        matrix_max_bytes; /* longest count matrix; with a longer one there is no schedule; 0: no limit */
    size_t        schedule_ms;      /* time limit in ms to compute a schedule; after it there is none; 0: no limit */
    size_t        cache_bytes;      /* largest number of bytes of the schedules that a communicator keeps; it never
                                       keeps more than seven; 0: no limit of bytes */
    irr_host_route_t host_route;    /* tree, with several ranks on a host and pacing sync or free */
    bool          shm;              /* true: ranks of a node use shared memory if all of them can */
    size_t        timeout;          /* time in seconds after which a running exchange ends in an error; 0: no limit */
    const char   *schedule_file;    /* a schedule that irr_plan --save wrote, for exchanges with the counts in this
                                       file; NULL or "": no file */
    const char   *topology_file;    /* Slurm's topology.conf, for tree and auto; NULL or "": no file */
    const char   *matrix_dump;      /* prefix of the files with count matrices, see comm/dump.h; NULL or "": none */
} irr_settings_t;

/*
 * Returns the default of each setting.  All limits of memory and time are 0 here; the Open MPI component has other
 * defaults for them.
 */
irr_settings_t irr_settings_default(void);

#endif
