/*
 * reduction.h - a reduction among all ranks as steps of a plan: each rank ends with the maxima of so many words of all.
 *
 * A dissemination: in round k, from 0, a rank sends what it has to rank + 2^k, and takes the maxima of that and of what
 * comes from rank - 2^k.  After the last round each rank has heard, through others, from all; a word that arrives twice
 * does not change a maximum.  Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988.
 *
 * If the nodes are known, the ranks of a node reduce along a binomial tree to their lowest one, the leader; the leaders
 * disseminate; and the result goes back down the tree.  So only leaders send between nodes.
 *
 * Without words it is a barrier, of empty messages.
 *
 * No ordered pair of ranks has two messages, so all of them may be of one stage.
 *
 * Cost, for P ranks: ceil(log2 P) messages a rank, one after the other; with nodes, of L ranks at most,
 * ceil(log2 N) + 2 ceil(log2 L) one after the other, of which N ceil(log2 N) go between nodes.  Scratch: the words,
 * once and for each message that a rank receives.
 */
#ifndef IRR_REDUCTION_H
#define IRR_REDUCTION_H

#include "plan/plan.h"
#include "route/nodes.h"

typedef struct irr_reduction {
    size_t             words;    /* they begin SCRATCH, where the caller puts this rank's and finds the maxima */
    const irr_nodes_t *nodes;    /* NULL: the ranks are alike */
    int                stage;
    int                number;   /* of the first message */
    const size_t      *deps;     /* steps that come before its first message */
    size_t             ndeps;
} irr_reduction_t;

/*
 * Appends the reduction of plan->ranks ranks.  *done: the step that completes it on this rank; as given if no message
 * comes.  Fails where irr_plan_add does.
 */
irr_status_t irr_reduction_add(irr_plan_t *plan, const irr_reduction_t *reduction, size_t *done);

#endif
