/*
 * choice.h - chooses the strategy of a communicator's exchanges where the user named none: strategy 0, Open MPI's own,
 * at first, and then the winner of trials, which cost no more than a share of what the exchanges have cost.
 *
 * The ranks agree after numbers of exchanges that all of them know.  They time the last few exchanges before an
 * agreement, and agree on the largest time and on the load.  From these follow the cost of the exchanges so far and the
 * budget: the share of that cost and half of what was saved, less what was spent.  The host lists strategies that may
 * be better, the most promising first (choose/candidates.h).  It opens as many of them as the budget pays for, and a
 * trial compares them with the current strategy (choose/trial.h).  The winner becomes the current strategy; the rest of
 * the list follows as the budget allows.  The next agreement comes when the budget is likely to suffice.  At most as
 * many exchanges as so far lie between two agreements, and 256 while strategy 0 is not the current one, but agreements
 * take no more than a quarter of the share.
 *
 * Counts may be new in each exchange.  In a trial a rank divides the time of each exchange by the size of what it sends
 * and receives, and multiplies it by the mean size before the trial.  The size is the bytes, and some more for each
 * message.
 *
 * After four times as many exchanges a check compares the winner with strategy 0 again.  A trial that showed nothing
 * beyond doubt is repeated sooner.  When the number of messages or bytes has doubled or halved, a check and a new list
 * follow at once.
 *
 * If any rank knows lessons (choose/lessons.h), the ranks agree on them whenever strategies are listed.  A
 * strategy becomes the current one without a trial if all ranks know it as a gain and the expected saving pays for
 * opening it.
 *
 * The host exchanges by the strategies and carries out the acts.  All decisions are alike on all ranks, because they
 * follow from counts of exchanges and from maxima.
 *
 * Pure.  Cost: O(1) an exchange.
 */
#ifndef IRR_CHOICE_H
#define IRR_CHOICE_H

#include "choose/lessons.h"
#include "choose/trial.h"

/* Number of exchanges that are timed before an agreement. */
#define IRR_CHOICE_TIMED 8

/* What a rank sends to others in an exchange, and receives from them. */
typedef struct irr_choice_load {
    uint64_t sends, receives;   /* messages that are not empty */
    uint64_t sent, received;    /* their bytes */
    uint64_t longest;           /* bytes of a message */
} irr_choice_load_t;

/* Estimated cost of opening, in nanoseconds: once for all strategies, and for each strategy. */
typedef struct irr_choice_opening {
    uint64_t first, way;
} irr_choice_opening_t;

/*
 * The words whose maxima the ranks agree on.  Thrift and haste are complements, so their maxima are the least share and
 * the shortest wait.  In a trial only the time spent and the sums count.
 */
enum {
    IRR_CHOICE_THRIFT, IRR_CHOICE_NS, IRR_CHOICE_MEAN_NS, IRR_CHOICE_HASTE, IRR_CHOICE_SPENT_NS, IRR_CHOICE_FIRST_NS,
    IRR_CHOICE_WAY_NS, IRR_CHOICE_NODE_RANKS, IRR_CHOICE_CROWDED, IRR_CHOICE_SENDS, IRR_CHOICE_RECEIVES,
    IRR_CHOICE_SENT, IRR_CHOICE_RECEIVED, IRR_CHOICE_LONGEST, IRR_CHOICE_REMEMBERS, IRR_CHOICE_SUMS,
    IRR_CHOICE_WORDS = IRR_CHOICE_SUMS + IRR_TRIAL_SUMS
};

/* The next act of the host. */
typedef enum irr_choice_act {
    IRR_CHOICE_GOES_ON,
    IRR_CHOICE_LISTS,    /* lists strategies for the agreed load: irr_choice_listed */
    IRR_CHOICE_OPENS,    /* opens `opens` strategies of the list, from `next` on: irr_choice_opened */
    IRR_CHOICE_SETTLES   /* closes all strategies but `way`: irr_choice_settled */
} irr_choice_act_t;

typedef struct irr_choice {
    bool              early;       /* the first agreement follows the first exchange */
    uint32_t          percent;     /* share of the cost of exchanges that this rank would spend, */
    double            share;       /* and the least share of all ranks, of 1 */
    double            cost_ns, spent_ns;
    double            trials_ns;   /* part of what was spent: exchanges that trials made longer */
    irr_cost_t        since;       /* part of the cost: since the last verdict on the current strategy */
    irr_saved_t       saved;       /* before that verdict */
    double            mean_ns;     /* of an exchange in the last epoch, undisturbed, */
    double            most_ns;     /* and with the disturbances of those that were timed */
    irr_choice_opening_t opening;  /* agreed */
    double            agreement_ns;   /* of the last one, */
    double            usual_agreement_ns;   /* and the mean of recent ones; 0: none is known */
    uint64_t          calls;       /* exchanges that have begun */
    uint64_t          due;         /* number of exchanges after which the ranks agree */
    uint64_t          agreed;      /* the number at the last agreement */
    uint64_t          again;       /* number from which the result is checked again */
    bool              listed;      /* strategies were listed once, at least */
    bool              relists;     /* a new list follows the check of the winner */
    bool              checks;      /* the winner is to be compared with strategy 0 */
    bool              remembers;   /* some rank knows lessons: the ranks agree on them when they list */
    irr_recall_t      recall;      /* common knowledge when strategies were listed last */
    bool              recalls;     /* the first of the list becomes the current strategy when it is open */
    int               losses;      /* trials of this load that strategy 0 has won */
    bool              recalled;    /* so it did, and there was no verdict on it since */
    bool              tries;       /* a trial runs */
    int               way;         /* the current strategy, but for trials */
    irr_speedup_t     speedup;     /* of it over strategy 0, by its last verdict: the trial it won, or the last check */
    double            best;        /* the highest speedup of the others since the last list; 0: there was no trial */
    double            lost;        /* the speedup of the strategy before, by the check that it lost; 0: none */
    int               list;        /* strategies in the list, */
    int               next;        /* those of them that were tried, */
    int               opens;       /* and that are to be opened */
    double            ratios[IRR_CANDIDATES_MAX];   /* expected times of those of the list, relative to strategy 0 */
    int               slots[IRR_TRIAL_WAYS];     /* the strategy of each entrant of the trial */
    int               tried;       /* strategies in all trials */
    uint64_t          exchanges;   /* in all trials */
    uint64_t          own_ns;      /* of the shortest of this rank's timed exchanges since the last agreement, */
    uint64_t          own_sum_ns;  /* the sum of them, */
    uint64_t          own_timed;   /* and their number */
    uint64_t          own_spent_ns, own_agreement_ns;
    int               own_node_ranks, node_ranks;   /* ranks on the node of this rank; agreed, the most */
    bool              own_crowded, crowded;   /* its processes are more than its processors; agreed, of any node */
    irr_choice_load_t own;         /* of all timed ones together */
    double            own_size;    /* of an exchange before the trial, in the mean */
    irr_choice_load_t load;        /* agreed, of an exchange */
    irr_choice_load_t settled;     /* the load that strategies were listed for */
    irr_trial_t       trial;       /* over: its speedups are those over way 0 */
} irr_choice_t;

/* What is known of an exchange when it begins. */
typedef struct irr_choice_turn {
    int      way;     /* strategy 0, or one that is open */
    bool     timed;
    bool     due;     /* an agreement follows */
    int      sum;     /* the sum of a trial to which its time is added; -1: none */
    uint64_t epoch;   /* otherwise: its epoch */
} irr_choice_turn_t;

/* percent: the share of the cost that this rank would spend.  early, alike on all ranks: see above. */
void irr_choice_init(irr_choice_t *choice, uint32_t percent, bool early);

/*
 * Before the first exchange, alike on all ranks: makes strategy 1 the current one.  It is open, and has this speedup
 * over strategy 0 elsewhere; a check follows the first agreement.
 */
void irr_choice_found(irr_choice_t *choice, const irr_speedup_t *speedup);

/*
 * Sets the number of ranks on the node of this rank, before an agreement; crowded: the node has more processes than
 * processors.  one_node, alike on all ranks: all ranks are on one node.  Returns false if the first agreement is put
 * off.  The caller looks at each rank to find these, so the call comes only when an agreement is due.
 */
bool irr_choice_place(irr_choice_t *choice, bool one_node, int node_ranks, bool crowded);

/* Returns the strategy of the next exchange: 0, or one that is open. */
static inline int irr_choice_way(const irr_choice_t *choice)
{
    return choice->tries ? choice->slots[choice->trial.way] : choice->way;
}

/*
 * Begins the next exchange if it is an ordinary one: by the current strategy, not timed, and without an agreement.
 * Returns false if it is not; irr_choice_begin begins it then.
 */
static inline bool irr_choice_goes_on(irr_choice_t *choice)
{
    if (choice->tries || choice->calls + IRR_CHOICE_TIMED >= choice->due) {
        return false;
    }
    choice->calls++;
    return true;
}

/*
 * Begins the next exchange.  Several may be under way at a time; but after one that is due, no other one begins before
 * all are over and the ranks have agreed.
 */
irr_choice_turn_t irr_choice_begin(irr_choice_t *choice);

/* Ends an exchange that is timed, with its time and load. */
void irr_choice_end(irr_choice_t *choice, const irr_choice_turn_t *turn, uint64_t ns, const irr_choice_load_t *load);

/* Fills this rank's words for the agreement. */
void irr_choice_words(const irr_choice_t *choice, const irr_choice_opening_t *opening,
                      uint64_t words[IRR_CHOICE_WORDS]);

/* Takes the maxima of the words. */
irr_choice_act_t irr_choice_agreed(irr_choice_t *choice, const uint64_t words[IRR_CHOICE_WORDS]);

/*
 * Takes the list: `count` strategies, IRR_CANDIDATES_MAX at most, with their expected times relative to strategy 0.
 * recall: the knowledge that all ranks share about them.
 */
irr_choice_act_t irr_choice_listed(irr_choice_t *choice, const double *ratios, int count, const irr_recall_t *recall);

/* Takes the number of strategies that were opened; fewer than asked for: there are no more. */
irr_choice_act_t irr_choice_opened(irr_choice_t *choice, int ways);

irr_choice_act_t irr_choice_settled(irr_choice_t *choice);

/* Adds the time that this rank has taken to open strategies. */
static inline void irr_choice_spent(irr_choice_t *choice, uint64_t ns)
{
    choice->own_spent_ns += ns;
}

/* Takes the agreed time of the last agreement: the least of all ranks' times. */
void irr_choice_agreement_took(irr_choice_t *choice, double ns);

/* Takes the time of the agreement on this rank; the least time of all ranks counts, as others wait for the last one. */
static inline void irr_choice_waited(irr_choice_t *choice, uint64_t ns)
{
    choice->own_agreement_ns = ns;
}

/* The budget after the exchanges so far; times in nanoseconds. */
typedef struct irr_choice_funds {
    double   cost;      /* of the exchanges */
    double   spent;     /* on agreements, openings and trials */
    double   budget;    /* left to be spent; negative: too much was spent */
    double   wanted;    /* cost of the next trial; 0: no strategy is left to be tried */
    uint64_t calls;     /* about how many more exchanges like the last ones pay for it; 0: not known */
} irr_choice_funds_t;

irr_choice_funds_t irr_choice_funds(const irr_choice_t *choice);

/* Returns the number of exchanges before the first agreement; one_node: all ranks are on one node. */
int irr_choice_first(bool one_node);

/* Returns the number of the i-th strategy to be opened: 1 to IRR_TRIAL_WAYS - 1. */
int irr_choice_slot(const irr_choice_t *choice, int i);

/* ---- load.c ---- */

/* Returns the size of an exchange of this load, in bytes. */
double irr_choice_load_size(const irr_choice_load_t *load);

/* Returns whether one of two loads has twice as many messages or bytes as the other. */
bool irr_choice_load_differs(const irr_choice_load_t *a, const irr_choice_load_t *b);

/* Returns the agreed load of an exchange as traffic of `ranks` ranks, or, if sparse, of neighbours. */
irr_traffic_t irr_choice_traffic(const irr_choice_t *choice, int ranks, bool sparse);

/* ---- verdict.c ---- */

/* Returns what exchanges have saved until now. */
irr_saved_t irr_choice_saved(const irr_choice_t *choice);

/* Before a trial is settled: returns its i-th strategy, and sets its speedup over strategy 0; 0: none was measured. */
int irr_choice_measured(const irr_choice_t *choice, int i, irr_speedup_t *speedup);

/* Returns whether the trial compares the current strategy with strategy 0. */
static inline bool irr_choice_is_check(const irr_choice_t *choice)
{
    return choice->slots[1] == 0;
}

/*
 * Ends the trial: its winner becomes the current strategy.  Returns true if that is strategy 0, and another one may be
 * a gain all the same.
 */
bool irr_choice_judge(irr_choice_t *choice);

/* Make strategy 0 the current one, or another one of which only this speedup is known. */
void irr_choice_fall_back(irr_choice_t *choice);
void irr_choice_recall(irr_choice_t *choice, int way, double speedup);

#endif
