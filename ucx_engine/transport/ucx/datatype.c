/*
 * datatype.c - the form gather (transport.h): UCX calls us to copy between a list of pieces and UCX's buffers.
 *
 * UCX calls pack or unpack for one range of the message (a fragment) after the other. Sender and receiver each copy
 * every byte once. UCX may unpack fragments out of order, if a rendezvous uses several network ports. Each call
 * therefore searches for the piece at its offset, which takes no time if the fragments are in order. Bytes for a piece
 * without a base are discarded.
 */
#include "transport/ucx/ucx.h"

#include <string.h>

void *irr_ucx_gather_begin(irr_request_t *request, uint64_t *copied)
{
    irr_ucx_slot_of(request)->cursor = (irr_ucx_cursor_t){ .copied = copied };
    return request;
}

/* Moves the cursor to the piece that contains the byte at `offset` of the message. */
static void seek(const irr_request_t *request, irr_ucx_cursor_t *cursor, size_t offset)
{
    if (offset < cursor->start) {
        cursor->index = 0;
        cursor->start = 0;
    }
    while (cursor->index < request->count && offset - cursor->start >= request->iov[cursor->index].length) {
        cursor->start += request->iov[cursor->index].length;
        cursor->index++;
    }
}

/*
 * Copies up to `length` bytes at `offset` of the message: from the pieces to `to`, or from `from` to the pieces if `to`
 * is NULL. Returns the number of bytes; less than `length` at the end of the pieces.
 */
static size_t copy(irr_request_t *request, size_t offset, char *to, const char *from, size_t length)
{
    irr_ucx_cursor_t *cursor = &irr_ucx_slot_of(request)->cursor;
    size_t done = 0;

    while (done < length) {
        const irr_iov_t *piece;
        size_t skip, bytes;

        seek(request, cursor, offset + done);
        if (cursor->index == request->count) {
            break;
        }
        piece = &request->iov[cursor->index];
        skip = offset + done - cursor->start;
        bytes = piece->length - skip < length - done ? piece->length - skip : length - done;
        if (to != NULL) {
            memcpy(to + done, (const char *)piece->base + skip, bytes);
        } else if (piece->base != NULL) {
            memcpy((char *)piece->base + skip, from + done, bytes);
        }
        *cursor->copied += piece->base != NULL ? bytes : 0;
        done += bytes;
    }
    return done;
}

void irr_ucx_gather(const irr_iov_t *iov, size_t count, char *to)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(to, iov[i].base, iov[i].length);
        to += iov[i].length;
    }
}

static void *start_pack(void *context, const void *buffer, size_t count)
{
    (void)context;
    (void)count;
    return (void *)buffer;
}

static void *start_unpack(void *context, void *buffer, size_t count)
{
    (void)context;
    (void)count;
    return buffer;
}

static size_t packed_size(void *state)
{
    return ((const irr_request_t *)state)->length;
}

static size_t pack(void *state, size_t offset, void *fragment, size_t length)
{
    return copy(state, offset, fragment, NULL, length);
}

static ucs_status_t unpack(void *state, size_t offset, const void *fragment, size_t length)
{
    return copy(state, offset, NULL, fragment, length) == length ? UCS_OK : UCS_ERR_MESSAGE_TRUNCATED;
}

static void finish(void *state)
{
    (void)state;
}

irr_status_t irr_ucx_gather_create(ucp_datatype_t *datatype_p)
{
    static const ucp_generic_dt_ops_t ops = {
        .start_pack = start_pack,
        .start_unpack = start_unpack,
        .packed_size = packed_size,
        .pack = pack,
        .unpack = unpack,
        .finish = finish
    };

    return irr_ucx_status(irr_ucx.ucp_dt_create_generic(&ops, NULL, datatype_p));
}
