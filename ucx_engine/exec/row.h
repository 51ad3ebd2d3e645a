/*
 * row.h - a row of the count matrix as bytes: what one rank sends to each other one, without those it sends
 * nothing.
 *
 *     entries   their number, and then for each, in the order of destination:
 *         what      2 * (destination - the one before - 1) + 1 if a length follows
 *         length    if it is not the one before; not 0
 *
 * All are numbers of exec/varint.h.  Before the first entry stand destination -1 and length 0.  An entry costs 1
 * to 13 bytes, those of one length to neighbours 1 byte each.  O(1) time an entry.
 */
#ifndef IRR_ROW_H
#define IRR_ROW_H

#include "exec/bytes.h"

/* So much room is enough for any row. */
static inline size_t irr_row_max(int ranks)
{
    return ((size_t)ranks + 1) * 16;
}

/* Appends so many lengths, one a destination. */
void irr_row_write(irr_bytes_t *bytes, const uint64_t *lengths, int ranks);

/* Reads a row, and adds its bytes to *total, which stays at most PTRDIFF_MAX; of a bad one only some is read. */
void irr_row_read(irr_reader_t *reader, int ranks, uint64_t *total, uint64_t *lengths);

#endif
