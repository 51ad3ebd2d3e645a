/*
 * reduction.h - a reduction over all ranks as steps of a plan: each rank ends with the maxima of all ranks' words.
 *
 * The algorithm is a dissemination: in round k, from 0, a rank sends its words to rank + 2^k, and takes the maxima of
 * its words and those from rank - 2^k.  After the last round the words of each rank have reached all, directly or
 * through others; a word that arrives twice does not change a maximum.  Hensgen, Finkel, Manber, "Two algorithms for
 * barrier synchronization", 1988.
 *
 * If the nodes are known, the ranks of a node reduce along a binomial tree to their lowest rank, the leader.  The
 * leaders disseminate, and the result goes back down the tree.  So only leaders send between nodes.
 *
 * Without words it is a barrier, with empty messages.
 *
 * A rank sends at most one message to each other rank, so all messages may be of one stage.
 *
 * Cost, for P ranks: ceil(log2 P) messages of a rank, one after the other.  On N nodes of at most L ranks: ceil(log2 N)
 * + 2 ceil(log2 L) one after the other, and N ceil(log2 N) messages between nodes.  Scratch: the words, once and for
 * each message that a rank receives.
 */
#ifndef IRR_REDUCTION_H
#define IRR_REDUCTION_H

#include "plan/plan.h"
#include "route/nodes.h"

typedef struct irr_reduction {
    size_t             words;    /* at the start of SCRATCH: the caller stores its words, and finds the maxima there */
    const irr_nodes_t *nodes;    /* NULL: reduction without nodes */
    int                stage;
    int                number;   /* of the first message */
    const size_t      *deps;     /* steps that its first message waits for */
    size_t             ndeps;
} irr_reduction_t;

/*
 * Appends the reduction of plan->ranks ranks.  *done: the step that completes it on this rank, unchanged if the rank
 * receives no message.  Returns the errors of irr_plan_add.
 */
irr_status_t irr_reduction_add(irr_plan_t *plan, const irr_reduction_t *reduction, size_t *done);

#endif
