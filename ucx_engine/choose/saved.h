/*
 * saved.h - speedups, and the time that they save; each with the interval of its samples.
 *
 * The speedup of a strategy over another is the time of the other divided by its own time: above 1 the strategy is
 * faster.
 *
 * Pure.
 */
#ifndef IRR_SAVED_H
#define IRR_SAVED_H

typedef struct irr_speedup {
    double is, low, high;
} irr_speedup_t;

/* The least speedup that counts as a gain: noise stays below it, and a change without a gain may be for the worse. */
#define IRR_SPEEDUP_GAIN 1.03

#define IRR_SPEEDUP_NONE ((irr_speedup_t){ 1, 1, 1 })

/* Returns the speedup of B over A from that of A over B. */
irr_speedup_t irr_speedup_inverse(const irr_speedup_t *speedup);

/* Returns the speedup of A over C from that of A over B and that of B over C. */
irr_speedup_t irr_speedup_product(const irr_speedup_t *first, const irr_speedup_t *second);

/* Returns the mean of two measurements, with the interval of all samples of both. */
irr_speedup_t irr_speedup_mean(const irr_speedup_t *a, const irr_speedup_t *b);

/* Nanoseconds of exchanges, if each takes as long as an undisturbed one, and as long as the mean of the timed ones. */
typedef struct irr_cost {
    double least, most;
} irr_cost_t;

/* Nanoseconds that exchanges save; negative: lose. */
typedef struct irr_saved {
    double is, low, high;
} irr_saved_t;

/* Adds the saving of exchanges with this cost and this speedup.  The interval covers every sample of both. */
void irr_saved_add(irr_saved_t *saved, irr_cost_t cost, const irr_speedup_t *speedup);

#endif
