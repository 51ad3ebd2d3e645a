/*
 * irr_choosers.h - a job of a few ranks that choose a strategy, agree by maxima, and exchange at a cost for each way.
 */
#ifndef IRR_CHOOSERS_H
#define IRR_CHOOSERS_H

#include "choose/choice.h"
#include "irr_test.h"

enum { IRR_CHOOSERS_RANKS = 3, IRR_CHOOSERS_LIST = 6, IRR_CHOOSERS_DEPTH = 7 };

typedef struct irr_choosers {
    irr_choice_t choice[IRR_CHOOSERS_RANKS];
    double       ns[1 + IRR_CHOOSERS_LIST];       /* of an exchange by way 0, and by those of the list */
    int          lucky;              /* so many exchanges by way 0, one loses nothing on its way; 0: all alike */
    double       lucky_ns;           /* and takes so long */
    double       doubt;              /* times as long as it takes is expected of each one */
    irr_recall_t recall;       /* what the ranks remember of the list */
    double       first, strategy_ns;   /* what ranks think that opening costs, and what it does */
    int          can_open;           /* of the list */
    int          list[IRR_TRIAL_STRATEGIES];   /* which one of it is in a slot; 0: strategy 0 */
    uint64_t     bytes;
    double       agreement;          /* what it takes */
    double       own, took;          /* what strategy 0 would have taken so far, and what was taken */
    int          opened, settled, agreements;
    int          disturbed, disturbed_to;   /* exchanges between these take ten times as long */
    uint64_t     *counts;   /* for random bytes, up to twice as many, and times in proportion; NULL: not */
    uint64_t     *noise;    /* exchanges take 0.7 to 1.3 times as long, by these random numbers; NULL: not */
    double       saved;              /* what the strategies outside of trials take less than strategy 0 would have */
    int          depth;              /* exchanges under way at a time at most; 0: each ends before the next begins */
    int          open[IRR_CHOOSERS_RANKS];
    irr_choice_turn_t turns[IRR_CHOOSERS_RANKS][IRR_CHOOSERS_DEPTH];   /* of those that are under way */
    uint64_t     times[IRR_CHOOSERS_RANKS][IRR_CHOOSERS_DEPTH];
} irr_choosers_t;

/* Ranks that would spend so much; exchanges by way 0 and by the list take ns[]; so many of the list can be opened. */
irr_choosers_t irr_choosers_of(int percent, const double *ns, int can_open, double first);

/* All ranks exchange so often. */
void irr_choosers_run(irr_choosers_t *job, int calls);

/* The strategy that exchanges go but for trials: its number in the list, from 1 on, or 0. */
int irr_choosers_found(const irr_choosers_t *job);

/* Jobs in which strategy 2 is twice as fast as strategy 0, and in which none is faster. */
extern const double irr_choosers_faster[1 + IRR_CHOOSERS_LIST], irr_choosers_slower[1 + IRR_CHOOSERS_LIST];

#endif
