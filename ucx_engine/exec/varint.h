/*
 * varint.h - numbers as 1 to 10 bytes. Each byte has 7 bits of the number, the lowest bits first. Its top bit is set if
 * more bytes follow.
 *
 * Numbers up to 127 take one byte.
 */
#ifndef IRR_VARINT_H
#define IRR_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a number at out[at], and returns the index behind it. If out is NULL, only computes this index. */
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

/* A position in received bytes. After the first invalid number `bad` is true, and each read returns 0. */
typedef struct irr_reader {
    const unsigned char *in;
    size_t               length, at;
    bool                 bad;
} irr_reader_t;

/*
 * Reads a number. If there is none, or it is greater than max, sets reader->bad and returns 0. max must be below 2^63.
 */
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

/* Returns true if all bytes were read and all numbers were valid. */
static inline bool irr_reader_ends(const irr_reader_t *reader)
{
    return !reader->bad && reader->at == reader->length;
}

#endif
