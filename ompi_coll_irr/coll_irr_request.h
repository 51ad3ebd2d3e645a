/*
 * coll_irr_request.h - requests of nonblocking and persistent calls, and the class that they come in.
 */
#ifndef MCA_COLL_IRR_REQUEST_H
#define MCA_COLL_IRR_REQUEST_H

#include "coll_irr_agreement.h"

typedef struct mca_coll_irr_request_t mca_coll_irr_request_t;
typedef struct mca_coll_irr_class_t mca_coll_irr_class_t;

/*
 * Operations that all ranks start in one order, and one choice for all of them: the starts of a persistent request, or
 * the nonblocking calls of a collective of a communicator.  Guarded by the lock of all requests.
 */
struct mca_coll_irr_class_t {
    mca_coll_irr_module_t   *module;
    mca_coll_irr_service_t   service;
    mca_coll_irr_request_t  *request;    /* that is started again and again; NULL: each operation has its own */
    int                      tag;        /* of what the ranks agree on */
    const char              *unfit;      /* why nonblocking calls cannot be served; NULL: they can */
    int                      active;     /* operations whose exchanges are under way */
    unsigned                 looks;      /* for the end of Open MPI's part of a start */
    bool                     holds;      /* operations that start now wait in a line */
    mca_coll_irr_request_t  *first, *last;   /* of the line */
    mca_coll_irr_request_t  *due;        /* the operation that an agreement is a part of; NULL: none is due */
    bool                     due_over;   /* its exchange is */
    mca_coll_irr_agreement_t agreement;
    mca_coll_irr_class_t    *next_agreeing;
    mca_coll_irr_class_t    *next_live, *prev_live;
};

/*
 * An operation, or one that can be started again and again, for which each way has a plan for the blocks of its call.
 */
struct mca_coll_irr_request_t {
    ompi_coll_base_nbc_request_t super;
    mca_coll_irr_class_t   *class;        /* its communicator is retained */
    mca_coll_irr_call_t     call;
    mca_coll_irr_operation_t operation;   /* of the call; its memory is kept for later ones */
    void                   *arrays;       /* the same: for counts, displacements and datatypes */
    size_t                  arrays_bytes;
    ompi_request_t         *inner;        /* of the previous module; NULL: there is none, or none yet */
    bool                    ready;        /* the inner request was made, and can be started */
    int                     failed;       /* OMPI_SUCCESS, or why the exchange could not start */
    irr_choice_turn_t       turn;
    irr_choice_load_t       load;
    uint64_t                begin_ns;     /* 0: it is not timed */
    uint64_t                started_ns;   /* so long its start took, */
    uint64_t                seen_ns;      /* and then progress first looked at it; 0: not yet */
    mca_coll_irr_request_t *next;         /* of those that are active, or over, or in the line of a class, or spare */
};

OBJ_CLASS_DECLARATION(mca_coll_irr_request_t);

/* All of them. */
typedef struct mca_coll_irr_requests_t {
    opal_mutex_t                     lock;     /* guards what follows; a request is completed without it */
    mca_coll_irr_request_t          *spare;    /* for the next ones */
    mca_coll_irr_class_t            *live;
    mca_coll_irr_request_t *volatile active;   /* also looked at without the lock */
    mca_coll_irr_class_t   *volatile agreeing; /* the same of classes */
    int                              engine_active;   /* those of the active ones that go by the engine */
    uint64_t                         left_ns;  /* when a start or progress last returned to its caller */
} mca_coll_irr_requests_t;

extern mca_coll_irr_requests_t mca_coll_irr_requests;

/* With the component. */
void mca_coll_irr_requests_open(void);
void mca_coll_irr_requests_close(void);

/* At the end of the job: what all operations took goes to the report. */
void mca_coll_irr_requests_stats(void);

/* The engine goes, and with it the engine communicators of all classes: nothing can be started any more. */
void mca_coll_irr_requests_strand(void);

/* ---- coll_irr_request.c: a request ---- */

/* Returns a request of a class, for a call whose sides are set.  It retains the communicator.  NULL without memory. */
mca_coll_irr_request_t *mca_coll_irr_request_take(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call,
                                                  bool persistent);

/* The same with the caller's memory, for an operation that is over before the caller returns. */
void mca_coll_irr_request_construct(mca_coll_irr_request_t *request, mca_coll_irr_class_t *class,
                                    const mca_coll_irr_call_t *call);
void mca_coll_irr_request_destruct(mca_coll_irr_request_t *request);

/*
 * Opens the operation, and copies the arrays that are needed when the call has returned.  Returns false without memory:
 * an exchange that the request starts fails its communicator then.
 */
bool mca_coll_irr_request_open(mca_coll_irr_request_t *request);

/* For the next one: of a request that is not active. */
void mca_coll_irr_request_give(mca_coll_irr_request_t *request);

/* Of a persistent request that is not active.  If Open MPI's part of it is, it stays. */
void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request);

/* ---- coll_irr_request_run.c ---- */

/* What Open MPI calls: to start persistent ones, and to move all. */
int mca_coll_irr_request_start(size_t count, ompi_request_t **started);
int mca_coll_irr_requests_progress(void);

/*
 * Starts a request, or puts it into the line of its class; it is pending from then on.  A request that Open MPI may
 * have to serve, and that may wait, has an inner one that is ready; else host starts that, if it is Open MPI's turn.
 */
void mca_coll_irr_request_begin(mca_coll_irr_request_t *request, int (*host)(mca_coll_irr_request_t *request));

/* ---- coll_irr_class.c ---- */

/* Makes a class of a collective, of a call of that name, in memory that stays where it is. */
void mca_coll_irr_class_init(mca_coll_irr_class_t *class, mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                             const char *call);
void mca_coll_irr_class_fini(mca_coll_irr_class_t *class);

/* The next operation starts; if an agreement is due after it, the class holds those that follow.  Under the lock. */
irr_choice_turn_t mca_coll_irr_class_turn(mca_coll_irr_class_t *class, mca_coll_irr_request_t *request);

/*
 * A persistent request ends in an error on this rank, where Open MPI frees it.  The class fails on all ranks, which
 * must not wait for a start of this one, whatever serves theirs.  turn: the strategy by which it went.
 */
void mca_coll_irr_class_lose(mca_coll_irr_class_t *class, int turn);

/* Has another rank lost a persistent request?  Then the class has failed here, too.  No exchange of it is open. */
bool mca_coll_irr_class_is_lost(mca_coll_irr_class_t *class);

/* Starts the agreement that is due after an operation (coll_irr_agreement.h). */
void mca_coll_irr_class_agree(mca_coll_irr_class_t *class);

/* ---- coll_irr_nonblocking.c ---- */

/* With the module: its class of nonblocking calls. */
void mca_coll_irr_nonblocking_end(mca_coll_irr_module_t *module);

#endif
