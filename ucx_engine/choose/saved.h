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

/* Time in ns that exchanges save; negative if they lose time. */
typedef struct irr_saved {
    double is, low, high;
} irr_saved_t;

/*
 * The account of the exchanges by strategies that have replaced B.  B would take the time of an exchange multiplied by
 * the speedup, so the exchange saves its time multiplied by (speedup - 1).  Zeroed: no exchanges.
 */
typedef struct irr_account {
    double      since_ns;   /* time in exchanges whose speedup is not known yet */
    irr_saved_t saved;      /* by earlier exchanges */
} irr_account_t;

/* Sets the speedup of the exchanges since the last call. */
void irr_account_book(irr_account_t *account, const irr_speedup_t *speedup);

/* Returns the time that all exchanges have saved if those since the last booking have this speedup. */
irr_saved_t irr_account_saved(const irr_account_t *account, const irr_speedup_t *speedup);

#endif
