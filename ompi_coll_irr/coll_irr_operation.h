/*
 * coll_irr_operation.h - one exchange by an engine communicator: start, progress, finish.
 *
 * A blocking call starts an operation and waits for its exchange.  Open MPI's progress moves operations of nonblocking
 * and persistent calls (coll_irr_request.h).  The operation of a persistent request repeats: it keeps its blocks and
 * packed copies, and the engine communicator has a plan for it.
 */
#ifndef MCA_COLL_IRR_OPERATION_H
#define MCA_COLL_IRR_OPERATION_H

#include "coll_irr_buffer.h"

/* A zeroed operation is closed.  If it is kept from call to call, a repeated call reuses its lists of blocks. */
typedef struct mca_coll_irr_operation_t {
    const mca_coll_irr_call_t *call;       /* the call; its sides are placed */
    mca_coll_irr_bytes_t       bytes;      /* the bytes of the call */
    irr_exchange_t            *exchange;   /* the exchange in progress; NULL: Open MPI's own serves */
    bool                       opened;     /* blocks and packed copies exist */
    bool                       repeats;
    int                        failed;     /* OMPI_SUCCESS, or the error of packing */
} mca_coll_irr_operation_t;

/*
 * Makes the blocks of the call, for which room is reserved, and packs the send side unless the operation repeats.  The
 * call must outlive the operation.  Errors (no memory for copies, packing) are reported by the start.
 */
void mca_coll_irr_operation_open(mca_coll_irr_operation_t *operation, const mca_coll_irr_call_t *call,
                                 const mca_coll_irr_ranks_t *ranks);

/* Packs the send side; call before each start of an operation that repeats. */
void mca_coll_irr_operation_pack(mca_coll_irr_operation_t *operation);

/*
 * Starts the exchange on this engine communicator.  Unless the operation repeats, the caller has set `exchange`.  If
 * the operation is not open, lacks memory or has failed, the communicator fails on all members, because other ranks
 * wait.
 */
irr_status_t mca_coll_irr_operation_start(mca_coll_irr_operation_t *operation, irr_comm_t *irr_comm);

/* Closes the operation: frees the packed copies. */
void mca_coll_irr_operation_close(mca_coll_irr_operation_t *operation);

/* The part of mca_coll_irr_operation_finish for operations with packed copies or an error of packing. */
int mca_coll_irr_operation_finish_packed(mca_coll_irr_operation_t *operation, int result);

/*
 * Finishes an operation whose exchange has ended with `result`: unpacks, and closes it unless it repeats.  Returns the
 * result, or the error of packing or unpacking.
 */
static inline int mca_coll_irr_operation_finish(mca_coll_irr_operation_t *operation, int result)
{
    if (operation->failed != OMPI_SUCCESS || mca_coll_irr_bytes_are_copied(&operation->bytes)) {
        return mca_coll_irr_operation_finish_packed(operation, result);
    }
    operation->opened = operation->opened && operation->repeats;
    return result;
}

#endif
