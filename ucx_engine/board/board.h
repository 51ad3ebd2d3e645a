/*
 * board.h - how the ranks of a node exchange blocks through memory that they share.
 *
 * Each rank has a board in its segment (transport/shm/segment.h), which it alone writes: a cell for each rank of the
 * node, in two halves that take turns.  In exchange n it writes into the cells of the half what it has for its
 * partners, which are all other ranks of the node, or its neighbours where the problem names them, and raises the
 * number of each cell to n.  Then it waits until the numbers of the cells that its partners have for it are n, and
 * copies what they say into its output.  A short block lies in the cell itself, so it costs the reader one miss of the
 * cache; a longer one in memory beside, where the cell points; and one that is too long, or has no room there, is lent
 * (transport/shm/lend.h): the cell says where it is in the memory of its sender, and the reader copies it from there.
 * So the receiver need not know what its sender found too long.  Where ranks cannot lend, which is so for all members
 * or none, it is sent as a message, and the cell says so.
 *
 * In place a rank first writes its own cells, and then reads; so only what is lent could be overwritten before it is
 * read.  That is swapped with what its reader has for its writer: who swaps reads the other's bytes, and writes its own
 * there.  If both ranks have lent, each swaps one half, the lower rank the first; else who has lent nothing swaps all.
 * Each sees that from both cells, and who has lent waits until the other one is done.  A rank that cannot swap says so
 * in the cell that it has for the other one, so both ranks return an error.  It is cleared when that half is written
 * again, which in a sparse exchange may be before the other one looks; so what is in place is never sparse.
 *
 * A rank that has read all its cells of exchange n raises a number of its own to n, `read`.  Two wait for it: who has
 * lent something, which it must not change before it is read; and who wants to write a half again (board/turn.c).  The
 * first needs n in exchange n, the second n in exchange n + 2.  Nobody waits in a circle: to raise `read` to n a rank
 * waits for cells n alone, and to write those for numbers n - 2.
 *
 * A rank that frees its board does not know whether the others have read it.  So each tells, in the table of its
 * segment, the number of the last exchange that it is done with, by the id of the communicator; a new communicator with
 * that id counts on from the largest number of all its members.  What was freed is written again when all numbers say
 * so (irr_boards_t).
 *
 * A rank that has waited long says on its board that it sleeps, and sleeps on a number that it waits for.
 * Who has written its cells looks who of its partners sleeps, and wakes them: after a first look at what the others
 * wrote, because a look at sleepers must wait until the processor's stores are over, and these go on while it reads.
 *
 * All that is read of others is checked: it may be late or early, but never leads outside of their segments.
 *
 * Cost: a copy in and a copy out for each byte, or one copy of what is lent, L stores of a line, and about 2 L misses
 * of the cache for L partners, and up to L more where partners do not write for each other; no message, no agreement,
 * and no allocation but where more is written than ever before.
 */
#ifndef IRR_BOARD_H
#define IRR_BOARD_H

#include "transport/shm/lend.h"
#include "transport/shm/segment.h"
#include "route/boarded.h"

#include <stdatomic.h>

/* What a rank has for another one: blocks of a list, and their bytes. */
typedef struct irr_board_message {
    size_t first, count;
    size_t bytes;
} irr_board_message_t;

/* Both sides of a problem, by member of the node. */
typedef struct irr_board_sides {
    irr_board_message_t *sent, *received;
} irr_board_sides_t;

/* Members for which a rank writes cells, and those whose cells it reads, in the order in which it looks at them. */
typedef struct irr_board_partners {
    const int *to, *from;
    int        nto, nfrom;
    bool       sparse;     /* not all members, which then may be some exchanges apart */
} irr_board_partners_t;

enum { IRR_LACKS_INPUT = 1, IRR_LACKS_OUTPUT = 2 };

/* Where the blocks of a problem lie.  A base may be NULL: then offsets are addresses. */
typedef struct irr_board_buffers {
    const void *input;
    void       *output;
    unsigned    lacks;   /* which of them this rank has no memory for: IRR_LACKS_INPUT, IRR_LACKS_OUTPUT */
    bool        in_place;   /* they are one, and so are the lists of the problem; what is too long is lent */
} irr_board_buffers_t;

typedef struct irr_board_head irr_board_head_t;
typedef struct irr_board_cell irr_board_cell_t;

typedef struct irr_board_member {
    int                     rank;
    uint64_t                process;    /* its number */
    const irr_view_t       *view;
    const irr_board_head_t *head;
    const irr_board_cell_t *cells[2];   /* what it has for this rank, by half */
} irr_board_member_t;

/* Zeroed is none. */
typedef struct irr_board irr_board_t;
struct irr_board {
    irr_segment_t       *segment;
    uint32_t             id;
    int                  count;       /* members: ranks of the communicator on this node */
    int                  me;          /* which of them this rank is */
    bool                 lends;       /* alike on all members: each may read the memory of all others */
    irr_board_member_t  *members;     /* in the order of their ranks */
    size_t               place;       /* of the own head and cells in the segment */
    size_t               beside[2];   /* memory beside the cells, by half, */
    size_t               beside_max[2];   /* and its length, or 0 */
    size_t               block_max;   /* bytes of a message that goes over the board, at most, */
    size_t               short_max;   /* and of one of short blocks, or in place */
    size_t               bytes_max;   /* beside the cells, in both halves, at most */
    uint32_t             number;      /* of the exchange that runs, or was the last one */
    unsigned             left;        /* what is to be done for it yet: IRR_BOARD_WRITE and so on */
    irr_board_partners_t all;         /* all others, */
    irr_board_partners_t partners;    /* and those of what runs */
    int                 *pending;     /* members that this rank waits for, in the order in which it looks */
    int                  npending;
    int                 *readers[2];  /* by half: members that may still read what was written there last */
    int                  nreaders[2];
    uint32_t            *done;        /* by member: a number with which it is done, as far as this rank has seen */
    bool                 quiet;       /* `read` was raised, and who sleeps on it was not looked for */
    int                 *out, *in;    /* members that are to be sent a message, and that send one */
    int                  nout, nin;
    int                 *lent;        /* members that have not read yet what this rank lends them */
    int                  nlent;
    bool                 given_up;    /* who reads it is told, and nothing of it is used again */
    bool                 borrows;     /* something was lent to this rank, which others wait for it to read */
    irr_status_t         status;
    unsigned char       *scratch;     /* through which blocks are swapped; NULL: none were yet, or no memory */
    size_t               scratch_max;
    uint64_t             bytes;       /* that this rank copied, in and out, */
    uint64_t             bytes_lent;  /* and from the memory of others */
    unsigned             news;        /* what was read since somebody asked */

    /* the exchange */
    const irr_problem_t *problem;
    irr_board_sides_t    sides;
    irr_board_buffers_t  buffers;
    irr_board_t         *next;        /* of those that were freed and may still be read */
};

/* What members tell each other before they can use a board. */
typedef struct irr_board_card {
    irr_segment_card_t segment;
    uint64_t           place;
    uint64_t           number;   /* the largest one with this id in its table */
} irr_board_card_t;

/* ---- life ---- */

/* What the table of a segment is long. */
#define IRR_BOARD_TABLE ((size_t)(1 << 16) * sizeof(uint32_t))

/*
 * Makes the own board of a communicator with this id, for so many members, and says in *card what they need to know.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_board_init(irr_board_t *board, irr_segment_t *segment, uint32_t id, int count, int me,
                            irr_board_card_t *card);

/*
 * Says where another member, or this one, has its own; the view must outlive the board.  IRR_ERR_PROTOCOL: not in its
 * segment.
 */
irr_status_t irr_board_join(irr_board_t *board, int member, int rank, const irr_view_t *view,
                            const irr_board_card_t *card);

/* Gives back at once what no other rank has heard of yet. */
void irr_board_fini(irr_board_t *board);

/* Has this member read all that was written for it? */
bool irr_board_is_read(const irr_board_t *board, int member);

/* Bytes of messages of short blocks that all go over the board, if this rank has one for each member. */
size_t irr_board_copies(const irr_board_t *board);

/* ---- an exchange ---- */

/* Fills in what each member gets, and gives; O(L + blocks). */
void irr_board_sides_of(const irr_board_t *board, const irr_problem_t *problem, irr_board_sides_t sides);

/*
 * The members among the neighbours of a problem, in arrays with room for all; without neighbours all others.
 * O(L + neighbours).
 */
irr_board_partners_t irr_board_partners_of(const irr_board_t *board, const irr_problem_t *problem, int *to, int *from);

/*
 * Begins the next exchange: writes the cells of its partners, unless others still read that half; then the first
 * progress that can does.  What is borrowed stays until it is over.  Where this rank lacks its input, the others are
 * told; where it lacks its output, what comes is thrown away.  Never blocks, never fails.
 */
void irr_board_start(irr_board_t *board, const irr_problem_t *problem, const irr_board_partners_t *partners,
                     irr_board_sides_t sides, irr_board_buffers_t buffers);

/*
 * Writes what is not written, reads what has come, and wakes those who sleep until it is there: IRR_IN_PROGRESS while
 * members are pending, or read what is lent to them, then the result.  To be called once at least.  The caller sends
 * messages to the members in `out`, and receives those of members in `in`, and empties both.
 */
irr_status_t irr_board_progress(irr_board_t *board);

/* There is nothing more to wait for: it is over, or given up. */
void irr_board_stop(irr_board_t *board);

/* Must it write or read, or wait for what others write? */
static inline bool irr_board_waits(const irr_board_t *board)
{
    return board->left != 0 || board->nlent > 0;
}

/* What a rank sleeps on: until *word is not `seen`. */
typedef struct irr_board_bed {
    const void *word;
    uint32_t    seen;
} irr_board_bed_t;

/*
 * To sleep until the first of those that are awaited has something: lie down, sleep at most so many microseconds, and
 * get up.  lie_down says false if one of them has something now.  Others may go on with the board while this one
 * sleeps.  sleep returns true if it was woken.
 */
bool irr_board_lie_down(irr_board_t *board, irr_board_bed_t *bed);
bool irr_board_sleep(const irr_board_bed_t *bed, unsigned timeout_us);
void irr_board_get_up(irr_board_t *board);

/* The exchange is over on this rank, messages and all. */
void irr_board_end(irr_board_t *board);

/* There will be no exchange any more on this rank: tells the others.  Has one of those that are joined told so? */
void irr_board_give_up(irr_board_t *board);
bool irr_board_is_given_up(const irr_board_t *board);

/* ---- private to board/ ---- */

/* By way of a number, because the base may be NULL. */
static inline unsigned char *irr_board_address(const void *base, ptrdiff_t offset)
{
    return (unsigned char *)((uintptr_t)base + (uintptr_t)offset);
}

/* Blocks to bytes, one behind the other; and so many bytes to the blocks of a message. */
void irr_board_gather(const irr_block_t *blocks, size_t count, const void *input, unsigned char *bytes);
void irr_board_scatter(irr_board_t *board, const irr_board_message_t *message, const unsigned char *bytes,
                       size_t length);

#define IRR_BOARD_LINE 64
#define IRR_BOARD_HEAD (2 * IRR_BOARD_LINE)
#define IRR_BOARD_CELL 128   /* two lines, of which the second is fetched with the first */

/* What others read, each a line or more of its own: in front, */
struct irr_board_head {
    _Atomic uint32_t asleep;
    _Atomic uint32_t given_up;
    unsigned char    rest[IRR_BOARD_LINE - 2 * sizeof(uint32_t)];
    _Atomic uint32_t read;   /* number of the last exchange of which it has read all */
    unsigned char    more[IRR_BOARD_LINE - sizeof(uint32_t)];
};

struct irr_board_cell {
    _Atomic uint32_t number;   /* of the exchange that it is for: the last thing that is written */
    uint16_t         kind;     /* an irr_board_kind_t */
    uint8_t          in_place; /* what the reader has for the writer may be swapped for it, */
    uint8_t          failed;   /* and that has failed: written before `read` is raised */
    uint64_t         length;
    union {
        unsigned char bytes[IRR_BOARD_INSIDE_MAX];
        uint64_t      offset;
        irr_lent_t    lent;
    };
};

static inline irr_board_head_t *irr_board_own_head(const irr_board_t *board)
{
    return (irr_board_head_t *)(board->segment->bytes + board->place);
}

/* Where it tells with which exchange of that id it is done. */
static inline _Atomic uint32_t *irr_board_told(const irr_segment_t *segment, uint32_t id)
{
    return (_Atomic uint32_t *)(segment->bytes + (size_t)id * sizeof(uint32_t));
}

/* For all members, in one half. */
static inline irr_board_cell_t *irr_board_own_cells(const irr_board_t *board, int half)
{
    return (irr_board_cell_t *)(irr_board_own_head(board) + 1) + half * board->count;
}

/* The half may be written: the cells of the partners, who are then to be woken. */
void irr_board_write_cells(irr_board_t *board);
void irr_board_wake_members(irr_board_t *board);

/* What is to be done for an exchange. */
enum { IRR_BOARD_WRITE = 1, IRR_BOARD_READ = 2, IRR_BOARD_WAKE = 4 };

/* ---- turn.c ---- */

/* The next exchange begins, with these partners; writes if it `writes`, and may. */
void irr_board_begin(irr_board_t *board, const irr_board_partners_t *partners, bool writes);

/* Writes what is to be written, if nobody reads the half any more. */
void irr_board_write(irr_board_t *board);

/* The partners are those who read what was just written. */
void irr_board_wrote(irr_board_t *board);

/* A member has begun what runs now, so it is done with what was before. */
void irr_board_heard(irr_board_t *board, int member);

/* All is read: tells those who wait for that. */
void irr_board_tell_read(irr_board_t *board);

/* Has a member read all of an exchange that this rank is in, or was in? */
bool irr_board_has_read(irr_board_t *board, int member, uint32_t number);

/* A number was raised on which all, or some members, may sleep. */
void irr_board_wake(const irr_board_t *board, const _Atomic uint32_t *number);
void irr_board_wake_some(const irr_board_t *board, const int *members, int count, const _Atomic uint32_t *number);

static inline bool irr_board_is_past(uint32_t number, uint32_t wanted)
{
    return (int32_t)(number - wanted) >= 0;
}

#endif
