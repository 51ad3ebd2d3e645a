/*
 * coll_irr_buffer.h - converts counts, displacements and datatypes of MPI to blocks of bytes, and exchanges the blocks
 * of one call.
 */
#ifndef MCA_COLL_IRR_BUFFER_H
#define MCA_COLL_IRR_BUFFER_H

#include "coll_irr_ranks.h"
#include "choose/choice.h"
#include "irr.h"

/* A block of a call: its rank, and its index in the arrays of MPI (the slot). */
typedef struct mca_coll_irr_slot_t {
    int rank, slot;
} mca_coll_irr_slot_t;

/* The send side or the receive side of a call: the arguments of MPI. */
typedef struct mca_coll_irr_side_t {
    void                      *buffer;
    bool                       uniform;    /* no arrays: consecutive blocks of `count` elements */
    bool                       far;        /* uses offsets instead of displs */
    union {
        size_t                 count;
        mca_coll_irr_counts_t  counts;
    };
    union {
        mca_coll_irr_displs_t  displs;     /* in elements; in bytes if `datatypes` is set */
        mca_coll_irr_offsets_t offsets;    /* in bytes */
    };
    ompi_datatype_t           *datatype;
    ompi_datatype_t *const    *datatypes;  /* NULL: all have `datatype` */
    int                        slots;      /* number of blocks */
    int                        entries;     /* length of the arrays, with entries of MPI_PROC_NULL */
    const mca_coll_irr_slot_t *order;      /* sorted by rank; NULL: slot i belongs to rank i */
} mca_coll_irr_side_t;

/*
 * For a side that outlives its call. mca_coll_irr_side_arrays returns the size of its arrays in bytes.
 * mca_coll_irr_side_copy replaces the arrays by copies in `memory`, which is aligned as by malloc.
 * mca_coll_irr_side_hold retains or releases the side's datatypes.
 */
size_t mca_coll_irr_side_arrays(const mca_coll_irr_side_t *side);
void   mca_coll_irr_side_copy(mca_coll_irr_side_t *side, void *memory);
void   mca_coll_irr_side_hold(const mca_coll_irr_side_t *side, bool retains);

typedef struct mca_coll_irr_layout_t {
    const ompi_datatype_t *datatype;
    size_t                 size;
    ptrdiff_t              extent, true_lower;
    bool                   is_run;      /* elements are one contiguous range of bytes (a run) */
    bool                   is_packed;   /* the runs are known to be too short */
} mca_coll_irr_layout_t;

/* With MPI_IN_PLACE the send side equals the receive side, except for its buffer. */
typedef struct mca_coll_irr_call_t {
    mca_coll_irr_side_t    send, recv;
    const irr_neighbors_t *neighbors;   /* ranks with blocks; NULL: all ranks */
} mca_coll_irr_call_t;

/*
 * The bytes of a side: in the user's buffer, in a packed copy, or partly in each.  The next call reuses the list of
 * blocks if it has the same arguments.
 */
typedef struct mca_coll_irr_end_t {
    irr_block_t          *list;          /* from irr_alloc; room for a block per rank at least */
    size_t                max;
    irr_blocks_t          blocks;        /* in the list, relative to base; serial 0: not reused */
    mca_coll_irr_side_t   side;          /* that the blocks were made from */
    mca_coll_irr_layout_t layout;        /* of its datatype */
    unsigned char        *arrays;        /* memory for copies of its arrays */
    size_t                arrays_max;
    void                 *base;
    char                 *packed;        /* NULL: nothing is packed */
    size_t                packed_bytes, packed_blocks;
} mca_coll_irr_end_t;

/*
 * One exchange by an engine communicator.  A blocking call starts an operation and waits for its exchange.  Open MPI's
 * progress advances the operations of nonblocking and persistent calls (coll_irr_request.h).  The operation of a
 * persistent request repeats: it keeps its blocks and packed copies, and the engine communicator has a plan for it.
 *
 * A zeroed operation is closed.  A later call that uses the same operation reuses its lists of blocks.
 */
typedef struct mca_coll_irr_operation_t {
    const mca_coll_irr_call_t *call;            /* with ranks */
    irr_problem_t              problem;         /* with MPI_IN_PLACE both sides have the blocks of output */
    mca_coll_irr_end_t         input, output;   /* with MPI_IN_PLACE only output is used */
    irr_exchange_t            *exchange;        /* NULL: Open MPI serves the call */
    bool                       repeats;
    int                        failed;          /* OMPI_SUCCESS, or no memory, or an error of packing */
} mca_coll_irr_operation_t;

/* Reserve room for blocks.  Return IRR_OK, or IRR_ERR_NO_MEMORY and leave the room unchanged. */
irr_status_t mca_coll_irr_end_reserve(mca_coll_irr_end_t *end, size_t blocks);
irr_status_t mca_coll_irr_operation_reserve(mca_coll_irr_operation_t *operation, size_t sent, size_t received);

/*
 * Makes the blocks of the call, whose ranks mca_coll_irr_set_ranks has set, and packs the send side; an operation that
 * repeats is packed before each start instead.  There must be room for the blocks.  Blocks in memory of an accelerator,
 * and blocks whose mean run of bytes is shorter than IRR_BLOCK_MIN, have packed copies.  The call must outlive the
 * operation.  mca_coll_irr_operation_start reports errors.
 */
void mca_coll_irr_operation_open(mca_coll_irr_operation_t *operation, const mca_coll_irr_call_t *call,
                                 const mca_coll_irr_ranks_t *ranks);

/*
 * Starts the exchange.  `exchange` must be set, unless the operation repeats.  If `failed` is set, the engine
 * communicator fails on all members, so that no rank waits for this one.
 */
irr_status_t mca_coll_irr_operation_start(mca_coll_irr_operation_t *operation, irr_comm_t *irr_comm);

/* True if the operation has packed copies. */
static inline bool mca_coll_irr_operation_is_copied(const mca_coll_irr_operation_t *operation)
{
    return operation->output.packed != NULL || operation->input.packed != NULL;
}

int mca_coll_irr_operation_finish_packed(mca_coll_irr_operation_t *operation, int result);

/*
 * Finishes an operation whose exchange has ended with `result`: unpacks, and closes it unless it repeats.  Returns the
 * result, or the error of packing or unpacking.
 */
static inline int mca_coll_irr_operation_finish(mca_coll_irr_operation_t *operation, int result)
{
    return operation->failed != OMPI_SUCCESS || mca_coll_irr_operation_is_copied(operation)
               ? mca_coll_irr_operation_finish_packed(operation, result) : result;
}

/* Copy between the user's buffers and the packed copies.  Return OMPI_SUCCESS or the error of the datatype engine. */
int mca_coll_irr_operation_pack(const mca_coll_irr_operation_t *operation);
int mca_coll_irr_operation_unpack(const mca_coll_irr_operation_t *operation);

void mca_coll_irr_operation_free_copies(mca_coll_irr_operation_t *operation);
void mca_coll_irr_operation_fini(mca_coll_irr_operation_t *operation);

/* Returns the length in bytes of the k-th block in rank order, and sets *rank_p to its rank. */
size_t mca_coll_irr_side_bytes(const mca_coll_irr_side_t *side, int k, int *rank_p);

/*
 * Returns the number of non-empty messages to or from other ranks, and sets *bytes_p to the sum of their lengths.
 * Raises *longest to the length of the longest message.
 */
uint64_t mca_coll_irr_side_load(const mca_coll_irr_side_t *side, int me, uint64_t *bytes_p, uint64_t *longest);

irr_choice_load_t mca_coll_irr_load(const mca_coll_irr_call_t *call, int me);

/* ---- runs of bytes ---- */

/* The elements of a nonempty block. */
typedef struct mca_coll_irr_elements_t {
    const ompi_datatype_t *datatype;
    size_t                 count, bytes;
    char                  *address;
    int                    rank;        /* rank of the block */
} mca_coll_irr_elements_t;

/*
 * Adds the runs of elements to the blocks.  Returns IRR_OK; IRR_ERR_NOT_SUPPORTED if the mean run is shorter than
 * IRR_BLOCK_MIN; or IRR_ERR_NO_MEMORY, after which the blocks contain some of the runs.
 */
irr_status_t mca_coll_irr_runs_list(const mca_coll_irr_elements_t *elements, mca_coll_irr_end_t *end);

/* True if buffers may be in memory of an accelerator. */
extern bool mca_coll_irr_has_devices;

/* Returns true for memory of an accelerator, which only mca_coll_irr_runs_convert may read or write. */
bool mca_coll_irr_runs_are_device(const void *address);

/* Packs or unpacks elements.  Returns OMPI_SUCCESS or the error of the datatype engine. */
int mca_coll_irr_runs_convert(const mca_coll_irr_elements_t *elements, char *packed, bool pack);

/* mca_coll_irr_kept_take returns memory for packed bytes, or NULL.  mca_coll_irr_kept_give keeps it for later calls. */
void *mca_coll_irr_kept_take(size_t bytes);
void  mca_coll_irr_kept_give(void *memory);

/* Called when the component closes. */
void mca_coll_irr_runs_close(void);

#endif
