/*
 * coll_irr_operation.c - see coll_irr_operation.h.
 */
#include "coll_irr_operation.h"

void mca_coll_irr_operation_open(mca_coll_irr_operation_t *operation, const mca_coll_irr_call_t *call,
                                 const mca_coll_irr_ranks_t *ranks)
{
    operation->call = call;
    mca_coll_irr_bytes_open(&operation->bytes, call, ranks);
    operation->opened = true;
    operation->failed = OMPI_SUCCESS;
    if (!operation->repeats && mca_coll_irr_bytes_are_copied(&operation->bytes)) {
        mca_coll_irr_operation_pack(operation);
    }
}

void mca_coll_irr_operation_pack(mca_coll_irr_operation_t *operation)
{
    operation->failed =
        operation->bytes.lacks ? OMPI_SUCCESS : mca_coll_irr_bytes_pack(&operation->bytes, operation->call);
}

irr_status_t mca_coll_irr_operation_start(mca_coll_irr_operation_t *operation, irr_comm_t *irr_comm)
{
    const mca_coll_irr_bytes_t *bytes = &operation->bytes;

    if (!operation->opened || bytes->lacks || operation->failed != OMPI_SUCCESS) {
        irr_comm_give_up(irr_comm, IRR_ERR_NO_MEMORY, "cannot start an exchange");
        return IRR_ERR_NO_MEMORY;
    }
    if (operation->repeats) {
        operation->exchange = irr_comm_exchange(irr_comm);
        return irr_exchange_restart(operation->exchange, bytes->input.base, bytes->output.base);
    }
    return irr_exchange_start(operation->exchange, &bytes->problem, bytes->input.base, bytes->output.base);
}

void mca_coll_irr_operation_close(mca_coll_irr_operation_t *operation)
{
    if (operation->opened) {
        mca_coll_irr_bytes_free_copies(&operation->bytes);
        operation->opened = false;
    }
}

int mca_coll_irr_operation_finish_packed(mca_coll_irr_operation_t *operation, int result)
{
    if (operation->failed != OMPI_SUCCESS) {
        result = operation->failed;
    } else if (result == OMPI_SUCCESS) {
        result = mca_coll_irr_bytes_unpack(&operation->bytes, operation->call);
    }
    if (!operation->repeats) {
        mca_coll_irr_operation_close(operation);
    }
    return result;
}
