/*
 * row.c - see row.h.
 */
#include "exec/row.h"

#include "exec/varint.h"

enum { HAS_LENGTH = 1, WHAT_BITS = 1 };

size_t irr_row_encode(const uint64_t *lengths, int ranks, unsigned char *out)
{
    uint64_t entries = 0, bytes = 0;
    int before = -1;
    size_t at;

    for (int to = 0; to < ranks; to++) {
        entries += lengths[to] > 0;
    }
    at = irr_varint_put(out, 0, entries);
    for (int to = 0; to < ranks; to++) {
        uint64_t length = lengths[to], what = (uint64_t)(to - before - 1) << WHAT_BITS;

        if (length == 0) {
            continue;
        }
        at = irr_varint_put(out, at, what | (length != bytes ? HAS_LENGTH : 0));
        if (length != bytes) {
            at = irr_varint_put(out, at, length);
        }
        bytes = length;
        before = to;
    }
    return at;
}

bool irr_row_begin(irr_row_t *row, const unsigned char *in, size_t length, int ranks)
{
    *row = (irr_row_t){ .in = in, .length = length, .ranks = ranks, .to = -1 };
    return irr_varint_get(in, length, &row->at, (uint64_t)ranks, &row->left);
}

bool irr_row_next(irr_row_t *row)
{
    uint64_t what, bytes = row->bytes, room = (uint64_t)(row->ranks - row->to - 1);

    if (row->left == 0 || room == 0 ||
        !irr_varint_get(row->in, row->length, &row->at, (room << WHAT_BITS) - 1, &what) ||
        ((what & HAS_LENGTH) && !irr_varint_get(row->in, row->length, &row->at, PTRDIFF_MAX, &bytes)) ||
        bytes == 0) {
        return false;
    }
    row->to += 1 + (int)(what >> WHAT_BITS);
    row->bytes = bytes;
    row->left--;
    return true;
}

irr_status_t irr_row_check(const unsigned char *in, size_t length, int ranks, uint64_t *total)
{
    uint64_t sum = *total;
    irr_row_t row;

    if (!irr_row_begin(&row, in, length, ranks)) {
        return IRR_ERR_PROTOCOL;
    }
    while (irr_row_next(&row)) {
        if (row.bytes > PTRDIFF_MAX - sum) {
            return IRR_ERR_PROTOCOL;
        }
        sum += row.bytes;
    }
    if (row.left > 0 || row.at != length) {
        return IRR_ERR_PROTOCOL;
    }
    *total = sum;
    return IRR_OK;
}
