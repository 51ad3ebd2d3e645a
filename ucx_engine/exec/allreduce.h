/*
 * allreduce.h - an agreement: each rank gives a few words, and every rank gets the elementwise maxima over all ranks.
 * The executor runs a reduction plan (route/reduction.h) over the channel of a communicator.
 *
 * If an agreement fails on one rank, other ranks may keep waiting, and a maximum without the words of all ranks would
 * be wrong. The caller must therefore fail the communicator (comm/failure.h).
 *
 * The words are sent in native byte order, like user data. All ranks must have the same byte order.
 *
 * Cost: the cost of the reduction. No allocation after irr_allreduce_init. A single rank sends no messages.
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
    size_t             count;   /* number of words that the plan is built for */
    uint64_t          *words;   /* scratch of the plan; begins with the maxima after an agreement */
} irr_allreduce_t;

/*
 * Initializes an agreement. nodes: the nodes of the ranks, borrowed and the same on all ranks; or NULL. On
 * IRR_ERR_NO_MEMORY there is nothing to free.
 */
irr_status_t irr_allreduce_init(irr_allreduce_t *allreduce, int ranks, int rank, const irr_nodes_t *nodes);
void         irr_allreduce_fini(irr_allreduce_t *allreduce);

/*
 * Starts an agreement. No agreement may be running. All ranks give the same count, from 1 to IRR_ALLREDUCE_WORDS_MAX.
 * The function uses only channel, tag_base, counters and failure of env, and borrows their targets until the agreement
 * ends. All messages are of kind IRR_TAG_SYNC. Never blocks.
 */
void irr_allreduce_start(irr_allreduce_t *allreduce, const uint64_t *words, size_t count, const irr_exec_env_t *env);

/*
 * Continues an agreement after progress of the transport. Returns IRR_IN_PROGRESS while the agreement runs, IRR_OK when
 * allreduce->words holds the maxima, or the first error. The error is IRR_ERR_PROTOCOL if a message had a wrong length.
 * After an error no further agreement may start.
 */
irr_status_t irr_allreduce_progress(irr_allreduce_t *allreduce);

/* Returns the rank that the agreement waits for; -1: none. */
static inline int irr_allreduce_awaited(const irr_allreduce_t *allreduce)
{
    return irr_exec_awaited(&allreduce->moves.exec);
}

#endif
