/*
 * coll_irr_buffer.c - counts, displacements and datatypes to blocks of bytes.
 *
 * What is one run of bytes, or consists of long ones, is exchanged where it is; other blocks, and with MPI_IN_PLACE all
 * that is sent, as it would be overwritten, go through a packed copy (coll_irr_runs.c, coll_irr_kept.c).
 *
 * Cost: O(1) a rank, and what runs cost.
 */
#include "coll_irr_buffer.h"

#include "core/alloc.h"

/* ---- one side ---- */

static size_t count_at(const mca_coll_irr_side_t *side, int i)
{
    return side->uniform ? side->count : mca_coll_irr_count(side->counts, i);
}

static ptrdiff_t displ_at(const mca_coll_irr_side_t *side, int i)
{
    return side->uniform ? (ptrdiff_t)side->count * i : mca_coll_irr_displ(side->displs, i);
}

size_t mca_coll_irr_side_bytes(const mca_coll_irr_side_t *side, int rank)
{
    size_t size;

    ompi_datatype_type_size(side->datatype, &size);
    return count_at(side, rank) * size;
}

int mca_coll_irr_side_keep(mca_coll_irr_side_t *side)
{
    if (!mca_coll_irr_counts_keep(&side->counts, side->ranks)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!mca_coll_irr_displs_keep(&side->displs, side->ranks)) {
        mca_coll_irr_counts_drop(side->counts);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!ompi_datatype_is_predefined(side->datatype)) {
        OBJ_RETAIN(side->datatype);
    }
    return OMPI_SUCCESS;
}

void mca_coll_irr_side_drop(mca_coll_irr_side_t *side)
{
    if (!ompi_datatype_is_predefined(side->datatype)) {
        OBJ_RELEASE(side->datatype);
    }
    mca_coll_irr_displs_drop(side->displs);
    mca_coll_irr_counts_drop(side->counts);
}

static char *address_of(const mca_coll_irr_side_t *side, int i)
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_extent(side->datatype, &lower, &extent);
    return (char *)side->buffer + displ_at(side, i) * extent;
}

/* ---- blocks ---- */

irr_status_t mca_coll_irr_room_init(mca_coll_irr_room_t *room, size_t blocks)
{
    return IRR_GROW(room->list, room->max, blocks);
}

void mca_coll_irr_room_fini(mca_coll_irr_room_t *room)
{
    irr_free(room->list);
    *room = (mca_coll_irr_room_t){ .list = NULL };
}

/* What the blocks of a datatype are. */
typedef struct layout {
    size_t    size;
    ptrdiff_t extent, true_lower;
    bool      is_run;      /* several elements, one behind the other, are one run of bytes */
    bool      seen, runs_are_long;
} layout_t;

static layout_t layout_of(const ompi_datatype_t *datatype)
{
    ptrdiff_t lower, true_extent;
    layout_t layout = { .is_run = ompi_datatype_is_contiguous_memory_layout(datatype, 2) };

    ompi_datatype_type_size(datatype, &layout.size);
    ompi_datatype_get_extent(datatype, &lower, &layout.extent);
    ompi_datatype_get_true_extent(datatype, &layout.true_lower, &true_extent);
    return layout;
}

static bool has_long_runs(layout_t *layout, const mca_coll_irr_side_t *side, int i)
{
    if (!layout->seen) {
        layout->runs_are_long = mca_coll_irr_runs_are_long(side->datatype, count_at(side, i), address_of(side, i));
        layout->seen = true;
    }
    return layout->runs_are_long;
}

/* A list that is being made.  A block that will be packed has its place there for its offset, and ~rank for its rank. */
typedef struct listing {
    mca_coll_irr_room_t *room;
    size_t               count;
    size_t               packed;        /* bytes, */
    size_t               packed_blocks;
} listing_t;

static void add_packed(listing_t *listing, int rank, size_t length)
{
    listing->room->list[listing->count++] = (irr_block_t){
        .rank = ~rank, .offset = (ptrdiff_t)listing->packed, .length = length };
    listing->packed += length;
    listing->packed_blocks++;
}

/* False: there is no memory for so many blocks.  If all are packed, there is. */
static bool list(const mca_coll_irr_side_t *side, bool pack_all, listing_t *listing)
{
    layout_t layout = layout_of(side->datatype);
    mca_coll_irr_room_t *room = listing->room;

    for (int i = 0; i < side->ranks; i++) {
        const size_t length = count_at(side, i) * layout.size;
        const ptrdiff_t offset = displ_at(side, i) * layout.extent;

        if (length == 0) {
            continue;
        }
        if (listing->count == room->max && IRR_GROW(room->list, room->max, listing->count + 1) != IRR_OK) {
            return false;
        }
        if (pack_all) {
            add_packed(listing, i, length);
        } else if (layout.is_run) {
            room->list[listing->count++] = (irr_block_t){
                .rank = i, .offset = offset + layout.true_lower, .length = length };
        } else if (!has_long_runs(&layout, side, i)) {
            add_packed(listing, i, length);
        } else if (mca_coll_irr_runs_list(side->datatype, count_at(side, i), (char *)side->buffer + offset,
                                          side->buffer, i, room, &listing->count) != IRR_OK) {
            return false;
        }
    }
    return true;
}

/* The blocks of one side, with those that are packed in a copy.  Where all are, they are relative to it. */
static bool open_side(const mca_coll_irr_side_t *side, bool pack_all, mca_coll_irr_end_t *end)
{
    listing_t listing = { .room = end->room };
    ptrdiff_t delta = 0;

    if (!list(side, pack_all, &listing)) {
        listing = (listing_t){ .room = end->room };
        (void)list(side, true, &listing);
    }
    end->blocks = (irr_blocks_t){ .list = end->room->list, .count = listing.count };
    end->base = side->buffer;
    end->packed = listing.packed > 0 ? mca_coll_irr_kept_take(listing.packed) : NULL;
    if (listing.packed == 0) {
        return true;
    }
    if (listing.packed_blocks == listing.count) {
        end->base = end->packed;
    } else {
        delta = (ptrdiff_t)((uintptr_t)end->packed - (uintptr_t)end->base);
    }
    end->packed_bytes = listing.packed;
    for (size_t i = 0; i < listing.count; i++) {
        irr_block_t *block = &end->room->list[i];

        if (block->rank < 0) {
            block->rank = ~block->rank;
            block->offset += delta;
        }
    }
    return end->packed != NULL;
}

void mca_coll_irr_call_open(mca_coll_irr_call_t *call, bool in_place)
{
    call->lacks = 0;
    if (!open_side(&call->send, in_place, &call->input)) {
        call->lacks |= IRR_LACKS_INPUT;
    }
    if (!open_side(&call->recv, false, &call->output)) {
        call->lacks |= IRR_LACKS_OUTPUT;
    }
}

void mca_coll_irr_call_close(mca_coll_irr_call_t *call)
{
    mca_coll_irr_kept_give(call->output.packed);
    mca_coll_irr_kept_give(call->input.packed);
}

/* ---- packing ---- */

static int convert(const mca_coll_irr_side_t *side, const mca_coll_irr_end_t *end, bool pack)
{
    int result = OMPI_SUCCESS;

    for (size_t i = 0; end->packed != NULL && i < end->blocks.count && result == OMPI_SUCCESS; i++) {
        const irr_block_t *block = &end->blocks.list[i];
        const uintptr_t at = (uintptr_t)end->base + (uintptr_t)block->offset - (uintptr_t)end->packed;

        if (at < end->packed_bytes) {
            result = mca_coll_irr_runs_convert(side->datatype, count_at(side, block->rank),
                                               address_of(side, block->rank), end->packed + at, block->length, pack);
        }
    }
    return result;
}

int mca_coll_irr_call_pack(const mca_coll_irr_call_t *call)
{
    return convert(&call->send, &call->input, true);
}

int mca_coll_irr_call_unpack(const mca_coll_irr_call_t *call)
{
    return convert(&call->recv, &call->output, false);
}
