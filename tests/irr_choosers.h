/*
 * irr_choosers.h - a simulated job of a few ranks that choose a strategy. The ranks agree by maxima, and an exchange by
 * each strategy takes a given time.
 */
#ifndef IRR_CHOOSERS_H
#define IRR_CHOOSERS_H

#include "choose/choice.h"
#include "irr_test.h"

enum { IRR_CHOOSERS_RANKS = 3, IRR_CHOOSERS_LIST = 6, IRR_CHOOSERS_DEPTH = 7 };

typedef struct irr_choosers {
    irr_choice_t choice[IRR_CHOOSERS_RANKS];
    double       ns[1 + IRR_CHOOSERS_LIST];   /* ns of an exchange by strategy 0 and by each of the list */
    int          lucky;                       /* one of `lucky` exchanges by strategy 0 takes lucky_ns; 0: none */
    double       lucky_ns;                    /* time of a lucky exchange */
    double       doubt;                       /* ratio of the predicted times to the real times */
    irr_recall_t recall;                      /* remembered speedups of the list */
    double       first, strategy_ns;          /* ns of the first setup, and of each strategy in a setup */
    int          can_open;                    /* number of strategies of the list that can be set up */
    int          list[IRR_TRIAL_STRATEGIES];  /* index in the list by slot; 0: strategy 0 */
    uint64_t     bytes;
    double       agreement;                   /* time of an agreement in ns */
    double       own, took;                   /* total ns: as if all exchanges used strategy 0, and as run */
    int          opened, settled, agreements;
    int          disturbed, disturbed_to;     /* exchanges with these numbers take ten times as long */
    int          cold;      /* the first exchanges by each strategy take ten times as long; their number */
    int          uses[1 + IRR_CHOOSERS_LIST];   /* number of exchanges by strategy 0 and by each of the list */
    uint64_t     *counts;   /* state of random numbers that scale bytes and times by up to 2; NULL: no scaling */
    uint64_t     *noise;    /* state of random numbers by which exchanges take 0.7 to 1.3 times as long; NULL: none */
    double       used;      /* time in exchanges by the current strategy, unless it is strategy 0 */
    double       saved;     /* time that these exchanges save compared to strategy 0, without disturbances */
    int          depth;     /* largest number of exchanges in progress at a time; 0 means 1 */
    int          open[IRR_CHOOSERS_RANKS];
    irr_choice_timing_t timing[IRR_CHOOSERS_RANKS][IRR_CHOOSERS_DEPTH];   /* the exchanges in progress */
    uint64_t     times[IRR_CHOOSERS_RANKS][IRR_CHOOSERS_DEPTH];
} irr_choosers_t;

/*
 * Returns a job whose ranks may spend `percent` of the time on setups and trials. ns[]: times of an exchange by
 * strategy 0 and by each strategy of the list. can_open: number of strategies of the list that can be set up.
 */
irr_choosers_t irr_choosers_of(int percent, const double *ns, int can_open, double first);

/* Runs `calls` exchanges on all ranks. */
void irr_choosers_run(irr_choosers_t *job, int calls);

/*
 * Returns the number of the strategy that exchanges outside of trials use: 0, or the position in the list, counted from
 * 1.
 */
int irr_choosers_found(const irr_choosers_t *job);

/*
 * irr_choosers_faster: times by which strategy 2 is twice as fast as strategy 0. irr_choosers_slower: times by which no
 * strategy is faster than strategy 0.
 */
extern const double irr_choosers_faster[1 + IRR_CHOOSERS_LIST], irr_choosers_slower[1 + IRR_CHOOSERS_LIST];

#endif
