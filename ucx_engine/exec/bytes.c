/*
 * bytes.c - see bytes.h.
 */
#include "exec/bytes.h"

#include "core/alloc.h"
#include "exec/varint.h"

void irr_bytes_fini(irr_bytes_t *bytes)
{
    irr_free(bytes->at);
    *bytes = (irr_bytes_t){ .at = NULL };
}

irr_status_t irr_bytes_reserve(irr_bytes_t *bytes, size_t more)
{
    void *at = bytes->at;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (more <= PTRDIFF_MAX - bytes->length) {
        status = irr_grow(&at, &bytes->max, bytes->length + more, 1);
    }
    bytes->at = at;
    return status;
}

unsigned char *irr_bytes_add_part(irr_bytes_t *bytes, size_t length)
{
    const size_t head = irr_varint_put(NULL, 0, length);
    unsigned char *part;

    if (length > PTRDIFF_MAX - head || irr_bytes_reserve(bytes, head + length) != IRR_OK) {
        return NULL;
    }
    part = bytes->at + irr_varint_put(bytes->at, bytes->length, length);
    bytes->length += head + length;
    return part;
}

bool irr_bytes_next(const unsigned char *in, size_t length, size_t *at, size_t *part_length)
{
    uint64_t part;

    if (!irr_varint_get(in, length, at, PTRDIFF_MAX, &part) || part > length - *at) {
        return false;
    }
    *at += (size_t)part;
    *part_length = (size_t)part;
    return true;
}
