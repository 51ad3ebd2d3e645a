/*
 * trial.h - which of a few ways is fastest, found by going each in turn in the exchanges that a job does anyway.
 *
 * Successive halving: in a round each way that is left has two stays of some exchanges, whose first one is not timed,
 * because it makes plans and memory that later ones find; in the second half of the round the ways come in reverse
 * order, so that a machine that becomes slower is unfair to none.  Then the ranks agree on the largest sums, the better
 * half of the ways goes on, and stays become twice as long.  Way 0, which is what there was before, is in every round.
 * In the end a way has won if its slower stay was shorter than the faster one of way 0: by more than both spread.
 *
 * All ranks take the same steps, because these follow from the number of exchanges and from sums that are agreed.
 *
 * Pure.  With 4 ways beside way 0: 98 exchanges, 3 agreements.
 */
#ifndef IRR_TRIAL_H
#define IRR_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define IRR_TRIAL_WAYS 5   /* way 0 among them */

/* What the ranks agree on after a round. */
#define IRR_TRIAL_SUMS (2 * IRR_TRIAL_WAYS)

typedef struct irr_trial {
    int      count;                  /* of ways */
    bool     left[IRR_TRIAL_WAYS];   /* not dropped yet */
    int      length;                 /* timed exchanges of a stay */
    int      way;                    /* whose stay it is */
    int      half;                   /* of the round */
    int      done;                   /* exchanges of the stay */
    int      exchanges;              /* of the trial, so far */
    uint64_t sums[IRR_TRIAL_SUMS];   /* nanoseconds of the stays of this round, first halves first */
    double   extra_ns;               /* what the agreed stays took more than way 0 would have */
    double   ratio;                  /* of the last round: the best way's time by that of way 0 */
    int      winner;                 /* in the end */
} irr_trial_t;

/* Begins with so many ways, from 2 on. */
void irr_trial_begin(irr_trial_t *trial, int count);

/* Exchanges by others than way 0 that a trial takes at most. */
int irr_trial_most(int count);

/* Is the next exchange timed? */
static inline bool irr_trial_times(const irr_trial_t *trial)
{
    return trial->done > 0;
}

/* What it took, or anything if it is not timed.  True: the round is over, and the ranks agree on the largest sums. */
bool irr_trial_took(irr_trial_t *trial, uint64_t ns);

/* The agreed sums.  True: the trial is over, and there is a winner. */
bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums);

#endif
