/*
 * tune.h - which pace, pieces and lead move a schedule fastest on this network, found by trying.
 *
 * What is best depends on the rate, on queues, and on how fast processes answer; no constant is right everywhere.  So
 * an order on a tree of switches tries a few ways in its first exchanges of a matrix.  It does so by successive
 * halving: all ways that are still in run IRR_TUNE_ROUNDS times, in turn, then the better half, rounded up, stays in,
 * until one is left.  So most runs go to ways that are close to each other, and few to those that are much slower.
 *
 * Better is the way whose middle time, of the slowest rank, is less; the middle is that of all its times so far, for
 * the shortest of many would flatter a way that is fast only when no packet gets lost, and the longest blame one for
 * what others did to the network just then.  Of two in the middle the lower one counts: before the first halving that
 * is the shorter of two times, so that one disturbance puts no way out; luck is found out later, where rounds follow.
 *
 * Which way comes next is known to all ranks from the number of exchanges and from what consensuses have told
 * (comm/schedules.h).  What the user has set is not tried.
 *
 * Cost, for each schedule that is kept: ceil(log2 W) halvings of W ways, a consensus each, and less than
 * IRR_TUNE_ROUNDS * (2 W + log2 W) exchanges; 5 ways take 10 + 6 + 4 = 20 exchanges.
 *
 * Jamieson and Talwalkar, Non-stochastic best arm identification and hyperparameter optimization.
 */
#ifndef IRR_TUNE_H
#define IRR_TUNE_H

#include "pace/pace.h"

#define IRR_TUNE_WAYS_MAX 5
#define IRR_TUNE_ROUNDS   2   /* in each of them a way that is in runs once; then comes a halving */
#define IRR_TUNE_HALVINGS 3   /* after so many one way is left, at most */
#define IRR_TUNE_RUNS     (IRR_TUNE_ROUNDS * IRR_TUNE_HALVINGS)   /* of a way, at most */

/* How a schedule runs. */
typedef struct irr_tune_way {
    const irr_pace_t *pace;
    size_t            grants;
    size_t            piece_max;   /* bytes of a message; 0: no limit */
    size_t            lead;        /* of the pace sync */
} irr_tune_way_t;

/* What is known of the ways of a schedule. */
typedef struct irr_tune {
    int      ways;
    int      in[IRR_TUNE_WAYS_MAX];   /* the ways that are still in, ascending */
    int      left;      /* how many */
    int      chosen;    /* the last one; -1: still trying */
    int      halvings;  /* that are over */
    unsigned runs;      /* begun since the latest; alike on all ranks, as is all above */
    int      running;   /* the way of the latest run */
    uint64_t times[IRR_TUNE_WAYS_MAX][IRR_TUNE_RUNS];   /* ns, of this rank; UINT64_MAX: it has not ended well */
} irr_tune_t;

/*
 * Messages of at most so many bytes may go without any pace: a switch has room for most of them, and what gets lost
 * is soon sent again.  At one switch of 100 Mbit/s this holds up to 64 KiB; at 256 KiB senders wait for timeouts.
 * Where it does not hold, the trial finds out.
 */
#define IRR_TUNE_SHORT 65536

/* With more ranks it takes seconds to find out which messages meet, so pace sync is only what a user asks for. */
#define IRR_TUNE_SYNC_RANKS 512

/*
 * All ways that settings leave open, the likely best first; how many.  tries: more than one may be returned, and the
 * last one may be free, for schedules whose messages are all short.
 */
int irr_tune_ways(const irr_settings_t *settings, irr_pacing_t pacing, bool tries, int ranks,
                  irr_tune_way_t ways[IRR_TUNE_WAYS_MAX]);

void irr_tune_init(irr_tune_t *tune, int ways);

/* A run begins: the way that it goes. */
int irr_tune_begin(irr_tune_t *tune);

/* It ended well on this rank after so many ns. */
void irr_tune_end(irr_tune_t *tune, uint64_t ns);

/* Have all ways that are in had their rounds, so that a halving is next? */
bool irr_tune_due(const irr_tune_t *tune);

/* If it is: the middle time of each way on this rank; those that are not in, or not there, have UINT64_MAX. */
void irr_tune_middle(const irr_tune_t *tune, uint64_t times[IRR_TUNE_WAYS_MAX]);

/*
 * The better half stays, and the one listed first of those that are as good.  times: of the middle times of each way,
 * that of the slowest rank.
 */
void irr_tune_halve(irr_tune_t *tune, const uint64_t *times);

/* Is a way still in? */
bool irr_tune_has(const irr_tune_t *tune, int way);

#endif
