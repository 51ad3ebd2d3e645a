/*
 * choice.h - which way the exchanges of a communicator go, where nobody named one: from Open MPI's own, way 0, to what
 * trials find, without spending more on that than a share of what the exchanges have cost.
 *
 * The ranks agree at counts of exchanges that all know, before which the last few are timed.  There they learn the
 * largest time, and what is sent.  From that follow what exchanges have cost so far, and so the budget: the share of
 * it, and half of what was saved, without what was spent.  The host lists ways that may be better, the most promising
 * first (choose/candidates.h).  As many of them are opened as the budget pays for, and tried against the way gone so
 * far (choose/trial.h); the winner stays, and the rest of the list follows as the budget allows.  The next agreement is
 * when the budget will do, but not so soon that agreements take more than a quarter of the share, and not too late:
 * after as many exchanges again at most, and after 256 in any case once there is something to lose.
 *
 * Counts may be new in each exchange.  In a trial a rank divides the time of each exchange by the size of what it sends
 * and receives, and multiplies it by the mean size before the trial.  Size is bytes, and some more for each message.
 *
 * When four times as many exchanges are over, the winner is tried against way 0; and at once when the traffic has
 * become another one, with twice as many messages or bytes, or half as many.  Then the host lists ways anew.
 *
 * If any rank knows lessons (choose/lessons.h), the ranks agree on them whenever ways are listed.  A way that all ranks
 * know as a gain is opened without a trial, if the expected saving pays for opening it.
 *
 * The host goes the ways and does what it is told; all of it is alike on all ranks, because it follows from counts and
 * from maxima.
 *
 * Pure.  O(1) an exchange.
 */
#ifndef IRR_CHOICE_H
#define IRR_CHOICE_H

#include "choose/lessons.h"
#include "choose/trial.h"

/* So many exchanges are timed before an agreement. */
#define IRR_CHOICE_TIMED 8

/* What a rank sends to others in an exchange, and receives from them. */
typedef struct irr_choice_load {
    uint64_t sends, receives;   /* messages that are not empty */
    uint64_t sent, received;    /* their bytes */
    uint64_t longest;           /* bytes of a message */
} irr_choice_load_t;

/* What a rank thinks that it costs, in nanoseconds: what all ways need first, and each way. */
typedef struct irr_choice_opening {
    uint64_t first, way;
} irr_choice_opening_t;

/*
 * What the ranks agree on, as the maxima of all; thrift and haste are complements, so that the least share and the
 * shortest wait come out.  In a trial only what is spent and the sums count.
 */
enum {
    IRR_CHOICE_THRIFT, IRR_CHOICE_NS, IRR_CHOICE_MEAN_NS, IRR_CHOICE_HASTE, IRR_CHOICE_SPENT_NS, IRR_CHOICE_FIRST_NS,
    IRR_CHOICE_WAY_NS, IRR_CHOICE_NODE_RANKS, IRR_CHOICE_CROWDED, IRR_CHOICE_SENDS, IRR_CHOICE_RECEIVES,
    IRR_CHOICE_SENT, IRR_CHOICE_RECEIVED, IRR_CHOICE_LONGEST, IRR_CHOICE_REMEMBERS, IRR_CHOICE_SUMS,
    IRR_CHOICE_WORDS = IRR_CHOICE_SUMS + IRR_TRIAL_SUMS
};

/* What the host does next. */
typedef enum irr_choice_act {
    IRR_CHOICE_GOES_ON,
    IRR_CHOICE_LISTS,    /* lists ways for the agreed load: irr_choice_listed */
    IRR_CHOICE_OPENS,    /* opens `opens` ways of the list, from `next` on, in the slots: irr_choice_opened */
    IRR_CHOICE_SETTLES   /* closes all ways but `way`: irr_choice_settled */
} irr_choice_act_t;

typedef struct irr_choice {
    bool              early;       /* the ranks agree after the first exchange */
    uint32_t          percent;     /* of what exchanges have cost, that this rank would spend, */
    double            share;       /* and the least of all ranks', of 1 */
    double            cost_ns, spent_ns;
    double            trials_ns;   /* of what was spent: what trials made exchanges longer */
    irr_cost_t        since;       /* of the cost: since the last verdict on the way gone now */
    irr_saved_t       saved;       /* before that verdict */
    double            mean_ns;     /* of an exchange in the last epoch, with little else in its way, */
    double            most_ns;     /* and with all that was in the way of those that were timed */
    irr_choice_opening_t opening;  /* agreed */
    double            agreement_ns;   /* of the last one, */
    double            usual_agreement_ns;   /* and the mean of recent ones; 0: none is known */
    uint64_t          calls;       /* exchanges that were begun */
    uint64_t          due;         /* after so many the ranks agree */
    uint64_t          agreed;      /* the number at the last agreement */
    uint64_t          again;       /* from so many on what was found is tried again */
    bool              listed;      /* once, at least */
    bool              relists;     /* as soon as the winner is checked */
    bool              checks;      /* the winner is to be tried against way 0 */
    bool              remembers;   /* some rank does: to be asked when ways are listed */
    irr_recall_t      recall;      /* when they were listed last */
    bool              recalls;     /* the first of the list is to be gone when it is open */
    bool              doubtful;    /* way 0 has won, and another strategy may be a gain all the same */
    int               losses;      /* trials of this load that way 0 has won */
    bool              recalled;    /* that is so, and no verdict has told of the way since */
    bool              tries;       /* a trial runs */
    int               way;         /* that exchanges go but for trials */
    irr_speedup_t     speedup;     /* of it over way 0, by its last verdict: the trial that it won, or the last check */
    double            best;        /* the highest of the other ways since ways were listed; 0: there was no trial */
    double            lost;        /* that of the way gone before, by the check that it lost; 0: it lost none */
    int               list;        /* ways in the list, */
    int               next;        /* those of them that were tried, */
    int               opens;       /* and that are to be opened */
    double            ratios[IRR_CANDIDATES_MAX];   /* expected of those of the list, to the time of way 0 */
    int               slots[IRR_TRIAL_WAYS];     /* the way of each one in the trial */
    int               tried;       /* ways, in all trials */
    uint64_t          exchanges;   /* of all trials */
    uint64_t          own_ns;      /* of the shortest of this rank's timed exchanges since the last agreement, */
    uint64_t          own_sum_ns;  /* and of all of them, */
    uint64_t          own_timed;   /* of which there are so many */
    uint64_t          own_spent_ns, own_agreement_ns;
    int               own_node_ranks, node_ranks;   /* ranks on the node of this rank; agreed, the most */
    bool              own_crowded, crowded;   /* its processes are more than its processors; agreed, of any node */
    irr_choice_load_t own;         /* of all timed ones together */
    double            own_size;    /* of an exchange before the trial, in the mean */
    irr_choice_load_t load;        /* agreed, of an exchange */
    irr_choice_load_t settled;     /* the one that ways were listed for */
    irr_trial_t       trial;       /* over: its speedups are those over way 0 */
} irr_choice_t;

/* What is known of an exchange when it begins. */
typedef struct irr_choice_turn {
    int      way;     /* 0, or one of those that were opened */
    bool     timed;
    bool     due;     /* the ranks agree after it */
    int      sum;     /* of a trial, to which its time is added; -1: there is none */
    uint64_t epoch;   /* otherwise, to which it belongs */
} irr_choice_turn_t;

/* On a rank that would spend so much.  early, alike on all ranks: they agree after the first exchange already. */
void irr_choice_init(irr_choice_t *choice, uint32_t percent, bool early);

/*
 * Before the first exchange, alike on all ranks: exchanges go by way 1, which is open, and was found elsewhere to have
 * this speedup over way 0; after the first agreement it is checked against that.
 */
void irr_choice_found(irr_choice_t *choice, const irr_speedup_t *speedup);

/*
 * Before an agreement, with so many ranks on the node of this one, and whether it has more processes than processors;
 * one_node, alike on all ranks: they are all on one.  To know these takes a look at each rank, so nobody asks sooner.
 * False: the first agreement is not due yet.
 */
bool irr_choice_place(irr_choice_t *choice, bool one_node, int node_ranks, bool crowded);

/* The way of the next exchange: 0, or one of those that were opened. */
static inline int irr_choice_way(const irr_choice_t *choice)
{
    return choice->tries ? choice->slots[choice->trial.way] : choice->way;
}

/* Is it timed? */
bool irr_choice_times(const irr_choice_t *choice);

/*
 * The next exchange begins, if it is one of the most: it goes by the way gone so far, nobody times it, and no agreement
 * follows.  False: irr_choice_begin.
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
 * The next exchange begins.  Several may be under way at a time; but after one that is due no other begins before all
 * are over and the ranks have agreed.
 */
irr_choice_turn_t irr_choice_begin(irr_choice_t *choice);

/* One that is timed is over; it took so long, and had this load. */
void irr_choice_end(irr_choice_t *choice, const irr_choice_turn_t *turn, uint64_t ns, const irr_choice_load_t *load);

/* One that was alone began and is over; ns and load, if it was timed.  True: the ranks agree now. */
bool irr_choice_took(irr_choice_t *choice, uint64_t ns, const irr_choice_load_t *load);

/* This rank's words for the agreement. */
void irr_choice_words(const irr_choice_t *choice, const irr_choice_opening_t *opening,
                      uint64_t words[IRR_CHOICE_WORDS]);

/* The maxima. */
irr_choice_act_t irr_choice_agreed(irr_choice_t *choice, const uint64_t words[IRR_CHOICE_WORDS]);

/*
 * Ways are listed: so many, IRR_CANDIDATES_MAX at most, with their expected times as parts of that of way 0.  recall:
 * the knowledge that all ranks share about them.
 */
irr_choice_act_t irr_choice_listed(irr_choice_t *choice, const double *ratios, int count, const irr_recall_t *recall);

/* So many of the ways were opened; fewer: there are no more. */
irr_choice_act_t irr_choice_opened(irr_choice_t *choice, int ways);

irr_choice_act_t irr_choice_settled(irr_choice_t *choice);

/* To open ways took this rank so long. */
static inline void irr_choice_spent(irr_choice_t *choice, uint64_t ns)
{
    choice->own_spent_ns += ns;
}

/* Takes the agreed time of the last agreement: the least of all ranks' times. */
void irr_choice_agreement_took(irr_choice_t *choice, double ns);

/* The agreement did; of all ranks the least time counts, as the others have waited for the last one to come. */
static inline void irr_choice_waited(irr_choice_t *choice, uint64_t ns)
{
    choice->own_agreement_ns = ns;
}

/* Whether the next trial is paid for, after the exchanges so far; times in nanoseconds. */
typedef struct irr_choice_funds {
    double   cost;      /* of the exchanges */
    double   spent;     /* on agreements, openings and trials */
    double   budget;    /* that is left to be spent; negative: too much was spent */
    double   wanted;    /* by the next trial; 0: no way is left to be tried */
    uint64_t calls;     /* more exchanges like the last ones until the budget will do, about; 0: not known */
} irr_choice_funds_t;

irr_choice_funds_t irr_choice_funds(const irr_choice_t *choice);

/* The number of exchanges after which the ranks first agree; one_node: they are all on one. */
int irr_choice_first(bool one_node);

/* Where the way of the list that is opened i-th goes: 1 to IRR_TRIAL_WAYS - 1. */
int irr_choice_slot(const irr_choice_t *choice, int i);

/* ---- load.c ---- */

/* What an exchange of this load takes, in bytes. */
double irr_choice_load_size(const irr_choice_load_t *load);

/* Has one of two loads twice as many messages or bytes as the other? */
bool irr_choice_load_differs(const irr_choice_load_t *a, const irr_choice_load_t *b);

/* The agreed load of an exchange as traffic of so many ranks, or, sparse, of neighbours. */
irr_traffic_t irr_choice_traffic(const irr_choice_t *choice, int ranks, bool sparse);

/* ---- verdict.c ---- */

/* What exchanges have saved until now. */
irr_saved_t irr_choice_saved(const irr_choice_t *choice);

/* After a trial, before it is settled: its i-th way, and the speedup of that over way 0; 0: none was measured. */
int irr_choice_measured(const irr_choice_t *choice, int i, irr_speedup_t *speedup);

/* Does the trial compare the way gone so far with way 0? */
static inline bool irr_choice_is_check(const irr_choice_t *choice)
{
    return choice->slots[1] == 0;
}

/* The trial is over: the way that has won is gone from now on. */
void irr_choice_judge(irr_choice_t *choice);

/* Way 0 is gone from now on; or another one, of which only this speedup is known. */
void irr_choice_fall_back(irr_choice_t *choice);
void irr_choice_recall(irr_choice_t *choice, int way, double speedup);

#endif
