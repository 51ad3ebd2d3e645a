/*
 * samples.h - samples of a speedup: each is a pair of times that were measured side by side.
 *
 * By the median, the speedup is the median of the ratios.  Its bounds are order statistics, which assume nothing about
 * the noise: two standard errors of the rank contain the median in 87 to 96 % of all cases.  By the means, the speedup
 * is the ratio of the mean times, with two standard errors.
 *
 * Pure.  Cost: O(n log n) of n samples for a speedup.
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

/* Adds a pair of times.  Ignored if there are IRR_SAMPLES_MAX samples or a time is 0. */
void irr_samples_add(irr_samples_t *samples, double base_ns, double own_ns);

/* Returns the speedup over the base by the means or by the median.  There must be a sample. */
irr_speedup_t irr_samples_speedup(const irr_samples_t *samples, bool means);

#endif
