/*
 * problem.h - what one rank wants exchanged: lists of blocks, and whose they may be.  A part of irr.h.
 */
#ifndef IRR_PROBLEM_H
#define IRR_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of a buffer, and whom it goes to or comes from.  The offset may be negative, as MPI displacements may. */
typedef struct irr_block {
    int       rank;
    ptrdiff_t offset;
    size_t    length;   /* not 0 */
} irr_block_t;

/* Sorted by rank: none for most ranks, and any number for one. */
typedef struct irr_blocks {
    const irr_block_t *list;   /* may be NULL if there are none */
    size_t             count;
    uint64_t           serial; /* of no other list in this process, as long as this one stays as it is; 0: not known */
} irr_blocks_t;

/*
 * Whom a rank sends to, and whom it receives from, where that is not all ranks: each of them once, sorted.  Who sends
 * to a rank is one that this rank receives from, alike on both, whatever the lengths of their messages are.
 */
typedef struct irr_neighbors {
    const int *to, *from;
    size_t     nto, nfrom;
} irr_neighbors_t;

/*
 * What one rank wants exchanged: what it sends, in the input buffer, and where it puts what it receives, in the output
 * buffer.  The message between two ranks is what their blocks hold, one behind the other; both know its length, and
 * each cuts it into blocks as it likes.  The lists are borrowed: they must stay valid until the exchange is over, and
 * neighbors as long as the communicator.
 */
typedef struct irr_problem {
    int          ranks;
    int          rank;
    irr_blocks_t send;
    irr_blocks_t recv;
    const irr_neighbors_t *neighbors;   /* all blocks are theirs; NULL, on all ranks alike: there are none to know of */
    bool         in_place;   /* the lists are one, and input is output: what comes from a rank lies where what goes to
                                it was */
} irr_problem_t;

#endif
