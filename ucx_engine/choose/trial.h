/*
 * trial.h - finds the fastest of a few strategies, by exchanges of the job itself.
 *
 * A stay is a run of consecutive exchanges with one strategy.  The base is the current strategy of the job.
 *
 * 1. A look at each strategy: one stay of a few exchanges.  The first exchange of a stay is not timed, because it
 *    builds plans and memory that later ones reuse; the shortest of the others counts.  If exchanges are long, the mean
 *    time of the base is known, and the base has no look.  Hopeless strategies are dropped.  More strategies may be
 *    added, and looked at.
 * 2. Rounds of stays in the order A B B A A B B A, so that a machine that becomes slower favours no strategy.  A stay
 *    of a strategy and the adjacent stay of the base are one sample of the speedup (choose/samples.h).  For short
 *    exchanges the median counts, and the longest of each four exchanges of a stay is left out, because the machine has
 *    delayed it.  For long ones the ratio of the means counts, because the network's delays are part of their cost.
 * 3. After each round the ranks agree on the largest times.  A strategy leaves if its upper bound is no gain of 3 %, or
 *    is below the speedup of the best one.  While more than two strategies are left, only the better half stays.  The
 *    last one (for long exchanges the best one) wins when its lower bound is a gain of 3 %; after 24 samples the base
 *    wins.  A small gain in short exchanges needs 8 samples at least.
 *
 * All ranks take the same steps, because these follow from the number of exchanges and from agreed times.
 *
 * Pure.  Cost with 4 strategies beside the base: looks of 20 exchanges, then 60 to 450; with long exchanges 8, then 12
 * to 52.
 */
#ifndef IRR_TRIAL_H
#define IRR_TRIAL_H

#include "choose/samples.h"

#include <stdbool.h>
#include <stdint.h>

#define IRR_TRIAL_STRATEGIES 9   /* including the base */

/* Stays of each strategy in a round. */
#define IRR_TRIAL_STAYS 4

/* Words that the ranks agree on after a round. */
#define IRR_TRIAL_SUMS (IRR_TRIAL_STAYS * IRR_TRIAL_STRATEGIES)

typedef struct irr_trial {
    int      count;                    /* number of strategies; the base is the first strategy */
    bool     left[IRR_TRIAL_STRATEGIES];   /* by strategy: true if it was not dropped */
    bool     looked[IRR_TRIAL_STRATEGIES];
    bool     long_ones;                /* true: exchanges are long, and a few of them are enough */
    bool     lenient;                  /* a speedup of 1 is enough to win */
    bool     looks;                    /* the current round is a look */
    int      length;                   /* number of timed exchanges of a stay */
    int      warm_up;                  /* number of untimed exchanges before the timed exchanges of a stay */
    int      strategy;                 /* the strategy of the current stay */
    int      turn;                     /* number of completed stays of each strategy in this round */
    int      done;                     /* number of exchanges of the current stay so far */
    int      exchanges;                /* number of exchanges of the trial so far */
    uint64_t sums[IRR_TRIAL_SUMS];     /* nanoseconds of this round's stays, by turns; in a look, of the shortest
                                          exchange */
    uint64_t most[IRR_TRIAL_SUMS];     /* nanoseconds of the longest exchange of the current group, or of a look */
    uint8_t  taken[IRR_TRIAL_SUMS];    /* exchanges of the current group */
    double   each_ns[IRR_TRIAL_STRATEGIES];  /* agreed time of an exchange by each strategy, in its last round */
    irr_samples_t samples[IRR_TRIAL_STRATEGIES];   /* samples of the rounds of pairs */
    irr_speedup_t speedups[IRR_TRIAL_STRATEGIES];   /* agreed speedups over the base */
    double   extra_ns;                 /* agreed time in excess of the base; negative: less */
    double   cost_ns;                  /* the part of extra_ns of strategies slower than the base */
    int      winner;                   /* the winner, once the trial has ended */
} irr_trial_t;

/* Begins with looks at `count` strategies, 2 at least.  mean_ns: the time of an exchange by the base. */
void irr_trial_begin(irr_trial_t *trial, int count, double mean_ns);

/* Adds strategies after the agreement on a look; a look at them follows. */
void irr_trial_add(irr_trial_t *trial, int more);

/* Returns whether an exchange takes so long that disturbances by other work of the machine are short in comparison. */
bool irr_trial_is_long(double ns);

/* Returns the number of exchanges of a look at one strategy. */
int irr_trial_look(double mean_ns);

/* Returns whether the next exchange is timed. */
static inline bool irr_trial_times(const irr_trial_t *trial)
{
    return trial->done >= trial->warm_up;
}

/* Begins the next exchange.  Returns true if it is the last one of the round: an agreement on the sums follows. */
bool irr_trial_begins(irr_trial_t *trial);

/* Fills what a rank has measured in the round, for the agreement. */
void irr_trial_words(const irr_trial_t *trial, uint64_t words[IRR_TRIAL_SUMS]);

/* Returns the sum to which the time of the next exchange is added. */
static inline int irr_trial_sum(const irr_trial_t *trial)
{
    return trial->turn * IRR_TRIAL_STRATEGIES + trial->strategy;
}

/* Adds the time of an exchange. */
void irr_trial_took(irr_trial_t *trial, int sum, uint64_t ns);

/* Takes the agreed sums of a look. */
void irr_trial_looked(irr_trial_t *trial, const uint64_t *sums);

/* Takes the agreed sums of a round of pairs.  Returns true if there is a winner. */
bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums);

/*
 * Begins the next round of pairs, which may take budget_ns longer than with the base alone.  Drops the slowest
 * strategies until the round fits.  Returns false if none is left: the base has won.
 */
bool irr_trial_go_on(irr_trial_t *trial, double budget_ns);

#endif
