/*
 * exchange.h - private to comm/: an exchange, its states, and when it passes through them.
 *
 *   exchange.c        life, start, plan, test
 *   exchange_run.c    the states of an open exchange
 *   exchange_long.c   long messages beside the relay
 *   exchange_place.c  what exchanges in place take
 *   queue.c           which of those that were started are open
 *   run.c             the plan of one without a relay
 */
#ifndef IRR_EXCHANGE_H
#define IRR_EXCHANGE_H

#include "comm/engine.h"

/* The states of an exchange, in their order: it returns to none, and leaves out those that it does not need. */
typedef enum irr_exchange_state {
    IRR_EXCHANGE_WAITS,     /* for others of its communicator; see queue.c */
    IRR_EXCHANGE_MEETS,     /* the ranks wait for each other; see comm/stray.h */
    IRR_EXCHANGE_LOOKS,     /* the ranks find a schedule */
    IRR_EXCHANGE_RUNS,      /* the executor runs the plan, the relay learns it, or both */
    IRR_EXCHANGE_FREEZES    /* the ranks agree whether the plan that the relay learnt may run alone */
} irr_exchange_state_t;

/* What a rank knows of the exchange that it makes its plan for. */
typedef enum irr_view {
    IRR_VIEW_OWN,         /* its own problem, which is enough */
    IRR_VIEW_ALL,         /* what all ranks send: it has its part of a schedule */
    IRR_VIEW_LEARNING,    /* its own problem; it learns during the exchange what it forwards */
    IRR_VIEW_LEARNED      /* what it forwards, from an earlier exchange with the same problem */
} irr_view_t;

/* What an exchange is opened for. */
typedef enum irr_purpose {
    IRR_PURPOSE_ONCE,     /* irr_exchange_start */
    IRR_PURPOSE_PLAN,     /* irr_exchange_plan: it ends with the plan */
    IRR_PURPOSE_AGAIN     /* irr_exchange_restart: it begins with the plan */
} irr_purpose_t;

struct irr_exchange {
    irr_comm_t           *comm;
    irr_run_t            *run;        /* its own, or that of the communicator */
    irr_problem_t         problem;    /* of the run that is open, or planned, or was the last one */
    const void           *input;
    void                 *output;
    irr_exchange_state_t  state;
    irr_status_t          result;     /* IRR_IN_PROGRESS until it is over */
    irr_failure_t         failure;
    irr_status_t          relayed;    /* result of the relay, if there is one, and then of the run */
    bool                  started;    /* it is not over, or its result was not read */
    bool                  copies;     /* what it sends is copied first: */
    irr_block_t          *copied;     /* where its blocks are in the copy, */
    size_t                copied_max;
    unsigned char        *copy;       /* and that */
    size_t                copy_max;
    irr_purpose_t         purpose;
    bool                  built;      /* its run has the plan, whose strategy and view are settled */
    const irr_way_t      *way;        /* its strategy, and */
    irr_view_t            view;       /* its view, which together determine the plan; alike on all ranks */
    unsigned              matrix;     /* of its counts, as the dump numbers it (comm/dump.h), on rank 0 */
    uint32_t              sequence;   /* the first of its tags */
    unsigned              rounds;     /* of progress since it was opened */
    const irr_plan_t     *running;    /* by the executor; NULL: none, or by the relay */
    unsigned              turn;       /* of the engine, when it was opened */
    uint64_t              since_ns;   /* when it was seen to last; 0: not yet */
    irr_exchange_t       *next, *prev;   /* in the queue, or among those that nobody uses */
    irr_run_t             own;        /* reserved where exchanges run side by side, or it is planned */
    irr_grid_plan_t       frozen;     /* what the relay learnt, of a planned exchange, */
    void                 *scratch;    /* and its scratch */
};

/* ---- exchange.c ---- */

/* One for a communicator.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_exchange_create(irr_comm_t *comm, irr_exchange_t **exchange_p);

/* Frees one that the transport has no requests of. */
void irr_exchange_free(irr_exchange_t *exchange);

/* The same of those of a communicator that nobody uses. */
void irr_exchange_free_spare(irr_comm_t *comm);

/* ---- exchange_run.c; the engine is locked ---- */

/* Begins an exchange that is opened, and goes on with it.  Both return IRR_IN_PROGRESS, or its result. */
irr_status_t irr_exchange_begin(irr_exchange_t *exchange);
irr_status_t irr_exchange_progress(irr_exchange_t *exchange);

/*
 * Settles strategy and view, and builds the plan, which a rank that forwards learns later.  Planning, it opens the
 * endpoints that the plan sends through, too, so that the first run need not.  Local.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_exchange_build(irr_exchange_t *exchange);

/* It is over, with this result. */
void irr_exchange_end(irr_exchange_t *exchange, irr_status_t result);

/* Is all that comes directly asked for? */
bool irr_exchange_listens(const irr_exchange_t *exchange);

/* The rank that it waits for; -1: none. */
int irr_exchange_awaited(const irr_exchange_t *exchange);

/* ---- exchange_long.c; the same ---- */

/* Sends what goes directly, beside the relay, which has just started. */
void irr_exchange_start_long(irr_exchange_t *exchange);

/* The relay is over: what comes directly is received. */
void irr_exchange_receive_long(irr_exchange_t *exchange);

/* ---- exchange_place.c ---- */

/*
 * A problem in place becomes one that this exchange, which copies nothing yet, can run: on some communicators what is
 * sent will be copied.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_exchange_take_place(irr_exchange_t *exchange, irr_problem_t *problem);

/* Is its input its output even so? */
static inline bool irr_exchange_is_in_place(const irr_exchange_t *exchange)
{
    return exchange->problem.in_place && !exchange->copies;
}

/* Copies what an exchange that copies sends, when the buffer is known.  Returns the copy. */
const void *irr_exchange_copy(irr_exchange_t *exchange, const void *output);

/* ---- queue.c; the engine is locked ---- */

/* One is started: it is opened now, or when it is its turn. */
void irr_queue_enter(irr_exchange_t *exchange);

/* Goes on with the exchanges of a communicator.  False: there are none. */
bool irr_queue_progress(irr_comm_t *comm);

/* Does none of them wait for what others send? */
bool irr_queue_only_sends(const irr_comm_t *comm);

/* Ends all with this status; the communicator has failed with it. */
void irr_queue_end_all(irr_comm_t *comm, irr_status_t status);

#endif
