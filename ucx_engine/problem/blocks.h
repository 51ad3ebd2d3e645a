/*
 * blocks.h - lists of blocks: the ones of a rank, the message that they make, and whether a problem is that of the last
 * time.
 *
 * The message between two ranks is what the blocks of the list hold, one behind the other.  The two ends may cut it
 * differently.  Pure, but for what irr_blocks_memory_t remembers.  O(1) a block, O(log n) to find those of a rank.
 */
#ifndef IRR_BLOCKS_H
#define IRR_BLOCKS_H

#include "irr.h"

/* Is this a list for so many ranks?  *more_p: blocks beyond the first one of their rank. */
bool irr_blocks_are_good(irr_blocks_t blocks, int ranks, size_t *more_p);

/* The blocks of a rank; and those that the list begins with, which all have one rank. */
irr_blocks_t irr_blocks_of(irr_blocks_t blocks, int rank);
irr_blocks_t irr_blocks_first(irr_blocks_t blocks);

/* What is left of a list without so many blocks in front. */
static inline irr_blocks_t irr_blocks_after(irr_blocks_t blocks, size_t count)
{
    return (irr_blocks_t){ .list = blocks.list + count, .count = blocks.count - count };
}

size_t irr_blocks_bytes(irr_blocks_t blocks);

/* ---- the message that blocks make ---- */

typedef struct irr_blocks_cursor {
    irr_blocks_t left;
    size_t       skip;   /* bytes of the first one that are behind */
} irr_blocks_cursor_t;

/* At a byte of the message, or at its end if it has less. */
static inline irr_blocks_cursor_t irr_blocks_at(irr_blocks_t blocks, size_t byte)
{
    while (blocks.count > 0 && byte >= blocks.list[0].length) {
        byte -= blocks.list[0].length;
        blocks = irr_blocks_after(blocks, 1);
    }
    return (irr_blocks_cursor_t){ .left = blocks, .skip = byte };
}

/* The next bytes, at most max of them, that lie in one block; none at the end. */
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
 * The next bytes that lie in one block both where they come from and where they go; false: there are none to come.
 * Where they have no place, the target is shorter than the source, which is all that is left of its block.
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

/* Zeroed, it remembers none, and has no room. */
typedef struct irr_blocks_memory {
    irr_block_t *list;      /* sent, then received */
    size_t       sent, received, max;
    uint64_t     sent_serial, received_serial;
} irr_blocks_memory_t;

/* Makes room for so many blocks.  IRR_ERR_NO_MEMORY: the room is as before. */
irr_status_t irr_blocks_memory_reserve(irr_blocks_memory_t *memory, size_t count);
void         irr_blocks_memory_fini(irr_blocks_memory_t *memory);

/* Are the lists equal to those that are remembered? */
bool irr_blocks_are_same(const irr_blocks_memory_t *memory, const irr_problem_t *problem);

/* Is it the problem that is remembered?  The serials of its lists may say so without a look at them. */
static inline bool irr_blocks_repeat(const irr_blocks_memory_t *memory, const irr_problem_t *problem)
{
    const uint64_t sent = problem->send.serial, received = problem->recv.serial;

    return (sent != 0 && sent == memory->sent_serial && received != 0 && received == memory->received_serial) ||
           irr_blocks_are_same(memory, problem);
}

/* Remembers the problem; or none, and IRR_ERR_NO_MEMORY. */
irr_status_t irr_blocks_remember(irr_blocks_memory_t *memory, const irr_problem_t *problem);

#endif
