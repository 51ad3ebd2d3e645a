/*
 * irr_settings.h - what a user can choose of an exchange: algorithms, how messages are composed, grids, schedules and
 * paces, and all of it together as the settings of a communicator.
 *
 * Lengths are in bytes.  Parsers return IRR_ERR_BAD_PARAM and leave their output alone.
 */
#ifndef IRR_SETTINGS_H
#define IRR_SETTINGS_H

#include "irr_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- algorithms ---- */

/* Row i of the algorithm table, 0 is "auto"; NULL past the last row. */
const char *irr_algorithm_name(int i);
const char *irr_algorithm_text(int i);

/* The row of that name, -1 if there is none. */
int irr_algorithm_find(const char *name);

/* How a message of several pieces reaches the wire; exec/compose.c has the decision. */
#define IRR_COMPOSE_MAP(X)  \
    X(IRR_COMPOSE_AUTO,   "auto")   \
    X(IRR_COMPOSE_IOVEC,  "iovec")  \
    X(IRR_COMPOSE_GATHER, "gather") \
    X(IRR_COMPOSE_SPLIT,  "split")

#define IRR_COMPOSE_ENUM(name, text) name,
typedef enum irr_compose { IRR_COMPOSE_MAP(IRR_COMPOSE_ENUM) IRR_COMPOSE_COUNT } irr_compose_t;
#undef IRR_COMPOSE_ENUM

/* The name of composition i; NULL past the last. */
const char *irr_compose_name(int i);

/* How the stages of a store-and-forward route overlap on a rank. */
#define IRR_OVERLAP_MAP(X)                                                                                \
    X(IRR_OVERLAP_PIPELINED, "pipelined", "a message leaves when what it is made of has arrived")        \
    X(IRR_OVERLAP_DUAL,      "dual",      "the sends of a stage start when all of the one before arrived") \
    X(IRR_OVERLAP_SINGLE,    "single",    "the same, and all sends of the one before are over")           \
    X(IRR_OVERLAP_BLOCKING,  "blocking",  "one send at a time, and a barrier after each stage")

#define IRR_OVERLAP_ENUM(name, text, meaning) name,
typedef enum irr_overlap { IRR_OVERLAP_MAP(IRR_OVERLAP_ENUM) IRR_OVERLAP_COUNT } irr_overlap_t;
#undef IRR_OVERLAP_ENUM

/* The name of overlap i; NULL past the last. */
const char *irr_overlap_name(int i);

#define IRR_DIMS_MAX 15   /* dimensions of a grid at most */

/* Columns of a grid, dimension by dimension; the last one takes what is left.  count 0: the row's own choice. */
typedef struct irr_dims {
    int count;
    int size[IRR_DIMS_MAX];
} irr_dims_t;

/* Reads "auto", or sizes as in "8x8" or "4x2^3"; IRR_ERR_BAD_PARAM for anything else, or a size below 2. */
irr_status_t irr_dims_parse(const char *text, irr_dims_t *dims);

/* Unless the user says otherwise: */
#define IRR_SLICE_MIN_DEFAULT   256       /* bytes of the shortest slice of a message, */
#define IRR_DIRECT_DEFAULT      1536      /* and from which one costs about as much directly as through a grid, */
#define IRR_NODE_DIRECT_DEFAULT 1025      /* or through leaders of nodes */
#define IRR_LATENCY_DEFAULT     16384     /* that travel in the time of a start-up */

/* ---- schedules ---- */

#define IRR_LAMBDA_ONE 65536  /* lambda = 1 */

#define IRR_LAMBDA_MAP(X)                         \
    X(IRR_LAMBDA_INCREMENTAL,  "incremental")     \
    X(IRR_LAMBDA_FIXED,        "fixed")           \
    X(IRR_LAMBDA_PROPORTIONAL, "proportional")    \
    X(IRR_LAMBDA_SEARCH,       "search")

#define IRR_LAMBDA_ENUM(name, text) name,
typedef enum irr_lambda_rule { IRR_LAMBDA_MAP(IRR_LAMBDA_ENUM) IRR_LAMBDA_RULES } irr_lambda_rule_t;
#undef IRR_LAMBDA_ENUM

/* How much of a message a step of rs_nh sends; see order/lambda.h. */
typedef struct irr_lambda {
    irr_lambda_rule_t rule;
    uint32_t          share;   /* the number of the rule, in 1 / IRR_LAMBDA_ONE; search has none */
} irr_lambda_t;

/* The paper's own choice. */
#define IRR_LAMBDA_DEFAULT ((irr_lambda_t){ IRR_LAMBDA_INCREMENTAL, IRR_LAMBDA_ONE / 4 * 3 })

/*
 * Reads "incremental", "incremental:0.75", "fixed:0.875", "proportional:0.8", "search" or "one".  A lambda is above 0
 * and at most 1, a factor at most 100.  IRR_ERR_BAD_PARAM.
 */
irr_status_t irr_lambda_parse(const char *text, irr_lambda_t *lambda);

/* An array changes from cyclic(x) on p ranks to cyclic(y) on q ranks; see problem/redistribution.h. */
typedef struct irr_redistribution {
    uint64_t x;         /* elements in a block before */
    int      p;         /* ranks that have them; 0: there is no redistribution */
    uint64_t y;         /* elements in a block after */
    int      q;
    uint64_t elements;  /* in the whole array */
    uint64_t unit;      /* bytes of an element */
} irr_redistribution_t;

/*
 * Reads "x,p,y,q" or "x,p,y,q,N"; N is one period unless it is given, the unit is left as it is.  IRR_ERR_BAD_PARAM
 * for anything else, for zeros but that of N, and where no N is given and a period is too long to count.
 */
irr_status_t irr_redistribution_parse(const char *text, irr_redistribution_t *redistribution);

/* The ranks of a job on a tree of switches; see order/tree/tree.h. */
typedef struct irr_tree irr_tree_t;

/* Until when a computation may take; see core/deadline.h. */
typedef struct irr_deadline irr_deadline_t;

/* What the orders that compute a schedule from the count matrix ask for. */
typedef struct irr_scheduled_params {
    uint64_t     seed;       /* of the random ones */
    irr_lambda_t lambda;     /* rs_nh: which part of the messages of a step go whole */
    uint64_t     latency;    /* rs_nh, incremental: bytes that travel in the time of a start-up; below 2^40 */
    int          max_steps;  /* optimal, aapc: about so many steps at most; 0: no limit */
    bool         shift;      /* lp: step k is for rank (i + k) mod P, for powers of two too */
    irr_redistribution_t redistribution;  /* redist: its structure; elements and unit are not looked at */
    const irr_tree_t *tree;  /* aapc: of these ranks, borrowed; NULL: one switch, a host a rank */
    const irr_deadline_t *deadline;   /* borrowed; NULL: none.  Ignored in settings, which have schedule_ms */
} irr_scheduled_params_t;

/*
 * When a send may start, beside the window, which goes with all of them.  auto is what aapc finds fastest on a tree,
 * else sync for aapc, grant for optimal, loose for the other algorithms that compute a schedule, and free for the rest.
 * An algorithm that forwards is always free, and sync is loose where there is no schedule.
 */
#define IRR_PACE_MAP(X)                                                                                      \
    X(IRR_PACE_AUTO,  "auto",  "what goes with the algorithm")                                               \
    X(IRR_PACE_FREE,  "free",  "at once, in the order of the plan")                                          \
    X(IRR_PACE_LOOSE, "loose", "when this rank has sent and received all of the steps before")               \
    X(IRR_PACE_GRANT, "grant", "when the receiver, which admits a few senders at a time, has asked for it") \
    X(IRR_PACE_SYNC,  "sync",  "when what it would meet on a link has been received, whose receiver tells")

#define IRR_PACE_ENUM(name, text, meaning) name,
typedef enum irr_pacing { IRR_PACE_MAP(IRR_PACE_ENUM) IRR_PACE_COUNT } irr_pacing_t;
#undef IRR_PACE_ENUM

/* The name of pace i; NULL past the last. */
const char *irr_pacing_name(int i);

/* How aapc goes between hosts that have several ranks each. */
#define IRR_HOST_ROUTE_MAP(X)                                                                                \
    X(IRR_HOST_ROUTE_AUTO,   "auto",   "what is faster, as tried")                                           \
    X(IRR_HOST_ROUTE_DIRECT, "direct", "each rank sends to each other one itself")                           \
    X(IRR_HOST_ROUTE_NODE,   "node",   "inside the host to the rank that serves the destination, which sends")

#define IRR_HOST_ROUTE_ENUM(name, text, meaning) name,
typedef enum irr_host_route { IRR_HOST_ROUTE_MAP(IRR_HOST_ROUTE_ENUM) IRR_HOST_ROUTE_COUNT } irr_host_route_t;
#undef IRR_HOST_ROUTE_ENUM

/* The name of host route i; NULL past the last. */
const char *irr_host_route_name(int i);

/* So the next sender is told while the one before still sends. */
#define IRR_GRANTS_DEFAULT 2

#define IRR_LEAD_DEFAULT 49152   /* with sync, so many bytes before the end of what a rank receives */

/* Of piece_bytes and lead_bytes: aapc between hosts tries, others have no pieces, and IRR_LEAD_DEFAULT. */
#define IRR_BYTES_AUTO SIZE_MAX

/* ---- all of them ---- */

/* What an exchange on a communicator uses; must be alike on all ranks, which irr_comm_create checks. */
typedef struct irr_settings {
    int           algorithm;        /* row of the algorithm table */
    irr_compose_t compose;
    size_t        window_messages;  /* sends in flight at most, a split one counts once; 0: no limit */
    size_t        window_bytes;     /* bytes of sends in flight at most; 0: no limit */
    irr_dims_t    dims;             /* of the grid; see irr_dims_t */
    size_t        slice_min;        /* shortest slice that a balanced route cuts; 0: to the byte */
    size_t        direct_bytes;     /* hybrid, node: so long messages go directly; 0: none; IRR_BYTES_AUTO: the
                                       default */
    irr_overlap_t overlap;
    irr_pacing_t  pace;             /* of an algorithm that does not forward */
    size_t        grants;           /* grant: messages that a rank receives, and sends, at a time at most; 0:
                                       IRR_GRANTS_DEFAULT, or what goes with the pieces that are tried */
    size_t        lead_bytes;       /* sync: what comes counts as over so many bytes before it is; IRR_BYTES_AUTO */
    irr_scheduled_params_t scheduled;
    size_t        piece_bytes;      /* with a schedule: of a message at most, longer ones go in several; 0: no limit;
                                       IRR_BYTES_AUTO */
    size_t        matrix_max_bytes; /* of the count matrix, on rank 0, of a scheduled algorithm, which else does as a1;
                                       0: no limit */
    size_t        schedule_ms;      /* that rank 0 may compute the schedules of a count matrix, which else has none;
                                       0: no limit */
    size_t        cache_bytes;      /* of the schedules that a communicator keeps; 0: no limit but seven */
    irr_host_route_t host_route;    /* aapc with several ranks on a host; with sync and free */
    bool          shm;              /* ranks of a node send to each other through shared memory, if all can */
    size_t        timeout;          /* seconds after which an exchange that is not over ends in an error; 0: never */
    const char   *schedule_file;    /* of irr_plan --save, for exchanges with its counts; NULL or "": none */
    const char   *topology_file;    /* Slurm's topology.conf, for aapc and auto; NULL or "": all ranks at one switch */
    const char   *matrix_dump;      /* rank 0 writes files of this prefix, see comm/dump.h; NULL or "": none */
} irr_settings_t;

/*
 * Returns what decides the plans of a job in which nothing is configured.  The component and the tools start from this
 * value.  The limits of memory and time are 0: the parameters of the component have their defaults.
 */
irr_settings_t irr_settings_default(void);

#endif
