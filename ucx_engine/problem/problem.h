/*
 * problem.h - the problem of one rank in a collective exchange: lists of blocks to send and to receive.  irr.h includes
 * this file.
 */
#ifndef IRR_PROBLEM_H
#define IRR_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of a buffer, and the rank to which or from which the block is sent.  An offset may be negative, as in MPI. */
typedef struct irr_block {
    int       rank;
    ptrdiff_t offset;
    size_t    length;   /* above 0 */
} irr_block_t;

/* A list of blocks, sorted by rank; a rank may have any number of them. */
typedef struct irr_blocks {
    const irr_block_t *list;   /* may be NULL if count is 0 */
    size_t             count;
    uint64_t           serial; /* two lists of a process with the same serial are equal; 0: unknown */
} irr_blocks_t;

/*
 * The neighbors of a rank: the ranks to which it sends, and the ranks from which it receives.  Both lists are sorted by
 * rank and have no rank twice.  If rank p lists q in `to`, rank q lists p in `from`, even if there is no data.
 */
typedef struct irr_neighbors {
    const int *to, *from;
    size_t     nto, nfrom;
} irr_neighbors_t;

/*
 * The problem of one rank: the blocks that it sends, in the input buffer, and the blocks that it receives, in the
 * output buffer.  The message between two ranks is the content of their blocks, one after the other.  Both ranks know
 * the length of the message, and may divide it into different blocks.  The caller must not change the lists until the
 * exchange is over, nor the neighbors as long as the communicator exists.
 */
typedef struct irr_problem {
    int          ranks;
    int          rank;
    irr_blocks_t send;
    irr_blocks_t recv;
    const irr_neighbors_t *neighbors;   /* all blocks are to or from these ranks; NULL, on all ranks: unknown */
    bool         in_place;   /* send and recv are the same list, and input and output the same buffer: the data from a
                                rank replaces the data for that rank */
} irr_problem_t;

#endif
