/*
 * blocks.h - functions for lists of blocks.  They find the blocks of one rank, read the message that these blocks form,
 * and test whether a problem is equal to the previous problem.
 *
 * The message between two ranks is the content of their blocks, one block after the other.  The sender and the receiver
 * may divide the message into different blocks.  It takes O(log n) time to find the blocks of a rank in a list of n
 * blocks, and O(1) time for each returned block.
 */
#ifndef IRR_BLOCKS_H
#define IRR_BLOCKS_H

#include "irr.h"

/* Returns whether a list is valid: sorted by rank, ranks from 0 to `ranks` - 1, and no block of length 0. */
bool irr_blocks_are_good(irr_blocks_t blocks, int ranks);

/* irr_blocks_of returns the blocks of `rank` in the list, irr_blocks_first those of the lowest rank. */
irr_blocks_t irr_blocks_of(irr_blocks_t blocks, int rank);
irr_blocks_t irr_blocks_first(irr_blocks_t blocks);

/* Returns the list without its first `count` blocks. */
static inline irr_blocks_t irr_blocks_after(irr_blocks_t blocks, size_t count)
{
    return (irr_blocks_t){ .list = blocks.list + count, .count = blocks.count - count };
}

size_t irr_blocks_bytes(irr_blocks_t blocks);

/* ---- the message of blocks ---- */

typedef struct irr_blocks_cursor {
    irr_blocks_t left;
    size_t       skip;   /* number of bytes of the first block of `left` that have been read */
} irr_blocks_cursor_t;

/* Returns a cursor at this byte of the message, or at the end of the message if it is shorter. */
static inline irr_blocks_cursor_t irr_blocks_at(irr_blocks_t blocks, size_t byte)
{
    while (blocks.count > 0 && byte >= blocks.list[0].length) {
        byte -= blocks.list[0].length;
        blocks = irr_blocks_after(blocks, 1);
    }
    return (irr_blocks_cursor_t){ .left = blocks, .skip = byte };
}

/*
 * Reads the next bytes of the message, at most max bytes and only from one block, and returns their range.  At the end
 * of the message the range has length 0.
 */
static inline irr_block_t irr_blocks_next(irr_blocks_cursor_t *cursor, size_t max)
{
    irr_block_t range;

    if (cursor->left.count == 0) {
        return (irr_block_t){ .length = 0 };
    }
    range = cursor->left.list[0];
    range.offset += (ptrdiff_t)cursor->skip;
    range.length -= cursor->skip;
    if (range.length > max) {
        range.length = max;
        cursor->skip += max;
    } else {
        cursor->left = irr_blocks_after(cursor->left, 1);
        cursor->skip = 0;
    }
    return range;
}

/*
 * Reads the next bytes that are in one block of `from` and fit into one block of `to`.  Sets *source to their range in
 * `from`, and *target to their range in `to`.  Returns false at the end of `from`.  If `to` is at its end, *source is
 * the rest of the block of `from`, and *target has length 0.
 */
static inline bool irr_blocks_pair(irr_blocks_cursor_t *from, irr_blocks_cursor_t *to, irr_block_t *source,
                                   irr_block_t *target)
{
    const size_t left = from->left.count > 0 ? from->left.list[0].length - from->skip : 0;

    if (left == 0) {
        return false;
    }
    *target = irr_blocks_next(to, left);
    *source = irr_blocks_next(from, to->left.count > 0 ? target->length : left);
    return true;
}

/* ---- the last problem ---- */

/* A copy of the lists of the previous problem.  A zeroed struct has no problem and no memory. */
typedef struct irr_blocks_memory {
    bool         known;     /* true: a problem is stored; it may have no blocks */
    irr_block_t *list;      /* the blocks to send, followed by the blocks to receive */
    size_t       sent, received, max;
    uint64_t     sent_serial, received_serial;
} irr_blocks_memory_t;

void irr_blocks_memory_fini(irr_blocks_memory_t *memory);

/* Returns whether the lists of a problem are equal to the stored lists. */
bool irr_blocks_are_same(const irr_blocks_memory_t *memory, const irr_problem_t *problem);

/* Returns whether a problem is equal to the stored problem.  Lists with equal serials are not compared. */
static inline bool irr_blocks_repeat(const irr_blocks_memory_t *memory, const irr_problem_t *problem)
{
    const uint64_t sent = problem->send.serial, received = problem->recv.serial;

    return (sent != 0 && sent == memory->sent_serial && received != 0 && received == memory->received_serial) ||
           irr_blocks_are_same(memory, problem);
}

/* Stores a copy of the problem's lists.  After IRR_ERR_NO_MEMORY no problem is stored. */
irr_status_t irr_blocks_remember(irr_blocks_memory_t *memory, const irr_problem_t *problem);

#endif
