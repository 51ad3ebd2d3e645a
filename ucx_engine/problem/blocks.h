/*
 * blocks.h - lists of blocks: the blocks of one rank, the message that they form, and whether a problem repeats the
 * last one.
 *
 * The message between two ranks is the content of the blocks of a list, one after the other.  The two ends may cut it
 * differently.  Pure, except for irr_blocks_memory_t.  O(1) for a block, O(log n) to find the blocks of a rank.
 */
#ifndef IRR_BLOCKS_H
#define IRR_BLOCKS_H

#include "irr.h"

/* Returns whether a list is valid for so many ranks. */
bool irr_blocks_are_good(irr_blocks_t blocks, int ranks);

/* Return the blocks of a rank, and the first blocks of the list, all of one rank. */
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
    size_t       skip;   /* bytes of the first block that were passed */
} irr_blocks_cursor_t;

/* Returns a cursor at a byte of the message, or at its end if the message is shorter. */
static inline irr_blocks_cursor_t irr_blocks_at(irr_blocks_t blocks, size_t byte)
{
    while (blocks.count > 0 && byte >= blocks.list[0].length) {
        byte -= blocks.list[0].length;
        blocks = irr_blocks_after(blocks, 1);
    }
    return (irr_blocks_cursor_t){ .left = blocks, .skip = byte };
}

/* Returns the next bytes, at most max, that are in one block.  At the end the length is 0. */
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
 * Returns the next bytes that are in one block at their source and in one at their target.  False: the source is at its
 * end.  If the target's blocks are full, *source is the rest of the source's block, and *target is shorter.
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

/* A copy of the lists of a problem.  Zeroed: no problem, no memory. */
typedef struct irr_blocks_memory {
    bool         known;     /* whether a problem is remembered, which may have no blocks */
    irr_block_t *list;      /* blocks to send, then to receive */
    size_t       sent, received, max;
    uint64_t     sent_serial, received_serial;
} irr_blocks_memory_t;

void irr_blocks_memory_fini(irr_blocks_memory_t *memory);

/* Returns whether the lists are equal to the remembered ones. */
bool irr_blocks_are_same(const irr_blocks_memory_t *memory, const irr_problem_t *problem);

/* Returns whether this is the remembered problem.  Equal serials show it without comparing the lists. */
static inline bool irr_blocks_repeat(const irr_blocks_memory_t *memory, const irr_problem_t *problem)
{
    const uint64_t sent = problem->send.serial, received = problem->recv.serial;

    return (sent != 0 && sent == memory->sent_serial && received != 0 && received == memory->received_serial) ||
           irr_blocks_are_same(memory, problem);
}

/* Remembers the problem.  IRR_ERR_NO_MEMORY: none is remembered. */
irr_status_t irr_blocks_remember(irr_blocks_memory_t *memory, const irr_problem_t *problem);

#endif
