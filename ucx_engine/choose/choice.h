/*
 * choice.h - which way the exchanges of a communicator go, where nobody named one: from Open MPI's own, way 0, to what
 * trials find, without spending more on that than a share of what the exchanges have cost.
 *
 * The ranks agree at counts of exchanges that all know: after 32, 64 and so on, before which the last few are timed.
 * There they learn the largest time, and what is sent.  From that follows what exchanges have cost so far; once the
 * share of it pays for opening other ways and for a trial of them, the ranks do both (choose/trial.h).  What a trial
 * found is tried again, against way 0 alone, when four times as many exchanges are over; and against all ways when the
 * traffic has become another one: twice as many messages or bytes, or half as many.
 *
 * The host goes the ways and does what irr_choice_agreed says; all of it is alike on all ranks, because it follows from
 * counts and from maxima.
 *
 * Pure.  O(1) an exchange.
 */
#ifndef IRR_CHOICE_H
#define IRR_CHOICE_H

#include "choose/model.h"
#include "choose/trial.h"

/* What an exchange sends, of a rank. */
typedef struct irr_choice_load {
    uint64_t messages;   /* not empty, to others, or from others, if these are more */
    uint64_t sent, received;   /* bytes of those sent, and of those received */
    uint64_t longest;
} irr_choice_load_t;

/* What the ranks agree on, as the maxima of all: times of a trial, or of the exchanges before. */
enum {
    IRR_CHOICE_THRIFT, IRR_CHOICE_NS, IRR_CHOICE_SPENT_NS, IRR_CHOICE_OPENING_NS, IRR_CHOICE_NODE_RANKS,
    IRR_CHOICE_MESSAGES, IRR_CHOICE_SENT, IRR_CHOICE_RECEIVED, IRR_CHOICE_LONGEST,
    IRR_CHOICE_WORDS = IRR_TRIAL_SUMS
};

/* What the host does after an agreement. */
typedef enum irr_choice_act {
    IRR_CHOICE_GOES_ON,
    IRR_CHOICE_OPENS,    /* opens ways for a trial, and says how many there are: irr_choice_opened */
    IRR_CHOICE_SETTLES   /* closes all ways but the winner, and way 0 */
} irr_choice_act_t;

typedef struct irr_choice {
    uint32_t          percent;     /* of what exchanges have cost, that this rank would spend, */
    double            share;       /* and the least of all ranks', of 1 */
    double            cost_ns, spent_ns;
    double            mean_ns;     /* of an exchange in the last epoch, with little else in its way */
    uint64_t          calls;       /* exchanges that were begun */
    uint64_t          next;        /* after so many the ranks agree */
    uint64_t          agreed;      /* the number at the last agreement */
    uint64_t          again;       /* from so many on what was found is tried again */
    bool              tries;       /* a trial runs, */
    bool              full;        /* which was opened, or is to be: with all ways, not the winner against way 0 */
    bool              tried;       /* once, at least */
    int               way;         /* that exchanges go but for trials; the one of a trial of the winner */
    uint64_t          own_ns;      /* of the shortest of this rank's timed exchanges since the last agreement */
    uint64_t          own_spent_ns;
    int               own_node_ranks, node_ranks;   /* ranks on the node of this rank; agreed, the most */
    irr_choice_load_t own;         /* of all timed ones together */
    irr_choice_load_t load;        /* agreed, of an exchange */
    irr_choice_load_t settled;     /* the one that the trial was about */
    irr_trial_t       trial;
} irr_choice_t;

/* On a rank with so many on its node. */
void irr_choice_init(irr_choice_t *choice, uint32_t percent, int node_ranks);

/* The way of the next exchange: 0, or one of those that were opened. */
int irr_choice_way(const irr_choice_t *choice);

/* Is it timed? */
bool irr_choice_times(const irr_choice_t *choice);

/* The exchange is over; it took so long, and had this load, if it was timed.  True: the ranks agree now. */
bool irr_choice_took(irr_choice_t *choice, uint64_t ns, const irr_choice_load_t *load);

/* This rank's words for the agreement; opening_ns is what it thinks that it costs to open ways. */
void irr_choice_words(const irr_choice_t *choice, uint64_t opening_ns, uint64_t words[IRR_CHOICE_WORDS]);

/* The maxima. */
irr_choice_act_t irr_choice_agreed(irr_choice_t *choice, const uint64_t words[IRR_CHOICE_WORDS]);

/* So many ways were opened, 0 if none could be, and that took this rank so long. */
void irr_choice_opened(irr_choice_t *choice, int ways, uint64_t ns);

/* The agreed load of an exchange as traffic of so many ranks. */
irr_traffic_t irr_choice_traffic(const irr_choice_t *choice, int ranks);

#endif
