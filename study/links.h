/*
 * links.h - the load of the plans of all ranks on the links of a tree of switches.
 */
#ifndef IRR_LINKS_H
#define IRR_LINKS_H

#include "study/plans.h"

/* The load of each edge.  An edge is one direction of a link; edges are numbered as in the tree. */
typedef struct irr_links {
    uint64_t *bytes;       /* by edge */
    size_t    contention;  /* number of (stage, step, edge) in which more messages pass the edge than it carries at a
                              time (irr_tree_width) */
    int       busiest;     /* first edge with the largest load (bytes divided by speed); -1: all edges are idle */
    uint64_t  load;        /* load of this edge, as irr_tree_at_base returns it */
} irr_links_t;

/*
 * Counts each message between ranks of different hosts on all links of its path.  There is one plan for each rank of
 * the tree; the plans need not be valid.  Sums saturate at UINT64_MAX.  The caller frees *links with irr_links_fini.
 * Returns IRR_OK or IRR_ERR_NO_MEMORY.  Time O(v + m (log m + d)) for v vertices and m
 * messages over d links each.
 */
irr_status_t irr_links_count(const irr_plans_t *plans, const irr_tree_t *tree, irr_links_t *links);

/* Frees the loads; zeroed, they are empty. */
void irr_links_fini(irr_links_t *links);

#endif
