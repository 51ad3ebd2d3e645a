/*
 * coll_irr_buffer.h - the bytes of a call: counts, displacements and datatypes of MPI as blocks of bytes.
 */
#ifndef MCA_COLL_IRR_BUFFER_H
#define MCA_COLL_IRR_BUFFER_H

#include "coll_irr_ranks.h"
#include "choose/choice.h"
#include "irr.h"

/* A block of a call: its rank, and its index in the arrays of MPI. */
typedef struct mca_coll_irr_slot_t {
    int rank, slot;
} mca_coll_irr_slot_t;

/* The send side or the receive side of a call, with the arguments of MPI. */
typedef struct mca_coll_irr_side_t {
    void                      *buffer;
    bool                       uniform;    /* no arrays: each block has count elements, and they are consecutive */
    bool                       far;        /* offsets in place of displs */
    union {
        size_t                 count;
        mca_coll_irr_counts_t  counts;
    };
    union {
        mca_coll_irr_displs_t  displs;     /* in elements; in bytes if each block has a datatype of its own */
        mca_coll_irr_offsets_t offsets;    /* in bytes */
    };
    ompi_datatype_t           *datatype;
    ompi_datatype_t *const    *datatypes;  /* of each slot; NULL: all have the one above */
    int                        slots;      /* blocks, */
    int                        places;     /* in the arrays; some may have no block */
    const mca_coll_irr_slot_t *order;      /* sorted by rank; NULL: slot i is that of rank i */
} mca_coll_irr_side_t;

/*
 * For a side that outlives its call: returns the bytes of its arrays; replaces the arrays by copies in memory of the
 * caller, from malloc; retains its datatypes that are not MPI's own, or releases them.
 */
size_t mca_coll_irr_side_arrays(const mca_coll_irr_side_t *side);
void   mca_coll_irr_side_copy(mca_coll_irr_side_t *side, void *memory);
void   mca_coll_irr_side_hold(const mca_coll_irr_side_t *side, bool retains);

/* How elements of a datatype lie in memory. */
typedef struct mca_coll_irr_layout_t {
    const ompi_datatype_t *datatype;
    size_t                 size;
    ptrdiff_t              extent, true_lower;
    bool                   is_run;      /* consecutive elements are one run of bytes */
    bool                   is_packed;   /* its runs are too short; false also if that is not known */
} mca_coll_irr_layout_t;

/* A call with the arguments of MPI.  In place, both sides are the receive side, except for the buffer. */
typedef struct mca_coll_irr_call_t {
    mca_coll_irr_side_t    send, recv;
    const irr_neighbors_t *neighbors;   /* ranks that have blocks; NULL: all ranks */
} mca_coll_irr_call_t;

/*
 * The bytes of a side: in the user's buffer, in a packed copy, or some in each.  The list of blocks is kept for a call
 * that repeats the one before.
 */
typedef struct mca_coll_irr_end_t {
    irr_block_t          *list;          /* from irr_alloc, with room for one block a rank at least; it grows */
    size_t                max;
    irr_blocks_t          blocks;        /* in the list, relative to base; serial 0: no call can repeat them */
    mca_coll_irr_side_t   side;          /* from which they were made, */
    mca_coll_irr_layout_t layout;        /* the layout of its datatype, */
    unsigned char        *arrays;        /* and memory for copies of its arrays */
    size_t                arrays_max;
    void                 *base;
    char                 *packed;        /* NULL: nothing is packed */
    size_t                packed_bytes, packed_blocks;
} mca_coll_irr_end_t;

/* The bytes of a call.  Zeroed, they are closed.  Kept from call to call, they save a repeated call new lists. */
typedef struct mca_coll_irr_bytes_t {
    irr_problem_t      problem;         /* in place, both sides have the blocks of output */
    mca_coll_irr_end_t input, output;   /* in place, there is only output */
    bool               lacks;           /* no memory for copies: the call cannot be served */
} mca_coll_irr_bytes_t;

/* Make room for this many blocks.  IRR_ERR_NO_MEMORY leaves the room as it is. */
irr_status_t mca_coll_irr_end_reserve(mca_coll_irr_end_t *end, size_t blocks);
irr_status_t mca_coll_irr_bytes_reserve(mca_coll_irr_bytes_t *bytes, size_t sent, size_t received);
void         mca_coll_irr_bytes_fini(mca_coll_irr_bytes_t *bytes);

/*
 * Fills the blocks of a call whose sides are placed, and makes packed copies of blocks whose runs of bytes are shorter
 * than IRR_BLOCK_MIN in the mean.  Without memory for a copy `lacks` is set, and the blocks are filled all the same.
 */
void mca_coll_irr_bytes_open(mca_coll_irr_bytes_t *bytes, const mca_coll_irr_call_t *call,
                             const mca_coll_irr_ranks_t *ranks);

/* True if the bytes have packed copies. */
static inline bool mca_coll_irr_bytes_are_copied(const mca_coll_irr_bytes_t *bytes)
{
    return bytes->output.packed != NULL || bytes->input.packed != NULL;
}

/* Frees the packed copies, which closes the bytes. */
void mca_coll_irr_bytes_free_copies(mca_coll_irr_bytes_t *bytes);

/* Copy between the user's buffers and the packed copies.  OMPI_SUCCESS or the error of the datatype engine. */
int mca_coll_irr_bytes_pack(const mca_coll_irr_bytes_t *bytes, const mca_coll_irr_call_t *call);
int mca_coll_irr_bytes_unpack(const mca_coll_irr_bytes_t *bytes, const mca_coll_irr_call_t *call);

/* Returns the bytes of the k-th block by rank, and sets its rank. */
size_t mca_coll_irr_side_bytes(const mca_coll_irr_side_t *side, int k, int *rank_p);

/*
 * Returns the number of messages of a side to or from other ranks that are not empty, and sets their bytes; *longest
 * grows to the longest one.
 */
uint64_t mca_coll_irr_side_load(const mca_coll_irr_side_t *side, int me, uint64_t *bytes_p, uint64_t *longest);

/* Of a call: both sides together. */
irr_choice_load_t mca_coll_irr_load(const mca_coll_irr_call_t *call, int me);

/* ---- runs of bytes ---- */

/* The elements of a block that is not empty. */
typedef struct mca_coll_irr_elements_t {
    const ompi_datatype_t *datatype;
    size_t                 count, bytes;
    char                  *address;
    int                    rank;        /* of the block */
} mca_coll_irr_elements_t;

/*
 * Adds the runs of elements to the blocks, with offsets from the base; reads none of them.  IRR_ERR_NOT_SUPPORTED: they
 * are shorter than IRR_BLOCK_MIN in the mean.  IRR_ERR_NO_MEMORY, and the blocks hold some of them.
 */
irr_status_t mca_coll_irr_runs_list(const mca_coll_irr_elements_t *elements, mca_coll_irr_end_t *end);

/* Packs elements, or unpacks them.  OMPI_SUCCESS or the error of the datatype engine. */
int mca_coll_irr_runs_convert(const mca_coll_irr_elements_t *elements, char *packed, bool pack);

/* Returns memory for packed bytes, or NULL; takes it back and keeps it for the next call that needs some. */
void *mca_coll_irr_kept_take(size_t bytes);
void  mca_coll_irr_kept_give(void *memory);

/* With the component. */
void mca_coll_irr_runs_open(void);
void mca_coll_irr_runs_close(void);

#endif
