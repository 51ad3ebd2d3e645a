/* header.c - writes and reads the header of a message; see header.h. O(1) time per slice. */
#include "exec/header.h"

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
    at = irr_varint_put(out, at, 2 * (uint64_t)header->messages + header->inside);
    at = irr_varint_put(out, at, header->slices);
    for (size_t i = 0; i < header->slices; i++) {
        at = put_slice(out, at, i > 0 ? &slices[i - 1] : &before_first, &slices[i]);
    }
    return at;
}

/* Returns true if the byte encodes a status that a sender may report. */
static bool is_status(unsigned char byte)
{
#define STATUS_CASE(name, value, text) case value:
    switch (-(int)byte) { IRR_STATUS_MAP(STATUS_CASE) return true; }
#undef STATUS_CASE
    return false;
}

irr_status_t irr_header_read(irr_reader_t *reader, irr_header_t *header)
{
    const size_t length = reader->length;
    const unsigned char first = reader->at < length ? reader->in[reader->at++] : LOST - 1;
    const uint64_t more = irr_varint_get(reader, PTRDIFF_MAX);
    const uint64_t messages = irr_varint_get(reader, 2 * (uint64_t)length + 3);
    const uint64_t slices = irr_varint_get(reader, length), left = length - reader->at;

    if (!is_status(first % LOST) || slices > left || messages / 2 > slices + (slices == 0) ||
        (more > 0 && (slices > 0 || left > 0))) {
        reader->bad = true;
    }
    *header = (irr_header_t){
        .status = (irr_status_t)-(int)(first % LOST), .lost = first >= LOST, .more = more, .messages = messages / 2,
        .inside = messages % 2 > 0, .slices = slices
    };
    return reader->bad ? IRR_ERR_PROTOCOL : IRR_OK;
}

/* Reads the next slice. *slice: the previous slice, on return the next one. Returns false if it is not valid. */
static bool get_slice(irr_reader_t *reader, uint64_t ranks, irr_slice_t *slice)
{
    const uint64_t what = irr_varint_get(reader, (ranks << WHAT_BITS) - 1);
    const uint64_t destination = (uint64_t)slice->destination + (what >> WHAT_BITS);

    slice->source = what & HAS_SOURCE ? (int)irr_varint_get(reader, ranks - 1) : slice->source;
    slice->offset = what & HAS_OFFSET ? irr_varint_get(reader, PTRDIFF_MAX) : 0;
    slice->length = what & HAS_LENGTH ? irr_varint_get(reader, PTRDIFF_MAX) : slice->length;
    slice->destination = (int)destination;
    return !reader->bad && destination < ranks && slice->length > 0 &&
           slice->length <= PTRDIFF_MAX - slice->offset && slice->source != slice->destination;
}

/* Returns true if a slice follows the slice `before` in the order of header.h and does not overlap it. */
static bool in_order(const irr_slice_t *before, const irr_slice_t *slice)
{
    if (before->destination != slice->destination || before->source != slice->source) {
        return before->destination != slice->destination || before->source < slice->source;
    }
    return slice->offset >= before->offset + before->length;
}

irr_status_t irr_header_read_slices(irr_reader_t *reader, const irr_header_t *header, int ranks, irr_slice_t *slices)
{
    irr_slice_t slice = before_first;

    for (size_t i = 0; i < header->slices; i++) {
        if (!get_slice(reader, (uint64_t)ranks, &slice) || (i > 0 && !in_order(&slices[i - 1], &slice))) {
            return IRR_ERR_PROTOCOL;
        }
        slices[i] = slice;
    }
    return IRR_OK;
}
