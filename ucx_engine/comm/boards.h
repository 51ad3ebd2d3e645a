/*
 * boards.h - the boards of a process: its segment, the segments of others that it reads, and how the members of a
 * communicator come to boards (board/board.h).
 *
 * Made in the first exchange of the first communicator whose algorithm has boards.  That costs each communicator one
 * all-gather and one all-reduce, and nothing where no two ranks share a node.  Where one member cannot have a board,
 * none has one: the exchange goes directly, and the lowest such rank says why.  Where one
 * member cannot read the memory of all others of its node, none lends.
 */
#ifndef IRR_BOARDS_H
#define IRR_BOARDS_H

#include "board/board.h"

struct irr_engine;

/* The segment of a process that shares a node with this one. */
typedef struct irr_boards_view {
    uint64_t                name;   /* of the process in the job */
    irr_view_t              view;
    struct irr_boards_view *next;
} irr_boards_view_t;

/* Of an engine, which is locked.  Zeroed is none. */
typedef struct irr_boards {
    irr_segment_t      segment;
    uint64_t           word;      /* that others look for (transport/shm/lend.h) */
    irr_boards_view_t *views;
    irr_board_t       *freed;     /* that other ranks may still read */
    size_t             waiting;   /* communicators that wait for what others write */
    unsigned           news;      /* what was read since the engine looked */
} irr_boards_t;

/* No process may read them any more. */
void irr_boards_fini(irr_boards_t *boards);

/* What the members of a communicator tell each other. */
typedef struct irr_boards_entry {
    irr_board_card_t card;
    irr_lend_card_t  lend;
    uint64_t         good;   /* there is one */
} irr_boards_entry_t;

/* Nobody but this rank knows the board of a communicator, and nobody will: it has none any more. */
void irr_boards_unmake(irr_comm_t *comm);

/*
 * The engine is locked.  Something may have begun, or ended, to wait for what others write; and an exchange is over, so
 * that the communicator waits for nothing, also where it was given up.
 */
void irr_boards_note(irr_comm_t *comm);
void irr_boards_stop(irr_comm_t *comm);

/* The name of the process behind a rank, if it has a board here. */
bool irr_boards_name(const irr_comm_t *comm, int rank, uint64_t *name);

/* The communicator is freed: so is its board, when all have read it.  The engine is locked. */
void irr_boards_leave(irr_comm_t *comm);

#endif
