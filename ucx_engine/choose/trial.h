/*
 * trial.h - finds the fastest of a few strategies by using each of them in exchanges that a job does anyway.
 *
 * One of the strategies is the base, which the job uses so far.  First comes a look at each strategy: a stay of a few
 * exchanges.  The first exchange of a stay is not timed, because it makes plans and memory that later ones find; the
 * shortest of the others counts.  Where exchanges are long, the mean of the base is known, and its look left out.
 * Hopeless strategies are dropped.  More strategies may be added, and looked at.
 *
 * Then come rounds of stays in the order A B B A A B B A, so that a machine that becomes slower is unfair to none.  A
 * stay of a strategy and the stay of the base beside it are one sample of the speedup (choose/samples.h).  Of short
 * exchanges the median counts, and the longest of each four exchanges of a stay is left out: the machine has delayed
 * it.  Of long ones the ratio of the means counts, because what the network delays is part of their cost.
 *
 * After each round the ranks agree on the largest times.  A strategy leaves when its upper bound is no gain of 3 %, or
 * is below the speedup of the best one.  While more than two strategies are left, the better half goes on.  The last
 * one, or of long exchanges the best one, wins when its lower bound is a gain of 3 %; after 24 samples the base wins.
 * A small gain in short exchanges needs 8 samples at least.
 *
 * All ranks take the same steps, because these follow from the number of exchanges and from times that are agreed.
 *
 * Pure.  With 4 strategies beside the base: 20 exchanges of a look, then 60 to 450; of long exchanges 8 and 12 to 52.
 */
#ifndef IRR_TRIAL_H
#define IRR_TRIAL_H

#include "choose/samples.h"

#include <stdbool.h>
#include <stdint.h>

#define IRR_TRIAL_WAYS 9   /* the base among them */

/* Stays of each strategy in a round. */
#define IRR_TRIAL_STAYS 4

/* What the ranks agree on after a round. */
#define IRR_TRIAL_SUMS (IRR_TRIAL_STAYS * IRR_TRIAL_WAYS)

typedef struct irr_trial {
    int      count;                    /* of ways; the base is way 0 */
    bool     left[IRR_TRIAL_WAYS];     /* not dropped yet */
    bool     looked[IRR_TRIAL_WAYS];
    bool     long_ones;                /* exchanges are long: a few tell enough */
    bool     lenient;                  /* way 1 wins as well if its speedup is 1 or more */
    bool     looks;                    /* the round is a look */
    int      length;                   /* timed exchanges of a stay */
    int      warm_up;                  /* and those before, which are not */
    int      way;                      /* whose stay it is */
    int      turn;                     /* of the round: how many stays the ways have had */
    int      done;                     /* exchanges of the stay */
    int      exchanges;                /* of the trial, so far */
    uint64_t sums[IRR_TRIAL_SUMS];     /* nanoseconds of the stays of this round, by turns; in a look of the shortest
                                          exchange */
    uint64_t most[IRR_TRIAL_SUMS];     /* of the longest exchange of a group that has begun, or of a look */
    uint8_t  taken[IRR_TRIAL_SUMS];    /* exchanges of the group */
    double   each_ns[IRR_TRIAL_WAYS];  /* agreed, of an exchange in the last round of a way */
    irr_samples_t samples[IRR_TRIAL_WAYS];    /* of rounds of pairs */
    irr_speedup_t speedups[IRR_TRIAL_WAYS];   /* agreed, over the base */
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

/* Fills what a rank has measured in the round, for the agreement. */
void irr_trial_words(const irr_trial_t *trial, uint64_t words[IRR_TRIAL_SUMS]);

/* Where the time of the next exchange is added, which is over in the same round. */
static inline int irr_trial_sum(const irr_trial_t *trial)
{
    return trial->turn * IRR_TRIAL_WAYS + trial->way;
}

/* What a timed exchange of the round took. */
void irr_trial_took(irr_trial_t *trial, int sum, uint64_t ns);

/* The agreed sums of a look. */
void irr_trial_looked(irr_trial_t *trial, const uint64_t *sums);

/* The agreed sums of a round of pairs.  True: it was the last one, and there is a winner. */
bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums);

/*
 * Begins the next round of pairs, which may take so much more than by the base: what does not fit is dropped, the
 * slowest first.  False: nothing is left, and the base has won.
 */
bool irr_trial_go_on(irr_trial_t *trial, double budget_ns);

#endif
