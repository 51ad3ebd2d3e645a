/*
 * forward.h - the grid route `node` (route/stages.c) for known counts, in front of a schedule.  On each host one rank
 * serves each destination on other hosts.  A message to another host goes first to the serving rank of its own host,
 * and from there to its destination, in one message with those of the other ranks of the host.
 *
 * With R ranks on a host, a rank thus sends one message to each rank that it serves, instead of one to every rank, and
 * each is about R times as long.  This pays if the fixed cost of messages dominates and memory is cheaper than a link;
 * the bytes on the links are the same.
 *
 *     stage 1   inside the hosts: to each other rank of the host the data that it forwards or keeps; rotation
 *     stage 2   between hosts: the schedule of the forwarded matrix
 *
 * The plan is that of route/grid_plan.h.  Here the counts determine what arrives; the relay (exec/relay.h) learns it
 * from messages instead. The plan is built once for all exchanges with the same counts, and written for each exchange
 * with the places of its blocks and with the messages of stage 2 cut as the schedule says.
 *
 * Cost for a rank: R - 1 messages inside the host and about (P - R) / R to others; O(P log P) time to build, O(P) to
 * write, and O(P) memory.  The matrix takes O(P * P).
 *
 *     Liu, Wang, Prasanna: Coalesced message-passing, section 3.1.3: the rows of the grid are hosts, the columns serve
 */
#ifndef IRR_FORWARD_H
#define IRR_FORWARD_H

#include "problem/matrix.h"
#include "route/grid_plan.h"
#include "route/direct.h"

/*
 * Returns the matrix of the messages that servers send between nodes.  The caller frees it with irr_matrix_fini.
 * IRR_ERR_BAD_PARAM: the ranks differ, or all messages have 2^63 bytes or more; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_matrix(const irr_nodes_t *nodes, const irr_matrix_t *matrix, irr_matrix_t *forwarded);

/* The plan of a rank without the places of its blocks and without the schedule.  Zeroed: empty. */
typedef struct irr_forward {
    irr_grid_plan_t build;   /* with each block at byte 0 */
    size_t         *step;    /* by rank: step of the message to it in stage 2, or IRR_NO_STEP; then of the one from
                                it */
    size_t          spill;   /* longest message to this rank: bytes at the end of SCRATCH for one that does not fit */
} irr_forward_t;

/*
 * Return the lengths that a rank needs of a matrix besides its own row: of the messages for this rank, and of the
 * messages from other ranks of its node for the ranks that it serves.  lengths has room for irr_forward_count.  O(P)
 * time.  IRR_ERR_NO_MEMORY.
 */
size_t       irr_forward_count(const irr_nodes_t *nodes, int rank);
irr_status_t irr_forward_lengths(const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank, uint64_t *lengths);

/* Builds the plan from these lengths and from the blocks that the rank sends; borrows nothing.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_forward_init_with(irr_forward_t *forward, const irr_nodes_t *nodes, irr_blocks_t sent,
                                   const uint64_t *lengths, int rank);

/* Builds the plan from the matrix and from the blocks that the rank sends. */
irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                              irr_blocks_t sent, int rank);
void         irr_forward_fini(irr_forward_t *forward);

/* Returns whether there is a message for each of the rank's own transmissions. */
bool irr_forward_fits(const irr_forward_t *forward, const irr_schedule_t *own);

/* Return the bytes of memory of a plan, and the bytes of SCRATCH that an exchange needs. */
size_t irr_forward_bytes(const irr_forward_t *forward);
size_t irr_forward_scratch(const irr_forward_t *forward);

/*
 * Builds the plan of an exchange as irr_direct_plan_build does.  own: from a schedule of the forwarded matrix, for
 * pacing sync or free.  A block that is too short receives nothing, and the plan ends in IRR_ERR_TRUNCATE; everything
 * that the rank forwards still arrives.
 */
irr_status_t irr_forward_plan_build(const irr_forward_t *forward, const irr_schedule_t *own,
                                    const irr_problem_t *problem, irr_plan_t *plan);


#endif
