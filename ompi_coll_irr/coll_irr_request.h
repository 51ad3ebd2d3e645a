/*
 * coll_irr_request.h - requests of nonblocking and persistent calls, and their operation classes.
 *
 * An operation is one nonblocking call, or one start of a persistent request.  The exchange of an operation is the
 * transfer of its data, which the engine or Open MPI's implementation performs.
 */
#ifndef MCA_COLL_IRR_REQUEST_H
#define MCA_COLL_IRR_REQUEST_H

#include "coll_irr_agreement.h"

typedef struct mca_coll_irr_request_t mca_coll_irr_request_t;
typedef struct mca_coll_irr_class_t mca_coll_irr_class_t;

/*
 * An operation class: operations that all ranks start in the same order, and that share one choice of the strategy: the
 * starts of a persistent request, or the nonblocking calls of a collective on a communicator.  Some operations end with
 * an agreement, in which the ranks choose the strategy of later operations.  The lock in mca_coll_irr_requests guards
 * the class.
 */
struct mca_coll_irr_class_t {
    mca_coll_irr_module_t   *module;
    mca_coll_irr_service_t   service;
    mca_coll_irr_request_t  *request;    /* the persistent request; NULL: nonblocking calls */
    int                      tag;        /* of the messages of `agreement` */
    const char              *unfit;      /* why Open MPI serves all nonblocking calls; or NULL */
    int                      active;     /* exchanges in progress */
    unsigned                 tests;      /* tests of the inner request of a start */
    bool                     holds;      /* an operation that starts now enters the queue */
    mca_coll_irr_request_t  *first, *last;   /* the queue */
    mca_coll_irr_request_t  *due;        /* its end is an agreement; NULL: none */
    mca_coll_irr_agreement_t agreement;
    mca_coll_irr_class_t    *next_agreeing;   /* of the list `agreeing` */
    mca_coll_irr_class_t    *next, **link;   /* of the list `live` */
};

/* A request of a nonblocking call, or a persistent request, for which each strategy has a plan that all starts use. */
struct mca_coll_irr_request_t {
    ompi_coll_base_nbc_request_t super;
    mca_coll_irr_class_t   *class;        /* its communicator is retained */
    mca_coll_irr_call_t     call;
    mca_coll_irr_operation_t operation;   /* later requests reuse its memory */
    unsigned char          *arrays;       /* copies of counts, displacements and datatypes */
    size_t                  arrays_bytes;
    ompi_request_t         *inner;        /* of the previous module; NULL: none */
    irr_choice_timing_t     timing;
    irr_choice_load_t       load;
    const irr_comm_t       *strategy;     /* serves the exchange; NULL: Open MPI */
    uint64_t                begin_ns;     /* 0: not timed */
    uint64_t                started_ns;   /* duration of the start */
    uint64_t                seen_ns;      /* of the first test in progress; 0: not tested */
    mca_coll_irr_request_t *next;         /* of a list or a queue */
};

OBJ_CLASS_DECLARATION(mca_coll_irr_request_t);

typedef struct mca_coll_irr_requests_t {
    opal_mutex_t                     lock;     /* not held when a request completes */
    mca_coll_irr_request_t          *spare;    /* free requests, which later calls reuse */
    mca_coll_irr_class_t            *live;     /* all classes */
    mca_coll_irr_request_t *volatile active;   /* also read without the lock */
    mca_coll_irr_class_t   *volatile agreeing; /* also read without the lock */
    int                              engine_active;   /* active requests that use the engine */
    uint64_t                         left_ns;  /* when a start or progress last returned */
} mca_coll_irr_requests_t;

extern mca_coll_irr_requests_t mca_coll_irr_requests;

/* Called when the component closes. */
void mca_coll_irr_requests_close(void);

/*
 * At the end of the job: add the statistics of all classes to the report, and close their engine communicators.  No
 * request can be started afterwards.
 */
void mca_coll_irr_requests_stats(void);
void mca_coll_irr_requests_strand(void);

/* ---- requests ---- */

/*
 * Initializes a constructed request for a call whose sides hold the arguments of MPI.  The request retains the
 * communicator. mca_coll_irr_request_take also allocates it; NULL without memory.
 */
void mca_coll_irr_request_init(mca_coll_irr_request_t *request, mca_coll_irr_class_t *class,
                               const mca_coll_irr_call_t *call, bool persistent);
mca_coll_irr_request_t *mca_coll_irr_request_take(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call,
                                                  bool persistent);

/*
 * Opens the operation of a request, and copies the arrays that it reads after the call of MPI returns.  Returns false
 * if there is no memory; the engine communicator then fails on all members when the request starts an exchange.
 */
bool mca_coll_irr_request_open(mca_coll_irr_request_t *request);

/* Releases a request that is not active.  A later call reuses its memory. */
void mca_coll_irr_request_give(mca_coll_irr_request_t *request);

/* Destroys a persistent request that is not active, unless its inner request is. */
void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request);

/* ---- coll_irr_request_run.c ---- */

/* Open MPI calls these functions to start persistent requests, and to progress all requests. */
int mca_coll_irr_request_start(size_t count, ompi_request_t **started);
int mca_coll_irr_requests_progress(void);

/*
 * Starts a request, or appends it to the queue of its class.  If Open MPI may have to serve a request of the queue, its
 * inner request must exist.
 */
void mca_coll_irr_request_begin(mca_coll_irr_request_t *request);

/* ---- classes ---- */

/* The memory of the class must not move. */
void mca_coll_irr_class_init(mca_coll_irr_class_t *class, mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                             mca_coll_irr_form_t form);
void mca_coll_irr_class_fini(mca_coll_irr_class_t *class);

/*
 * Gives up a persistent request that ended in an error on this rank, because Open MPI frees the request.  The class
 * fails on all ranks, so that no rank waits for a start of this rank.
 */
void mca_coll_irr_class_lose(mca_coll_irr_class_t *class);

/*
 * Returns true if another rank gave up the persistent request; the class then also fails on this rank.  The engine must
 * have no exchange of the class in progress.
 */
bool mca_coll_irr_class_is_lost(mca_coll_irr_class_t *class);

/* ---- coll_irr_calls.c ---- */

/* Starts Open MPI's operation as the inner request.  Returns an error of Open MPI. */
int mca_coll_irr_request_host(mca_coll_irr_request_t *request);

/* Ends the classes of nonblocking calls of a module. */
void mca_coll_irr_nonblocking_end(mca_coll_irr_module_t *module);

#endif
