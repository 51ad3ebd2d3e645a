/*
 * mail.h - what the ranks of a node have for other nodes, on their boards: one message from node to node.
 *
 * Each rank has, in two halves that take turns as those of board.h, a row of lengths, one for each rank elsewhere, and
 * the blocks themselves; both node by node, so what it has for a node is one range.  It writes them before its cells,
 * whose numbers say that they are there.  Each other node is served by one rank of this one, and the other way round:
 * a server sends one message for each node that it serves, gathered from the boards of its node, and receives one on
 * its own board.  Then it says for each rank here and each one there where the block is and how long, and raises a
 * number, which each rank of its node waits for to copy what is its own.
 *
 * A message is the blocks of the first rank there for all ranks here, then those of the second one, and so on.  If a
 * length is not that of the message before, all lengths are in front: two bytes a pair, and a byte more at the end if
 * the message would be as long as one without them.  So the receiver knows by its length which one it is, and counts
 * that do not change cost nothing.  There is always a message, of a byte at least, so nobody waits for what does not
 * come, whatever the counts are.
 *
 * A block of more bytes than `limit`, which all know alike, goes directly, and its length says so; a receiver that
 * awaits such a message finds out if it does not come.  The limit is so small that there is room for all blocks: all
 * memory is taken when the communicator is made, where ranks can agree that one has none, and an exchange cannot lack
 * it.
 *
 * Where there is mail, exchanges are among all ranks, also those of neighbours.  So a half may be written again at
 * once: who ends exchange n + 1 has seen the cells n + 1 of all others, and a rank writes those when it is done with
 * exchange n: it has copied what is its own, and what it sends has been read.  So nobody reads the half of n any more,
 * neither rows and blocks nor what a server received there.
 *
 * All that is read of others, lengths and offsets, is checked before it is used; places are known from the nodes alone.
 *
 * Cost: for P ranks and L a node, N nodes: N / L messages a rank; two copies a byte here, two there; O(P) time.  The
 * memory of a node for P * limit bytes a rank and half, twice; who serves has what others of its node save.
 */
#ifndef IRR_MAIL_H
#define IRR_MAIL_H

#include "board/board.h"
#include "plan/plan.h"

/* In front of what a server received. */
typedef struct irr_mail_arrival {
    _Atomic uint32_t number;   /* of the exchange: the last thing that is written */
    uint32_t         base;     /* where blocks begin in the message */
    unsigned char    rest[56];
} irr_mail_arrival_t;

/* Where the block of a rank there for one here is, from the base on. */
typedef struct irr_mail_slot {
    uint32_t offset, length;
} irr_mail_slot_t;

/* What a member has for other nodes, by half. */
typedef struct irr_mail_source {
    const uint16_t      *row[2];
    const unsigned char *bytes[2];
} irr_mail_source_t;

/* Another node. */
typedef struct irr_mail_node {
    int                       server;       /* the member that serves it */
    size_t                    first, size;  /* which of the ranks elsewhere are on it */
    size_t                    message_max;
    const irr_mail_arrival_t *arrival[2];   /* on the server's board, by half; */
    const irr_mail_slot_t    *slots[2];     /* those of the first rank here, then those of the next one */
    const unsigned char      *message[2];   /* as it was received */
} irr_mail_node_t;

/* One that this rank serves. */
typedef struct irr_mail_served {
    int       node;          /* which of the others */
    int       peer;          /* the rank there that serves this node */
    uint16_t *sent, *received;   /* lengths, as told last */
    size_t   *sums;          /* bytes of each member for it */
    size_t    sent_bytes, received_bytes;   /* without lengths */
    bool      known;         /* the peer was told what is in `sent` */
    unsigned  changes;       /* of `received`, */
    unsigned  written[2];    /* and how many of them are written, by half */
    size_t    step;          /* the caller's: of its receive */
    bool      open;          /* what it sends has not come */
} irr_mail_served_t;

/* Zeroed is none. */
typedef struct irr_mail {
    irr_board_t       *board;      /* the cells beside it */
    size_t             limit;
    size_t             elsewhere;  /* ranks on other nodes */
    size_t             place, bytes_taken;
    int               *index;      /* by rank: which one of those elsewhere; -1: it is on this node */
    int               *ranks;      /* elsewhere */
    irr_mail_source_t *sources;    /* by member */
    irr_mail_node_t   *others;
    irr_mail_served_t *served;
    int                nothers, nserved, nopen;
    irr_piece_t       *pieces;     /* of the message that irr_mail_send made */
    int               *in;         /* which of those elsewhere send directly what was not awaited so */
    int                nin;
    int               *late;       /* nodes that this rank waits for, */
    const _Atomic uint32_t **numbers;   /* and the numbers that say so */
    uint32_t           number;     /* of the exchange */
    bool               busy;       /* it is not over, */
    bool               serves;     /* and cells have come */
    bool               lost;       /* a message is awaited that does not come */
    irr_board_sides_t  sides;      /* by rank elsewhere */
    irr_status_t       status;
    uint64_t           bytes;      /* that were written */
} irr_mail_t;

/* ---- life ---- */

/* Makes those of a rank beside its board.  *place_p: what members need to know.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_mail_init(irr_mail_t *mail, irr_board_t *board, const irr_nodes_t *nodes, int rank, size_t limit,
                           uint64_t *place_p);
void         irr_mail_fini(irr_mail_t *mail);

/* Says where a member, whose board was joined, has its own.  IRR_ERR_PROTOCOL: not in its segment. */
irr_status_t irr_mail_join(irr_mail_t *mail, int member, uint64_t place);

/* ---- an exchange ---- */

/* Fills in what each rank elsewhere gets, and gives. */
void irr_mail_sides_of(const irr_mail_t *mail, const irr_problem_t *problem, irr_board_sides_t sides);

/*
 * Writes what this rank has, before irr_board_start is told of the same problem.  Where it lacks its input, the others
 * are told.
 */
void irr_mail_start(irr_mail_t *mail, const irr_problem_t *problem, irr_board_sides_t sides,
                    irr_board_buffers_t buffers);

/* Pieces of messages are addresses, as of an exchange without scratch.  So many has one at most. */
static inline size_t irr_mail_pieces_max(const irr_mail_t *mail)
{
    return (size_t)mail->board->count + 2;
}

/*
 * The message for a node that is served, when the cells of all members have come: pieces, one part of a message, and
 * how many.  *described_p: so many bytes are lengths.  They lie in memory that may only be read, so they are gathered.
 */
size_t irr_mail_send(irr_mail_t *mail, irr_mail_served_t *served, size_t *described_p);

/* Where that of the node is received, and the longest one that may come. */
irr_piece_t irr_mail_room(const irr_mail_t *mail, const irr_mail_served_t *served);

/* So many bytes have come: tells the members, and copies what is for this rank.  IRR_ERR_PROTOCOL: it is no message. */
irr_status_t irr_mail_received(irr_mail_t *mail, irr_mail_served_t *served, size_t bytes);

/*
 * Copies what other servers have received.  IRR_IN_PROGRESS while messages are open or servers late, then the result.
 * Those who send what the caller receives directly are in `in`, which it empties.
 */
irr_status_t irr_mail_progress(irr_mail_t *mail);

#endif
