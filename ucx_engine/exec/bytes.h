/*
 * bytes.h - an array of bytes that grows: a list of entries, each a 64-bit word with its length and then numbers
 * (exec/varint.h).
 *
 * The write functions return no error. If memory is missing, they set `lacking`, which the caller checks at the end.
 *
 * Cost: O(1) per byte, amortised.
 */
#ifndef IRR_BYTES_H
#define IRR_BYTES_H

#include "irr.h"
#include "exec/varint.h"

/* A zeroed object is empty. */
typedef struct irr_bytes {
    unsigned char *at;
    size_t         length, max;
    bool           lacking;   /* memory was missing; later writes do nothing until the caller resets this flag */
} irr_bytes_t;

void irr_bytes_fini(irr_bytes_t *bytes);

/* Makes room for `more` bytes behind the present ones. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_bytes_reserve(irr_bytes_t *bytes, size_t more);

/* Appends a number. */
void irr_bytes_put(irr_bytes_t *bytes, uint64_t value);

/* Begin and end an entry. begin: what irr_bytes_begin returned. */
size_t irr_bytes_begin(irr_bytes_t *bytes);
void   irr_bytes_end(irr_bytes_t *bytes, size_t begin);

/* Returns a reader for the next entry of a list. If there is no valid entry, marks this reader and `entries` as bad. */
irr_reader_t irr_bytes_next(irr_reader_t *entries);

/* Returns a reader for the whole array. */
static inline irr_reader_t irr_bytes_read(const irr_bytes_t *bytes)
{
    return (irr_reader_t){ .in = bytes->at, .length = bytes->length };
}

#endif
