/*
 * problem.h - the problem of one rank in an exchange: lists of blocks to send and to receive.  A part of irr.h.
 */
#ifndef IRR_PROBLEM_H
#define IRR_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of a buffer, and the rank that it goes to or comes from.  An offset may be negative, as in MPI. */
typedef struct irr_block {
    int       rank;
    ptrdiff_t offset;
    size_t    length;   /* above 0 */
} irr_block_t;

/* A list of blocks, sorted by rank; a rank may have any number of them. */
typedef struct irr_blocks {
    const irr_block_t *list;   /* may be NULL if count is 0 */
    size_t             count;
    uint64_t           serial; /* unique in the process among unchanged lists; 0: unknown */
} irr_blocks_t;

/*
 * The ranks that a rank sends to, and those that it receives from, each once and sorted, for an exchange of neighbors.
 * If p lists q in `to`, q lists p in `from`, whatever the lengths of their messages.
 */
typedef struct irr_neighbors {
    const int *to, *from;
    size_t     nto, nfrom;
} irr_neighbors_t;

/*
 * The problem of one rank: the blocks that it sends, in the input buffer, and the blocks that it receives, in the
 * output buffer.  The message between two ranks is the content of their blocks, one after the other.  Both ranks know
 * its length, and each cuts it into blocks of its own.  The lists are borrowed until the exchange is over, neighbors as
 * long as the communicator exists.
 */
typedef struct irr_problem {
    int          ranks;
    int          rank;
    irr_blocks_t send;
    irr_blocks_t recv;
    const irr_neighbors_t *neighbors;   /* all blocks are of neighbors; NULL, alike on all ranks: unknown */
    bool         in_place;   /* both lists are one, and so are the buffers: data from a rank replaces the data for it */
} irr_problem_t;

#endif
