/*
 * row.h - one row of the count matrix as bytes: the number of bytes that one rank sends to each other rank. Zero counts
 * are omitted.
 *
 *     entries   number of entries, and then for each, ordered by destination:
 *         what      2 * (destination - previous destination - 1) + 1 if a length follows
 *         length    present if it differs from the previous length; not 0
 *
 * All fields are numbers of exec/varint.h. The first entry follows a virtual entry of destination -1 and length 0. An
 * entry has 1 to 13 bytes; entries of equal length to consecutive ranks have 1 byte each. Time: O(1) per entry.
 */
#ifndef IRR_ROW_H
#define IRR_ROW_H

#include "exec/bytes.h"

/* Returns an upper bound for the length of a row in bytes. */
static inline size_t irr_row_max(int ranks)
{
    return ((size_t)ranks + 1) * 16;
}

/* Appends a row: one length per destination. */
void irr_row_write(irr_bytes_t *bytes, const uint64_t *lengths, int ranks);

/*
 * Reads a row into `lengths`, and adds the lengths to *total. A row is invalid if *total would exceed PTRDIFF_MAX. An
 * invalid row sets reader->bad and may leave `lengths` partly filled.
 */
void irr_row_read(irr_reader_t *reader, int ranks, uint64_t *total, uint64_t *lengths);

#endif
