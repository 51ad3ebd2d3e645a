/*
 * coll_irr_request.h - persistent requests, as MPI_Alltoallv_init makes them.
 */
#ifndef MCA_COLL_IRR_REQUEST_H
#define MCA_COLL_IRR_REQUEST_H

#include "coll_irr_agreement.h"

/* What a request has that is not served from the start, but tried on its own. */
typedef struct mca_coll_irr_trying_t {
    ompi_request_t          *inner;       /* the previous module's, which is way 0 */
    int                      tag;         /* of agreements */
    irr_choice_load_t        load;        /* of a start */
    mca_coll_irr_agreement_t agreement;
} mca_coll_irr_trying_t;

/* A request that can be started: each way has a plan for the blocks of its call. */
typedef struct mca_coll_irr_request_t {
    ompi_coll_base_nbc_request_t   super;
    mca_coll_irr_module_t         *module;        /* its communicator is retained */
    mca_coll_irr_service_t         service;       /* SERVING or CHOOSING; DECLINED: the engine of the job is gone */
    mca_coll_irr_trying_t         *trying;        /* while CHOOSING */
    mca_coll_irr_call_t            call;
    mca_coll_irr_room_t            send_room, recv_room;   /* of the call */
    irr_comm_t                    *way;           /* of the start that is under way; NULL: the inner request */
    uint64_t                       begin_ns;      /* of that start; 0: it is not timed */
    uint64_t                       started_ns;    /* so long it took, */
    uint64_t                       seen_ns;       /* and then progress first looked at it; 0: not yet */
    int                            packed;        /* OMPI_SUCCESS, or why what was sent is not right */
    struct mca_coll_irr_request_t *next, *prev;   /* of all that live */
    struct mca_coll_irr_request_t *next_active;   /* of those whose exchanges, or agreements, are under way */
} mca_coll_irr_request_t;

OBJ_CLASS_DECLARATION(mca_coll_irr_request_t);

/* All of them. */
typedef struct mca_coll_irr_requests_t {
    opal_mutex_t                     lock;     /* guards what follows; a request is completed without it */
    mca_coll_irr_request_t          *spare;    /* for the next ones */
    mca_coll_irr_request_t          *live;
    mca_coll_irr_request_t *volatile active;   /* also looked at without the lock */
    mca_coll_irr_request_t *volatile agreeing; /* the same of those whose exchange is over */
    int                              engine_active;   /* those of the active ones that go by the engine */
    uint64_t                         left_ns;  /* when a start or progress last returned to its caller */
} mca_coll_irr_requests_t;

extern mca_coll_irr_requests_t mca_coll_irr_requests;

/* What Open MPI calls: to start some, and to move all; see coll_irr_request_run.c. */
int mca_coll_irr_request_start(size_t count, ompi_request_t **started);
int mca_coll_irr_requests_progress(void);

/* With the component. */
void mca_coll_irr_requests_open(void);
void mca_coll_irr_requests_close(void);

/*
 * An inactive request for a call on a communicator, which keeps what it needs of the sides, and the communicator.  The
 * caller makes its service one that is SERVING, or CHOOSING with what it needs for that, before the request is started.
 * NULL without memory.
 */
mca_coll_irr_request_t *mca_coll_irr_request_create(mca_coll_irr_module_t *module, const mca_coll_irr_side_t *send,
                                                    const mca_coll_irr_side_t *recv, bool in_place);

/* Of a request that is not active. */
void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request);

/* At the end of the job: what all requests took goes to the report. */
void mca_coll_irr_requests_tally(void);

/* The engine goes, and with it the engine communicators of all requests: none can be started any more. */
void mca_coll_irr_requests_strand(void);

#endif
