/*
 * coll_irr_operation.h - one exchange by an engine communicator: start, progress, finish.
 *
 * A blocking call starts an operation and waits for its exchange.  Open MPI's progress moves those of nonblocking and
 * persistent calls (coll_irr_request.h).  An operation that repeats, of a persistent request, keeps its blocks and
 * packed copies, and the engine communicator has a plan for it.
 */
#ifndef MCA_COLL_IRR_OPERATION_H
#define MCA_COLL_IRR_OPERATION_H

#include "coll_irr_buffer.h"

/* Zeroed, it is closed.  Kept from call to call, it saves a repeated call new lists of blocks. */
typedef struct mca_coll_irr_operation_t {
    const mca_coll_irr_call_t *call;       /* whose sides are placed */
    mca_coll_irr_bytes_t       bytes;      /* of the call */
    irr_exchange_t            *exchange;   /* while it is under way; NULL: Open MPI's own serves */
    bool                       opened;     /* the call has blocks and packed copies */
    bool                       repeats;
    int                        failed;     /* OMPI_SUCCESS, or why the bytes that are sent are not right */
} mca_coll_irr_operation_t;

/*
 * Makes the blocks of the call, for which there is room, and packs what is sent unless the operation repeats.
 * The call stays until the end.  Without memory for copies, or with an error of packing, the operation fails when it
 * starts.
 */
void mca_coll_irr_operation_open(mca_coll_irr_operation_t *operation, const mca_coll_irr_call_t *call,
                                 const mca_coll_irr_ranks_t *ranks);

/* Packs the bytes that are sent, before each start of an operation that repeats. */
void mca_coll_irr_operation_pack(mca_coll_irr_operation_t *operation);

/*
 * Starts the exchange on this engine communicator; the exchange is set unless the operation repeats.  An operation that
 * is not open, lacks memory, or has failed fails the communicator on all its members, because the other ranks wait.
 */
irr_status_t mca_coll_irr_operation_start(mca_coll_irr_operation_t *operation, irr_comm_t *irr_comm);

/* Frees the packed copies. */
void mca_coll_irr_operation_close(mca_coll_irr_operation_t *operation);

/* As mca_coll_irr_operation_finish, where there are packed copies, or packing has failed. */
int mca_coll_irr_operation_finish_packed(mca_coll_irr_operation_t *operation, int result);

/* The exchange is over with this result: unpacks, and closes an operation that does not repeat.  Returns the result. */
static inline int mca_coll_irr_operation_finish(mca_coll_irr_operation_t *operation, int result)
{
    if (operation->failed != OMPI_SUCCESS || mca_coll_irr_bytes_are_copied(&operation->bytes)) {
        return mca_coll_irr_operation_finish_packed(operation, result);
    }
    operation->opened = operation->opened && operation->repeats;
    return result;
}

#endif
