/*
 * row.h - a row of a count matrix as bytes. The row has the numbers of bytes that one rank sends to each rank; zeros
 * are left out.
 *
 *     entries   number of entries; then for each, ordered by destination:
 *         what      2 * (destination - previous destination - 1) + 1 if a length follows
 *         length    number of bytes, not 0; present if it differs from the previous length
 *
 * All fields have the form of exec/varint.h. Before the first entry, the previous destination is -1 and the previous
 * length 0. An entry has 1 to 13 bytes, and 1 byte if it has the same length as the entry of the rank before. O(1) time
 * per entry.
 */
#ifndef IRR_ROW_H
#define IRR_ROW_H

#include "exec/bytes.h"

/* Returns an upper bound of the length in bytes of a row. */
static inline size_t irr_row_max(int ranks)
{
    return ((size_t)ranks + 1) * 16;
}

/* Appends a row. lengths: by destination. */
void irr_row_write(irr_bytes_t *bytes, const uint64_t *lengths, int ranks);

/*
 * Reads a row into `lengths`, and adds the lengths to *total, which must not exceed PTRDIFF_MAX. If the row is not
 * valid, sets reader->bad; `lengths` may then be partly filled.
 */
void irr_row_read(irr_reader_t *reader, int ranks, uint64_t *total, uint64_t *lengths);

#endif
