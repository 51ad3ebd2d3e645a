/*
 * boarded.h - which messages between ranks of a node go over boards (board/board.h).
 *
 * The sender decides, and its board says so.
 * Pure: the engine asks when it writes its boards, and who plans on paper (study/paper.h).
 */
#ifndef IRR_BOARDED_H
#define IRR_BOARDED_H

#include "irr.h"

/*
 * What the setting board_block is: where each rank has a processor, to lend, or send, pays from less on; not in place.
 */
static inline size_t irr_board_block(size_t setting, bool crowded)
{
    if (setting != IRR_BYTES_AUTO) {
        return setting;
    }
    return crowded ? IRR_BOARD_BLOCK_CROWDED : IRR_BOARD_BLOCK_ALONE;
}

/* What a cell of a board says of its message. */
typedef enum irr_board_kind {
    IRR_BOARD_INSIDE,    /* the bytes are in the cell, */
    IRR_BOARD_BESIDE,    /* or in the segment, from an offset on, */
    IRR_BOARD_LENT,      /* or where they are in the memory of the sender (transport/shm/lend.h), */
    IRR_BOARD_DIRECT,    /* or come as a message, where ranks cannot lend */
    IRR_BOARD_LACKING    /* the rank has no memory for its input */
} irr_board_kind_t;

/* Bytes that lie in a cell. */
#define IRR_BOARD_INSIDE_MAX 112

/* Up to the end of a line: what lies behind begins at one. */
static inline size_t irr_board_line_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Bytes beside the cells of a half, of so many that a rank may have. */
static inline size_t irr_board_room(size_t bytes_max)
{
    return bytes_max / 2 & ~(size_t)63;
}

/*
 * Which of the first four a message is.  To be asked for each member in turn, from the next one on; *left: of the
 * room, what those before it have left.
 */
irr_board_kind_t irr_board_kind(size_t bytes, size_t block_max, bool lends, size_t *left);

#endif
