/*
 * bounds.h - what the papers promise of a way of the table, held against the plans of all ranks.
 *
 * JPDC, section 3.2.4, for the square of its own choice of columns: lemma 1 (messages received), lemma 3
 * (length of a message) and theorem 1 (buffers).  Lemma 1 is about the shape alone, so a3 keeps it too; the
 * other two are of a4.  The hybrid keeps lemma 1 with what its grid forwards.  Where a way, or dimensions of the user's
 * own, have no such promise, there is nothing to miss.
 *
 * In the paper's words: S = ceil(sqrt P), C columns of R rows, incomplete columns have R - 1; Lmax is the most
 * that a rank sends or receives, its message to itself included.  With the roundings that bounds.c derives:
 *
 *   lemma 1    a rank receives, what it keeps counted as a message, at most S messages in each stage; in an
 *              incomplete column S + 1 in stages I and III, and S - 1 in II and IV
 *   lemma 3    a message is at most S * Lmax / P long; in an incomplete column it is (S - 1) * Lmax / P in
 *              stages I and III and (S + 1) * Lmax / P in II and IV; plus the allowance for its destinations
 *   theorem 1  scratch is at most 2 * S * S * Lmax / P, plus the allowances for what it holds
 */
#ifndef IRR_BOUNDS_H
#define IRR_BOUNDS_H

#include "order/priority.h"
#include "study/plans.h"

typedef struct irr_bounds {
    bool       shape;          /* lemma 1 is promised */
    bool       balance;        /* lemma 3 and theorem 1 are */
    bool       calm;           /* no rank receives two messages in a step */
    int        stages;         /* for which they are: behind these are messages that go directly */
    int        ranks, root;    /* P and S */
    irr_rows_t rows;
    uint64_t   lmax, granule;
    uint64_t   lemma1;         /* by how many messages it was missed so far */
    uint64_t   lemma3;         /* bytes */
    uint64_t   theorem1;       /* bytes */
} irr_bounds_t;

/* What is promised of plans by this way, with these nodes; lmax: see above. */
void irr_bounds_init(irr_bounds_t *bounds, const irr_way_t *way, const irr_nodes_t *nodes, int ranks, uint64_t lmax);

/* Lemma 1 and theorem 1 for the plan of one rank. */
void irr_bounds_plan(irr_bounds_t *bounds, const irr_plan_t *plan);

/* Lemma 3 for one message. */
void irr_bounds_message(irr_bounds_t *bounds, const irr_plans_message_t *message);

#endif
