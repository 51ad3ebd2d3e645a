/*
 * header.c - see header.h.  O(1) a slice.
 */
#include "exec/header.h"

#include "exec/varint.h"

enum { HAS_SOURCE = 1, HAS_OFFSET = 2, HAS_LENGTH = 4, WHAT_BITS = 3, LOST = 128 };

/* ---- headers ---- */

static const irr_slice_t before_first;

static size_t put_slice(unsigned char *out, size_t at, const irr_slice_t *before, const irr_slice_t *slice)
{
    uint64_t what = (uint64_t)(slice->destination - before->destination) << WHAT_BITS;

    what |= slice->source != before->source ? HAS_SOURCE : 0;
    what |= slice->offset != 0 ? HAS_OFFSET : 0;
    what |= slice->length != before->length ? HAS_LENGTH : 0;
    at = irr_varint_put(out, at, what);
    if (what & HAS_SOURCE) {
        at = irr_varint_put(out, at, (uint64_t)slice->source);
    }
    if (what & HAS_OFFSET) {
        at = irr_varint_put(out, at, slice->offset);
    }
    if (what & HAS_LENGTH) {
        at = irr_varint_put(out, at, slice->length);
    }
    return at;
}

size_t irr_header_encode(const irr_header_t *header, const irr_slice_t *slices, unsigned char *out)
{
    size_t at = 1;

    if (out != NULL) {
        out[0] = (unsigned char)(-header->status + (header->lost ? LOST : 0));
    }
    at = irr_varint_put(out, at, header->more);
    at = irr_varint_put(out, at, 2 * (uint64_t)header->parts + header->inside);
    at = irr_varint_put(out, at, header->slices);
    for (size_t i = 0; i < header->slices; i++) {
        at = put_slice(out, at, i > 0 ? &slices[i - 1] : &before_first, &slices[i]);
    }
    return at;
}

/* The byte for a status that a sender may report. */
static bool is_status(unsigned char byte)
{
#define STATUS_CASE(name, value, text) case value:
    switch (-(int)byte) { IRR_STATUS_MAP(STATUS_CASE) return true; }
#undef STATUS_CASE
    return false;
}

irr_status_t irr_header_decode(const unsigned char *in, size_t length, irr_header_t *header, size_t *used)
{
    unsigned char first = length > 0 ? in[0] : 0;
    uint64_t more, parts, slices;
    size_t at = 1;

    if (length < 1 || !is_status(first % LOST) || !irr_varint_get(in, length, &at, PTRDIFF_MAX, &more) ||
        !irr_varint_get(in, length, &at, 2 * (uint64_t)length + 3, &parts) ||
        !irr_varint_get(in, length, &at, length, &slices) ||
        slices > length - at || parts / 2 > slices + (slices == 0) || (more > 0 && (slices > 0 || at < length))) {
        return IRR_ERR_PROTOCOL;
    }
    *header = (irr_header_t){
        .status = (irr_status_t)-(int)(first % LOST), .lost = first >= LOST, .more = more, .parts = parts / 2,
        .inside = parts % 2 > 0, .slices = slices
    };
    *used = at;
    return IRR_OK;
}

static bool get_slice(const unsigned char *in, size_t length, size_t *at, uint64_t ranks, irr_slice_t *slice)
{
    uint64_t what, source = (uint64_t)slice->source, offset = 0, bytes = slice->length;

    if (!irr_varint_get(in, length, at, (ranks << WHAT_BITS) - 1, &what) ||
        ((what & HAS_SOURCE) && !irr_varint_get(in, length, at, ranks - 1, &source)) ||
        ((what & HAS_OFFSET) && !irr_varint_get(in, length, at, PTRDIFF_MAX, &offset)) ||
        ((what & HAS_LENGTH) && !irr_varint_get(in, length, at, PTRDIFF_MAX, &bytes))) {
        return false;
    }
    what >>= WHAT_BITS;
    if (bytes == 0 || bytes > PTRDIFF_MAX - offset || (uint64_t)slice->destination + what >= ranks) {
        return false;
    }
    slice->source = (int)source;
    slice->destination += (int)what;
    slice->offset = offset;
    slice->length = bytes;
    return slice->source != slice->destination;
}

/* Behind the one before it in the stream of its destination, without a byte of it. */
static bool in_order(const irr_slice_t *before, const irr_slice_t *slice)
{
    if (before->destination != slice->destination || before->source != slice->source) {
        return before->destination != slice->destination || before->source < slice->source;
    }
    return slice->offset >= before->offset + before->length;
}

irr_status_t irr_header_decode_slices(const unsigned char *in, size_t length, const irr_header_t *header, int ranks,
                                      irr_slice_t *slices, size_t *used)
{
    irr_slice_t slice = before_first;
    size_t at = 0;

    for (size_t i = 0; i < header->slices; i++) {
        if (!get_slice(in, length, &at, (uint64_t)ranks, &slice) || (i > 0 && !in_order(&slices[i - 1], &slice))) {
            return IRR_ERR_PROTOCOL;
        }
        slices[i] = slice;
    }
    *used = at;
    return IRR_OK;
}
