/*
 * irr.h - the public interface of the engine that coll/irr runs on.
 *
 * The engine runs irregular all-to-all exchanges without MPI.  The program that calls the engine is its caller: the
 * Open MPI component, a test or a tool.  The caller passes counts and offsets in bytes to the engine, and provides two
 * out-of-band collectives.
 *
 * The calls in the life of an exchange:
 *
 *     irr_engine_create      once in a process, before its first exchange
 *     irr_comm_create        once for a communicator; collective, may block in the caller's collectives
 *     irr_comm_exchange, irr_exchange_take     return the communicator's first exchange object, or a free object
 *     irr_exchange_start     builds the plan and posts its messages, or queues the exchange; never blocks
 *     irr_exchange_test, irr_exchange_wait     IRR_IN_PROGRESS until the exchange is over; never block
 *     irr_exchange_plan, irr_exchange_restart  plan an exchange once, and run the planned exchange; never block
 *     irr_exchange_give, irr_comm_destroy      local
 *     irr_engine_close, irr_engine_drain, a barrier of the caller, irr_engine_destroy
 *
 * irr_status.h has the results of functions, and irr_settings.h the settings of a communicator.
 *
 * Units: each length, count and offset is in bytes, unless its name says otherwise.  Functions that can fail return
 * irr_status_t, and set their outputs on success only.  The engine never aborts, exits or prints.  The code that
 * detects an error passes one line to the logger.
 *
 * Blocking: only irr_comm_create and irr_engine_wait may block.  Every function may wait for the lock of the engine,
 * which no thread holds for long.
 *
 * Threads: several threads may call one engine if irr_engine_config_t.threads is true; the engine serialises the calls.
 * The caller sets the logger and the allocator once, before it calls any other function.
 */
#ifndef IRR_H
#define IRR_H

#include "irr_settings.h"
#include "irr_status.h"
#include "problem/problem.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- logger and allocator -------------------------------------------------------------------- */

typedef enum irr_log_level { IRR_LOG_ERROR, IRR_LOG_WARN, IRR_LOG_INFO, IRR_LOG_DEBUG } irr_log_level_t;

/* Receives one complete line without a newline.  The text is valid only during the call. */
typedef void (*irr_log_fn_t)(void *context, irr_log_level_t level, const char *text);

/* Sets the logger.  Lines above max_level are not formatted.  NULL, the default, discards all lines. */
void irr_log_set(irr_log_fn_t log, void *context, irr_log_level_t max_level);

/* Sets the prefix of the names of settings in log lines; the default is "".  The text is borrowed, not copied. */
void irr_log_prefix_set(const char *prefix);

/* The source of all heap memory of the engine; alloc and resize return NULL on failure. */
typedef struct irr_allocator {
    void *(*alloc)(size_t size);
    void *(*resize)(void *memory, size_t size);
    void  (*free)(void *memory);
} irr_allocator_t;

/*
 * Replaces the allocator by a copy of *allocator; NULL restores malloc, realloc and free.  When it is called, the
 * engine must not hold memory.
 */
void irr_allocator_set(const irr_allocator_t *allocator);

/* ---- counters -------------------------------------------------------------------------------- */

/* X(field, text).  A counter is a total since the engine was created, unless its text contains "(a gauge)". */
#define IRR_COUNTERS_MAP(X)                                                                               \
    X(exchanges,         "Number of exchanges that coll/irr has completed")                               \
    X(messages_sent,     "Number of messages passed to the transport")                                    \
    X(messages_received, "Number of messages received from the transport")                                \
    X(bytes_sent,        "Bytes of user data passed to the transport")                                    \
    X(bytes_received,    "Bytes of user data received from the transport")                                \
    X(header_bytes,      "Bytes of headers sent; a header describes the blocks of a message")             \
    X(bytes_staged,      "Bytes that the engine copied in the memory of this rank: messages of the "      \
                         "rank to itself, and blocks that store-and-forward algorithms copy to or "       \
                         "from a buffer")                                                                 \
    X(bytes_gathered,    "Bytes copied between separate pieces of the user's memory and one "             \
                         "contiguous message, to send or to receive the message")                         \
    X(largest_message,   "Bytes of the largest message sent so far (a gauge)")                            \
    X(scratch_bytes,     "Largest number of bytes of scratch memory of an exchange so far (a gauge)")     \
    X(endpoints_open,    "Number of open endpoints of the transports (a gauge)")                          \
    X(steps,             "Number of steps in which this rank sent, summed over all stages")               \
    X(matrices,          "Number of count matrices gathered")                                             \
    X(matrix_bytes,      "Bytes of the count matrices gathered")                                          \
    X(matrix_ns,         "Time in ns of this rank to gather count matrices")                              \
    X(schedules_built,   "Number of schedules of which this rank received its part from rank 0")          \
    X(schedules_reused,  "Number of exchanges and persistent requests that found their schedule cached")  \
    X(schedule_ns,       "Time in ns of this rank to compute and store schedules")                        \
    X(waits,             "Number of times that this rank slept until an event of the transport")          \
    X(waiting_ns,        "Time in ns that exchanges waited; the clock of an exchange starts after 16 "    \
                         "calls of the progress function, so short exchanges count as 0")

#define IRR_COUNTER_FIELD(field, text) uint64_t field;
typedef struct irr_counters { IRR_COUNTERS_MAP(IRR_COUNTER_FIELD) } irr_counters_t;
#undef IRR_COUNTER_FIELD

/* ---- engine ---------------------------------------------------------------------------------- */

typedef struct irr_engine irr_engine_t;

/* Return name and help text of row i of the table of transports, or NULL past the last row.  The texts are static. */
const char *irr_transport_name(int i);
const char *irr_transport_text(int i);

typedef struct irr_engine_config {
    const char *transport;     /* name of a transport; NULL or "": transport/auto.h describes the choice */
    const char *ucx_tls;       /* value for UCX_TLS; NULL or "": the engine chooses it according to one_node */
    const char *ucx_devices;   /* value for UCX_NET_DEVICES; NULL or "": UCX's default */
    const char *ofi_provider, *ofi_domain;   /* as in `fi_info -p` and `fi_info -d`; ofi_domain may have several
                                                domains, separated by commas; NULL or "": provider.c chooses */
    const char *trace;         /* file for a trace of messages, see transport/trace.h; NULL or "": no trace */
    const char *interfaces;    /* network interfaces to listen on, comma-separated; NULL or "": any; see provider.c */
    bool        one_node;      /* true: the whole job is on this node, and the engine opens shared memory only */
    bool        threads;       /* true if several threads may call the engine */
    size_t      job_ranks, node_ranks;   /* number of ranks of the job, and number of its ranks on this node */
    size_t      eager_bytes;   /* longest message that is sent eagerly; 0: default of the library;
                                  IRR_BYTES_AUTO: see ucx.c */
} irr_engine_config_t;

/*
 * Creates an engine and copies the texts of config.  irr_comm_create opens the transport later.  The caller destroys
 * the engine.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_engine_create(const irr_engine_config_t *config, irr_engine_t **engine_p);

/*
 * Progresses every open exchange and returns the number of events seen.  Never blocks.  A call from a callback of the
 * engine does nothing.  The caller must call irr_engine_progress even if no exchange is open, because a rank whose
 * exchanges are over may still have messages to send to its peers.
 */
unsigned irr_engine_progress(irr_engine_t *engine);

/*
 * Blocks until the transport has an event, at most timeout_us microseconds.  After IRR_OK the caller should call
 * irr_engine_progress.  Returns IRR_ERR_TIMEOUT if there was no event, and IRR_ERR_NOT_SUPPORTED if this transport
 * cannot wake a sleeping process.
 */
irr_status_t irr_engine_wait(irr_engine_t *engine, unsigned timeout_us);

/* Copies the counters of the engine to *counters. */
void irr_engine_counters(irr_engine_t *engine, irr_counters_t *counters);

/* Returns true if a communicator has opened the network.  If not, all messages have used shared memory. */
bool irr_engine_has_network(irr_engine_t *engine);

/*
 * These three functions shut the engine down, in this order.  None of them blocks.
 *
 * 1. irr_engine_close ends running exchanges with IRR_ERR_CANCELED, and starts to flush and close all endpoints.  The
 *    caller runs a barrier of all processes before this call, because the sender of an unexpected message waits until
 *    its receiver discards the message.
 * 2. irr_engine_drain flushes and closes endpoints, and returns IRR_IN_PROGRESS until all endpoints are closed.
 * 3. irr_engine_destroy frees the engine.  Before this call the caller runs a barrier of the processes that have had a
 *    communicator in common.
 *
 * During both barriers the caller keeps calling irr_engine_progress.
 */
void         irr_engine_close(irr_engine_t *engine);
irr_status_t irr_engine_drain(irr_engine_t *engine);
void         irr_engine_destroy(irr_engine_t *engine);

/* ---- communicator ---------------------------------------------------------------------------- */

/*
 * Collectives of the caller over the members of one communicator.  The engine runs one collective at a time.  If a
 * collective is not complete when its function returns, the function returns IRR_IN_PROGRESS, and `test` later returns
 * the result.  After an error the engine starts no other collective.  After IRR_ERR_TIMEOUT the caller may still write
 * to the memory of the collective.
 */
typedef struct irr_oob {
    void *context;
    irr_status_t (*allgather)(void *context, const void *input, void *output, size_t bytes);   /* in rank order */
    /* Replaces values[] by their element-wise maximum over all ranks. */
    irr_status_t (*allreduce_max)(void *context, uint64_t *values, size_t count);
    irr_status_t (*test)(void *context);   /* NULL: the collectives block */
    /* Returns the name of the process behind a rank, unique in the job.  Local. */
    uint64_t (*process_name)(void *context, int rank);
} irr_oob_t;

typedef struct irr_comm irr_comm_t;

typedef struct irr_comm_params {
    int                   ranks;
    int                   rank;
    irr_settings_t        settings;
    const irr_oob_t      *oob;      /* borrowed until irr_comm_create returns */
    irr_status_t          trouble;  /* not IRR_OK: this rank cannot take part, and calls the function only to
                                       inform the others */
    const char           *reason;   /* cause of the trouble, for the user; logged by the lowest rank in trouble only */
    const char           *parameter;   /* name of the user's parameter for the algorithm; NULL: "algorithm" */
    const char           *otherwise;   /* for user messages: what serves exchanges if this call fails;
                                          NULL: not named */
    const char           *host;     /* host name of this rank, for a topology file; NULL: unknown */
    int                   node;     /* number of the node, equal on ranks that share a node; for algorithm "auto" */
    const char           *switch_address, *switch_pattern;   /* SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN;
                                                                NULL: not set */
    bool                  only_shared;    /* true: the call fails without a log line if the network is needed; must be
                                             equal on all ranks */
} irr_comm_params_t;

/*
 * Creates a communicator.  All its members must call this function.  They agree whether all of them can take part and
 * have equal settings, and they exchange addresses.  May block in the caller's collectives.  engine may be NULL if
 * trouble is set.  params and its texts are borrowed during the call; the caller destroys the communicator.
 *
 * The first communicator that needs the network opens it.  Opening the network takes milliseconds and megabytes.  Ranks
 * that share a node and its memory need no network.
 *
 * Returns IRR_ERR_NOT_SUPPORTED on all ranks if a rank had trouble or if ranks have different settings.  The caller's
 * collectives may return other errors, such as IRR_ERR_OOB.
 */
irr_status_t irr_comm_create(irr_engine_t *engine, const irr_comm_params_t *params, irr_comm_t **comm_p);

/*
 * Returns the name of the algorithm, equal on all ranks; for "auto", the chosen algorithm.  Never NULL; the text is
 * static.
 */
const char *irr_comm_algorithm(const irr_comm_t *comm);

/*
 * Fills list[IRR_CANDIDATES_MAX] (choose/candidates.h) with the strategies among which the settings leave a choice, and
 * returns their number.  The list is equal on all ranks.  Exchanges use the first strategy.  Local.
 */
struct irr_candidate;
int irr_comm_strategies(const irr_comm_t *comm, struct irr_candidate *list);

/* A length in bytes.  If the blocks of a message have a smaller mean length, the caller should pack them. */
#define IRR_BLOCK_MIN 256

/*
 * Fails the communicator on all its members, because this rank cannot take part in an exchange that the other members
 * start.  The exchanges of all members end in errors.  The error message for the user is "rank R of a communicator of N
 * ranks", followed by reason.  reason NULL: the caller has logged the cause, and this function logs nothing.  Local.
 */
void irr_comm_give_up(irr_comm_t *comm, irr_status_t status, const char *reason);

/*
 * Returns true if this rank has failed the communicator, or has received the notice that another member failed it.
 * Local; no exchange may be open.
 */
bool irr_comm_has_failed(irr_comm_t *comm);

/*
 * Several users, such as MPI communicators, may use a communicator one after the other.  Sets the number of the user of
 * all later exchanges.  If an unexpected message belongs to an exchange of an earlier user, the engine does not report
 * it to the present user.  Local.
 */
void irr_comm_use(irr_comm_t *comm, uint64_t user);

/* Destroys a communicator.  Local.  No exchange may be open, and all objects of irr_exchange_take must be returned. */
void irr_comm_destroy(irr_comm_t *comm);

/* ---- exchange -------------------------------------------------------------------------------- */

typedef struct irr_exchange irr_exchange_t;   /* an object that runs any number of exchanges, one after the other */

/*
 * Returns the communicator's first exchange object, which belongs to the communicator.  irr_comm_create has reserved
 * its memory.
 */
irr_exchange_t *irr_comm_exchange(const irr_comm_t *comm);

/*
 * Returns a free exchange object: the first object, a returned object, or a new object.  The caller returns it with
 * irr_exchange_give.  Local.  Returns IRR_ERR_NO_MEMORY if all objects are in use and there is no memory for a new
 * object.
 */
irr_status_t irr_exchange_take(irr_comm_t *comm, irr_exchange_t **exchange_p);

/*
 * Returns an exchange object to its communicator; irr_comm_destroy frees it.  Local.  If the exchange is still running,
 * the communicator fails on all members.
 */
void irr_exchange_give(irr_exchange_t *exchange);

/* Largest number of exchanges of a communicator that run at the same time; further exchanges wait in a queue. */
#define IRR_EXCHANGES_OPEN 32

/*
 * Starts the exchange that the problem describes.  Never blocks.  Until the exchange is over, the engine reads the
 * blocks of the problem and input, and writes output.
 *
 * A communicator may have any number of started exchanges.  All members start their exchanges in the same order: the
 * n-th starts of all members form one exchange, whichever objects the members use.  With a direct algorithm, up to
 * IRR_EXCHANGES_OPEN exchanges run at a time.  About every 120 exchanges, an epoch barrier waits until all earlier
 * exchanges are over (comm/unexpected.h).  With a store-and-forward algorithm, or if exchanges look up schedules,
 * exchanges run one after the other, because each exchange uses results of the previous exchange.  Exchanges may end in
 * different orders on different members.
 *
 * Returns IRR_ERR_BAD_PARAM if the exchange object is running, if its last result was not read, or if the problem is
 * not valid.
 *
 * If memory is missing, irr_exchange_start returns IRR_ERR_NO_MEMORY, or the exchange has this result.  With a direct
 * algorithm, the communicator then fails on all members.  A direct algorithm allocates memory only if the problem has
 * more blocks than all earlier problems.  If one rank lacks memory for a schedule, a scheduled algorithm sends directly
 * on all ranks, without the schedule.  With a store-and-forward algorithm, a rank that lacks memory and all ranks that
 * need its data get the error, and no rank hangs.
 */
irr_status_t irr_exchange_start(irr_exchange_t *exchange, const irr_problem_t *problem, const void *input,
                                void *output);

/*
 * Returns IRR_IN_PROGRESS until the exchange is over, then its result.  Does not progress the engine.  Returns
 * IRR_ERR_TRUNCATE if a message was longer than its receive blocks.  The contents of these blocks are undefined; all
 * other blocks are correct.
 */
irr_status_t irr_exchange_test(irr_exchange_t *exchange);

/*
 * Calls irr_engine_progress up to `rounds` times until the exchange is over, and returns as irr_exchange_test does.
 * Adds the number of events seen to *events.
 */
irr_status_t irr_exchange_wait(irr_exchange_t *exchange, int rounds, unsigned *events);

/*
 * Starts to plan runs with this problem.  Planning counts as a start (all members must start in the same order), and
 * irr_exchange_test returns its result.  Planning sends no user data and accesses no buffer.  The problem's blocks are
 * borrowed until the next irr_exchange_start, irr_exchange_plan or irr_exchange_give of this object.  If any member
 * gets IRR_ERR_NO_MEMORY, no member may start the planned exchange.
 */
irr_status_t irr_exchange_plan(irr_exchange_t *exchange, const irr_problem_t *problem);

/*
 * Starts the planned exchange on these buffers.  The planned exchange may run any number of times, one run after the
 * other, and other exchanges may run in between.  A store-and-forward algorithm learns its exact plan in the first run,
 * if all ranks have enough memory for it.  In later runs, messages contain no descriptions of their contents, and the
 * engine allocates no memory.  With other algorithms this is also true in the first run.  Returns IRR_ERR_BAD_PARAM if
 * no exchange is planned.
 */
irr_status_t irr_exchange_restart(irr_exchange_t *exchange, const void *input, void *output);

#endif
