/*
 * allreduce.h - an agreement: an all-reduce after which all ranks take the same decision. Each rank contributes a few
 * words, and each rank gets the elementwise maxima over all ranks. The messages are those of route/reduction.h; the
 * executor (exec/exec.h) runs them.
 *
 * If an agreement fails on one rank, other ranks may wait forever for its messages. The caller must therefore fail the
 * communicator (comm/failure.h).
 *
 * The words are sent in native byte order, like user data. All ranks must have the same byte order.
 *
 * Cost: see route/reduction.h. No allocation after irr_allreduce_init. A single rank sends no messages.
 */
#ifndef IRR_ALLREDUCE_H
#define IRR_ALLREDUCE_H

#include "exec/own_plan.h"
#include "route/nodes.h"

#define IRR_ALLREDUCE_WORDS_MAX 8

/* A zeroed object is empty. */
typedef struct irr_allreduce {
    irr_own_plan_t     moves;
    const irr_nodes_t *nodes;
    size_t             count;   /* number of words for which the plan was built */
    uint64_t          *words;   /* memory of the plan; after an agreement it begins with the maxima */
} irr_allreduce_t;

/*
 * Initializes the object. nodes: which ranks share a node, equal on all ranks; must outlive the object. NULL: all ranks
 * count as equally near. May return IRR_ERR_NO_MEMORY; there is then nothing to free.
 */
irr_status_t irr_allreduce_init(irr_allreduce_t *allreduce, int ranks, int rank, const irr_nodes_t *nodes);
void         irr_allreduce_fini(irr_allreduce_t *allreduce);

/*
 * Starts an agreement. No agreement may be running on this object. count: number of words, equal on all ranks, from 1
 * to IRR_ALLREDUCE_WORDS_MAX. The function reads only the members channel, tag_base, counters and failure of env; what
 * they point to must exist until the agreement ends. All messages have the kind IRR_TAG_SYNC. Never blocks.
 */
void irr_allreduce_start(irr_allreduce_t *allreduce, const uint64_t *words, size_t count, const irr_exec_env_t *env);

/*
 * Continues an agreement after progress of the transport. Returns IRR_IN_PROGRESS while the agreement runs, IRR_OK when
 * allreduce->words has the maxima, or the first error: IRR_ERR_PROTOCOL if a message had a wrong length. After an error
 * no other agreement may start.
 */
irr_status_t irr_allreduce_progress(irr_allreduce_t *allreduce);

/* Returns the rank for whose message the agreement waits; -1: none. */
static inline int irr_allreduce_awaited(const irr_allreduce_t *allreduce)
{
    return irr_exec_awaited(&allreduce->moves.exec);
}

#endif
