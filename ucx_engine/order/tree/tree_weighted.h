/* tree_weighted.h - contention-free steps on a tree of switches, for messages of different lengths. */
#ifndef IRR_TREE_WEIGHTED_H
#define IRR_TREE_WEIGHTED_H

#include "order/tree/tree.h"

/*
 * Computes steps for a count matrix, in bytes.  In a step a directed edge (tree.h) has no more messages than its
 * capacity, and no rank sends twice or receives twice.  Long messages are split.  max_steps: approximate limit of the
 * number of steps; 0: no limit.  If the limit is below the number of steps without splits, there are more steps than
 * the limit.  A link slower than the links of hosts is used as early as possible; the makespan does not include its
 * additional time.  The caller frees the schedule with irr_schedule_fini.  Returns IRR_ERR_BAD_PARAM if tree and matrix
 * have different numbers of ranks, or if all messages together have 2^63 bytes or more.  May return IRR_ERR_NO_MEMORY
 * or IRR_ERR_TIMEOUT.
 */
irr_status_t irr_tree_weighted(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                               const irr_deadline_t *deadline, irr_schedule_t *schedule);

/*
 * The first method of irr_tree_weighted, for any tree and matrix; see tree_greedy.c.  Parameters and errors are those
 * of irr_tree_weighted.
 */
irr_status_t irr_tree_greedy(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                             const irr_deadline_t *deadline, irr_schedule_t *schedule);

#endif
