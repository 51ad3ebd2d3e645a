/*
 * trial.h - which of a few ways is fastest, found by going each in turn in the exchanges that a job does anyway.
 *
 * One of the ways is the base, the one gone so far.  First comes a look at each way: a stay of a few exchanges, whose
 * first one is not timed, because it makes plans and memory that later ones find; the shortest of the others counts.
 * Where exchanges are long the mean of the base is known, and its look left out; of short ones a few say nothing beside
 * more of them.  Ways that are hopeless are dropped.  More ways may be added, and looked at.  Then successive halving:
 * in a round each way that is left has two stays of some exchanges, whose sum counts; in the second half of the round
 * the ways come in reverse order, so that a machine that becomes slower is unfair to none.  After each round the ranks
 * agree on the largest times, and the better half of the ways goes on.  With two left or one, the base is in the round,
 * and it is the last one: the best has won if its slower stay was shorter than the faster one of the base, by more than
 * both spread, and by 3 % at least.  If only its sum is less, both are tried once more in stays of twice the length, up
 * to 8 exchanges.  Short exchanges differ by as much as ways do: of these a gain of less than a fifth is tried in stays
 * of up to 32, which costs next to nothing.
 *
 * All ranks take the same steps, because these follow from the number of exchanges and from times that are agreed.
 *
 * Pure.  With 4 ways beside the base: 20 exchanges of a look, then 54, and 200 more for a small gain; where they are
 * long, 8 and 12.
 */
#ifndef IRR_TRIAL_H
#define IRR_TRIAL_H

#include "choose/saved.h"

#include <stdbool.h>
#include <stdint.h>

#define IRR_TRIAL_WAYS 9   /* the base among them */

/* What the ranks agree on after a round. */
#define IRR_TRIAL_SUMS (2 * IRR_TRIAL_WAYS)

typedef struct irr_trial {
    int      count;                    /* of ways; the base is way 0 */
    bool     left[IRR_TRIAL_WAYS];     /* not dropped yet */
    bool     looked[IRR_TRIAL_WAYS];
    bool     long_ones;                /* exchanges are long: a few tell enough */
    bool     lenient;                  /* way 1 wins as well if its speedup is 1 or more */
    bool     looks;                    /* the round is a look, else one of halving, */
    bool     last;                     /* and that the last one */
    int      length;                   /* timed exchanges of a stay */
    int      warm_up;                  /* and those before, which are not */
    int      way;                      /* whose stay it is */
    int      half;                     /* of the round */
    int      done;                     /* exchanges of the stay */
    int      exchanges;                /* of the trial, so far */
    uint64_t sums[IRR_TRIAL_SUMS];     /* nanoseconds of the stays of this round, first halves first; in a look those
                                          of the shortest exchange, times `length`, and of the longest */
    double   each_ns[IRR_TRIAL_WAYS];  /* agreed, of an exchange in the last round of a way */
    irr_speedup_t speedups[IRR_TRIAL_WAYS];   /* agreed, over the base, in the last round of a way */
    double   extra_ns;                 /* what the agreed stays took more than the base would have; negative: less */
    double   cost_ns;                  /* the same of ways that took more */
    int      winner;                   /* in the end */
} irr_trial_t;

/* Begins with looks at so many ways, from 2 on; an exchange by the base takes about so long. */
void irr_trial_begin(irr_trial_t *trial, int count, double mean_ns);

/* After a look was agreed: so many more ways are looked at. */
void irr_trial_add(irr_trial_t *trial, int more);

/* Does an exchange take so long that what else the machine does is short beside it? */
bool irr_trial_is_long(double ns);

/* Exchanges of a look at one way. */
int irr_trial_look(double mean_ns);

/* Is the next exchange timed? */
static inline bool irr_trial_times(const irr_trial_t *trial)
{
    return trial->done >= trial->warm_up;
}

/* The next exchange begins.  True: it is the last one of the round; when all are over the ranks agree on the sums. */
bool irr_trial_begins(irr_trial_t *trial);

/* Where the time of the next exchange is added, which is over in the same round. */
static inline int irr_trial_sum(const irr_trial_t *trial)
{
    return trial->half * IRR_TRIAL_WAYS + trial->way;
}

/* What a timed exchange of the round took. */
void irr_trial_took(irr_trial_t *trial, int sum, uint64_t ns);

/* The agreed sums of a look. */
void irr_trial_looked(irr_trial_t *trial, const uint64_t *sums);

/* The agreed sums of a round of halving.  True: it was the last one, and there is a winner. */
bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums);

/*
 * Begins the next round of halving, which may take so much more than by the base: what does not fit is dropped, the
 * slowest first.  False: nothing is left, and the base has won.
 */
bool irr_trial_go_on(irr_trial_t *trial, double budget_ns);

#endif
