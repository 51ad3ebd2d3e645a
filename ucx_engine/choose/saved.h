/*
 * saved.h - speedups, and the time that they save.  Both have an estimate, `is`, and bounds, `low` and `high`.
 *
 * The speedup of strategy A over strategy B is the time of B divided by the time of A.  If it is above 1, A is faster.
 */
#ifndef IRR_SAVED_H
#define IRR_SAVED_H

typedef struct irr_speedup {
    double is, low, high;
} irr_speedup_t;

/* The least speedup that counts as a gain.  Speedups below it may be noise. */
#define IRR_SPEEDUP_GAIN 1.03

#define IRR_SPEEDUP_NONE ((irr_speedup_t){ 1, 1, 1 })

/* Returns the speedup of B over A. speedup: the speedup of A over B. */
irr_speedup_t irr_speedup_inverse(const irr_speedup_t *speedup);

/* Returns the speedup of A over C. first: the speedup of A over B; second: the speedup of B over C. */
irr_speedup_t irr_speedup_product(const irr_speedup_t *first, const irr_speedup_t *second);

/* Returns the mean of two measurements.  Its bounds enclose the bounds of both. */
irr_speedup_t irr_speedup_mean(const irr_speedup_t *a, const irr_speedup_t *b);

/*
 * Bounds, in ns, of the time of a number of exchanges.  For `least`, each exchange takes the time of an undisturbed
 * exchange; for `most`, the mean time of the timed exchanges.
 */
typedef struct irr_cost {
    double least, most;
} irr_cost_t;

/* Time in ns that exchanges save; negative if they lose time. */
typedef struct irr_saved {
    double is, low, high;
} irr_saved_t;

/*
 * Adds the saving of exchanges with this cost and this speedup.  The bounds are those of the worst and the best case of
 * cost and speedup together.
 */
void irr_saved_add(irr_saved_t *saved, irr_cost_t cost, const irr_speedup_t *speedup);

#endif
