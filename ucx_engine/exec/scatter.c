/*
 * scatter.c - see scatter.h.
 */
#include "exec/scatter.h"

#include "exec/binomial.h"

#include <assert.h>
#include <string.h>

enum { STAGE = 2 };

void irr_scatter_init(irr_scatter_t *scatter, int ranks, int rank)
{
    memset(scatter, 0, sizeof(*scatter));
    scatter->ranks = ranks;
    scatter->rank = rank;
}

void irr_scatter_fini(irr_scatter_t *scatter)
{
    irr_bytes_fini(&scatter->parts);
    memset(scatter, 0, sizeof(*scatter));
}

static void fail(irr_scatter_t *scatter, irr_status_t status)
{
    if (status != IRR_OK && scatter->status == IRR_OK) {
        scatter->status = status;
    }
    if (status != IRR_OK) {
        scatter->mark = IRR_GATHER_FAILED;
    }
}

/* There is a part for each rank at and below this one, and nothing else. */
static irr_status_t find_parts(irr_scatter_t *scatter)
{
    const irr_bytes_t *parts = &scatter->parts;
    const int size = irr_binomial_size(scatter->rank, scatter->ranks);
    size_t at = 0;

    for (int i = 0, level = 0; i < size; i++) {
        size_t length;

        if (i == 1 << level) {
            scatter->ends[level++] = at;
        }
        if (!irr_bytes_next(parts->at, parts->length, &at, &length)) {
            return IRR_ERR_PROTOCOL;
        }
        if (i == 0) {
            scatter->own = parts->at + at - length;
            scatter->length = length;
        }
    }
    return at == parts->length ? IRR_OK : IRR_ERR_PROTOCOL;
}

/* Tells the next child. */
static void tell(irr_scatter_t *scatter)
{
    const int level = __builtin_ctz((unsigned)scatter->distance);
    const bool good = scatter->mark == 0;
    const size_t begin = good ? scatter->ends[level] : 0;
    const int size = irr_binomial_size(scatter->rank, scatter->ranks);
    const size_t end = 2 * scatter->distance < size ? scatter->ends[level + 1] : scatter->parts.length;

    irr_blob_send(&scatter->blob, &scatter->env, STAGE, scatter->rank + scatter->distance,
                  good ? scatter->parts.at + begin : NULL, good ? end - begin : 0, scatter->mark);
    scatter->distance /= 2;
}

/* All parts, or the mark, are here. */
static void begin_telling(irr_scatter_t *scatter)
{
    const int size = irr_binomial_size(scatter->rank, scatter->ranks);

    if (scatter->mark == 0) {
        fail(scatter, find_parts(scatter));
    }
    scatter->heard = true;
    scatter->distance = size > 1 ? 1 << (31 - __builtin_clz((unsigned)size - 1)) : 0;
}

void irr_scatter_start(irr_scatter_t *scatter, unsigned mark, const irr_exec_env_t *env)
{
    assert(!scatter->blob.busy);
    scatter->env = *env;
    scatter->blob.status = IRR_OK;
    scatter->status = IRR_OK;
    scatter->mark = mark;
    scatter->heard = false;
    scatter->own = NULL;
    scatter->distance = 0;
    if (scatter->rank == 0) {
        begin_telling(scatter);
    } else {
        scatter->parts.length = 0;
        irr_blob_receive(&scatter->blob, env, STAGE, irr_binomial_parent(scatter->rank), &scatter->parts, PTRDIFF_MAX);
    }
}

irr_status_t irr_scatter_progress(irr_scatter_t *scatter)
{
    irr_status_t status = irr_blob_progress(&scatter->blob);

    while (status != IRR_IN_PROGRESS) {
        if (!scatter->heard) {
            scatter->mark = scatter->blob.mark;
            fail(scatter, status);
            begin_telling(scatter);
        } else if (status != IRR_OK && scatter->status == IRR_OK) {
            scatter->status = status;   /* a child was not told; the others are */
        }
        if (scatter->distance == 0) {
            return scatter->status;
        }
        tell(scatter);
        status = irr_blob_progress(&scatter->blob);
    }
    return status;
}

int irr_scatter_awaited(const irr_scatter_t *scatter)
{
    return scatter->heard ? scatter->rank + (scatter->distance > 0 ? 2 * scatter->distance : 1)
                          : irr_binomial_parent(scatter->rank);
}
