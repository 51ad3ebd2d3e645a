/*
 * links.h - what the plans of all ranks put on the links of a tree of switches.
 */
#ifndef IRR_LINKS_H
#define IRR_LINKS_H

#include "study/plans.h"

/* Directed edges have the numbers that they have in the tree. */
typedef struct irr_links {
    uint64_t *bytes;       /* by edge below 2 * links; nothing at the top */
    size_t    contention;  /* cases of a stage, step and edge with more messages than its width */
    int       busiest;     /* edge with most bytes by its speed; the first of several; -1: all are idle */
    uint64_t  load;        /* irr_tree_at_base of it */
} irr_links_t;

/*
 * Counts the messages between ranks, each on all links between the hosts of its ranks; none between ranks of one
 * host, nor what stays on a rank.  The plans, of as many ranks as the tree has, may be wrong.  Sums that do not fit are
 * UINT64_MAX.  IRR_ERR_NO_MEMORY.  Set on success only, and then the caller's to irr_links_fini.
 * O(vertices + m (log m + d)) for m messages over d links each.
 */
irr_status_t irr_links_count(const irr_plans_t *plans, const irr_tree_t *tree, irr_links_t *links);

/* Zeroed, it is empty. */
void irr_links_fini(irr_links_t *links);

#endif
