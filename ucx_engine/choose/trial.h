/*
 * trial.h - finds the fastest of a few strategies, by timing exchanges of the job itself.
 *
 * A stay is a number of consecutive exchanges with one strategy.  The base is the current strategy of the job; it is in
 * slot 0, and the other strategies are in slots 1, 2 and so on.
 *
 * 1. A look is one stay of a few exchanges, which sorts out slow strategies.  Each strategy has a look.  The first
 *    exchanges of a stay are not timed, because they touch memory for the first time and build plans that later ones
 *    reuse.  The shortest of the other exchanges counts.  If exchanges are long, the base has no look: its known
 *    mean time is used.  A strategy is hopeless, and dropped, if it takes more than twice as long as the fastest
 *    strategy, the base included.  Other work of the machine may delay all exchanges of a look: if all strategies are
 *    hopeless, the fastest of them has a second, longer look.  The caller may then add strategies, which have a look,
 *    too.
 * 2. Rounds follow the looks.  A round has four turns, and in a turn each strategy has one stay.  The second and the
 *    fourth turn have the reverse order of the first and the third turn.  With a base A and strategies B and C the
 *    order is A B C C B A A B C C B A, so a machine that becomes slower favours no strategy.  The stay of a strategy
 *    and the stay of the base in the same turn are one sample of the speedup (choose/samples.h).  For short exchanges
 *    the speedup is a median, and the longest of each four exchanges of a stay is left out, because other work of the
 *    machine may have delayed it.  For long exchanges the speedup is the ratio of the means, because delays of the
 *    network are part of their cost.
 * 3. After each round the ranks agree on the largest times.  A strategy is dropped if the upper bound of its speedup is
 *    below 1.03 or below the speedup of the best strategy.  While more than two strategies are left, the slower half of
 *    them is dropped.  If the budget does not cover the next round or look, the trial pauses.  The last strategy (for
 *    long exchanges: the best strategy) wins when the lower bound of its speedup is at least 1.03; with short exchanges
 *    and fewer than 8 samples it must be at least 1.2.  After 24 samples the trial ends: the best strategy wins under
 *    the same condition, otherwise the base.
 *
 * A lenient trial compares one strategy with the base, which is the winner of an earlier trial (choose/choice.h).  The
 * limit for both bounds is 1 instead of 1.03.  If exchanges are long, or after 8 samples, a speedup of at least 1 is
 * enough to win, whatever the lower bound is.  The trial ends after 8 samples.
 *
 * All ranks take the same decisions, because these depend only on the number of exchanges and on agreed times.
 *
 * With 4 strategies beside the base, looks take 40 exchanges, and rounds take 60 to 450 exchanges.  If exchanges are
 * long, looks take 8 exchanges, and rounds take 12 to 52.
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

/* LOOKS, ROUNDS: the exchanges of a look or of a round run.  PAUSES: the budget does not cover the next ones yet. */
typedef enum irr_trial_stage { IRR_TRIAL_LOOKS, IRR_TRIAL_ROUNDS, IRR_TRIAL_PAUSES } irr_trial_stage_t;

/* GOES_ON: a look or a round begins.  WAITS: it needs a larger budget.  ENDS: no strategy is left, the base has won. */
typedef enum irr_trial_next { IRR_TRIAL_GOES_ON, IRR_TRIAL_WAITS, IRR_TRIAL_ENDS } irr_trial_next_t;

typedef struct irr_trial {
    irr_trial_stage_t stage;
    int      count;                    /* number of strategies; the base is the first strategy */
    bool     left[IRR_TRIAL_STRATEGIES];   /* by strategy: true if the strategy was not dropped */
    bool     looked[IRR_TRIAL_STRATEGIES];
    bool     long_ones;                /* true: exchanges are long, so a few of them are enough */
    bool     lenient;                  /* the trial is lenient: a speedup of 1 is enough to win */
    bool     doubted[IRR_TRIAL_STRATEGIES];   /* the strategy was hopeless in its first look */
    double   pause_ns;                 /* during a pause: the budget that the next look or round needs */
    int      length;                   /* number of timed exchanges of a stay */
    int      warm_up;                  /* number of untimed exchanges before the timed exchanges of a stay */
    int      strategy;                 /* the strategy of the current stay */
    int      turn;                     /* number of completed stays of each strategy in this round */
    int      done;                     /* number of exchanges of the current stay so far */
    int      exchanges;                /* number of exchanges of the trial so far */
    uint64_t sums[IRR_TRIAL_SUMS];     /* time in ns of each stay of this round; in a look: of its shortest exchange */
    uint64_t most[IRR_TRIAL_SUMS];     /* time in ns of the longest exchange of the current four, or of a look */
    uint8_t  taken[IRR_TRIAL_SUMS];    /* number of exchanges of the current four */
    double   each_ns[IRR_TRIAL_STRATEGIES];  /* agreed time of an exchange by each strategy, in its last round */
    irr_samples_t samples[IRR_TRIAL_STRATEGIES];   /* samples of the rounds after the looks */
    irr_speedup_t speedups[IRR_TRIAL_STRATEGIES];   /* agreed speedups over the base */
    double   extra_ns;                 /* agreed time of the trial minus the time of as many exchanges by the base */
    double   cost_ns;                  /* the part of extra_ns that comes from strategies slower than the base */
    int      winner;                   /* the winner, once the trial has ended */
} irr_trial_t;

/* Begins a trial of `count` strategies, at least 2, with looks.  mean_ns: mean time of an exchange by the base. */
void irr_trial_begin(irr_trial_t *trial, int count, double mean_ns);

/* Adds `more` strategies after the agreement on looks.  Their looks follow. */
void irr_trial_add(irr_trial_t *trial, int more);

/* Returns true if an exchange takes so long that disturbances by other work of the machine are short in comparison. */
bool irr_trial_is_long(double ns);

/* Returns the number of exchanges in a look (see above) at one strategy. */
int irr_trial_look(double mean_ns);

static inline bool irr_trial_times(const irr_trial_t *trial)
{
    return trial->done >= trial->warm_up;
}

/* Begins the next exchange.  Returns true if it is the last one of the round: an agreement on the sums follows. */
bool irr_trial_begins(irr_trial_t *trial);

/* Sets words to the times that this rank has measured in the round, for the agreement. */
void irr_trial_words(const irr_trial_t *trial, uint64_t words[IRR_TRIAL_SUMS]);

/* Returns the index of the sum to which the time of the next exchange is added. */
static inline int irr_trial_sum(const irr_trial_t *trial)
{
    return trial->turn * IRR_TRIAL_STRATEGIES + trial->strategy;
}

/* Adds the time of an exchange, in ns, to a sum. */
void irr_trial_took(irr_trial_t *trial, int sum, uint64_t ns);

/* Evaluates the agreed times of the looks. */
void irr_trial_looked(irr_trial_t *trial, const uint64_t *sums);

/* Evaluates the agreed times of a round.  Returns true if there is a winner. */
bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums);

/*
 * Begins the next round, or repeats looks.  Both may take budget_ns longer than the same number of exchanges by the
 * base.  Drops the slowest strategies until one is left or the budget is sufficient.  If it is not, the trial pauses
 * until the caller calls this function again.
 */
irr_trial_next_t irr_trial_go_on(irr_trial_t *trial, double budget_ns);

#endif
