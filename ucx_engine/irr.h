/*
 * irr.h - the public interface of the engine that coll/irr runs on.
 *
 * The engine runs irregular all-to-all exchanges without MPI: each rank sends its own number of bytes to each other
 * rank.  The program that calls the engine is its caller: the Open MPI component, a test or a tool.  The caller
 * describes the data by counts and offsets in bytes.  It also provides two collectives that do not use the engine
 * (irr_oob_t).
 *
 * The calls in the life of an exchange:
 *
 *     irr_engine_create         once in a process, before its first exchange
 *     irr_comm_create           once for a communicator, on all its ranks; blocks in the caller's collectives
 *     irr_comm_exchange         returns the exchange object that irr_comm_create made; local
 *     irr_exchange_take         returns another exchange object; irr_exchange_give returns it; both are local
 *     irr_exchange_start        starts an exchange, or queues it behind earlier exchanges; never blocks
 *     irr_exchange_plan, irr_exchange_restart    prepare an exchange once, then run it many times; never block
 *     irr_exchange_test, irr_exchange_wait       IRR_IN_PROGRESS until the exchange is over; never block
 *     irr_comm_destroy          local
 *     irr_engine_close, irr_engine_drain, irr_engine_destroy    once in a process, between barriers of the caller
 *
 * irr_status.h lists the results of functions.  irr_settings.h describes the settings of a communicator.
 *
 * Algorithms: with a direct algorithm, each rank sends its messages to their destinations.  With a store-and-forward
 * algorithm, ranks also forward messages of other ranks.  A scheduled algorithm computes from the counts of all ranks
 * in which order the messages are sent.  This order is the schedule.
 *
 * Units: each length, count and offset is in bytes, unless its name says otherwise.  Functions that can fail return
 * irr_status_t, and set their outputs on success only.  The engine never aborts, exits or prints.  Where it detects an
 * error, it passes one line to the logger.
 *
 * Blocking: only irr_comm_create and irr_engine_wait wait for other ranks or for messages.  A function that is marked
 * as local communicates with no other rank before it returns, so the other ranks need not call it.  With a scheduled
 * algorithm, irr_engine_progress computes schedules on rank 0, which may take irr_settings_t.schedule_ms.  With
 * irr_settings_t.matrix_dump, it also writes files on rank 0.
 *
 * Threads: several threads may call one engine if irr_engine_config_t.threads is true.  One lock serialises their
 * calls, so each function may wait for a function that runs in another thread.  The caller sets the logger and the
 * allocator before it calls any other function.
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

/* Sets the logger; NULL, the default, discards all lines.  Lines of a level greater than max_level are discarded. */
void irr_log_set(irr_log_fn_t log, void *context, irr_log_level_t max_level);

/* Sets the prefix of the names of settings in log lines; the default is "".  The text must stay valid. */
void irr_log_prefix_set(const char *prefix);

/* The source of all heap memory of the engine; alloc and resize return NULL on failure. */
typedef struct irr_allocator {
    void *(*alloc)(size_t size);
    void *(*resize)(void *memory, size_t size);
    void  (*free)(void *memory);
} irr_allocator_t;

/* Copies *allocator; NULL restores malloc, realloc and free.  No engine may exist at the time of the call. */
void irr_allocator_set(const irr_allocator_t *allocator);

/* ---- counters -------------------------------------------------------------------------------- */

/*
 * X(field, text).  A counter is a total since the engine was created.  If its text contains "(a gauge)", it is a
 * present or a largest value.
 */
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

/* Returns the name of row i of the table of transports, or NULL past the last row.  The name is static. */
const char *irr_transport_name(int i);

typedef struct irr_engine_config {
    const char *transport;     /* name of a transport; NULL or "": chosen automatically, see transport/auto.h */
    const char *ucx_tls;       /* value for UCX_TLS; NULL or "": the engine chooses it, depending on one_node */
    const char *ucx_devices;   /* value for UCX_NET_DEVICES; NULL or "": UCX's default */
    const char *ofi_provider, *ofi_domain;   /* as in `fi_info -p` and `fi_info -d`; ofi_domain may list several
                                                domains, separated by commas; NULL or "": chosen automatically, see
                                                ofi/provider.c */
    const char *trace;         /* file that gets one line per message, see transport/trace.h; NULL or "": none */
    const char *interfaces;    /* network interfaces to listen on, separated by commas; NULL or "": any */
    bool        one_node;      /* true: the whole job is on this node; UCX then opens no network device */
    bool        threads;       /* true if several threads may call the engine */
    size_t      job_ranks, node_ranks;   /* number of ranks of the job, and number of its ranks on this node */
    size_t      eager_bytes;   /* longest message that is sent eagerly, without waiting for its receive; 0: default of
                                  the library; IRR_BYTES_AUTO: see ucx/ucx.c */
} irr_engine_config_t;

/*
 * Creates an engine and copies the texts of config.  Opens no transport: irr_comm_create opens those that it needs.
 * The caller destroys the engine by irr_engine_destroy.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_engine_create(const irr_engine_config_t *config, irr_engine_t **engine_p);

/*
 * Progresses every running exchange, and returns the number of completed messages and other events of the transport.
 * Returns 0 at once if another call holds the lock of the engine.  The caller must call this function even if no
 * exchange is running, because messages of finished exchanges may still be on their way to other ranks.
 */
unsigned irr_engine_progress(irr_engine_t *engine);

/*
 * Sleeps until the transport has an event, for example an arrived message, or until timeout_us microseconds have
 * passed.  Returns IRR_OK if there is an event; the caller should then call irr_engine_progress.  Returns
 * IRR_ERR_TIMEOUT if there was no event, and IRR_ERR_NOT_SUPPORTED if the transport cannot wake a sleeping process.
 */
irr_status_t irr_engine_wait(irr_engine_t *engine, unsigned timeout_us);

/* Copies the present values of the counters to *counters. */
void irr_engine_counters(irr_engine_t *engine, irr_counters_t *counters);

/* Returns true if the engine has opened the network, and false if all its messages have used shared memory. */
bool irr_engine_has_network(irr_engine_t *engine);

/*
 * These three functions shut the engine down, in this order.  None of them blocks.
 *
 * 1.  irr_engine_close ends all exchanges that still receive with IRR_ERR_CANCELED, and starts to flush and close all
 *    endpoints.  Before this call the caller runs a barrier of all processes, because the sender of a message that its
 *    receiver does not expect waits until the receiver discards it; the receiver does so in the barrier.
 * 2. irr_engine_drain continues to flush and close, and returns IRR_IN_PROGRESS until all endpoints are closed.
 * 3. irr_engine_destroy frees the engine.  Before this call the caller runs a barrier of all processes with which this
 *    process has shared a communicator.
 *
 * During both barriers the caller keeps calling irr_engine_progress.
 */
void         irr_engine_close(irr_engine_t *engine);
irr_status_t irr_engine_drain(irr_engine_t *engine);
void         irr_engine_destroy(irr_engine_t *engine);

/* ---- communicator ---------------------------------------------------------------------------- */

/*
 * Collectives that the caller provides, over the members of one communicator.  The engine runs one collective at a
 * time.  A function that starts a collective returns the result.  If the collective is not complete yet, it returns
 * IRR_IN_PROGRESS, and `test` later returns the result.  After an error the engine starts no other collective.  After
 * IRR_ERR_TIMEOUT the engine does not free the buffers of the collective, because the caller may still write to them.
 */
typedef struct irr_oob {
    void *context;
    irr_status_t (*allgather)(void *context, const void *input, void *output, size_t bytes);   /* `bytes` per rank */
    /* Replaces values[] by their element-wise maximum over all ranks. */
    irr_status_t (*allreduce_max)(void *context, uint64_t *values, size_t count);
    irr_status_t (*test)(void *context);   /* NULL: the collectives block */
    /* Returns the number of the process of a rank, which is unique in the job.  Local. */
    uint64_t (*process_name)(void *context, int rank);
} irr_oob_t;

typedef struct irr_comm irr_comm_t;

typedef struct irr_comm_params {
    int                   ranks;
    int                   rank;
    irr_settings_t        settings;
    const irr_oob_t      *oob;      /* borrowed until irr_comm_create returns */
    irr_status_t          trouble;  /* not IRR_OK: this rank cannot take part, and only informs the others */
    const char           *reason;   /* cause of `trouble`, for the user; the lowest such rank logs it */
    const char           *parameter;   /* name of the user's parameter for the algorithm; NULL: "algorithm" */
    const char           *otherwise;   /* last clause of an error message: what serves exchanges if this call fails;
                                          NULL: none */
    const char           *host;     /* host name of this rank, for a topology file; NULL: unknown */
    int                   node;     /* number of this rank's node: equal on ranks that share a node only */
    const char           *switch_address, *switch_pattern;   /* SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN;
                                                                NULL: not set */
    bool                  only_shared;    /* true: if ranks need the network, fail without a log line; equal on all
                                             ranks */
} irr_comm_params_t;

/*
 * Creates a communicator.  All its members must call this function.  They agree whether all of them can take part and
 * have equal settings, and they exchange addresses.  Blocks until the caller's collectives are complete.  engine may be
 * NULL if params->trouble is set.  The engine reads params and its texts only during the call.  The caller destroys the
 * communicator by irr_comm_destroy.
 *
 * The first communicator that needs the network opens it, which takes milliseconds of time and megabytes of memory.  If
 * all ranks are on one node and share memory, they need no network.
 *
 * Returns IRR_ERR_NOT_SUPPORTED on all ranks if a rank cannot take part or if ranks have different settings.  If a
 * collective of the caller fails, returns IRR_ERR_TIMEOUT or IRR_ERR_PEER if the collective returned this error,
 * otherwise IRR_ERR_OOB; other ranks may get another result.
 */
irr_status_t irr_comm_create(irr_engine_t *engine, const irr_comm_params_t *params, irr_comm_t **comm_p);

/*
 * Returns the name of the algorithm, which is equal on all ranks.  If the setting is "auto", returns the name of the
 * algorithm that the engine chose.  Never NULL; the text is static.
 */
const char *irr_comm_algorithm(const irr_comm_t *comm);

/*
 * Fills list[IRR_CANDIDATES_MAX] (choose/candidates.h) with the strategies that the settings allow, and returns their
 * number.  A strategy is an algorithm with all its parameters.  The list is equal on all ranks.  Exchanges use its
 * first strategy; the caller may try the others on other communicators.  Local.
 */
struct irr_candidate;
int irr_comm_strategies(const irr_comm_t *comm, struct irr_candidate *list);

/*
 * If the blocks of a message have a mean length below this number of bytes, the caller should pack them into one block.
 */
#define IRR_BLOCK_MIN 256

/*
 * Fails the communicator on all its members: all exchanges end in errors from now on.  The caller calls this function
 * if this rank cannot take part in an exchange that the other members start.  status: the error of this rank's
 * exchanges.  reason: the end of the error message for the user, which begins with "rank R of a communicator of N
 * ranks"; NULL: no error message, because the caller has already logged the cause.  Local; a later irr_engine_progress
 * informs the other members.
 */
void irr_comm_give_up(irr_comm_t *comm, irr_status_t status, const char *reason);

/*
 * Returns true if this rank has failed the communicator, or has received the notice that another member failed it.
 * Local; no exchange may be running.
 */
bool irr_comm_has_failed(irr_comm_t *comm);

/*
 * Sets the number of the user of all later exchanges.  Several users, such as MPI communicators, may use one
 * communicator of the engine one after the other.  If a message that no receive matches belongs to an exchange of an
 * earlier user, the engine does not report it to the present user.  Local.
 */
void irr_comm_use(irr_comm_t *comm, uint64_t user);

/*
 * Destroys a communicator.  Local.  All objects of irr_exchange_take must be returned.  Running exchanges are stopped.
 */
void irr_comm_destroy(irr_comm_t *comm);

/* ---- exchange -------------------------------------------------------------------------------- */

typedef struct irr_exchange irr_exchange_t;   /* runs any number of exchanges, one after another */

/*
 * Returns the exchange object that irr_comm_create has made.  The communicator owns it.  A caller that uses
 * irr_exchange_take must not use this object.
 */
irr_exchange_t *irr_comm_exchange(const irr_comm_t *comm);

/*
 * Sets *exchange_p to an exchange object that is not in use: the object of irr_comm_create, an object that was
 * returned, or a new object.  The caller returns it by irr_exchange_give.  Local.  Returns IRR_ERR_NO_MEMORY if all
 * objects are in use and there is no memory for a new object.
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
 * Starts the exchange that the problem describes.  Never blocks.  The engine reads the blocks of the problem and the
 * buffer `input`, and writes the buffer `output`, until the exchange is over; the caller must not change or free them
 * before.
 *
 * A communicator may have any number of started exchanges, each in an object of its own.  All members must start their
 * exchanges in the same order: the n-th starts of all members form one exchange.  With a direct algorithm, up to
 * IRR_EXCHANGES_OPEN exchanges run at the same time.  About every 120 exchanges, all members pass a barrier, and later
 * exchanges wait until all earlier ones are over (comm/unexpected.h).  With any other algorithm, exchanges run one
 * after another, because each uses results of the previous one.  Exchanges may end in different orders on different
 * members.
 *
 * Returns IRR_ERR_BAD_PARAM if the problem is not valid, if the exchange object is still running, or if its last result
 * was not read by irr_exchange_test or irr_exchange_wait.  If the communicator has failed, returns the error of the
 * failure.
 *
 * If memory is missing, irr_exchange_start returns IRR_ERR_NO_MEMORY, or the exchange ends with this result.  With a
 * direct algorithm, the communicator then fails on all members.  A direct algorithm allocates memory only if the
 * problem has more blocks than all earlier problems.  With a scheduled algorithm, if one rank lacks memory for a
 * schedule, all ranks run the exchange without the schedule.  With a store-and-forward algorithm, the rank that lacks
 * memory and all ranks that need its data get the error.  No rank hangs.
 */
irr_status_t irr_exchange_start(irr_exchange_t *exchange, const irr_problem_t *problem, const void *input,
                                void *output);

/*
 * Returns IRR_IN_PROGRESS until the exchange is over, then its result.  Does not progress the engine.  The result is
 * IRR_ERR_TRUNCATE if a message was longer than the blocks that receive it; the contents of these blocks are undefined,
 * all other blocks are correct.  After any other error the whole output is undefined.
 */
irr_status_t irr_exchange_test(irr_exchange_t *exchange);

/*
 * Progresses the engine up to `rounds` times, but not after the end of the exchange.  Returns what irr_exchange_test
 * returns.  Adds the number of events of the transport to *events.
 */
irr_status_t irr_exchange_wait(irr_exchange_t *exchange, int rounds, unsigned *events);

/*
 * Prepares an exchange object to run the same problem many times.  Never blocks; irr_exchange_test returns the result.
 * All members call this function, in the same order as their calls of irr_exchange_start.  It moves no user data and
 * accesses no buffer.  The caller must keep the blocks of the problem until the next irr_exchange_start,
 * irr_exchange_plan or irr_exchange_give of this object.  If any member gets IRR_ERR_NO_MEMORY, no member may start the
 * planned exchange.
 */
irr_status_t irr_exchange_plan(irr_exchange_t *exchange, const irr_problem_t *problem);

/*
 * Starts the planned exchange on these buffers; otherwise as irr_exchange_start.  The planned exchange may run any
 * number of times, one run after another, and other exchanges may run in between.  With a store-and-forward algorithm,
 * the first run finds out what each rank has to forward.  If all ranks have the memory to store this, messages of later
 * runs contain no descriptions of their contents, and the engine allocates no memory.  With other algorithms this is
 * true from the first run on.  Returns IRR_ERR_BAD_PARAM if no exchange is planned.
 */
irr_status_t irr_exchange_restart(irr_exchange_t *exchange, const void *input, void *output);

#endif
