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
 *     irr_exchange_start     builds the plan, unless others come first, and posts what may be posted; never blocks
 *     irr_exchange_test, irr_exchange_wait     IRR_IN_PROGRESS until done; never block
 *     irr_exchange_plan, irr_exchange_restart    the same exchange many times, planned once
 *     irr_exchange_give, irr_comm_destroy     local
 *     irr_engine_close, irr_engine_drain, the host's barrier, irr_engine_destroy
 *
 * How functions end is in irr_status.h, and what an exchange can be told to go by in irr_settings.h.
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

#include "irr_settings.h"
#include "irr_status.h"
#include "problem/problem.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- logger and allocator -------------------------------------------------------------------- */

typedef enum irr_log_level { IRR_LOG_ERROR, IRR_LOG_WARN, IRR_LOG_INFO, IRR_LOG_DEBUG } irr_log_level_t;

/* One finished line without a newline; the text is valid during the call only. */
typedef void (*irr_log_fn_t)(void *context, irr_log_level_t level, const char *text);

/* Lines above max_level are not formatted.  log = NULL: no lines at all, which is the default. */
void irr_log_set(irr_log_fn_t log, void *context, irr_log_level_t max_level);

/* Messages name settings with this prefix, as the user writes them; it is kept, not copied.  At first it is empty. */
void irr_log_prefix_set(const char *prefix);

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

/* ---- engine ---------------------------------------------------------------------------------- */

typedef struct irr_engine irr_engine_t;

/* Row i of the table of networks.  NULL past the last row. */
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

void irr_engine_counters(irr_engine_t *engine, irr_counters_t *counters);

/* True once a communicator has needed the network: until then messages stay in shared memory. */
bool irr_engine_has_network(irr_engine_t *engine);

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

/*
 * Collectives of the host over the members of one communicator, one at a time; IRR_IN_PROGRESS until test says more.
 * After an error there are no others; after IRR_ERR_TIMEOUT the host may still write to what it was told to gather in.
 */
typedef struct irr_oob {
    void *context;
    irr_status_t (*allgather)(void *context, const void *input, void *output, size_t bytes);   /* in rank order */
    /* values become the element-wise maximum over all ranks. */
    irr_status_t (*allreduce_max)(void *context, uint64_t *values, size_t count);
    irr_status_t (*test)(void *context);   /* NULL: they block */
    /* The name of the process behind a rank, unique in the job.  Local. */
    uint64_t (*process_name)(void *context, int rank);
} irr_oob_t;

typedef struct irr_comm irr_comm_t;

typedef struct irr_comm_params {
    int                   ranks;
    int                   rank;
    irr_settings_t        settings;
    const irr_oob_t      *oob;      /* used during set-up only */
    irr_status_t          trouble;  /* not IRR_OK: this rank cannot take part; it must call all the same */
    const char           *reason;   /* of the trouble, for the user; the lowest rank in trouble logs its own */
    const char           *parameter;   /* the name of the one for the algorithm, for the user; NULL: "algorithm" */
    const char           *otherwise;   /* what becomes of the exchanges if it fails, for the user; NULL: not said */
    const char           *host;     /* name of this rank's, for a topology file; NULL: it has none */
    int                   node;     /* equal on ranks that share a node, for the row that asks where they are */
    const char           *switch_address, *switch_pattern;   /* SLURM_TOPOLOGY_ADDR and its _PATTERN; NULL: not set */
    bool                  only_shared;    /* alike: if it needs the network it is not made, silently */
} irr_comm_params_t;

/*
 * Collective over the members: they agree whether all can take part with equal settings, and exchange addresses.
 * engine may be NULL where trouble is set.  IRR_OK; the error of a collective of the host, such as IRR_ERR_OOB; or, if
 * any rank had trouble or other settings, IRR_ERR_NOT_SUPPORTED, alike on all.  May block in the host's collectives.
 * The first one that needs the network opens it, in milliseconds and megabytes: not one of ranks that share a node and
 * its memory.
 */
irr_status_t irr_comm_create(irr_engine_t *engine, const irr_comm_params_t *params, irr_comm_t **comm_p);

/* The name of the row that exchanges go by, alike on all ranks; what "auto" became.  Never NULL, never freed. */
const char *irr_comm_algorithm(const irr_comm_t *comm);

/*
 * Fills list[], of IRR_CANDIDATES_MAX (choose/candidates.h), with the strategies that the settings leave open, alike on
 * all ranks, and returns how many those are.  The first one is what exchanges go by.
 */
struct irr_candidate;
int irr_comm_strategies(const irr_comm_t *comm, struct irr_candidate *list);

/* Bytes that the blocks of a message should have in the mean: a host with shorter ones had better pack them. */
#define IRR_BLOCK_MIN 256

/*
 * Fails the communicator on all its members, because this rank cannot take part in an exchange that they start.  Their
 * exchanges end in errors.  The user message is "rank R of a communicator of N ranks", then reason; with NULL there is
 * no message, because the caller has logged one.  Local.
 */
void irr_comm_give_up(irr_comm_t *comm, irr_status_t status, const char *reason);

/* While no exchange of it is open: has this rank, or as far as this rank can see another one, failed it?  Local. */
bool irr_comm_has_failed(irr_comm_t *comm);

/* Local: exchanges from now on are those of this user, who is not told of stray messages that came for others. */
void irr_comm_use(irr_comm_t *comm, uint64_t user);

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
 * A direct algorithm needs no memory beyond what was reserved, unless a rank has more blocks than one for another rank.
 * If its start, or the exchange, returns IRR_ERR_NO_MEMORY, the communicator fails on all members.  A scheduled
 * algorithm does as a1 on all ranks where one lacks memory.  An algorithm that forwards ends in IRR_ERR_NO_MEMORY on
 * this rank and on those that miss something from it, and leaves nobody waiting.
 */
irr_status_t irr_exchange_start(irr_exchange_t *exchange, const irr_problem_t *problem, const void *input,
                                void *output);

/*
 * IRR_IN_PROGRESS until it is over, then its result, once.  IRR_ERR_TRUNCATE: a message was longer than its blocks,
 * whose bytes are undefined; all others arrived.  Does not progress the engine.
 */
irr_status_t irr_exchange_test(irr_exchange_t *exchange);

/* The same, after at most so many rounds of irr_engine_progress; adds the events seen to *events. */
irr_status_t irr_exchange_wait(irr_exchange_t *exchange, int rounds, unsigned *events);

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
