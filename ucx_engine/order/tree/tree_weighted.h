/*
 * tree_weighted.h - contention-free steps for irregular counts on a tree of switches.
 */
#ifndef IRR_TREE_WEIGHTED_H
#define IRR_TREE_WEIGHTED_H

#include "order/tree/tree.h"

/*
 * Steps for a count matrix, in bytes: no more messages of a step share a directed edge than its capacity, and no
 * rank sends, or receives, twice in a step.  Long messages are split.  max_steps: about so many steps at most, 0
 * for no limit; fewer than are found without splits are not made.  A link that is slower than the hosts is used as
 * early as can be, but what it delays is not counted.  The schedule is written on success only, and is the
 * caller's to irr_schedule_fini.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if the ranks differ, or all together have
 * 2^63 bytes or more; IRR_ERR_TIMEOUT.
 */
irr_status_t irr_tree_weighted(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                               const irr_deadline_t *deadline, irr_schedule_t *schedule);

/* The way that fits any tree and matrix; see tree_greedy.c.  Parameters and errors are the same. */
irr_status_t irr_tree_greedy(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                             const irr_deadline_t *deadline, irr_schedule_t *schedule);

#endif
