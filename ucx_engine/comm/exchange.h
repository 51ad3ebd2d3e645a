/*
 * exchange.h - private to comm/: an exchange and its states.
 *
 *   exchange.c        create, start, plan and test an exchange
 *   exchange_run.c    the states of an open exchange
 *   exchange_long.c   long messages beside the relay
 *   exchange_in_place.c  the problem of an exchange in place
 *   queue.c           opens the started exchanges in their order
 *   run.c             the plan of an exchange without a relay
 */
#ifndef IRR_EXCHANGE_H
#define IRR_EXCHANGE_H

#include "comm/engine.h"

#include <stdatomic.h>

/* The states of an exchange. The state only increases, and an exchange skips the states that it does not need. */
typedef enum irr_exchange_state {
    IRR_EXCHANGE_WAITS,     /* waits for earlier exchanges of its communicator (queue.c) */
    IRR_EXCHANGE_BARRIER,   /* the ranks pass an epoch barrier (comm/unexpected.h) */
    IRR_EXCHANGE_LOOKS_UP,  /* the ranks look up or compute a schedule */
    IRR_EXCHANGE_RUNS,      /* the executor runs the plan, or the relay learns it, or both */
    IRR_EXCHANGE_FREEZES    /* the ranks agree whether the plan that the relay learned can run alone */
} irr_exchange_state_t;

/* The view: what a rank knows when it builds the plan of an exchange. */
typedef enum irr_view {
    IRR_VIEW_OWN,         /* its own problem; the plan needs no more */
    IRR_VIEW_ALL,         /* the counts of all ranks, as its part of a schedule */
    IRR_VIEW_LEARNING,    /* its own problem; the rank learns during the exchange what to forward */
    IRR_VIEW_LEARNED      /* its own problem, and what to forward from an earlier exchange with this problem */
} irr_view_t;

/* The purpose of opening an exchange. */
typedef enum irr_purpose {
    IRR_PURPOSE_ONCE,     /* irr_exchange_start */
    IRR_PURPOSE_PLAN,     /* irr_exchange_plan: ends when the plan is built */
    IRR_PURPOSE_AGAIN     /* irr_exchange_restart: begins with the plan of irr_exchange_plan */
} irr_purpose_t;

struct irr_exchange {
    irr_comm_t           *comm;
    irr_run_t            *run;        /* `own`, or the run of the communicator */
    irr_problem_t         problem;    /* problem of the open, planned or last run */
    const void           *input;
    void                 *output;
    irr_exchange_state_t  state;
    _Atomic irr_status_t  result;     /* IRR_IN_PROGRESS until the exchange is over; irr_exchange_end writes it last */
    irr_failure_t         failure;
    irr_status_t          relayed;    /* result of the relay; later, or without a relay, result of the run */
    bool                  started;    /* the exchange is not over, or its result has not been read */
    bool                  copies;     /* the data to send is copied first */
    irr_block_t          *copied;     /* the blocks of the problem in the copy */
    size_t                copied_max;
    unsigned char        *copy;       /* buffer for the copied data */
    size_t                copy_max;
    irr_purpose_t         purpose;
    bool                  built;      /* the run has the plan; strategy and view are fixed */
    const irr_strategy_t *strategy;   /* strategy and view determine the plan; both are the same on all ranks */
    irr_view_t            view;
    unsigned              matrix;     /* number of the count matrix in the dump (comm/dump.h), on rank 0 */
    uint32_t              sequence;   /* its first sequence number */
    unsigned              rounds;     /* rounds of progress since the exchange was opened */
    const irr_plan_t     *running;    /* plan in the executor; NULL: none, or the relay runs alone */
    unsigned              opened;     /* round of the engine when the exchange was opened */
    uint64_t              since_ns;   /* time when timing began; 0: not timed yet */
    irr_exchange_t       *next;       /* in the queue, or among the unused exchanges */
    irr_exchange_t      **link;       /* the pointer to this exchange in the queue */
    irr_run_t             own;        /* used if exchanges run concurrently, or if the exchange is planned */
    irr_plan_t            frozen;     /* plan that the relay learned, for a planned exchange */
    void                 *scratch;    /* scratch of the frozen plan */
};

/* ---- exchange.c ---- */

/* Creates an exchange of a communicator. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_exchange_create(irr_comm_t *comm, irr_exchange_t **exchange_p);

/* Frees an exchange. The transport must not have a request of the exchange. */
void irr_exchange_free(irr_exchange_t *exchange);

/* Frees the unused exchanges of a communicator. */
void irr_exchange_free_spare(irr_comm_t *comm);

/* Reads the result of an exchange. Needs no lock. */
static inline irr_status_t irr_exchange_read(irr_exchange_t *exchange)
{
    const irr_status_t result = atomic_load_explicit(&exchange->result, memory_order_acquire);

    exchange->started = result == IRR_IN_PROGRESS;
    return result;
}

/* ---- exchange_run.c; the engine is locked ---- */

/*
 * irr_exchange_begin begins an exchange when the queue opens the exchange; irr_exchange_progress continues the
 * exchange. Both return IRR_IN_PROGRESS or the result of the exchange.
 */
irr_status_t irr_exchange_begin(irr_exchange_t *exchange);
irr_status_t irr_exchange_progress(irr_exchange_t *exchange);

/*
 * Fixes strategy and view, and builds the plan. If ranks forward, the rank learns the rest of the plan later. With
 * IRR_PURPOSE_PLAN the function also opens the endpoints of the plan, which shortens the first run. Local. May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_exchange_build(irr_exchange_t *exchange);

/* Ends an exchange with this result. */
void irr_exchange_end(irr_exchange_t *exchange, irr_status_t result);

/* Returns true if all receives of direct messages are posted. */
bool irr_exchange_listens(const irr_exchange_t *exchange);

/* Returns the rank that the exchange waits for; -1: none. */
int irr_exchange_awaited(const irr_exchange_t *exchange);

/* ---- exchange_long.c; the engine is locked ---- */

/* Sends the long messages directly, beside the relay. Call this when the relay has just started. */
void irr_exchange_start_long(irr_exchange_t *exchange);

/* Receives the long messages. Call this after the relay is over. */
void irr_exchange_receive_long(irr_exchange_t *exchange);

/* ---- exchange_in_place.c ---- */

/*
 * Converts a problem in place to a problem that this exchange can run. On communicators that cannot exchange in pairs,
 * sets exchange->copies, and the exchange will copy the data to send. exchange->copies must be false before. May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_exchange_convert_in_place(irr_exchange_t *exchange, irr_problem_t *problem);

/* Returns true if the exchange runs in place, without a copy. */
static inline bool irr_exchange_is_in_place(const irr_exchange_t *exchange)
{
    return exchange->problem.in_place && !exchange->copies;
}

/* Copies the data to send from the output buffer. Returns the copy, which the exchange owns. */
const void *irr_exchange_copy(irr_exchange_t *exchange, const void *output);

/* ---- queue.c; the engine is locked ---- */

/* Appends a started exchange to the queue, and opens the exchange if no earlier exchange prevents that. */
void irr_queue_enter(irr_exchange_t *exchange);

/* Continues the exchanges of a communicator. Returns false if no exchange is left. */
bool irr_queue_progress(irr_comm_t *comm);

/* Returns true if no exchange waits for a message of another rank. */
bool irr_queue_only_sends(const irr_comm_t *comm);

/* Ends all exchanges with the status of the failed communicator. */
void irr_queue_end_all(irr_comm_t *comm, irr_status_t status);

#endif
