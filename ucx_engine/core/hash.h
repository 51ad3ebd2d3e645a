/*
 * hash.h - 64-bit FNV-1a hashes of a list of 64-bit words or of the bytes of a text, in O(length).
 *
 * Ranks compare lists by their hashes. The hash is not cryptographic: two lists with equal hashes are easy to
 * construct.
 */
#ifndef IRR_HASH_H
#define IRR_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of an empty list; the first `hash` argument of the functions below. */
#define IRR_HASH_BASIS UINT64_C(0xcbf29ce484222325)

static inline uint64_t irr_hash_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

/* Adds a word that may differ in high bits only: multiplying moves bits only upwards, so the shift moves them down. */
static inline uint64_t irr_hash_mix(uint64_t hash, uint64_t word)
{
    hash = irr_hash_word(hash, word);
    return hash ^ hash >> 29;
}

static inline uint64_t irr_hash_words(uint64_t hash, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = irr_hash_word(hash, words[i]);
    }
    return hash;
}

static inline uint64_t irr_hash_text(uint64_t hash, const char *text)
{
    while (*text != '\0') {
        hash = irr_hash_word(hash, (unsigned char)*text++);
    }
    return hash;
}

#endif
