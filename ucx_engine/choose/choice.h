/*
 * choice.h - chooses the strategy of a communicator's exchanges if the user has not chosen an algorithm.  Strategy 0 is
 * Open MPI's implementation, and serves the first exchanges.  Trials compare other strategies with it, and their winner
 * serves later exchanges.  The cost of trials is limited to a percentage of the time of the exchanges, the share.
 *
 * After a number of exchanges that all ranks know, the ranks run an agreement (a reduction).  Each rank times the last
 * few exchanges before the agreement, and the ranks agree on the largest time and on the load: the numbers and bytes of
 * messages.  The largest time gives the cost of the exchanges so far.  The budget for trials is the share of this cost,
 * plus half of the time that exchanges have certainly saved, minus the time already spent.
 *
 * The caller lists strategies that may be faster, the most promising first (choose/candidates.h), and opens as many of
 * them as the budget allows.  A trial compares the open strategies with the current strategy (choose/trial.h).  If the
 * budget is spent before the trial has ended, the trial pauses for some epochs.  The winner becomes the current
 * strategy.  Later trials compare it with the rest of the list, as the budget allows.
 *
 * An epoch is the time from one agreement to the next.  The next agreement takes place when the budget is likely to
 * suffice for a trial.  An epoch has at most as many exchanges as there were before it.  With any strategy except
 * strategy 0 it has at most 256, unless agreements would then take more than a quarter of the share.
 *
 * Counts may change from exchange to exchange.  In a trial a rank therefore scales the time of each exchange to the
 * mean size of an exchange before the trial.  The size is the number of bytes that the rank sends and receives, plus a
 * constant for each message.
 *
 * When the number of exchanges has grown by a factor of four since the last trial, a check (a trial of two strategies)
 * compares the winner with strategy 0 again.  A trial without a clear result is repeated sooner.  When the number of
 * messages or bytes has doubled or halved, a check and a new list follow at once.
 *
 * If any rank knows lessons (results of earlier trials, choose/lessons.h), the ranks agree on them whenever strategies
 * are listed.  A strategy becomes the current strategy without a trial if the lessons of all ranks show a gain, and the
 * expected saving is larger than the cost of opening the strategy.
 *
 * The caller runs the exchanges with these strategies, and carries out the acts of irr_choice_act_t.  All ranks take
 * the same decisions, because decisions depend only on numbers of exchanges and on agreed maxima.
 *
 * Cost: O(1) time for an exchange.
 */
#ifndef IRR_CHOICE_H
#define IRR_CHOICE_H

#include "choose/lessons.h"
#include "choose/trial.h"

/* Number of exchanges that are timed before an agreement. */
#define IRR_CHOICE_TIMED 8

/* The messages of a rank to and from other ranks in an exchange. */
typedef struct irr_choice_load {
    uint64_t sends, receives;   /* numbers of messages that are not empty */
    uint64_t sent, received;    /* bytes of these messages */
    uint64_t longest;           /* bytes of the longest message */
} irr_choice_load_t;

/* Estimated cost of opening, in nanoseconds: once for all strategies, and for each strategy. */
typedef struct irr_choice_setup {
    uint64_t first, strategy;
} irr_choice_setup_t;

/*
 * The words of the agreement: each word becomes its maximum over all ranks.  The word for thrift is a constant minus
 * the share, and the word for haste is a constant minus the duration of the agreement; their maxima therefore give the
 * least share and the least duration.  A trial does not use the times of exchanges and the load; only a trial uses the
 * sums.
 */
enum {
    IRR_CHOICE_THRIFT, IRR_CHOICE_NS, IRR_CHOICE_MEAN_NS, IRR_CHOICE_HASTE, IRR_CHOICE_SPENT_NS, IRR_CHOICE_FIRST_NS,
    IRR_CHOICE_STRATEGY_NS, IRR_CHOICE_NODE_RANKS, IRR_CHOICE_CROWDED, IRR_CHOICE_SENDS, IRR_CHOICE_RECEIVES,
    IRR_CHOICE_SENT, IRR_CHOICE_RECEIVED, IRR_CHOICE_LONGEST, IRR_CHOICE_REMEMBERS, IRR_CHOICE_SUMS,
    IRR_CHOICE_WORDS = IRR_CHOICE_SUMS + IRR_TRIAL_SUMS
};

/*
 * BETWEEN: no trial has begun since the last one ended.  TRIES: the exchanges are those of a trial.  PAUSED: a trial
 * waits for the budget, and all exchanges use the current strategy; the strategies of the trial stay open.
 */
typedef enum irr_choice_phase { IRR_CHOICE_BETWEEN, IRR_CHOICE_TRIES, IRR_CHOICE_PAUSED } irr_choice_phase_t;

/* The next act of the caller. */
typedef enum irr_choice_act {
    IRR_CHOICE_GOES_ON,
    IRR_CHOICE_LISTS,    /* list strategies for the agreed load, then call irr_choice_listed */
    IRR_CHOICE_OPENS,    /* open `opens` strategies of the list, from `next` on, then call irr_choice_opened */
    IRR_CHOICE_SETTLES   /* close all strategies except `strategy`, then call irr_choice_settled */
} irr_choice_act_t;

typedef struct irr_choice {
    bool              early;       /* the first agreement follows the first exchange */
    uint32_t          percent;     /* this rank's limit of the cost of trials, in percent of the cost of exchanges */
    double            share;       /* the least limit of all ranks, as a fraction */
    double            cost_ns, spent_ns;
    double            trials_ns;   /* part of spent_ns: additional time of the exchanges in trials */
    irr_account_t     account;     /* by agreed times, for the budget */
    irr_account_t     own_account; /* by this rank's times, for the user */
    double            mean_ns;     /* time of an undisturbed exchange in the last epoch */
    irr_choice_setup_t setup;      /* agreed costs of opening */
    double            agreement_ns;   /* time of the last agreement */
    double            usual_agreement_ns;   /* mean time of recent agreements; 0: unknown */
    uint64_t          calls;       /* exchanges that have begun */
    uint64_t          due;         /* number of exchanges after which the ranks agree */
    uint64_t          agreed;      /* number of exchanges at the last agreement */
    uint64_t          again;       /* number of exchanges after which the winner is checked again */
    bool              listed;      /* strategies were listed at least once */
    bool              relists;     /* a new list follows the check of the winner */
    bool              checks;      /* a check of the winner follows */
    bool              remembers;   /* some rank knows lessons: the ranks agree on lessons when they list strategies */
    irr_recall_t      recall;      /* the lessons that the ranks agreed on when strategies were last listed */
    bool              recalls;     /* the first strategy of the list becomes the current one as soon as it is open */
    int               losses;      /* trials of this load that strategy 0 has won */
    bool              recalled;    /* the current strategy was taken from lessons, and has had no verdict since */
    irr_choice_phase_t phase;
    int               strategy;    /* the current strategy; a trial also uses others */
    irr_speedup_t     speedup;     /* speedup of the current strategy over strategy 0, by its last verdict */
    double            best;        /* highest speedup of the other strategies since the last list; 0: no trial */
    double            lost;        /* speedup of the strategy that lost the last check; 0: no strategy has lost */
    int               list;        /* number of strategies in the list */
    int               next;        /* index of the first strategy of the list that has not been tried */
    int               opens;       /* number of strategies of the list to open now */
    double            ratios[IRR_CANDIDATES_MAX];   /* expected times of listed strategies, relative to strategy 0 */
    int               slots[IRR_TRIAL_STRATEGIES];   /* the strategy in each slot of the trial; see trial.h */
    int               tried;       /* number of strategies in all trials so far */
    uint64_t          exchanges;   /* number of exchanges in all trials so far */
    uint64_t          own_ns;      /* time of the shortest of this rank's timed exchanges since the last agreement */
    uint64_t          own_sum_ns;  /* sum of the times of these exchanges */
    uint64_t          own_timed;   /* number of these exchanges */
    uint64_t          own_spent_ns, own_agreement_ns;
    int               own_node_ranks, node_ranks;   /* number of ranks on this rank's node; the agreed maximum */
    bool              own_crowded, crowded;   /* this rank's node, or any node, has more processes than processors */
    irr_choice_load_t own;         /* load of all timed exchanges together */
    double            own_size;    /* mean size of an exchange before the trial */
    irr_choice_load_t load;        /* agreed load of an exchange */
    irr_choice_load_t settled;     /* the load for which strategies were listed */
    irr_trial_t       trial;       /* the current or last trial; once judged, its speedups are relative to strategy 0 */
} irr_choice_t;

/* How an exchange is timed: irr_choice_begin returns it, and irr_choice_end needs it. */
typedef struct irr_choice_timing {
    int      strategy;   /* strategy of the exchange: strategy 0, or an open one */
    bool     timed;
    bool     due;        /* an agreement follows the exchange */
    int      sum;        /* index of the sum of the trial to which the time is added; -1: none */
    uint64_t epoch;      /* without a trial: the epoch of the exchange, which is the value of `due` in irr_choice_t */
} irr_choice_timing_t;

/*
 * Initialises a choice.  percent: this rank's limit of the cost of trials, in percent of the cost of exchanges.  early,
 * equal on all ranks: the first agreement follows the first exchange.
 */
void irr_choice_init(irr_choice_t *choice, uint32_t percent, bool early);

/*
 * Makes strategy 1 the current strategy before the first exchange.  All ranks must call this function, and strategy 1
 * must be open.  speedup: its speedup over strategy 0, measured on another communicator.  A check follows the first
 * agreement.
 */
void irr_choice_found(irr_choice_t *choice, const irr_speedup_t *speedup);

/*
 * Sets the number of ranks on the node of this rank, before an agreement.  crowded: the node has more processes than
 * processors.  one_node, equal on all ranks: all ranks are on one node.  Returns false if the first agreement is
 * postponed.  Because these values are expensive to find, the caller calls this function only if an agreement is due.
 */
bool irr_choice_node_set(irr_choice_t *choice, bool one_node, int node_ranks, bool crowded);

/* Returns true if the exchanges are those of a trial. */
static inline bool irr_choice_tries(const irr_choice_t *choice)
{
    return choice->phase == IRR_CHOICE_TRIES;
}

/* Returns true if a trial has begun and not ended.  It may be paused. */
static inline bool irr_choice_has_trial(const irr_choice_t *choice)
{
    return choice->phase != IRR_CHOICE_BETWEEN;
}

/* Returns the strategy of the next exchange: 0, or one that is open. */
static inline int irr_choice_strategy(const irr_choice_t *choice)
{
    return irr_choice_tries(choice) ? choice->slots[choice->trial.strategy] : choice->strategy;
}

/*
 * Begins the next exchange if it uses the current strategy, is not timed, and no agreement follows.  Otherwise returns
 * false, and the caller must call irr_choice_begin.
 */
static inline bool irr_choice_goes_on(irr_choice_t *choice)
{
    if (irr_choice_tries(choice) || choice->calls + IRR_CHOICE_TIMED >= choice->due) {
        return false;
    }
    choice->calls++;
    return true;
}

/*
 * Begins the next exchange.  Several exchanges may run at the same time.  If `due` is set in the result, the exchange
 * after this one may begin only when all exchanges are complete and the ranks have agreed.
 */
irr_choice_timing_t irr_choice_begin(irr_choice_t *choice);

/* Ends a timed exchange.  ns, load: time in ns and load of the exchange on this rank. */
void irr_choice_end(irr_choice_t *choice, const irr_choice_timing_t *timing, uint64_t ns,
                    const irr_choice_load_t *load);

/* Fills this rank's words for the agreement. */
void irr_choice_words(const irr_choice_t *choice, const irr_choice_setup_t *setup, uint64_t words[IRR_CHOICE_WORDS]);

/* Evaluates the agreed maxima of the words, and returns the next act. */
irr_choice_act_t irr_choice_agreed(irr_choice_t *choice, const uint64_t words[IRR_CHOICE_WORDS]);

/*
 * Sets the list to `count` strategies, at most IRR_CANDIDATES_MAX.  ratios: their expected times relative to strategy
 * 0.  recall: the results of the lessons of all ranks for these strategies.
 */
irr_choice_act_t irr_choice_listed(irr_choice_t *choice, const double *ratios, int count, const irr_recall_t *recall);

/*
 * Adds strategies to the trial after the caller has opened them.  strategies: their number; if it is less than `opens`,
 * no more strategies can be opened.
 */
irr_choice_act_t irr_choice_opened(irr_choice_t *choice, int strategies);

irr_choice_act_t irr_choice_settled(irr_choice_t *choice);

/* Adds the time that this rank has taken to open strategies. */
static inline void irr_choice_spent(irr_choice_t *choice, uint64_t ns)
{
    choice->own_spent_ns += ns;
}

/* Records the duration of the last agreement in ns: the least duration of all ranks. */
void irr_choice_agreement_took(irr_choice_t *choice, double ns);

/* Records an agreement of the caller, which is not one of irr_choice_agreed, and its least duration of all ranks. */
static inline void irr_choice_paid(irr_choice_t *choice, double ns)
{
    irr_choice_agreement_took(choice, ns);
    choice->spent_ns += ns;
}

/*
 * Records this rank's duration of the agreement in ns.  The ranks use their least duration, because the rank that
 * arrives last does not wait for others.
 */
static inline void irr_choice_waited(irr_choice_t *choice, uint64_t ns)
{
    choice->own_agreement_ns = ns;
}

/* Returns the number of exchanges before the first agreement; one_node: all ranks are on one node. */
int irr_choice_first(bool one_node);

/* Returns the number, 1 to IRR_TRIAL_STRATEGIES - 1, that the i-th strategy gets when it is opened. */
int irr_choice_slot(const irr_choice_t *choice, int i);

/* ---- budget.c; times in nanoseconds ---- */

/* Returns the time left to spend on agreements, openings and trials; negative if too much was spent. */
double irr_choice_budget(const irr_choice_t *choice);

/* Returns the time by which an exchange by the current strategy raises the budget. */
double irr_choice_earning(const irr_choice_t *choice);

/*
 * Returns how much longer a look (choose/trial.h) at a strategy takes than as many exchanges by the current strategy.
 * ratio: the expected time of the strategy relative to strategy 0.
 */
double irr_choice_look(const irr_choice_t *choice, double ratio);

/* Returns the cost of opening the next strategies of the list and of looking at them. */
double irr_choice_next(const irr_choice_t *choice, int strategies);

/* Returns the number of strategies of the list to open next, limited by the budget and by the free slots. */
int irr_choice_payable(const irr_choice_t *choice);

/* The budget after the exchanges so far. */
typedef struct irr_choice_funds {
    double   cost;      /* cost of the exchanges */
    double   spent;     /* time spent on agreements, openings and trials */
    double   budget;    /* time left to spend; negative: too much was spent */
    double   wanted;    /* cost of the next trial; 0: no strategy is left to try */
    uint64_t calls;     /* estimated number of further exchanges until the budget covers the next trial; 0: unknown */
} irr_choice_funds_t;

irr_choice_funds_t irr_choice_funds(const irr_choice_t *choice);

/* ---- load.c ---- */

/* Returns the size of an exchange of this load, in bytes. */
double irr_choice_load_size(const irr_choice_load_t *load);

/* Returns whether one load has at least about twice as many messages or bytes as the other. */
bool irr_choice_load_differs(const irr_choice_load_t *a, const irr_choice_load_t *b);

/* Returns the agreed load of an exchange as traffic of `ranks` ranks; sparse: of a neighborhood collective. */
irr_traffic_t irr_choice_traffic(const irr_choice_t *choice, int ranks, bool sparse);

/* ---- verdict.c ---- */

/*
 * Adds the time that an exchange by the current strategy took on this rank.  Not for exchanges by other strategies in
 * trials, nor for exchanges by strategy 0: these save nothing.
 */
static inline void irr_choice_used(irr_choice_t *choice, uint64_t ns)
{
    choice->own_account.since_ns += (double)ns;
}

/*
 * Returns the time in ns that exchanges have saved on this rank until now, as irr_choice_used has counted them.  It
 * does not include the costs of agreements, of openings and of trials.
 */
irr_saved_t irr_choice_saved(const irr_choice_t *choice);

/*
 * Returns the time in ns that exchanges have saved at least, by agreed times; negative if they lose time.
 * irr_choice_gain returns the same for one exchange by the current strategy, divided by the time of the exchange.
 */
double irr_choice_certain(const irr_choice_t *choice);
double irr_choice_gain(const irr_choice_t *choice);

/*
 * Returns the i-th strategy of the trial, and sets *speedup to its speedup over strategy 0.  Returns 0 if no speedup is
 * known.  Must be called before the trial is settled.
 */
int irr_choice_measured(const irr_choice_t *choice, int i, irr_speedup_t *speedup);

/* Returns whether the trial compares the current strategy with strategy 0. */
static inline bool irr_choice_is_check(const irr_choice_t *choice)
{
    return choice->slots[1] == 0;
}

/*
 * Ends the trial: its winner becomes the current strategy.  Returns true if strategy 0 has won, but another strategy
 * may still be faster.
 */
bool irr_choice_judge(irr_choice_t *choice);

/*
 * irr_choice_fall_back makes strategy 0 the current strategy.  irr_choice_recall makes a strategy current that was
 * faster according to lessons.
 */
void irr_choice_fall_back(irr_choice_t *choice);
void irr_choice_recall(irr_choice_t *choice, int strategy, double speedup);

#endif
