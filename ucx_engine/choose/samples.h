/*
 * samples.h - samples of a speedup.  A trial compares a strategy with the strategy in use, the base (choose/trial.h).
 * A sample is a pair of times that were measured shortly after each other: the time of the base, and the time of the
 * strategy.
 *
 * The speedup is computed by one of two methods.  With the first method it is the median of the ratios.  Its bounds are
 * two of the sorted ratios; for any distribution of the noise, the true median is between them with a probability of 87
 * to 96 %.  With the second method the speedup is the ratio of the mean times, and its bounds are two standard errors
 * away.
 *
 * Cost: O(n log n) for the speedup of n samples.
 */
#ifndef IRR_SAMPLES_H
#define IRR_SAMPLES_H

#include "choose/saved.h"

#include <stdbool.h>

#define IRR_SAMPLES_MAX 24

/* Zeroed: no samples. */
typedef struct irr_samples {
    float  logs[IRR_SAMPLES_MAX];        /* logarithms of the ratios */
    int    count;
    double base_sum, base_squares, own_sum, own_squares;   /* sums of the times and of their squares */
} irr_samples_t;

/* Adds a pair of times.  Does nothing if there are IRR_SAMPLES_MAX samples, or if a time is 0. */
void irr_samples_add(irr_samples_t *samples, double base_ns, double own_ns);

/*
 * Returns the speedup over the base: if `means` is true, by the ratio of the means, otherwise by the median.  At least
 * one sample is required.
 */
irr_speedup_t irr_samples_speedup(const irr_samples_t *samples, bool means);

#endif
