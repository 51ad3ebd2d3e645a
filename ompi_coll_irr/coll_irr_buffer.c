/*
 * coll_irr_buffer.c - counts, displacements and datatypes to blocks of bytes, and packing by Open MPI's
 * convertor where an element is not one run of bytes.
 *
 * Contiguous blocks are exchanged where they are.  Blocks of other datatypes, and MPI_IN_PLACE, which
 * overwrites what it sends, go through a packed copy: that is a local matter, because the bytes of a message
 * are the same either way, so ranks may differ in it.
 */
#include "coll_irr.h"

#include "opal/datatype/opal_convertor.h"

#include <stdlib.h>

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

static char *block_address(const mca_coll_irr_side_t *side, int i)
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_extent(side->datatype, &lower, &extent);
    return (char *)side->buffer + displ_at(side, i) * extent;
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

/* True if every element is one run of bytes without gaps, so that blocks of the buffer are contiguous. */
static bool is_contiguous(const mca_coll_irr_side_t *side)
{
    /* Asked for two elements, so that a gap between elements counts. */
    return ompi_datatype_is_contiguous_memory_layout(side->datatype, 2);
}

/* The blocks of a contiguous side, relative to its buffer. */
static irr_blocks_t blocks_in_place(const mca_coll_irr_side_t *side, irr_block_t *room)
{
    size_t count = 0;
    ptrdiff_t lower, extent, true_lower, true_extent;
    size_t size;

    ompi_datatype_type_size(side->datatype, &size);
    ompi_datatype_get_extent(side->datatype, &lower, &extent);
    ompi_datatype_get_true_extent(side->datatype, &true_lower, &true_extent);
    for (int i = 0; i < side->ranks; i++) {
        const size_t length = count_at(side, i) * size;

        if (length > 0) {
            room[count++] = (irr_block_t){
                .rank = i, .offset = displ_at(side, i) * extent + true_lower, .length = length };
        }
    }
    return (irr_blocks_t){ .list = room, .count = count };
}

/* Packed blocks, one behind the other from offset 0, and the bytes they need. */
static irr_blocks_t blocks_packed(const mca_coll_irr_side_t *side, irr_block_t *room, size_t *needed)
{
    size_t count = 0;

    *needed = 0;
    for (int i = 0; i < side->ranks; i++) {
        const size_t length = mca_coll_irr_side_bytes(side, i);

        if (length > 0) {
            room[count++] = (irr_block_t){ .rank = i, .offset = (ptrdiff_t)*needed, .length = length };
        }
        *needed += length;
    }
    return (irr_blocks_t){ .list = room, .count = count };
}

/* The bytes of one side, and in *packed_p those that we own.  False: there is no memory for them. */
static bool open_side(const mca_coll_irr_side_t *side, bool pack, irr_block_t *room, irr_blocks_t *blocks,
                      void **bytes_p, void **packed_p)
{
    size_t needed;

    *packed_p = NULL;
    *bytes_p = side->buffer;
    if (!pack) {
        *blocks = blocks_in_place(side, room);
        return true;
    }
    *blocks = blocks_packed(side, room, &needed);
    *packed_p = malloc(needed > 0 ? needed : 1);
    *bytes_p = *packed_p;
    return *packed_p != NULL;
}

void mca_coll_irr_call_open(mca_coll_irr_call_t *call, bool in_place)
{
    const bool packs_input = in_place || !is_contiguous(&call->send), packs_output = !is_contiguous(&call->recv);

    call->lacks = 0;
    if (!open_side(&call->send, packs_input, call->send_room, &call->send_blocks, &call->input,
                   &call->packed_input)) {
        call->lacks |= IRR_LACKS_INPUT;
    }
    if (!open_side(&call->recv, packs_output, call->recv_room, &call->recv_blocks, &call->output,
                   &call->packed_output)) {
        call->lacks |= IRR_LACKS_OUTPUT;
    }
}

void mca_coll_irr_call_close(mca_coll_irr_call_t *call)
{
    free(call->packed_output);
    free(call->packed_input);
}

/* Copies one block to its packed place, or back. */
static int convert_block(const mca_coll_irr_side_t *side, int i, char *packed, size_t bytes, bool pack)
{
    size_t count = count_at(side, i), position = 0;
    const opal_datatype_t *type = &side->datatype->super;
    void *address = block_address(side, i);
    opal_convertor_t convertor;
    int result;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    result = pack ?
        opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, type, count, address, 0, &convertor) :
        opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, type, count, address, 0, &convertor);
    while (result == OMPI_SUCCESS && position < bytes) {
        struct iovec iov = { .iov_base = packed + position, .iov_len = bytes - position };
        uint32_t entries = 1;
        size_t moved = bytes - position;
        int32_t done = pack ? opal_convertor_pack(&convertor, &iov, &entries, &moved) :
                              opal_convertor_unpack(&convertor, &iov, &entries, &moved);

        result = done >= 0 && moved > 0 ? OMPI_SUCCESS : OMPI_ERROR;
        position += moved;
    }
    OBJ_DESTRUCT(&convertor);
    return result;
}

static int convert(const mca_coll_irr_side_t *side, irr_blocks_t blocks, char *packed, bool pack)
{
    int result = OMPI_SUCCESS;

    for (size_t i = 0; i < blocks.count && result == OMPI_SUCCESS; i++) {
        const irr_block_t *block = &blocks.list[i];

        result = convert_block(side, block->rank, packed + block->offset, block->length, pack);
    }
    return result;
}

int mca_coll_irr_call_pack(const mca_coll_irr_call_t *call)
{
    return call->packed_input == NULL ? OMPI_SUCCESS
                                      : convert(&call->send, call->send_blocks, call->packed_input, true);
}

int mca_coll_irr_call_unpack(const mca_coll_irr_call_t *call)
{
    return call->packed_output == NULL ? OMPI_SUCCESS
                                       : convert(&call->recv, call->recv_blocks, call->packed_output, false);
}
