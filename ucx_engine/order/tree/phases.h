/*
 * phases.h - the root of a tree of switches, its subtrees, and contention-free phases for an exchange of equal
 * messages.  A phase is a step in which messages share no link.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 4
 */
#ifndef IRR_PHASES_H
#define IRR_PHASES_H

#include "order/tree/tree.h"

/* The root and its subtrees.  Subtree i has the ranks ranks[first[i]] to ranks[first[i + 1] - 1]. */
typedef struct irr_tree_root {
    int  vertex;
    int  subtrees;
    int *first;
    int *ranks;     /* ascending in each subtree */
} irr_tree_root_t;

/*
 * Finds the root; see tree_root.c.  Subtrees are sorted by falling size, then by lowest rank.  The caller frees *root
 * with irr_tree_root_fini; zeroed, it is empty.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_root_find(const irr_tree_t *tree, irr_tree_root_t *root);
void         irr_tree_root_fini(irr_tree_root_t *root);

/* Returns the number of phases: |M0| * (|M| - |M0|), if |M0| of all |M| ranks are in the largest subtree. */
int64_t irr_tree_phases(const irr_tree_root_t *root);

/*
 * Computes a schedule of messages of `bytes` bytes from each rank to each other rank; see phases.c.  Each phase is a
 * step, and no message is split.  The caller frees the schedule with irr_schedule_fini.  Returns IRR_ERR_BAD_PARAM if
 * all messages together have no bytes, or 2^63 bytes or more.  Returns IRR_ERR_NOT_SUPPORTED if there are more phases
 * than an int can count.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_all_to_all(const irr_tree_t *tree, uint64_t bytes, irr_schedule_t *schedule);

/*
 * Computes a schedule of the messages of a matrix.  Each message is sent whole, in the phase that irr_tree_all_to_all
 * computes for its sender and receiver.  Phases without a message are left out.  Returns IRR_ERR_BAD_PARAM if tree and
 * matrix have different numbers of ranks, or if all messages together have 2^63 bytes or more.  Also returns the errors
 * of irr_tree_all_to_all.
 */
irr_status_t irr_tree_phased(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_schedule_t *schedule);

#endif
