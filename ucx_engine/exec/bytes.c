/*
 * bytes.c - an array of bytes that grows; see bytes.h. The length of an entry is in native byte order. irr_bytes_end
 * writes it.
 */
#include "exec/bytes.h"

#include "core/alloc.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), NUMBER_MAX = 10 };   /* lengths in bytes; NUMBER_MAX: of a number, see varint.h */

void irr_bytes_fini(irr_bytes_t *bytes)
{
    irr_free(bytes->at);
    *bytes = (irr_bytes_t){ .at = NULL };
}

irr_status_t irr_bytes_reserve(irr_bytes_t *bytes, size_t more)
{
    return more <= PTRDIFF_MAX - bytes->length ? IRR_GROW(bytes->at, bytes->max, bytes->length + more)
                                               : IRR_ERR_NO_MEMORY;
}

/* Makes room for `more` bytes. Returns false if there is no memory. */
static bool admits(irr_bytes_t *bytes, size_t more)
{
    bytes->lacking = bytes->lacking || irr_bytes_reserve(bytes, more) != IRR_OK;
    return !bytes->lacking;
}

void irr_bytes_put(irr_bytes_t *bytes, uint64_t value)
{
    if (admits(bytes, NUMBER_MAX)) {
        bytes->length = irr_varint_put(bytes->at, bytes->length, value);
    }
}

size_t irr_bytes_begin(irr_bytes_t *bytes)
{
    bytes->length += admits(bytes, WORD) ? WORD : 0;
    return bytes->length;
}

void irr_bytes_end(irr_bytes_t *bytes, size_t begin)
{
    const uint64_t length = bytes->length - begin;

    if (!bytes->lacking) {
        memcpy(bytes->at + begin - WORD, &length, WORD);
    }
}

irr_reader_t irr_bytes_next(irr_reader_t *entries)
{
    const size_t left = entries->length - entries->at;
    uint64_t length = UINT64_MAX;

    if (left >= WORD) {
        memcpy(&length, entries->in + entries->at, WORD);
    }
    if (entries->bad || left < WORD || length > left - WORD) {
        entries->bad = true;
        return (irr_reader_t){ .bad = true };
    }
    entries->at += WORD + length;
    return (irr_reader_t){ .in = entries->in + entries->at - length, .length = length };
}
