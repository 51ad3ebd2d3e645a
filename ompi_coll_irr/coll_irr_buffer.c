/*
 * coll_irr_buffer.c - counts, displacements and datatypes to blocks of bytes, and packing by Open MPI's
 * convertor where an element is not one run of bytes.
 */
#include "coll_irr.h"

#include "opal/datatype/opal_convertor.h"

static size_t block_bytes(const mca_coll_irr_side_t *side, int i)
{
    size_t size;

    ompi_datatype_type_size(side->datatype, &size);
    return mca_coll_irr_count(side->counts, i) * size;
}

static char *block_address(const mca_coll_irr_side_t *side, int i)
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_extent(side->datatype, &lower, &extent);
    return (char *)side->buffer + mca_coll_irr_displ(side->displs, i) * extent;
}

bool mca_coll_irr_contiguous(const mca_coll_irr_side_t *side)
{
    /* Asked for two elements, so that a gap between elements counts. */
    return ompi_datatype_is_contiguous_memory_layout(side->datatype, 2);
}

void mca_coll_irr_blocks(const mca_coll_irr_side_t *side, irr_block_t *blocks)
{
    ptrdiff_t lower, extent, true_lower, true_extent;
    size_t size;

    ompi_datatype_type_size(side->datatype, &size);
    ompi_datatype_get_extent(side->datatype, &lower, &extent);
    ompi_datatype_get_true_extent(side->datatype, &true_lower, &true_extent);
    for (int i = 0; i < side->ranks; i++) {
        blocks[i].offset = mca_coll_irr_displ(side->displs, i) * extent + true_lower;
        blocks[i].length = mca_coll_irr_count(side->counts, i) * size;
    }
}

size_t mca_coll_irr_packed_blocks(const mca_coll_irr_side_t *side, irr_block_t *blocks)
{
    size_t needed = 0;

    for (int i = 0; i < side->ranks; i++) {
        blocks[i].offset = (ptrdiff_t)needed;
        blocks[i].length = block_bytes(side, i);
        needed += blocks[i].length;
    }
    return needed;
}

/* Copies one block to its packed place, or back. */
static int convert_block(const mca_coll_irr_side_t *side, int i, char *packed, size_t bytes, bool pack)
{
    size_t count = mca_coll_irr_count(side->counts, i), position = 0;
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

static int convert(const mca_coll_irr_side_t *side, const irr_block_t *blocks, char *packed, bool pack)
{
    int result = OMPI_SUCCESS;

    for (int i = 0; i < side->ranks && result == OMPI_SUCCESS; i++) {
        if (blocks[i].length > 0) {
            result = convert_block(side, i, packed + blocks[i].offset, blocks[i].length, pack);
        }
    }
    return result;
}

int mca_coll_irr_pack(const mca_coll_irr_side_t *side, const irr_block_t *blocks, char *packed)
{
    return convert(side, blocks, packed, true);
}

int mca_coll_irr_unpack(const mca_coll_irr_side_t *side, const irr_block_t *blocks, char *packed)
{
    return convert(side, blocks, packed, false);
}
