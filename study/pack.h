/*
 * pack.h - stores a list of rows of numbers in few bytes.  For each number the list has its difference from the number
 * in the same column of the previous row; a small difference takes one byte.  If all differences of a row are equal to
 * those of the previous row, the row takes no byte.  Equal blocks of many ranks therefore take few bytes.
 */
#ifndef IRR_PACK_H
#define IRR_PACK_H

#include "irr.h"

#define IRR_PACK_NUMBERS 6   /* maximum length of a row */

/* Zeroed: an empty list. */
typedef struct irr_pack {
    unsigned char *bytes;
    size_t         count, max;
    size_t         rows;
    size_t         read;                     /* number of bytes that irr_pack_get has read */
    uint64_t       last[IRR_PACK_NUMBERS];   /* the last row that was written or read */
    uint64_t       change[IRR_PACK_NUMBERS]; /* differences between `last` and the row before it */
    uint64_t       repeats;                  /* number of further rows with the differences `change` */
} irr_pack_t;

void irr_pack_fini(irr_pack_t *pack);

/* Appends a row.  All rows of a list have the same length, `numbers`.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_pack_put(irr_pack_t *pack, const uint64_t *row, size_t numbers);

/* Makes irr_pack_get continue with the first row.  The caller has called irr_pack_end. */
void irr_pack_rewind(irr_pack_t *pack);

/* Ends the writing of a list, frees unused memory, and rewinds the list.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_pack_end(irr_pack_t *pack);

/* Reads the next row.  Returns false if there is none. */
bool irr_pack_get(irr_pack_t *pack, uint64_t *row, size_t numbers);

#endif
