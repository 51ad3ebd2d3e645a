/*
 * bytes.h - bytes that grow: a list of parts, each behind its length, in which there are numbers (exec/varint.h).
 *
 * Who writes asks once, at the end, whether there was memory for all.
 *
 * Cost: O(1) a byte, amortised.
 */
#ifndef IRR_BYTES_H
#define IRR_BYTES_H

#include "irr.h"
#include "exec/varint.h"

/* Zeroed is empty. */
typedef struct irr_bytes {
    unsigned char *at;
    size_t         length, max;
    bool           lacking;   /* something was not written, for want of memory; cleared by the caller */
} irr_bytes_t;

void irr_bytes_fini(irr_bytes_t *bytes);

/* Makes room for more behind those that are there.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_bytes_reserve(irr_bytes_t *bytes, size_t more);

/* Appends a number. */
void irr_bytes_put(irr_bytes_t *bytes, uint64_t value);

/* What is appended between these two is a part; end is told what begin has returned. */
size_t irr_bytes_begin(irr_bytes_t *bytes);
void   irr_bytes_end(irr_bytes_t *bytes, size_t begin);

/* The next part; if there is none, that is bad, too. */
irr_reader_t irr_bytes_next(irr_reader_t *parts);

static inline irr_reader_t irr_bytes_read(const irr_bytes_t *bytes)
{
    return (irr_reader_t){ .in = bytes->at, .length = bytes->length };
}

#endif
