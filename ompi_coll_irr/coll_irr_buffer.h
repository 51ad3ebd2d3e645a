/*
 * coll_irr_buffer.h - the bytes of a call: what MPI gives as counts, displacements and datatypes, as blocks of bytes.
 */
#ifndef MCA_COLL_IRR_BUFFER_H
#define MCA_COLL_IRR_BUFFER_H

#include "coll_irr_ranks.h"
#include "irr.h"

/* A block that MPI gives, by its place in the arrays, and whose it is. */
typedef struct mca_coll_irr_slot_t {
    int rank, slot;
} mca_coll_irr_slot_t;

/* One side of an exchange: what MPI gives. */
typedef struct mca_coll_irr_side_t {
    void                      *buffer;
    bool                       uniform;    /* there are no arrays: each has count elements, one behind the other */
    bool                       far;        /* there are offsets in place of displs */
    union {
        size_t                 count;
        mca_coll_irr_counts_t  counts;
    };
    union {
        mca_coll_irr_displs_t  displs;     /* in elements; in bytes where each has a datatype of its own */
        mca_coll_irr_offsets_t offsets;    /* in bytes */
    };
    ompi_datatype_t           *datatype;
    ompi_datatype_t *const    *datatypes;  /* one a slot; NULL: all have the one above */
    int                        slots;      /* blocks, */
    int                        places;     /* in the arrays: some may be of no block */
    const mca_coll_irr_slot_t *order;      /* by rank; NULL: slot i is that of rank i */
} mca_coll_irr_side_t;

/*
 * What a side needs that outlives its call: its arrays become copies, in memory of the caller's for so many bytes, from
 * malloc; its datatypes are retained.
 */
size_t mca_coll_irr_side_arrays(const mca_coll_irr_side_t *side);
void   mca_coll_irr_side_copy(mca_coll_irr_side_t *side, void *memory);
void   mca_coll_irr_side_retain(const mca_coll_irr_side_t *side);
void   mca_coll_irr_side_release(const mca_coll_irr_side_t *side);

/* What the blocks of a datatype are. */
typedef struct mca_coll_irr_layout_t {
    const ompi_datatype_t *datatype;
    size_t                 size;
    ptrdiff_t              extent, true_lower;
    bool                   is_run;      /* several elements, one behind the other, are one run of bytes */
    bool                   is_packed;   /* its runs are too short; false also where that is not known */
} mca_coll_irr_layout_t;

/* A call as MPI gives it.  In place, both sides are the receiving one, but for the buffer that is sent. */
typedef struct mca_coll_irr_call_t {
    mca_coll_irr_side_t    send, recv;
    const irr_neighbors_t *neighbors;   /* whom its blocks are for; NULL: all ranks */
} mca_coll_irr_call_t;

static inline bool mca_coll_irr_in_place(const mca_coll_irr_call_t *call)
{
    return call->send.buffer == MPI_IN_PLACE;
}

/*
 * The bytes of a side: in the user's buffer, or in a packed copy that we own, or some here and some there.  The list of
 * blocks stays for a call that repeats the one before.
 */
typedef struct mca_coll_irr_end_t {
    irr_block_t          *list;          /* of irr_alloc, with room for one block a rank at least; it grows */
    size_t                max;
    irr_blocks_t          blocks;        /* of the list, relative to base; serial 0: no call can repeat them */
    mca_coll_irr_side_t   side;          /* that they were made of, */
    mca_coll_irr_layout_t layout;        /* whose datatype this was, */
    unsigned char        *arrays;        /* with copies of its arrays */
    size_t                arrays_max;
    void                 *base;
    char                 *packed;        /* NULL: nothing is packed */
    size_t                packed_bytes, packed_blocks;
} mca_coll_irr_end_t;

/* The bytes of a call.  Zeroed, they are closed.  Kept from call to call, they save a repeated call new lists. */
typedef struct mca_coll_irr_bytes_t {
    irr_problem_t      problem;         /* in place, both lists are those of output */
    mca_coll_irr_end_t input, output;   /* in place, there is only output */
    bool               lacks;           /* memory for copies, or what packing needs: the call cannot be served */
} mca_coll_irr_bytes_t;

/* Makes room for so many blocks; an end gets no smaller.  IRR_ERR_NO_MEMORY leaves it as it is. */
irr_status_t mca_coll_irr_end_reserve(mca_coll_irr_end_t *end, size_t blocks);
irr_status_t mca_coll_irr_bytes_reserve(mca_coll_irr_bytes_t *bytes, size_t sent, size_t received);
void         mca_coll_irr_bytes_fini(mca_coll_irr_bytes_t *bytes);

/*
 * Fills the blocks of a call whose sides are placed, and makes the packed copies that it needs, of datatypes with runs
 * of bytes that are shorter than IRR_BLOCK_MIN in the mean.  Without memory for a copy `lacks` is set, and the blocks
 * are there all the same.
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

/* Between the user's buffers and the packed copies that there are; OMPI_SUCCESS or the datatype engine's error. */
int mca_coll_irr_bytes_pack(const mca_coll_irr_bytes_t *bytes, const mca_coll_irr_call_t *call);
int mca_coll_irr_bytes_unpack(const mca_coll_irr_bytes_t *bytes, const mca_coll_irr_call_t *call);

/* Bytes of block k of the order, and whose it is. */
size_t mca_coll_irr_side_bytes(const mca_coll_irr_side_t *side, int k, int *rank_p);

/* ---- runs of bytes ---- */

/* A block as MPI gives it, which has bytes. */
typedef struct mca_coll_irr_elements_t {
    const ompi_datatype_t *datatype;
    size_t                 count, bytes;
    char                  *address;
    int                    rank;        /* whose it is */
} mca_coll_irr_elements_t;

/*
 * Adds the runs of elements to the blocks, with offsets from the base; reads none of them.  IRR_ERR_NOT_SUPPORTED: they
 * are shorter than IRR_BLOCK_MIN in the mean.  IRR_ERR_NO_MEMORY, and the blocks hold some of them.
 */
irr_status_t mca_coll_irr_runs_list(const mca_coll_irr_elements_t *elements, mca_coll_irr_end_t *end);

/* Packs elements, or unpacks them; OMPI_SUCCESS or the datatype engine's error. */
int mca_coll_irr_runs_convert(const mca_coll_irr_elements_t *elements, char *packed, bool pack);

/* With the component. */
void mca_coll_irr_runs_open(void);
void mca_coll_irr_runs_close(void);

/* Memory for packed bytes, which is given back and kept for the next one that takes some.  NULL: there is none. */
void *mca_coll_irr_kept_take(size_t bytes);
void  mca_coll_irr_kept_give(void *memory);

/* With the component. */
void mca_coll_irr_kept_open(void);
void mca_coll_irr_kept_close(void);

#endif
