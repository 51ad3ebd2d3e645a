/*
 * exchange.h - private to comm/: an exchange and its states.
 *
 * A plan is the list of the steps of this rank in an exchange (plan/plan.h); the executor runs it. If ranks forward
 * messages of other ranks along a grid, the rank does not know its plan beforehand: the relay builds the plan during
 * the exchange. An exchange is in place if its input is its output.
 *
 *   exchange.c        create, start, plan and test an exchange
 *   exchange_run.c    the states of an open exchange
 *   exchange_long.c   long messages, which are sent directly while the relay forwards the short ones
 *   exchange_in_place.c  converts an exchange in place
 *   queue.c           opens the started exchanges in their order
 *   run.c             the plan of an exchange without a relay
 */
#ifndef IRR_EXCHANGE_H
#define IRR_EXCHANGE_H

#include "comm/engine.h"

#include <stdatomic.h>

/* The states of an exchange, in their order. An exchange skips the states that it does not need. */
typedef enum irr_exchange_state {
    IRR_EXCHANGE_WAITS,     /* in the queue, behind earlier exchanges of its communicator (queue.c) */
    IRR_EXCHANGE_BARRIER,   /* the ranks pass a barrier; about every 120th exchange does (comm/unexpected.h) */
    IRR_EXCHANGE_LOOKS_UP,  /* the ranks find or compute the schedule for their counts (comm/schedules.h) */
    IRR_EXCHANGE_RUNS,      /* the executor runs the plan, or the relay builds and runs it, or both run */
    IRR_EXCHANGE_FREEZES    /* the ranks agree whether later runs can use the relay's plan without the relay */
} irr_exchange_state_t;

/* The view: what a rank knows when it builds the plan of an exchange. */
typedef enum irr_view {
    IRR_VIEW_OWN,         /* the bytes that it sends and receives itself; the plan needs no more */
    IRR_VIEW_ALL,         /* as OWN, and its part of a schedule, which rank 0 computed from the counts of all ranks */
    IRR_VIEW_LEARNING,    /* as OWN; during the exchange the rank learns what it has to forward */
    IRR_VIEW_LEARNED      /* as OWN, and what it has to forward, from an earlier run with the same counts */
} irr_view_t;

/* The function of irr.h that has started the exchange. */
typedef enum irr_purpose {
    IRR_PURPOSE_ONCE,     /* irr_exchange_start */
    IRR_PURPOSE_PLAN,     /* irr_exchange_plan: the exchange ends when the plan is built */
    IRR_PURPOSE_AGAIN     /* irr_exchange_restart: the plan is built already */
} irr_purpose_t;

struct irr_exchange {
    irr_comm_t           *comm;
    irr_run_t            *run;        /* plan and executor: `own`, or those of the communicator */
    irr_problem_t         problem;    /* of the current, planned or last run */
    const void           *input;
    void                 *output;
    irr_exchange_state_t  state;
    _Atomic irr_status_t  result;     /* IRR_IN_PROGRESS until the exchange is over; irr_exchange_end writes it last */
    irr_failure_t         failure;
    irr_status_t          relayed;    /* result of the relay, then of the whole run */
    bool                  started;    /* the exchange is not over, or the caller has not read its result */
    bool                  copies;     /* the exchange is in place, and the data to send is copied first */
    irr_block_t          *copied;     /* the blocks of the data in `copy` */
    size_t                copied_max;
    unsigned char        *copy;
    size_t                copy_max;
    irr_purpose_t         purpose;
    bool                  built;      /* `run` has the plan; `strategy` and `view` are set */
    const irr_strategy_t *strategy;   /* together with `view` determines the plan; both are equal on all ranks */
    irr_view_t            view;
    unsigned              matrix;     /* on rank 0: number of the file of the count matrix (comm/dump.h) */
    uint32_t              sequence;   /* the first sequence number in the tags of its messages */
    unsigned              rounds;     /* calls of irr_exchange_progress since the exchange was opened */
    const irr_plan_t     *running;    /* the plan that the executor of `run` runs; NULL: none */
    unsigned              opened;     /* engine->rounds when the exchange was opened */
    uint64_t              since_ns;   /* time in ns from which the timeout counts; 0: not yet */
    irr_exchange_t       *next;       /* next exchange of the queue, or of the unused exchanges */
    irr_exchange_t      **link;       /* the pointer to this exchange in the queue, for its removal */
    irr_run_t             own;        /* used if exchanges run concurrently, or if this exchange is planned */
    irr_plan_t            frozen;     /* copy of the relay's plan, for later runs of a planned exchange */
    void                 *scratch;    /* memory of `frozen` for data on its way */
};

/* ---- exchange.c ---- */

/* Creates an exchange of a communicator. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_exchange_create(irr_comm_t *comm, irr_exchange_t **exchange_p);

/* Frees an exchange. The transport must not use its memory any more. */
void irr_exchange_free(irr_exchange_t *exchange);

void irr_exchange_free_spare(irr_comm_t *comm);

/* Returns IRR_IN_PROGRESS or the result. Needs no lock. */
static inline irr_status_t irr_exchange_read(irr_exchange_t *exchange)
{
    const irr_status_t result = atomic_load_explicit(&exchange->result, memory_order_acquire);

    exchange->started = result == IRR_IN_PROGRESS;
    return result;
}

/* ---- exchange_run.c; the engine is locked ---- */

/*
 * The queue calls irr_exchange_begin when it opens an exchange, and then irr_exchange_progress until the exchange is
 * over. Both return IRR_IN_PROGRESS or the result.
 */
irr_status_t irr_exchange_begin(irr_exchange_t *exchange);
irr_status_t irr_exchange_progress(irr_exchange_t *exchange);

/*
 * Sets strategy and view, and builds the plan, unless the relay builds it during the run. With IRR_PURPOSE_PLAN also
 * connects the ranks to which the plan sends, so that the first run is not delayed. Local. May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_exchange_build(irr_exchange_t *exchange);

/* Publishes the result of an exchange, and updates the counters. The exchange is no longer in the queue. */
void irr_exchange_end(irr_exchange_t *exchange, irr_status_t result);

/* Returns true if all receives of messages that are sent directly are posted. */
bool irr_exchange_listens(const irr_exchange_t *exchange);

/* Returns the rank that the exchange waits for; -1: none. */
int irr_exchange_awaited(const irr_exchange_t *exchange);

/* ---- exchange_long.c; the engine is locked ---- */

/* Starts to send the long messages. Called when the relay has just started. */
void irr_exchange_start_long(irr_exchange_t *exchange);

/* Starts to receive the long messages. Called when the relay is over. */
void irr_exchange_receive_long(irr_exchange_t *exchange);

/* ---- exchange_in_place.c ---- */

/*
 * Converts a problem in place to one that this exchange can run. If its communicator cannot exchange in place, sends
 * from a copy of the data instead: allocates memory for the copy, and sets exchange->copies, which must be false
 * before. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_exchange_convert_in_place(irr_exchange_t *exchange, irr_problem_t *problem);

/* Returns true if the exchange runs in place, without a copy. */
static inline bool irr_exchange_is_in_place(const irr_exchange_t *exchange)
{
    return exchange->problem.in_place && !exchange->copies;
}

/* Copies the data to send from the output buffer to exchange->copy, and returns this pointer. */
const void *irr_exchange_copy(irr_exchange_t *exchange, const void *output);

/* ---- queue.c; the engine is locked ---- */

/* Appends a started exchange to the queue, and opens it if it need not wait for an earlier exchange. */
void irr_queue_enter(irr_exchange_t *exchange);

/* Continues the exchanges of a communicator, and opens waiting ones. Returns false if no exchange is left. */
bool irr_queue_progress(irr_comm_t *comm);

/* Returns true if no started exchange has still to receive a message. */
bool irr_queue_only_sends(const irr_comm_t *comm);

/* Ends all started exchanges of a communicator with this status. */
void irr_queue_end_all(irr_comm_t *comm, irr_status_t status);

#endif
