/*
 * irr.h - the public interface of the engine that coll/irr runs on.
 *
 * The engine moves irregular all-to-all exchanges.  It knows nothing of MPI: its host (the Open MPI
 * component, a test, a tool) hands it byte counts, byte offsets and two out-of-band collectives.
 *
 * Life of an exchange:
 *
 *     irr_engine_create      once a process, at the first exchange of the job
 *     irr_comm_create        once a communicator; collective, may block in the host's collectives
 *     irr_comm_exchange, irr_exchange_take     the one it has from the start, or one that nobody uses
 *     irr_exchange_start     builds the plan, posts what may be posted; never blocks
 *     irr_exchange_test      IRR_IN_PROGRESS until done; never blocks
 *     irr_exchange_plan, irr_exchange_restart    the same exchange many times, planned once
 *     irr_exchange_give, irr_comm_destroy     local
 *     irr_engine_close, irr_engine_drain, the host's barrier, irr_engine_destroy
 *
 * Units: every length, count and offset is in bytes unless a name says otherwise.  Functions that can
 * fail return irr_status_t and write their outputs on success only.  Nothing here aborts, exits or
 * prints: what the user must read goes to the logger, once, where the error is decided.
 *
 * Threads: calls on one engine may come from several threads if its configuration says so; they are
 * serialised inside.  The logger and the allocator are set once, before anything else.
 */
#ifndef IRR_H
#define IRR_H

#include "problem/problem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- status ---------------------------------------------------------------------------------- */

/* X(name, value, text): 0 is success, 1 is not done yet, negatives are errors. */
#define IRR_STATUS_MAP(X)                                                          \
    X(IRR_OK,                  0, "success")                                       \
    X(IRR_IN_PROGRESS,         1, "operation is still in progress")                \
    X(IRR_ERR_NO_MEMORY,      -1, "out of memory")                                 \
    X(IRR_ERR_BAD_PARAM,      -2, "value is not allowed here")                     \
    X(IRR_ERR_NOT_SUPPORTED,  -3, "not served here, another choice may serve it")  \
    X(IRR_ERR_TRUNCATE,       -4, "message is longer than its receive block")      \
    X(IRR_ERR_UNREACHABLE,    -5, "peer cannot be reached")                        \
    X(IRR_ERR_CANCELED,       -6, "operation was canceled")                        \
    X(IRR_ERR_TRANSPORT,      -7, "transport failed")                              \
    X(IRR_ERR_IO,             -8, "file cannot be read")                           \
    X(IRR_ERR_FORMAT,         -9, "file is malformed")                             \
    X(IRR_ERR_OOB,           -10, "out-of-band collective of the host failed")     \
    X(IRR_ERR_INVALID_PLAN,  -11, "plan breaks a rule of plans")                   \
    X(IRR_ERR_TIMEOUT,       -12, "nothing happened within the time limit")        \
    X(IRR_ERR_PROTOCOL,      -13, "message of a peer is malformed")                \
    X(IRR_ERR_PEER,          -14, "a peer failed, and sent no data")

#define IRR_STATUS_ENUM(name, value, text) name = value,
typedef enum irr_status { IRR_STATUS_MAP(IRR_STATUS_ENUM) } irr_status_t;
#undef IRR_STATUS_ENUM

/* The text of a status; never NULL, never freed. */
const char *irr_status_text(irr_status_t status);

/* ---- logger and allocator -------------------------------------------------------------------- */

typedef enum irr_log_level { IRR_LOG_ERROR, IRR_LOG_WARN, IRR_LOG_INFO, IRR_LOG_DEBUG } irr_log_level_t;

/* One finished line without a newline; the text is valid during the call only. */
typedef void (*irr_log_fn_t)(void *context, irr_log_level_t level, const char *text);

/* Lines above max_level are not formatted.  log = NULL: no lines at all, which is the default. */
void irr_log_set(irr_log_fn_t log, void *context, irr_log_level_t max_level);

/* All heap memory of the engine comes from here; alloc and resize return NULL on failure. */
typedef struct irr_allocator {
    void *(*alloc)(size_t size);
    void *(*resize)(void *memory, size_t size);
    void  (*free)(void *memory);
} irr_allocator_t;

/* Replaces the allocator; NULL restores malloc, realloc and free.  Only while nothing is allocated. */
void irr_allocator_set(const irr_allocator_t *allocator);

/* ---- counters -------------------------------------------------------------------------------- */

/* X(field, text).  Totals since the engine was created; gauges say so in their text. */
#define IRR_COUNTERS_MAP(X)                                                                              \
    X(exchanges,         "Number of exchanges completed by the engine")                                  \
    X(messages_sent,     "Number of messages handed to the transport")                                   \
    X(messages_received, "Number of messages received from the transport")                               \
    X(bytes_sent,        "Bytes of user data handed to the transport")                                   \
    X(bytes_received,    "Bytes of user data received from the transport")                               \
    X(header_bytes,      "Bytes sent that describe how messages are laid out")                           \
    X(bytes_staged,      "Bytes copied by the engine itself: the message of a rank to itself, and short " \
                         "pieces that came with a description")                                          \
    X(bytes_gathered,    "Bytes copied between the user's buffers and the transport's own fragments by " \
                         "the engine's datatype callbacks")                                              \
    X(bytes_boarded,     "Bytes of user data copied to boards of this process, and from those of others") \
    X(bytes_lent,        "Bytes of user data copied from the memory of other ranks of the node, which lent it")  \
    X(board_memory,      "Bytes of memory that the boards of this process take now (a gauge)")           \
    X(largest_message,   "Bytes of the largest message sent so far (a gauge)")                           \
    X(scratch_bytes,     "Most bytes of scratch that an exchange held at once so far (a gauge)")         \
    X(endpoints_open,    "Number of transport endpoints open now (a gauge)")                             \
    X(steps,             "Number of steps of schedules in which this rank sent, over all stages")        \
    X(matrices,          "Number of count matrices gathered")                                            \
    X(matrix_bytes,      "Bytes of the rows of all ranks in the count matrices gathered")                \
    X(matrix_ns,         "Nanoseconds that gathering count matrices took")                               \
    X(schedules_built,   "Number of schedules that rank 0 computed from a count matrix for this rank")       \
    X(schedules_reused,  "Number of times that exchanges or plans found a schedule that was there")      \
    X(schedule_ns,       "Nanoseconds that computing and keeping schedules took on this rank")                       \
    X(waits,             "Number of times a wait slept on the transport's event")                        \
    X(waiting_ns,        "Nanoseconds that exchanges were open, after their first sixteen looks")

#define IRR_COUNTER_FIELD(field, text) uint64_t field;
typedef struct irr_counters { IRR_COUNTERS_MAP(IRR_COUNTER_FIELD) } irr_counters_t;
#undef IRR_COUNTER_FIELD

/* ---- algorithms ------------------------------------------------------------------------------ */

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
#define IRR_DIRECT_DEFAULT      1536      /* and from which one costs about as much directly as through a grid */
#define IRR_LATENCY_DEFAULT     16384     /* that travel in the time of a start-up */
#define IRR_BOARD_BYTES_DEFAULT 1048576   /* of a board */
#define IRR_BOARD_BLOCK_CROWDED 65536     /* what IRR_BYTES_AUTO becomes */
#define IRR_BOARD_BLOCK_ALONE   4096

/* ---- schedules ------------------------------------------------------------------------------- */

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

/* ---- engine ---------------------------------------------------------------------------------- */

typedef struct irr_engine irr_engine_t;

/* Row i of the table of transports.  NULL past the last row. */
const char *irr_transport_name(int i);
const char *irr_transport_text(int i);

typedef struct irr_engine_config {
    const char *transport;     /* the name of a row; NULL or "": see transport/auto.h */
    const char *ucx_tls;       /* transports as UCX_TLS has them; NULL or "": what one_node says */
    const char *ucx_devices;   /* network devices as UCX_NET_DEVICES has them; NULL or "": UCX's own choice */
    const char *ofi_provider, *ofi_domain;   /* as `fi_info -p`, -d; domains with commas; NULL or "": see provider.c */
    const char *trace;         /* file for a trace of messages, see transport/trace.h; NULL or "": none */
    const char *interfaces;    /* that may be listened on, names with commas; NULL or "": any; see provider.c */
    bool        one_node;      /* the whole job is on this node: open shared memory alone, no listener */
    bool        threads;       /* several threads may call the engine */
    size_t      job_ranks, node_ranks;   /* ranks in the job, and of these on this node */
    bool        crowded;       /* there are more than processors */
    size_t      eager_bytes;   /* longest messages that ask no receiver; 0: UCX's choice; IRR_BYTES_AUTO: see ucx.c */
} irr_engine_config_t;

/* Opens nothing yet: see irr_comm_create.  The texts are copied.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_engine_create(const irr_engine_config_t *config, irr_engine_t **engine_p);

/*
 * Moves every open exchange; returns the number of events seen.  Never blocks; within itself it does nothing.  To be
 * called while none is open, too: a rank that is done may still owe its peers something that could not be sent yet.
 */
unsigned irr_engine_progress(irr_engine_t *engine);

/*
 * Sleeps until the transport has something to do, at most timeout_us microseconds.  IRR_OK: progress now;
 * IRR_ERR_TIMEOUT: nothing came; IRR_ERR_NOT_SUPPORTED: this transport cannot wake a sleeper.
 */
irr_status_t irr_engine_wait(irr_engine_t *engine, unsigned timeout_us);

/* The same where nothing is waited for but others' boards, which wake at once; IRR_ERR_NOT_SUPPORTED elsewhere. */
irr_status_t irr_engine_wait_for_boards(irr_engine_t *engine, unsigned timeout_us);

void irr_engine_counters(irr_engine_t *engine, irr_counters_t *counters);

/*
 * The three steps down.  close ends exchanges that are open in IRR_ERR_CANCELED and starts to flush and close all
 * endpoints: before, all processes must have come this far, as the sender of a message that nobody asks for waits for
 * this one to throw it away (a barrier of the host, during which the host keeps calling irr_engine_progress).  drain
 * progresses them and returns IRR_IN_PROGRESS until all are closed.  Then every process that shared a communicator
 * must have drained (a barrier of the host, during which the host keeps calling irr_engine_progress) before destroy.
 */
void         irr_engine_close(irr_engine_t *engine);
irr_status_t irr_engine_drain(irr_engine_t *engine);
void         irr_engine_destroy(irr_engine_t *engine);

/* ---- communicator ---------------------------------------------------------------------------- */

/* Collectives of the host over the members of one communicator, one at a time; IRR_IN_PROGRESS until test says more. */
typedef struct irr_oob {
    void *context;
    irr_status_t (*allgather)(void *context, const void *input, void *output, size_t bytes);   /* in rank order */
    /* values become the element-wise maximum over all ranks. */
    irr_status_t (*allreduce_max)(void *context, uint64_t *values, size_t count);
    irr_status_t (*test)(void *context);   /* NULL: they block */
    /* The name of the process behind a rank, unique in the job.  Local. */
    uint64_t (*process_name)(void *context, int rank);
} irr_oob_t;

/* What an exchange on this communicator uses; must be alike on all ranks, which irr_comm_create checks. */
typedef struct irr_settings {
    int           algorithm;        /* row of the algorithm table */
    irr_compose_t compose;
    size_t        window_messages;  /* sends in flight at most, a split one counts once; 0: no limit */
    size_t        window_bytes;     /* bytes of sends in flight at most; 0: no limit */
    irr_dims_t    dims;             /* of the grid; see irr_dims_t */
    size_t        slice_min;        /* shortest slice that a balanced route cuts; 0: to the byte */
    size_t        direct_bytes;     /* hybrid: so long messages go directly; 0: none; IRR_BYTES_AUTO: the default */
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
    size_t        board_block;      /* bytes of a message that goes over a board, at most, or IRR_BYTES_AUTO, */
    size_t        board_bytes;      /* and of a rank's board, beside its cells: see route/boarded.h */
    size_t        timeout;          /* seconds after which an exchange that is not over ends in an error; 0: never */
    const char   *schedule_file;    /* of irr_plan --save, for exchanges with its counts; NULL or "": none */
    const char   *topology_file;    /* Slurm's topology.conf, for aapc and auto; NULL or "": all ranks at one switch */
    const char   *matrix_dump;      /* rank 0 writes files of this prefix, see comm/dump.h; NULL or "": none */
} irr_settings_t;

typedef struct irr_comm irr_comm_t;

typedef struct irr_comm_params {
    int                   ranks;
    int                   rank;
    irr_settings_t        settings;
    const irr_oob_t      *oob;      /* used during set-up only */
    irr_status_t          trouble;  /* not IRR_OK: this rank cannot take part; it must call all the same */
    const char           *reason;   /* of the trouble, for the user; the lowest rank in trouble logs its own */
    const char           *host;     /* name of this rank's, for a topology file; NULL: it has none */
    int                   node;     /* equal on ranks that share a node, for the row that asks where they are */
    const char           *switch_address, *switch_pattern;   /* SLURM_TOPOLOGY_ADDR and its _PATTERN; NULL: not set */
    bool                  only_boards;    /* alike: if it needs a transport it is not made, silently */
    bool                  agrees_seldom;  /* as where exchanges are planned: no memory is shared for agreements alone */
} irr_comm_params_t;

/*
 * Collective over the members: they agree whether all can take part with equal settings, and exchange addresses.
 * engine may be NULL where trouble is set.  IRR_OK, IRR_ERR_OOB, or, if any rank had trouble or other settings,
 * IRR_ERR_NOT_SUPPORTED, alike on all.  May block in the host's collectives.  The first one that needs the transport
 * opens it, in milliseconds and megabytes: not one with boards of ranks that share a node and can lend (board/lend.h).
 */
irr_status_t irr_comm_create(irr_engine_t *engine, const irr_comm_params_t *params, irr_comm_t **comm_p);

/* The name of the row that exchanges go by, alike on all ranks; what "auto" became.  Never NULL, never freed. */
const char *irr_comm_algorithm(const irr_comm_t *comm);

/* Local.  No exchange may be open on the communicator, and those that were created on it must be destroyed. */
void irr_comm_destroy(irr_comm_t *comm);

/* ---- exchange -------------------------------------------------------------------------------- */

typedef struct irr_exchange irr_exchange_t;   /* one exchange at a time, again and again */

/* The one that a communicator has from the start, with all memory that serving others takes. */
irr_exchange_t *irr_comm_exchange(const irr_comm_t *comm);

/* One that nobody uses: that one, one that was given back, or a new one.  Local.  IRR_ERR_NO_MEMORY: all are in use. */
irr_status_t irr_exchange_take(irr_comm_t *comm, irr_exchange_t **exchange_p);

/* Gives one back, which goes with the communicator.  Local.  One that is not over fails that on all members. */
void irr_exchange_give(irr_exchange_t *exchange);

/* Exchanges of a communicator that are open at a time at most. */
#define IRR_EXCHANGES_OPEN 32

/*
 * Starts the exchange that the problem states; IRR_ERR_BAD_PARAM if this one was started and is not over, or its result
 * was not read.  input is read and output written until it is over.
 *
 * Any number of exchanges of a communicator may be started before the first of them is over, by all members in the same
 * order; the n-th start of one member belongs to the n-th of the others, whichever objects these are.  On a direct
 * algorithm they run side by side, IRR_EXCHANGES_OPEN at a time, the others wait; and about every 120 exchanges one
 * waits until all before it are over.  On a grid, and where exchanges look for a schedule, they run one after the
 * other, because what one has learnt is what the next one goes by.  In which order they end may differ between members.
 *
 * A direct algorithm needs no memory beyond what was reserved, unless a rank has more blocks than one for another rank;
 * without memory for them it goes on as one that lacks its buffers.  A scheduled one does as a1 on all ranks where one
 * lacks memory; one that forwards ends in IRR_ERR_NO_MEMORY on this rank and those that miss something from it, and
 * leaves nobody waiting.
 */
irr_status_t irr_exchange_start(irr_exchange_t *exchange, const irr_problem_t *problem, const void *input,
                                void *output);

/*
 * The same on a rank that has no memory for one of its buffers, or both: it serves its peers, whose part of the
 * exchange must not wait for it, and its result is IRR_ERR_NO_MEMORY.  Without input it sends empty messages, and who
 * should have received something from it ends in IRR_ERR_PEER; without output it throws away what comes.  What is
 * lacked may be NULL.  On a route that forwards both are lacked.
 */
enum { IRR_LACKS_INPUT = 1, IRR_LACKS_OUTPUT = 2 };

irr_status_t irr_exchange_start_lacking(irr_exchange_t *exchange, const irr_problem_t *problem, const void *input,
                                        void *output, unsigned lacks);

/*
 * IRR_IN_PROGRESS until it is over, then its result, once.  IRR_ERR_TRUNCATE: a message was longer than its blocks,
 * whose bytes are undefined; all others arrived.  Does not progress the engine.
 */
irr_status_t irr_exchange_test(irr_exchange_t *exchange);

/* What the last run of it cost this rank; of an open one, so far. */
void irr_exchange_counters(irr_exchange_t *exchange, irr_counters_t *counters);

/*
 * Starts to plan runs with this problem, whose lists are borrowed until the next irr_exchange_start or
 * irr_exchange_plan of this exchange, or its end.  An exchange as far as order and irr_exchange_test go, which says
 * when all is ready, or IRR_ERR_NO_MEMORY on this rank: then none may start it.  Nothing is sent of the user's data,
 * and no buffer is touched.
 */
irr_status_t irr_exchange_plan(irr_exchange_t *exchange, const irr_problem_t *problem);

/*
 * Starts the planned exchange on buffers; as often as wanted, one after the other, and other exchanges in between.
 * IRR_ERR_BAD_PARAM: none is planned.  An algorithm that forwards learns its exact plan in the first run, if memory
 * allows on all ranks; from then on, and with other algorithms from the first, there are neither descriptions nor
 * allocations.
 */
irr_status_t irr_exchange_restart(irr_exchange_t *exchange, const void *input, void *output);

#endif
