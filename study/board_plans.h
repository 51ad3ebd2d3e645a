/*
 * board_plans.h - what ranks of a node do over boards, and node to node, as plans for irr_simulate.
 *
 * They take the time of what board/board.h and board/mail.h do, and say nothing about bytes: irr_plan_check refuses
 * them.  A cell of a board is a message inside a node, which the timed fabric knows; its stages:
 *
 *   1   direct messages, of what is long
 *   2   cells for the members of the node, with what is short
 *   3   one message from node to node, by the ranks that serve these, gathered from the boards of the members
 *   4   (IRR_TIMED_ARRIVED_STAGE) cells for the members again, of what has arrived for them
 */
#ifndef IRR_BOARD_PLANS_H
#define IRR_BOARD_PLANS_H

#include "problem/machine.h"
#include "study/plans.h"

/* Bytes of a message at most that goes over a board, and from node to node; node_block 0: between nodes directly. */
typedef struct irr_board_limits {
    size_t board_block, node_block;
} irr_board_limits_t;

/* Nodes, and what is short, are as in a job.  Errors and life as irr_plans_build.  O(P * P). */
irr_status_t irr_board_plans_build(const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                                   const irr_board_limits_t *limits, irr_plans_t *plans);

/* The ns that each rank needs first, to put on its board what it has for other nodes. */
void irr_board_plans_start(const irr_machine_t *machine, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                           const irr_board_limits_t *limits, double *start);

#endif
