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

#include "irr.h"

/* A row that is read entry by entry. */
typedef struct irr_row {
    const unsigned char *in;
    size_t               length, at;
    int                  ranks;
    uint64_t             left;     /* entries to come */
    int                  to;       /* of the entry read last, and so is */
    uint64_t             bytes;
} irr_row_t;

/* Returns how many bytes so many lengths, one a destination, are, and writes them unless out is NULL. */
size_t irr_row_encode(const uint64_t *lengths, int ranks, unsigned char *out);

/* Begins to read; false if there is no row. */
bool irr_row_begin(irr_row_t *row, const unsigned char *in, size_t length, int ranks);

/*
 * Reads the next entry: to, in ascending order and below ranks, and bytes, from 1 to PTRDIFF_MAX.  False: at the
 * end, or with row->left > 0 where the row is malformed.
 */
bool irr_row_next(irr_row_t *row);

/*
 * Checks that in[0] to in[length] hold a row and nothing else, and adds its bytes to *total, which stays at most
 * PTRDIFF_MAX.  IRR_ERR_PROTOCOL.
 */
irr_status_t irr_row_check(const unsigned char *in, size_t length, int ranks, uint64_t *total);

#endif
