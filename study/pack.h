/*
 * pack.h - a list of rows of numbers in few bytes.  A number that is close to the number in the same place of the
 * previous row takes one byte.  A row takes no byte if its numbers differ from the previous row by the same amounts as
 * the previous row from the row before.  Equal blocks of many ranks therefore take few bytes.
 */
#ifndef IRR_PACK_H
#define IRR_PACK_H

#include "irr.h"

#define IRR_PACK_NUMBERS 6

/* Zeroed: an empty list. */
typedef struct irr_pack {
    unsigned char *bytes;
    size_t         count, max;
    size_t         rows;
    size_t         read;                     /* number of bytes that irr_pack_get has read */
    uint64_t       last[IRR_PACK_NUMBERS];   /* the last row that was written or read */
    uint64_t       change[IRR_PACK_NUMBERS]; /* change of `last` from the row before it */
    uint64_t       repeats;                  /* number of rows with the same changes, to be written or read */
} irr_pack_t;

void irr_pack_fini(irr_pack_t *pack);

/* Appends a row of the list, all of whose rows have equal lengths.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_pack_put(irr_pack_t *pack, const uint64_t *row, size_t numbers);

/* Makes irr_pack_get read the first row of a list that has ended. */
void irr_pack_rewind(irr_pack_t *pack);

/* Ends the list: frees the room behind it, and starts to read at its first row.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_pack_end(irr_pack_t *pack);

/* Reads the next row.  Returns false if there is none. */
bool irr_pack_get(irr_pack_t *pack, uint64_t *row, size_t numbers);

#endif
