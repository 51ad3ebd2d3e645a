/*
 * samples.h - samples of a speedup: each is a pair of times that were measured side by side.
 *
 * The speedup is the median of the ratios.  Order statistics bound it, which need no assumption about the noise: two
 * standard errors in rank hold the median in 87 to 96 % of all cases.  Or the speedup is the ratio of the means, with
 * two standard errors.
 *
 * Pure.  Cost: O(n log n) of n samples for a speedup.
 */
#ifndef IRR_SAMPLES_H
#define IRR_SAMPLES_H

#include "choose/saved.h"

#include <stdbool.h>

#define IRR_SAMPLES_MAX 24

/* Zeroed: none. */
typedef struct irr_samples {
    float  logs[IRR_SAMPLES_MAX];        /* of the ratios */
    int    count;
    double base_sum, base_squares, own_sum, own_squares;   /* of the times */
} irr_samples_t;

/* Adds a pair of times; one more than IRR_SAMPLES_MAX is ignored, and so is a time of nothing. */
void irr_samples_add(irr_samples_t *samples, double base_ns, double own_ns);

/* Returns the speedup over the base, of one sample at least, by the means or by the median. */
irr_speedup_t irr_samples_speedup(const irr_samples_t *samples, bool means);

#endif
