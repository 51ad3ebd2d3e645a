/*
 * reduction.h - a reduction over all ranks, as steps of a plan.  Each rank has the same number of 64-bit words.  In the
 * end all ranks have, for each word, its maximum over all ranks.
 *
 * The algorithm is a dissemination.  In round k, counted from 0, a rank sends its words to rank + 2^k, and receives the
 * words of rank - 2^k (modulo P).  It then replaces each of its words by the maximum of this and the received word.
 * After the last round the words of each rank have reached all ranks, directly or through other ranks.  A word may
 * arrive twice, which does not change a maximum.  Hensgen, Finkel, Manber, "Two algorithms for barrier
 * synchronization", 1988.
 *
 * If the nodes are known, the ranks of a node first send their words along a binomial tree to the leader, their lowest
 * rank.  The leaders run the dissemination, and send the result down the trees.  Only leaders send between nodes.
 *
 * A reduction of no words is a barrier: its messages are empty.  A rank sends at most one message to any other rank, so
 * all messages may have the same stage.
 *
 * Cost for P ranks: a rank sends ceil(log2 P) messages, one after the other.  Cost for N nodes of at most L ranks:
 * ceil(log2 N) + 2 ceil(log2 L) messages one after the other, and N ceil(log2 N) messages between nodes.  SCRATCH holds
 * the words of the rank, and the words of each message that it receives.
 */
#ifndef IRR_REDUCTION_H
#define IRR_REDUCTION_H

#include "plan/plan.h"
#include "route/nodes.h"

typedef struct irr_reduction {
    size_t             words;    /* number of words; the words are at the start of SCRATCH, and are replaced there */
    const irr_nodes_t *nodes;    /* NULL: reduction without nodes */
    int                stage;
    int                number;   /* step number of the first message */
    const size_t      *deps;     /* steps that must be complete before the first message is sent */
    size_t             ndeps;
} irr_reduction_t;

/*
 * Appends the reduction of all plan->ranks ranks.  Sets *done to the step that completes the reduction on this rank; if
 * the rank receives no message, *done is unchanged.  Returns the errors of irr_plan_add.
 */
irr_status_t irr_reduction_add(irr_plan_t *plan, const irr_reduction_t *reduction, size_t *done);

#endif
