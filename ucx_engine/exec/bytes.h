/*
 * bytes.h - bytes that grow: a list of parts, each behind its length.
 *
 *     length   of the part, as exec/varint.h has it
 *     part
 *
 * Cost: O(1) a byte, amortised.
 */
#ifndef IRR_BYTES_H
#define IRR_BYTES_H

#include "irr.h"

/* Zeroed is empty. */
typedef struct irr_bytes {
    unsigned char *at;
    size_t         length, max;
} irr_bytes_t;

void irr_bytes_fini(irr_bytes_t *bytes);

/* Makes room for more behind those that are there.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_bytes_reserve(irr_bytes_t *bytes, size_t more);

/* Appends a part of so many bytes, which the caller writes: where they are, or NULL without memory. */
unsigned char *irr_bytes_add_part(irr_bytes_t *bytes, size_t length);

/* Steps over the part at in[*at], whose length it returns, to the one behind it; false if there is none. */
bool irr_bytes_next(const unsigned char *in, size_t length, size_t *at, size_t *part_length);

#endif
