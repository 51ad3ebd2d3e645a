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

/* Reads a number of at most max, which is below 2^63, from in[*at] on; false if there is none. */
static inline bool irr_varint_get(const unsigned char *in, size_t length, size_t *at, uint64_t max,
                                  uint64_t *value)
{
    uint64_t read = 0;

    for (unsigned shift = 0; shift < 63 && *at < length; shift += 7) {
        unsigned char byte = in[(*at)++];

        read |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *value = read;
            return read <= max;
        }
    }
    return false;
}

#endif
