/*
 * bounds.h - checks the plans of all ranks against the bounds that the papers prove for a strategy of the table.
 *
 * JPDC, section 3.2.4, has the bounds for a square grid with the default number of columns: lemma 1 (messages
 * received), lemma 3 (length of a message) and theorem 1 (buffers).  Lemma 1 depends only on the shape, so it also
 * holds for grid.  Lemma 3 and theorem 1 hold for balanced-grid.  For hybrid, lemma 1 holds for the messages that
 * travel through its grid.  The papers have no bounds for other strategies, and none for dimensions that the user has
 * set.
 *
 * In the paper's terms, S is ceil(sqrt P), and there are C columns of R rows.  Incomplete columns have R - 1 rows.
 * Lmax is the largest number of bytes that a rank sends or receives, including its message to itself. bounds.c derives
 * how numbers are rounded.  The bounds are:
 *
 *     lemma 1    a rank receives at most S messages in each stage, where the bytes that it keeps count as a message; in
 *                an incomplete column S + 1 in stages I and III, and S - 1 in II and IV
 *     lemma 3    a message is at most S * Lmax / P long; in an incomplete column it is (S - 1) * Lmax / P in
 *                stages I and III and (S + 1) * Lmax / P in II and IV; plus the allowance for its destinations
 *     theorem 1  scratch is at most 2 * S * S * Lmax / P, plus the allowances for the data that it holds
 */
#ifndef IRR_BOUNDS_H
#define IRR_BOUNDS_H

#include "order/priority.h"
#include "study/plans.h"

typedef struct irr_bounds {
    bool       shape;          /* lemma 1 holds */
    bool       balance;        /* lemma 3 and theorem 1 hold */
    bool       contention_free;   /* no rank receives two messages in a step */
    int        stages;         /* number of stages that have bounds; later stages have direct messages */
    int        ranks, root;    /* P and S */
    irr_rows_t rows;
    uint64_t   lmax, granule;
    uint64_t   lemma1;         /* largest number of messages above the bound so far */
    uint64_t   lemma3;         /* largest violation so far, in bytes */
    uint64_t   theorem1;       /* largest violation so far, in bytes */
} irr_bounds_t;

/* Initialises the bounds for plans of this strategy, with these nodes.  lmax: Lmax, as defined above, in bytes. */
void irr_bounds_init(irr_bounds_t *bounds, const irr_strategy_t *strategy, const irr_nodes_t *nodes, int ranks,
                     uint64_t lmax);

/* Checks lemma 1 and theorem 1 for the plan of one rank. */
void irr_bounds_plan(irr_bounds_t *bounds, const irr_plan_t *plan);

/* Checks lemma 3 for one message. */
void irr_bounds_message(irr_bounds_t *bounds, const irr_plans_message_t *message);

#endif
