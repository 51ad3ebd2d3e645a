/*
 * saved.h - speedups, and the time that exchanges save by them; each with the interval that its samples span.
 *
 * The speedup of a way over another is the time of the other divided by its own: above 1 it is faster.
 *
 * Pure.
 */
#ifndef IRR_SAVED_H
#define IRR_SAVED_H

typedef struct irr_speedup {
    double is, low, high;
} irr_speedup_t;

/* The least speedup that counts as a gain: noise stays below it, and a change for nothing may be one for the worse. */
#define IRR_SPEEDUP_GAIN 1.03

#define IRR_SPEEDUP_NONE ((irr_speedup_t){ 1, 1, 1 })

/* The speedup of the other over the one. */
irr_speedup_t irr_speedup_inverse(const irr_speedup_t *speedup);

/* Of a way over a third one, which the second has a speedup over. */
irr_speedup_t irr_speedup_product(const irr_speedup_t *first, const irr_speedup_t *second);

/* The mean of two measurements, with the samples of both. */
irr_speedup_t irr_speedup_mean(const irr_speedup_t *a, const irr_speedup_t *b);

/* Nanoseconds of exchanges, if each takes as long as one with little in its way, and as the mean of those timed. */
typedef struct irr_cost {
    double least, most;
} irr_cost_t;

/* Nanoseconds that exchanges save; negative: lose. */
typedef struct irr_saved {
    double is, low, high;
} irr_saved_t;

/* Adds exchanges that cost so much at this speedup.  The interval holds what follows from any sample of both. */
void irr_saved_add(irr_saved_t *saved, irr_cost_t cost, const irr_speedup_t *speedup);

#endif
