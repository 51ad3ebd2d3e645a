/*
 * bounds.h - checks the plans of all ranks against the bounds that a paper proves for its algorithm.
 *
 * The paper is Liu, Wang, Prasanna, JPDC 2002, section 3.2.4.  Its bounds hold for ranks in a square grid with the
 * default number of columns: lemma 1 (number of messages), lemma 3 (length of a message) and theorem 1 (buffers).  All
 * of them hold for the algorithm balanced-grid.  Lemma 1 also holds for grid, and for the messages of hybrid that
 * travel through its grid.  There are no bounds for other algorithms, and none for a grid whose dimensions the user
 * sets.
 *
 * In the paper's terms, P is the number of ranks, S is ceil(sqrt P), and the grid has C columns of R rows.  Incomplete
 * columns have R - 1 rows.  Lmax is the largest number of bytes that a rank sends or receives, including its message to
 * itself.  An exchange has the stages I to IV.  The paper divides messages into exact shares; real shares are whole
 * bytes and can be longer.  bounds.c derives by how much: this is the allowance.  The bounds are:
 *
 *     lemma 1    a rank receives at most S messages in each stage, where the bytes that it keeps count as a message; in
 *                an incomplete column S + 1 in stages I and III, and S - 1 in II and IV
 *     lemma 3    a message has at most S * Lmax / P bytes; in an incomplete column (S - 1) * Lmax / P in stages I and
 *                III, and (S + 1) * Lmax / P in II and IV; plus the allowance for each of its destinations
 *     theorem 1  a rank needs at most 2 * S * S * Lmax / P bytes of scratch, plus the allowances for the data in it
 */
#ifndef IRR_BOUNDS_H
#define IRR_BOUNDS_H

#include "order/priority.h"
#include "study/plans.h"

typedef struct irr_bounds {
    bool       shape;          /* lemma 1 holds for the strategy */
    bool       balance;        /* lemma 3 and theorem 1 hold for the strategy */
    bool       contention_free;   /* with the strategy, no rank receives two messages in a step */
    int        stages;         /* number of stages that have bounds; later stages have messages that bypass the grid */
    int        ranks, root;    /* P and S */
    irr_rows_t rows;           /* rows and columns of the grid */
    uint64_t   lmax, granule;  /* Lmax, and G of bounds.c, in bytes */
    uint64_t   lemma1;         /* by how many messages a rank has exceeded the bound, at most; 0: all keep it */
    uint64_t   lemma3;         /* by how many bytes a message has exceeded the bound, at most */
    uint64_t   theorem1;       /* by how many bytes the scratch of a rank has exceeded the bound, at most */
} irr_bounds_t;

/* Initialises the bounds of a strategy.  nodes: the nodes of the ranks; lmax: Lmax, as defined above, in bytes. */
void irr_bounds_init(irr_bounds_t *bounds, const irr_strategy_t *strategy, const irr_nodes_t *nodes, int ranks,
                     uint64_t lmax);

/* Checks lemma 1 and theorem 1 for the plan of one rank. */
void irr_bounds_plan(irr_bounds_t *bounds, const irr_plan_t *plan);

/* Checks lemma 3 for one message. */
void irr_bounds_message(irr_bounds_t *bounds, const irr_plans_message_t *message);

#endif
