/*
 * coll_irr_alltoallv.c - MPI_Alltoallv.
 *
 * Contiguous blocks are exchanged where they are.  Blocks of other datatypes, and MPI_IN_PLACE, which
 * overwrites what it sends, go through a packed copy: that is a local matter, because the bytes of a message
 * are the same either way, so ranks may differ in it.
 */
#include "coll_irr.h"

#include <stdlib.h>

/* The bytes of one side: in the user's buffer, or in a packed copy that we own. */
typedef struct bytes {
    char *base;
    char *packed;   /* NULL if base is the user's */
} bytes_t;

static int open_bytes(const mca_coll_irr_side_t *side, bool in_place, irr_block_t *blocks, bytes_t *bytes)
{
    size_t needed;

    bytes->base = side->buffer;
    bytes->packed = NULL;
    if (mca_coll_irr_contiguous(side) && !in_place) {
        mca_coll_irr_blocks(side, blocks);
        return OMPI_SUCCESS;
    }
    needed = mca_coll_irr_packed_blocks(side, blocks);
    bytes->packed = malloc(needed > 0 ? needed : 1);
    if (bytes->packed == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    bytes->base = bytes->packed;
    return OMPI_SUCCESS;
}

static int exchange(mca_coll_irr_module_t *module, const void *input, void *output)
{
    irr_problem_t problem = {
        .ranks = ompi_comm_size(module->comm),
        .rank = ompi_comm_rank(module->comm),
        .send = module->send_blocks,
        .recv = module->recv_blocks
    };
    irr_status_t status = irr_exchange_start(module->irr_comm, &problem, input, output);

    if (status == IRR_OK) {
        status = mca_coll_irr_engine_wait(module->irr_comm);
    }
    return mca_coll_irr_error(status);
}

/* Packs what must be packed, exchanges, unpacks. */
static int serve(mca_coll_irr_module_t *module, const mca_coll_irr_side_t *send, const mca_coll_irr_side_t *recv,
                 bool in_place)
{
    bytes_t input, output;
    int result = open_bytes(send, in_place, module->send_blocks, &input);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    result = open_bytes(recv, false, module->recv_blocks, &output);
    if (result != OMPI_SUCCESS) {
        goto err_input;
    }
    if (input.packed != NULL) {
        result = mca_coll_irr_pack(send, module->send_blocks, input.packed);
    }
    if (result == OMPI_SUCCESS) {
        result = exchange(module, input.base, output.base);
    }
    if (result == OMPI_SUCCESS && output.packed != NULL) {
        result = mca_coll_irr_unpack(recv, module->recv_blocks, output.packed);
    }
    free(output.packed);
err_input:
    free(input.packed);
    return result;
}

int mca_coll_irr_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           mca_coll_base_module_t *base)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    int ranks = ompi_comm_size(comm);
    bool in_place = sbuf == MPI_IN_PLACE;
    mca_coll_irr_side_t recv = { rbuf, rcounts, rdispls, rdtype, ranks };
    mca_coll_irr_side_t send = { (void *)sbuf, scounts, sdispls, sdtype, ranks };
    int result = mca_coll_irr_activate(module);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    if (module->state != MCA_COLL_IRR_SERVING) {
        return module->previous_alltoallv(sbuf, scounts, sdispls, sdtype, rbuf, rcounts, rdispls, rdtype, comm,
                                          module->previous_alltoallv_module);
    }
    return serve(module, in_place ? &recv : &send, &recv, in_place);
}
