/*
 * bytes.h - a growing array of bytes. The array is a list of entries. Each entry follows a word with its length, and
 * holds numbers (exec/varint.h).
 *
 * The caller of the write functions checks for missing memory (`lacking`) once, at the end.
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
    bool           lacking;   /* memory was missing for a write; the caller resets this flag */
} irr_bytes_t;

void irr_bytes_fini(irr_bytes_t *bytes);

/* Makes room for `more` bytes behind the present bytes. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_bytes_reserve(irr_bytes_t *bytes, size_t more);

/* Appends a number. */
void irr_bytes_put(irr_bytes_t *bytes, uint64_t value);

/* irr_bytes_begin begins an entry, and irr_bytes_end ends the entry. begin: the value that irr_bytes_begin returned. */
size_t irr_bytes_begin(irr_bytes_t *bytes);
void   irr_bytes_end(irr_bytes_t *bytes, size_t begin);

/* Returns a reader for the next entry. If there is no next entry, marks both readers as bad. */
irr_reader_t irr_bytes_next(irr_reader_t *entries);

static inline irr_reader_t irr_bytes_read(const irr_bytes_t *bytes)
{
    return (irr_reader_t){ .in = bytes->at, .length = bytes->length };
}

#endif
