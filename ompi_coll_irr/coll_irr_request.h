/*
 * coll_irr_request.h - persistent requests, as MPI_Alltoallv_init makes them.
 */
#ifndef MCA_COLL_IRR_REQUEST_H
#define MCA_COLL_IRR_REQUEST_H

#include "coll_irr.h"

/* A request that can be started: its engine communicator has a plan for the blocks of its call. */
typedef struct mca_coll_irr_request_t {
    ompi_coll_base_nbc_request_t   super;
    irr_comm_t                    *irr_comm;      /* NULL: the engine of the job is gone */
    mca_coll_irr_call_t            call;
    mca_coll_irr_room_t            send_room, recv_room;   /* of the call */
    mca_coll_irr_row_t            *row;           /* of what is measured; NULL: nothing */
    uint64_t                       begin_ns;      /* of the start that is under way */
    int                            packed;        /* OMPI_SUCCESS, or why what was sent is not right */
    struct mca_coll_irr_request_t *next, *prev;   /* of all that live */
    struct mca_coll_irr_request_t *next_active;
} mca_coll_irr_request_t;

OBJ_CLASS_DECLARATION(mca_coll_irr_request_t);

/* With the component. */
void mca_coll_irr_requests_open(void);
void mca_coll_irr_requests_close(void);

/*
 * An inactive request for a call on a communicator, without an engine communicator, which the caller adds before
 * the request is started; it keeps what it needs of the sides.  NULL without memory.
 */
mca_coll_irr_request_t *mca_coll_irr_request_create(ompi_communicator_t *comm, const mca_coll_irr_side_t *send,
                                                    const mca_coll_irr_side_t *recv, bool in_place);

/* Of a request that is not active. */
void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request);

/* The communicator goes, its requests stay. */
void mca_coll_irr_requests_orphan(ompi_communicator_t *comm);

/* At the end of the job: what all requests took goes to the report. */
void mca_coll_irr_requests_tally(void);

/* The engine goes, and with it the engine communicators of all requests: none can be started any more. */
void mca_coll_irr_requests_strand(void);

#endif
