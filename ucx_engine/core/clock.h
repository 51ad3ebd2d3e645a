/* clock.h - the monotonic clock in nanoseconds, for measuring durations. */
#ifndef IRR_CLOCK_H
#define IRR_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t irr_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
