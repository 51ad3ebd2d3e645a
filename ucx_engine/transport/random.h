/*
 * random.h - private to the transports that shuffle: a small generator (splitmix64), so that a seed gives the
 * same run everywhere.
 */
#ifndef IRR_RANDOM_H
#define IRR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A number from 0 to limit - 1; limit > 0.  The remainder's bias does not matter for limits this small. */
static inline size_t irr_random_below(uint64_t *state, size_t limit)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((z ^ (z >> 31)) % limit);
}

#endif
