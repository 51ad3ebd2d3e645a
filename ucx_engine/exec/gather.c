/*
 * gather.c - see gather.h.
 */
#include "exec/gather.h"

#include "exec/binomial.h"

#include <assert.h>
#include <string.h>

enum { STAGE = 1 };

void irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t max_bytes)
{
    memset(gather, 0, sizeof(*gather));
    gather->ranks = ranks;
    gather->rank = rank;
    gather->max_bytes = max_bytes > 0 ? max_bytes : PTRDIFF_MAX;
}

void irr_gather_fini(irr_gather_t *gather)
{
    irr_bytes_fini(&gather->parts);
    memset(gather, 0, sizeof(*gather));
}

static void keep(irr_gather_t *gather, irr_status_t status)
{
    if (status != IRR_OK && gather->status == IRR_OK) {
        gather->status = status;
    }
    if (status != IRR_OK && gather->mark != IRR_GATHER_FAILED) {
        gather->mark = status == IRR_ERR_NOT_SUPPORTED ? IRR_GATHER_LARGE : IRR_GATHER_FAILED;
    }
}

unsigned char *irr_gather_begin(irr_gather_t *gather, size_t length, irr_status_t trouble)
{
    unsigned char *part = NULL;

    assert(!gather->blob.busy);
    gather->parts.length = 0;
    gather->mark = 0;
    gather->status = IRR_OK;
    keep(gather, trouble);
    if (gather->status == IRR_OK) {
        part = length <= gather->max_bytes ? irr_bytes_add_part(&gather->parts, length) : NULL;
        keep(gather, part != NULL ? IRR_OK : length <= gather->max_bytes ? IRR_ERR_NO_MEMORY : IRR_ERR_NOT_SUPPORTED);
        keep(gather, gather->parts.length <= gather->max_bytes ? IRR_OK : IRR_ERR_NOT_SUPPORTED);
    }
    return part;
}

/* Hears the child at this distance, or tells the parent if there is none. */
static void go_on(irr_gather_t *gather)
{
    const bool good = gather->mark == 0;

    if (gather->distance < irr_binomial_size(gather->rank, gather->ranks)) {
        irr_blob_receive(&gather->blob, &gather->env, STAGE, gather->rank + gather->distance, &gather->parts,
                         gather->max_bytes);
    } else {
        gather->told = true;
        if (gather->rank > 0) {
            irr_blob_send(&gather->blob, &gather->env, STAGE, irr_binomial_parent(gather->rank), gather->parts.at,
                          good ? gather->parts.length : 0, gather->mark);
        }
    }
}

void irr_gather_start(irr_gather_t *gather, const irr_exec_env_t *env)
{
    gather->env = *env;
    gather->distance = 1;
    gather->told = false;
    go_on(gather);
}

irr_status_t irr_gather_progress(irr_gather_t *gather)
{
    irr_status_t status = irr_blob_progress(&gather->blob);

    while (status != IRR_IN_PROGRESS && !gather->told) {
        keep(gather, status);
        if (status == IRR_OK && gather->blob.mark > gather->mark) {
            gather->mark = gather->blob.mark == IRR_GATHER_LARGE ? IRR_GATHER_LARGE : IRR_GATHER_FAILED;
        }
        gather->distance *= 2;
        go_on(gather);
        status = irr_blob_progress(&gather->blob);
    }
    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    keep(gather, gather->rank > 0 ? status : IRR_OK);
    return gather->status;
}

int irr_gather_awaited(const irr_gather_t *gather)
{
    return gather->told ? irr_binomial_parent(gather->rank) : gather->rank + gather->distance;
}
