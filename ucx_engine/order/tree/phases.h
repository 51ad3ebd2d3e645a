/*
 * phases.h - the root of a tree, its subtrees, and contention-free phases for a uniform exchange.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 4
 */
#ifndef IRR_PHASES_H
#define IRR_PHASES_H

#include "order/tree/tree.h"

/* The root of a tree, and the ranks of its subtrees: of subtree i those from first[i] to first[i + 1] - 1. */
typedef struct irr_tree_root {
    int  vertex;
    int  subtrees;
    int *first;
    int *ranks;     /* in each subtree in ascending order */
} irr_tree_root_t;

/*
 * Largest subtree first, then by lowest rank; see tree_root.c.  The caller's to irr_tree_root_fini, zeroed is
 * empty. IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_root_find(const irr_tree_t *tree, irr_tree_root_t *root);
void         irr_tree_root_fini(irr_tree_root_t *root);

/* |M0| * (|M| - |M0|): phases, and messages over the busiest link. */
int64_t irr_tree_phases(const irr_tree_root_t *root);

/*
 * Messages of `bytes` from each rank to each other, whole, in as many steps as phases; see phases.c.  The schedule
 * is written on success only, and is the caller's to irr_schedule_fini.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM: no
 * bytes, or 2^63 together; IRR_ERR_NOT_SUPPORTED: more phases than an int counts.
 */
irr_status_t irr_tree_aapc(const irr_tree_t *tree, uint64_t bytes, irr_schedule_t *schedule);

/*
 * The messages of a matrix, whole, each in the phase that it has there; phases without a message are left out.
 * IRR_ERR_BAD_PARAM if the ranks differ or all together have 2^63 bytes or more; otherwise as irr_tree_aapc.
 */
irr_status_t irr_tree_phased(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_schedule_t *schedule);

#endif
