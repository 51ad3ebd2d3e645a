/*
 * allreduce.h - an agreement: all ranks learn the maxima of a few words of all, by a plan (route/reduction.h) that the
 * executor runs over the channel of a communicator.
 *
 * A maximum that lacks a rank's word is none.  An agreement that fails on a rank may keep others waiting, so the caller
 * fails the communicator then (comm/failure.h).
 *
 * The words are sent as they are in memory, as user data is: all ranks have one byte order.
 *
 * Cost: that of the reduction; no allocation after irr_allreduce_init, and none for a single rank.
 */
#ifndef IRR_ALLREDUCE_H
#define IRR_ALLREDUCE_H

#include "exec/own_plan.h"
#include "route/nodes.h"

#define IRR_ALLREDUCE_WORDS_MAX 8

/* Zeroed is empty. */
typedef struct irr_allreduce {
    irr_own_plan_t     moves;
    const irr_nodes_t *nodes;
    size_t             count;   /* words that the plan is for */
    uint64_t          *words;   /* the scratch of the plan: when the agreement is over, it begins with the maxima */
} irr_allreduce_t;

/* nodes: NULL, or borrowed, and the same on all ranks.  IRR_ERR_NO_MEMORY: nothing to give back. */
irr_status_t irr_allreduce_init(irr_allreduce_t *allreduce, int ranks, int rank, const irr_nodes_t *nodes);
void         irr_allreduce_fini(irr_allreduce_t *allreduce);

/*
 * Starts an agreement; none may run.  All ranks give the same count, from 1 to IRR_ALLREDUCE_WORDS_MAX.  Of env
 * channel, tag_base, counters and refused are used; what they point to is borrowed until the agreement is over.
 * Messages are of kind IRR_TAG_SYNC.  Never blocks.
 */
void irr_allreduce_start(irr_allreduce_t *allreduce, const uint64_t *words, size_t count, const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; IRR_OK: allreduce->words are the maxima; or the first
 * error, IRR_ERR_PROTOCOL if a message had another length, and then no other agreement may start.
 */
irr_status_t irr_allreduce_progress(irr_allreduce_t *allreduce);

/* The rank whose message comes next. */
static inline int irr_allreduce_awaited(const irr_allreduce_t *allreduce)
{
    return irr_exec_awaited(&allreduce->moves.exec);
}

#endif
