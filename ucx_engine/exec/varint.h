/*
 * varint.h - numbers in 7 bits a byte, low ones first; the top bit of a byte says that more follow.
 *
 * O(1): at most 10 bytes a number.
 */
#ifndef IRR_VARINT_H
#define IRR_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a number at out[at], and returns where the next one goes; counts only where out is NULL. */
static inline size_t irr_varint_put(unsigned char *out, size_t at, uint64_t value)
{
    do {
        unsigned char more = value > 0x7f ? 0x80 : 0;

        if (out != NULL) {
            out[at] = (unsigned char)((value & 0x7f) | more);
        }
        at++;
        value >>= 7;
    } while (value > 0);
    return at;
}

/* Bytes that are read.  Once something was not as it must be, nothing more is. */
typedef struct irr_reader {
    const unsigned char *in;
    size_t               length, at;
    bool                 bad;
} irr_reader_t;

/* Reads a number of at most max, which is below 2^63; if there is none, 0, and the reader is bad. */
static inline uint64_t irr_varint_get(irr_reader_t *reader, uint64_t max)
{
    uint64_t read = 0;
    bool more = true;

    for (unsigned shift = 0; shift < 63 && more && reader->at < reader->length && !reader->bad; shift += 7) {
        const unsigned char byte = reader->in[reader->at++];

        read |= (uint64_t)(byte & 0x7f) << shift;
        more = (byte & 0x80) != 0;
    }
    reader->bad = reader->bad || more || read > max;
    return reader->bad ? 0 : read;
}

/* Has all been read, and was as it must be? */
static inline bool irr_reader_ends(const irr_reader_t *reader)
{
    return !reader->bad && reader->at == reader->length;
}

#endif
