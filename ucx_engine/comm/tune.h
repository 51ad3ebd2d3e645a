/*
 * tune.h - which pace, pieces and lead move a schedule fastest on this network, found by trying.
 *
 * An order on a tree of switches tries a few ways (choose/paced.h) in its first exchanges of a matrix, by successive
 * halving: all ways that are still in run IRR_TUNE_ROUNDS times, then the better half, rounded up, stays in, until one
 * is left.  So most runs go to ways that are close to each other, and few to those that are much slower.  The runs of a
 * way follow each other: TCP's windows are what the last exchange has left, and behind a way that overfills queues the
 * first run of the next one is slow.
 *
 * A run takes as long as its slowest rank.  Better is the way whose middle time of all its runs so far is less: the
 * shortest would flatter a way that is fast only when no packet gets lost, and the longest blame one for what others
 * did to the network just then.  Of two in the middle the lower one counts: before the first halving that is the
 * shorter of two times, so that one disturbance puts no way out; luck is found out later, where rounds follow.
 *
 * Which way comes next is known to all ranks from the number of exchanges and from what agreements have told
 * (comm/schedules.h).  What the user has set is not tried.
 *
 * Cost, for each schedule that is kept: ceil(log2 W) halvings of W ways, an agreement each, and less than
 * IRR_TUNE_ROUNDS * (2 W + log2 W) exchanges; 6 ways take 12 + 6 + 4 = 22 exchanges.
 *
 * Jamieson and Talwalkar, Non-stochastic best arm identification and hyperparameter optimization.
 */
#ifndef IRR_TUNE_H
#define IRR_TUNE_H

#include "choose/paced.h"

#define IRR_TUNE_ROUNDS   2   /* runs of each way that is in, one behind the other; then comes a halving */
#define IRR_TUNE_HALVINGS 3   /* after so many one way is left, at most */
#define IRR_TUNE_RUNS     (IRR_TUNE_ROUNDS * IRR_TUNE_HALVINGS)   /* of a way, at most */
#define IRR_TUNE_WORDS    (IRR_PACED_WAYS_MAX * IRR_TUNE_ROUNDS)     /* of the agreement on a halving, at most */

/* What is known of the ways of a schedule. */
typedef struct irr_tune {
    int      in[IRR_PACED_WAYS_MAX];   /* the ways that are still in, in the order in which they run */
    int      left;      /* how many */
    int      chosen;    /* the last one; -1: still trying */
    int      halvings;  /* that are over */
    unsigned runs;      /* begun since the latest; alike on all ranks, as is all above */
    int      running;   /* the way of the latest run */
    uint64_t times[IRR_PACED_WAYS_MAX][IRR_TUNE_RUNS];   /* ns, of the slowest rank, but since the latest halving of
                                                           this one; UINT64_MAX: it has not ended well */
} irr_tune_t;

/* All ways are in; this one runs first: what was best for other counts, most likely is for these. */
void irr_tune_init(irr_tune_t *tune, int ways, int first);

/* A way cannot run; and none but the first shall. */
void irr_tune_drop(irr_tune_t *tune, int way);
void irr_tune_settle(irr_tune_t *tune);

/* A run begins: the way that it goes.  One whose time will not be told is none of the trial's, and goes the first. */
int irr_tune_begin(irr_tune_t *tune, bool timed);

/* It ended well on this rank after so many ns. */
void irr_tune_end(irr_tune_t *tune, uint64_t ns);

/* Have all ways that are in had their rounds, so that a halving is next? */
bool irr_tune_due(const irr_tune_t *tune);

/*
 * If it is: this rank's times of the runs since the latest one, those of way in[i] from words[i * IRR_TUNE_ROUNDS] on.
 * Returns how many.
 */
size_t irr_tune_times(const irr_tune_t *tune, uint64_t words[IRR_TUNE_WORDS]);

/*
 * words: of each of these times, that of the slowest rank.  The better half stays, and the one listed first of those
 * that are as good.
 */
void irr_tune_halve(irr_tune_t *tune, const uint64_t *words);

/* Of a way that was in at the latest halving: the middle of its times up to there. */
uint64_t irr_tune_middle(const irr_tune_t *tune, int way);

/* A way in words, for people. */
void irr_tune_describe(const irr_way_t *way, char *text, size_t size);

/* Is a way still in? */
bool irr_tune_has(const irr_tune_t *tune, int way);

#endif
