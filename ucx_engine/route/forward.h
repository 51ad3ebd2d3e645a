/*
 * forward.h - the plan of the node route, if the counts of all ranks are known and the messages between nodes have a
 * schedule.  A node has a leader for each rank r of other nodes.  Each rank of the node sends its data for r to this
 * leader.  The leader sends the data of all ranks of its node to r, in one message.
 *
 * With R ranks on a node, a rank sends messages to about one in R of the ranks of other nodes.  Each message is about R
 * times as long as a direct message, so the links carry the same number of bytes.  The route is faster than direct
 * messages if two conditions hold: the fixed cost of a message exceeds the cost of its bytes, and copying in memory is
 * cheaper than sending over a link.  The schedule consists of transmissions: messages, or ranges of messages.
 *
 *     stage 1   inside nodes: each rank sends to each other rank of its node the data that this rank forwards or
 *               keeps; order rotate
 *     stage 2   between nodes: the messages of leaders, in the order of the schedule
 *
 * route/grid_plan.h builds the plan.  All messages follow from the counts, whereas the relay (exec/relay.h) reads from
 * arriving messages what a rank forwards.  The plan is built once for all exchanges with the same counts.  For each
 * exchange, irr_forward_plan_build copies the plan, sets the offsets of the exchange's blocks, and divides the messages
 * of stage 2 into the transmissions of the schedule.
 *
 * Cost for a rank: R - 1 messages inside the node and about (P - R) / R messages to other nodes; O(P log P) time to
 * build the plan, O(P) time for each exchange, and O(P) memory.  The matrix takes O(P * P) memory.
 *
 *     Liu, Wang, Prasanna: Coalesced message-passing, section 3.1.3: the rows of the grid are nodes
 */
#ifndef IRR_FORWARD_H
#define IRR_FORWARD_H

#include "problem/matrix.h"
#include "route/grid_plan.h"
#include "route/direct.h"

/*
 * Returns the matrix of the messages that leaders send between nodes.  The caller frees it with irr_matrix_fini.
 * Returns IRR_ERR_BAD_PARAM if nodes and matrix have different numbers of ranks, or if all messages together have 2^63
 * bytes or more.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_matrix(const irr_nodes_t *nodes, const irr_matrix_t *matrix, irr_matrix_t *forwarded);

/*
 * The plan of a rank.  It has no offsets of blocks, and does not divide messages into transmissions.  Zeroed: empty.
 */
typedef struct irr_forward {
    irr_grid_plan_t build;   /* the plan; all blocks have offset 0 */
    size_t         *step;    /* stage 2: step[r] sends to rank r, and step[ranks + r] receives from rank r; IRR_NO_STEP:
                                no message */
    size_t          spill;   /* number of bytes at the end of SCRATCH for data that is longer than its blocks: the
                                length of the longest data from one rank to this rank */
} irr_forward_t;

/*
 * A rank needs the lengths of the messages that it forwards or keeps: all messages to it, and those from other ranks of
 * its node to the ranks for which it leads.  irr_forward_count returns the number of these messages, and
 * irr_forward_lengths copies their lengths from the matrix to lengths[].  O(P) time.  May return IRR_ERR_NO_MEMORY.
 */
size_t       irr_forward_count(const irr_nodes_t *nodes, int rank);
irr_status_t irr_forward_lengths(const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank, uint64_t *lengths);

/*
 * Builds the plan from the lengths of irr_forward_lengths and from the rank's blocks to send.  Borrows nothing.  May
 * return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_init_with(irr_forward_t *forward, const irr_nodes_t *nodes, irr_blocks_t sent,
                                   const uint64_t *lengths, int rank);

/*
 * Builds the plan from the matrix and from the rank's blocks to send.  Borrows nothing.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                              irr_blocks_t sent, int rank);
void         irr_forward_fini(irr_forward_t *forward);

/* Returns true if the plan has a message of stage 2 for each transmission in `own`, the transmissions of the rank. */
bool irr_forward_fits(const irr_forward_t *forward, const irr_schedule_t *own);

/* Return the memory of *forward in bytes, and the length of SCRATCH that an exchange needs. */
size_t irr_forward_bytes(const irr_forward_t *forward);
size_t irr_forward_scratch(const irr_forward_t *forward);

/*
 * Builds the plan of an exchange, for pacing sync or free.  own: the rank's transmissions in a schedule of the matrix
 * of irr_forward_matrix.  If the blocks for a message are too short, nothing is written to them, and the exchange
 * returns IRR_ERR_TRUNCATE; the rank still forwards the data of other ranks.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_plan_build(const irr_forward_t *forward, const irr_schedule_t *own,
                                    const irr_problem_t *problem, irr_plan_t *plan);

#endif
