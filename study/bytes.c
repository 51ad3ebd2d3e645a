/*
 * bytes.c - see bytes.h.
 */
#include "study/bytes.h"

#include <string.h>

/* Returns bytes 8 * index to 8 * index + 7 of the message with this key. */
static uint64_t word_of(uint64_t key, size_t index)
{
    const uint64_t z = key + index * UINT64_C(0x9e3779b97f4a7c15);

    return z ^ (z >> 31);
}

unsigned char irr_bytes_at(uint64_t key, size_t at)
{
    const uint64_t word = word_of(key, at / sizeof(word));

    return ((const unsigned char *)&word)[at % sizeof(word)];
}

void irr_bytes_write(unsigned char *bytes, size_t length, uint64_t key, uint64_t flip)
{
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        const uint64_t word = word_of(key, at / sizeof(word)) ^ flip;

        memcpy(bytes + at, &word, length - at < sizeof(word) ? length - at : sizeof(word));
    }
}

size_t irr_bytes_right(const unsigned char *bytes, size_t length, uint64_t key)
{
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        const uint64_t word = word_of(key, at / sizeof(word));

        if (memcmp(bytes + at, &word, length - at < sizeof(word) ? length - at : sizeof(word)) != 0) {
            while (bytes[at] == irr_bytes_at(key, at)) {
                at++;
            }
            return at;
        }
    }
    return length;
}
