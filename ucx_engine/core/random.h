/*
 * random.h - a small random number generator (splitmix64: a counter and a mixing function). The first value of *state
 * is the seed. Equal seeds produce equal numbers on every rank and machine.
 */
#ifndef IRR_RANDOM_H
#define IRR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t irr_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns a number from 0 to limit - 1; limit > 0.  The bias of the remainder is below 2^-30 for limits below 2^34. */
static inline size_t irr_random_below(uint64_t *state, size_t limit)
{
    return (size_t)(irr_random(state) % limit);
}

#endif
