/*
 * boarded.h - which messages go over boards: those of a node by board/board.h, those between nodes by board/mail.h.
 *
 * Within a node the sender decides, of what it sends, and its board says so; between nodes all know it, of the lengths.
 * Pure: the engine asks when it writes its boards, and who plans on paper (study/paper.h).
 */
#ifndef IRR_BOARDED_H
#define IRR_BOARDED_H

#include "route/nodes.h"

/* ---- within a node ---- */

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

/* ---- between nodes ---- */

/* Longer blocks go directly, as they are sent as fast so. */
#define IRR_MAIL_BLOCK_MAX 1024

_Static_assert(IRR_BOARD_BLOCK_ALONE >= IRR_MAIL_BLOCK_MAX, "crowded or not, nodes have the same limit");

/* Bytes of the longest block that goes over boards between these nodes; 0: none does, and there are no rows. */
size_t irr_mail_limit(const irr_nodes_t *nodes, size_t block_max, size_t bytes_max);

/* Bytes of the lengths in front of a message from a node of so many ranks to one of so many. */
static inline size_t irr_mail_lengths(size_t from, size_t to)
{
    return from * to * sizeof(uint16_t);
}

#endif
