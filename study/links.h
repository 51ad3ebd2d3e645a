/*
 * links.h - the load of the plans of all ranks on the links of a tree of switches.
 */
#ifndef IRR_LINKS_H
#define IRR_LINKS_H

#include "study/plans.h"

/* Loads of directed edges.  Edges are numbered as in the tree. */
typedef struct irr_links {
    uint64_t *bytes;       /* by edge below 2 * links; 0 at the top */
    size_t    contention;  /* number of cases in which a step of a stage sends more messages over an edge than its width
                              */
    int       busiest;     /* first edge with the largest quotient of bytes divided by speed; -1: all edges are idle */
    uint64_t  load;        /* irr_tree_at_base of this edge */
} irr_links_t;

/*
 * Counts each message between ranks of different hosts on all links of its path.  There is one plan for each rank of
 * the tree; the plans need not be valid.  Sums saturate at UINT64_MAX.  The caller frees *links with irr_links_fini.
 * Returns IRR_OK or IRR_ERR_NO_MEMORY.  O(vertices + m (log m + d)) for m messages over d links each.
 */
irr_status_t irr_links_count(const irr_plans_t *plans, const irr_tree_t *tree, irr_links_t *links);

/* Frees the loads; zeroed, they are empty. */
void irr_links_fini(irr_links_t *links);

#endif
