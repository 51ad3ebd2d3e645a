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
 * An operation class: operations that all ranks start in the same order, and that share one choice of the strategy.
 * The operations are the starts of a persistent request, or the nonblocking calls of a collective on a communicator.
 * Some operations end with an agreement, in which the ranks choose the strategy of later operations.  The lock in
 * mca_coll_irr_requests guards the class.
 */
struct mca_coll_irr_class_t {
    mca_coll_irr_module_t   *module;
    mca_coll_irr_service_t   service;
    mca_coll_irr_request_t  *request;    /* the persistent request; NULL: each operation has its own */
    int                      tag;        /* of the messages of `agreement` */
    const char              *unfit;      /* why the engine cannot serve nonblocking calls; NULL: it can */
    int                      active;     /* number of operations whose exchanges are in progress */
    unsigned                 tests;      /* number of tests whether the inner request of a start has completed */
    bool                     holds;      /* an operation that starts now enters the queue */
    mca_coll_irr_request_t  *first, *last;   /* the queue */
    mca_coll_irr_request_t  *due;        /* operation that ends with an agreement; NULL: none */
    mca_coll_irr_agreement_t agreement;
    mca_coll_irr_class_t    *next_agreeing;   /* of the list `agreeing` */
    mca_coll_irr_class_t    *next, **link;   /* of the list `live` */
};

/*
 * The request of a nonblocking call, or a persistent request.  For a persistent request each strategy has a plan, which
 * all starts use.
 */
struct mca_coll_irr_request_t {
    ompi_coll_base_nbc_request_t super;
    mca_coll_irr_class_t   *class;        /* the request retains the communicator of the class */
    mca_coll_irr_call_t     call;
    mca_coll_irr_operation_t operation;   /* later requests reuse its memory */
    unsigned char          *arrays;       /* copies of counts, displacements and datatypes; later requests reuse them */
    size_t                  arrays_bytes;
    ompi_request_t         *inner;        /* request of the previous module; NULL: not created, or not needed */
    int                     failed;       /* OMPI_SUCCESS, or why the exchange could not start */
    irr_choice_timing_t     timing;
    irr_choice_load_t       load;
    uint64_t                begin_ns;     /* 0: not timed */
    uint64_t                started_ns;   /* duration of the start */
    uint64_t                seen_ns;      /* time when progress first tested the operation; 0: not tested yet */
    mca_coll_irr_request_t *next;         /* of the list of active, completed or spare requests, or of a queue */
};

OBJ_CLASS_DECLARATION(mca_coll_irr_request_t);

/* The lists of all requests and classes of the process. */
typedef struct mca_coll_irr_requests_t {
    opal_mutex_t                     lock;     /* guards the members below; not held when a request completes */
    mca_coll_irr_request_t          *spare;    /* list of free requests, which later calls reuse */
    mca_coll_irr_class_t            *live;     /* list of all classes */
    mca_coll_irr_request_t *volatile active;   /* list of active requests; also read without the lock */
    mca_coll_irr_class_t   *volatile agreeing; /* classes with an agreement in progress; also read without the lock */
    int                              engine_active;   /* number of active requests that use the engine */
    uint64_t                         left_ns;  /* time when a start or progress last returned */
} mca_coll_irr_requests_t;

extern mca_coll_irr_requests_t mca_coll_irr_requests;

/* Called when the component opens and closes. */
void mca_coll_irr_requests_open(void);
void mca_coll_irr_requests_close(void);

/* At the end of the job: adds the statistics of all classes to the report. */
void mca_coll_irr_requests_stats(void);

/* Closes the engine communicators of all classes, before the engine closes.  No request can be started afterwards. */
void mca_coll_irr_requests_strand(void);

/* ---- requests ---- */

/*
 * Initializes a constructed request of a class for a call whose sides hold the arguments of MPI.  The request retains
 * the communicator.  mca_coll_irr_request_take also allocates the request, and returns NULL if there is no memory.
 */
void mca_coll_irr_request_init(mca_coll_irr_request_t *request, mca_coll_irr_class_t *class,
                               const mca_coll_irr_call_t *call, bool persistent);
mca_coll_irr_request_t *mca_coll_irr_request_take(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call,
                                                  bool persistent);

/*
 * Opens the operation of a request, and copies the arrays that the operation reads after the call of MPI returns.
 * Returns false if there is no memory; the engine communicator then fails on all members when the request starts an
 * exchange.
 */
bool mca_coll_irr_request_open(mca_coll_irr_request_t *request);

/* Releases a request that is not active.  Keeps the memory of the request, which a later call reuses. */
void mca_coll_irr_request_give(mca_coll_irr_request_t *request);

/* Destroys a persistent request that is not active.  If its inner request is still active, keeps both requests. */
void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request);

/* ---- coll_irr_request_run.c ---- */

/* Functions that Open MPI calls: the first starts persistent requests, the second progresses all requests. */
int mca_coll_irr_request_start(size_t count, ompi_request_t **started);
int mca_coll_irr_requests_progress(void);

/*
 * Starts a request, or appends the request to the queue of its class.  The request is pending afterwards.  If the
 * request may enter the queue and Open MPI may have to serve it, the inner request must be ready.
 */
void mca_coll_irr_request_begin(mca_coll_irr_request_t *request);

/* ---- classes ---- */

/*
 * Initializes the class of a collective.  The memory of the class must not move.  `call` is the name of the MPI
 * function.
 */
void mca_coll_irr_class_init(mca_coll_irr_class_t *class, mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                             const char *call);
void mca_coll_irr_class_fini(mca_coll_irr_class_t *class);

/*
 * Gives up a persistent request that ended in an error on this rank, because Open MPI frees the request.  The class
 * fails on all ranks, whether the engine or Open MPI serves it, so that no rank waits for a start of this rank.
 */
void mca_coll_irr_class_lose(mca_coll_irr_class_t *class);

/*
 * Returns true if another rank gave up the persistent request of the class; the class then also fails on this rank.
 * The caller must ensure that the engine has no exchange of the class in progress.
 */
bool mca_coll_irr_class_is_lost(mca_coll_irr_class_t *class);

/* ---- coll_irr_calls.c ---- */

/* Starts the nonblocking operation of Open MPI for a request, as its inner request.  Returns an error of Open MPI. */
int mca_coll_irr_request_host(mca_coll_irr_request_t *request);

/* Ends the classes of nonblocking calls of a module. */
void mca_coll_irr_nonblocking_end(mca_coll_irr_module_t *module);

#endif
