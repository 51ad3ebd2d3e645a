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
    int                        slots;      /* blocks, */
    const mca_coll_irr_slot_t *order;      /* by rank; NULL: slot i is that of rank i */
    int                        places;     /* in the arrays: some may be of no block */
    bool                       uniform;    /* there are no arrays: each has count elements, one behind the other */
    size_t                     count;
    mca_coll_irr_counts_t      counts;
    mca_coll_irr_displs_t      displs;     /* in elements; in bytes where each has a datatype of its own */
    bool                       far;        /* there are offsets, */
    mca_coll_irr_offsets_t     offsets;    /* in bytes, in place of displs */
    ompi_datatype_t           *datatype;
    ompi_datatype_t *const    *datatypes;  /* one a slot; NULL: all have the one above */
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

/*
 * Room for blocks, of irr_alloc: for one a rank at least, and it grows.  The list of a call that repeats the one before
 * stays there.
 */
typedef struct mca_coll_irr_room_t {
    irr_block_t          *list;
    size_t                max, count;
    uint64_t              serial;   /* of the list, as of irr_blocks_t; 0: no call can repeat it */
    mca_coll_irr_side_t   side;     /* that it was made of, */
    mca_coll_irr_layout_t layout;   /* whose datatype this was, */
    unsigned char        *arrays;   /* with copies of its arrays */
    size_t                arrays_max;
} mca_coll_irr_room_t;

/* For so many blocks; a room that was made, or is all zeros, gets no smaller.  IRR_ERR_NO_MEMORY leaves it as it is. */
irr_status_t mca_coll_irr_room_init(mca_coll_irr_room_t *room, size_t blocks);
void         mca_coll_irr_room_fini(mca_coll_irr_room_t *room);

/* The bytes of a side: in the user's buffer, or in a packed copy that we own, or some here and some there. */
typedef struct mca_coll_irr_end_t {
    mca_coll_irr_room_t *room;           /* the caller's */
    irr_blocks_t         blocks;         /* relative to base */
    void                *base;
    char                *packed;         /* NULL: nothing is packed */
    size_t               packed_bytes;
} mca_coll_irr_end_t;

/* Both sides of a call and their bytes. */
typedef struct mca_coll_irr_call_t {
    mca_coll_irr_side_t send, recv;
    const irr_neighbors_t *neighbors;   /* whom its blocks are for; NULL: all ranks */
    mca_coll_irr_end_t  input, output;
    bool                in_place;       /* they are one */
    bool                lacks;          /* memory for its copies, or what packing needs: the call cannot be served */
} mca_coll_irr_call_t;

/* A call with blocks, as a problem of the engine. */
static inline irr_problem_t mca_coll_irr_problem(const mca_coll_irr_call_t *call, const mca_coll_irr_ranks_t *ranks)
{
    return (irr_problem_t){
        .ranks = ranks->size, .rank = ranks->rank,
        .send = call->input.blocks, .recv = call->output.blocks, .neighbors = call->neighbors,
        .in_place = call->in_place };
}

/* Is a call in place, as MPI gives it?  Then both sides become the receiving one. */
static inline bool mca_coll_irr_call_in_place(mca_coll_irr_call_t *call)
{
    const bool in_place = call->send.buffer == MPI_IN_PLACE;

    if (in_place) {
        call->send = call->recv;
    }
    return in_place;
}

/* Makes room for one block of each slot of a call whose sides are set.  IRR_ERR_NO_MEMORY. */
irr_status_t mca_coll_irr_call_reserve(const mca_coll_irr_call_t *call);

/*
 * Fills the blocks of a call whose sides and rooms are set, and makes the packed copies that it needs, of datatypes
 * with runs of bytes that are shorter than IRR_BLOCK_MIN in the mean.  In place both sides are the receiving one, and
 * so are blocks and copy.  Without memory for a copy it is lacked, and the blocks are there all the same.
 */
void mca_coll_irr_call_open(mca_coll_irr_call_t *call, bool in_place);
void mca_coll_irr_call_close(mca_coll_irr_call_t *call);

/* Bytes of block k of the order, and whose it is. */
size_t mca_coll_irr_side_bytes(const mca_coll_irr_side_t *side, int k, int *rank_p);

/* Between the user's buffers and the packed copies that there are; OMPI_SUCCESS or the datatype engine's error. */
int mca_coll_irr_call_pack(const mca_coll_irr_call_t *call);
int mca_coll_irr_call_unpack(const mca_coll_irr_call_t *call);

/* ---- runs of bytes ---- */

/* A block as MPI gives it, which has bytes. */
typedef struct mca_coll_irr_elements_t {
    const ompi_datatype_t *datatype;
    size_t                 count, bytes;
    char                  *address;
    int                    rank;        /* whose it is */
} mca_coll_irr_elements_t;

/* A list that is being made. */
typedef struct mca_coll_irr_listing_t {
    mca_coll_irr_room_t *room;
    size_t               count;
} mca_coll_irr_listing_t;

/*
 * Adds the runs of elements, with offsets from base; reads none of them.  IRR_ERR_NOT_SUPPORTED: they are shorter than
 * `least` in the mean.  IRR_ERR_NO_MEMORY, and the list holds some of them.
 */
irr_status_t mca_coll_irr_runs_list(const mca_coll_irr_elements_t *elements, size_t least, const void *base,
                                    mca_coll_irr_listing_t *listing);

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
