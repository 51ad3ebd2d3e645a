/*
 * relay.h - the source of the plan of an exchange on a grid, where a rank knows nothing but its own messages.
 *
 * In each stage a rank has one message for each of its peers and hears from each of its senders, and what arrives in
 * one stage is what it sends in the next.  The executor (exec/exec.h) moves all of it; the relay appends the steps.
 *
 * What a rank receives from a sender in a stage is laid out as in the last exchange more often than not.  So a receive
 * for just that is posted before, at the start of the exchange: the opening.  A sender that has the same again sends it
 * there, and nothing else: an exchange in which nothing changes is one plan, that of the last time, which runs as it
 * is.  A sender that has something else retires the receive by empty messages, and sends a HEADER, which says what it
 * has, and the bytes right behind, if there is room; else they follow in PARTs.  Where the receiver knows no layout,
 * the opening takes one message and throws it away.  A rank with nothing for a peer opens with one byte, the blank,
 * because an empty message would retire the receive.
 *
 * Until the first opening that is retired, the last plan is followed.  Then the relay leaves it: the sends of later
 * stages are dropped, the plan is built again up to this stage from the layouts that are the same, and goes on from
 * there stage by stage.  A rank whose own blocks have changed does so from the start.
 *
 * What is passed on stays in memory that belongs to its sender and stage (irr_relay_place_t), so nothing that is on its
 * way is ever in the place of something else; with more than two stages that is more than theorem 1 of the JPDC paper
 * asks for, which a frozen plan keeps to.
 *
 * A stage is sent when all of the one before has arrived, so `pipelined` is `dual` here: before a rank has heard from
 * all senders of a stage, it cannot know that nothing changed.
 *
 * No rank may stop alone.  One that has no memory, or reads nonsense, goes on without contents: it opens with empty
 * messages, sends HEADERs with a status, and throws away what comes.  Who receives a status passes it on with what it
 * has, and the exchange ends with it.  The layouts that such a rank throws away are lost, and who told them may not
 * hear of it.  So it says so in the next exchange, in all its HEADERs, which it sends to all; who hears that passes it
 * on, by the end all ranks have heard it, and in the exchange after that all layouts are told again.  Until then an
 * opening whose layout was lost ends in IRR_ERR_NO_MEMORY.
 *
 *   relay.c          life, stages, the end
 *   relay_send.c     the steps that send a stage
 *   relay_receive.c  openings
 *   relay_header.c   HEADERs, one after the other, and what they announce
 *   relay_follow.c   is all as in the last exchange?  The plan of the next ones with the same counts
 *
 * Cost: one message a peer and stage where nothing changes, and no allocation; else two more, and one for each piece
 * that goes apart.  O(n log n) time for n slices in a stage, O(P + n) where the last plan is followed.
 */
#ifndef IRR_RELAY_H
#define IRR_RELAY_H

#include "exec/own_plan.h"
#include "exec/header.h"
#include "problem/blocks.h"
#include "route/grid_plan.h"

/* Of one sender in one stage. */
typedef struct irr_relay_place {
    bool           known;      /* its layout of the last exchange: the opening receives that, unless it is sunk */
    bool           sunk;       /* it is thrown away: the first message of it by the step, the others by the inbox */
    bool           changed;    /* in this exchange it told another one */
    size_t         messages;   /* of the layout that it told last, at least 1 */
    size_t         opening;    /* the step that does, in `run` */
    unsigned char *memory;     /* for what is passed on */
    size_t         memory_max;
} irr_relay_place_t;

/* Of one peer in one stage. */
typedef struct irr_relay_slot {
    bool           known;      /* it has the layout of the last exchange */
    size_t         messages;   /* that its opening may wait for: those of the layout that it was told last, or 1 */
    unsigned char  status[IRR_HEADER_PREFIX_MAX];   /* a HEADER without memory */
    unsigned char *header;
    size_t         header_max;
} irr_relay_slot_t;

typedef enum irr_inbox_state {
    IRR_INBOX_FREE,
    IRR_INBOX_DATA,     /* awaits what more there is of an opening that is thrown away */
    IRR_INBOX_HEADER,   /* awaits a HEADER */
    IRR_INBOX_MORE,     /* awaits the one that comes in its place */
    IRR_INBOX_SINK      /* awaits a PART that is thrown away */
} irr_inbox_state_t;

/* HEADERs are received one after the other, and so is most of what is thrown away. */
typedef struct irr_inbox {
    irr_inbox_state_t state;
    irr_own_plan_t    moves;
    int               sender;       /* number within the stage */
    size_t            left;         /* messages that are still to be thrown away */
    size_t            bytes_sunk;   /* of an opening */
    unsigned char    *bytes;
    size_t            bytes_max;    /* at least IRR_HEADER_MAX */
    irr_slice_t      *slices;
    irr_piece_t      *pieces;       /* where they go */
    size_t            slices_max, pieces_max;
} irr_inbox_t;

/* What a broken rank sends: in each slot of a stage empty messages, and a HEADER with its status. */
typedef struct irr_outbox {
    irr_own_plan_t moves;
    bool           busy;
    int            next;    /* slots of this stage that were served, in the order of the schedule */
    size_t         retired; /* messages that went to the next one */
} irr_outbox_t;

typedef struct irr_relay {
    irr_stages_t       stages;
    size_t             slice_min;
    irr_overlap_t      overlap;
    irr_grid_plan_t    plans[2];    /* of this exchange and of the last one */
    irr_grid_plan_t   *plan, *last; /* the same while the last one is followed */
    irr_blocks_memory_t blocks;     /* of the last exchange */
    bool               ended_well;  /* the last exchange: what it left in plan and blocks can be followed */
    unsigned char      blank;       /* sent and received where there is nothing */
    irr_relay_place_t *places;      /* by stage and sender */
    irr_relay_slot_t  *slots;       /* by stage and slot */
    size_t             scratch_bytes;
    irr_plan_t        *run;         /* what the executor runs: the last plan, or */
    irr_plan_t         grown;       /* one that grows from nothing */
    irr_plan_mark_t    mark;        /* where the last plan ends, if it is `run`, which has more appended */
    irr_exec_t         exec;
    irr_inbox_t        inbox;
    irr_outbox_t       outbox;
    irr_own_plan_t       barrier;     /* after each stage, if the overlap is blocking */

    /* the exchange */
    const irr_problem_t *problem;
    irr_status_t       status;      /* the first failure, here or told by a sender */
    irr_status_t       copied;      /* of the message to itself */
    bool               broken;      /* goes on without contents */
    bool               lost;        /* some rank, maybe this one, lost layouts in the last exchange */
    int                stage;       /* from 1; 0: the last plan is followed, and nobody has said otherwise */
    size_t             slot_base, sender_base;
    size_t             stage_steps; /* first step that was appended for this stage */
    bool              *heard;       /* by sender of this stage */
    int                unheard;
    bool               barrier_open;
} irr_relay_t;

/*
 * Makes all that an exchange needs to end well or not, whatever memory there is then.  The nodes that the grid borrows
 * must outlive the relay, which may not be moved.  Fails with IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_init(irr_relay_t *relay, const irr_grid_t *grid, int ranks, int rank, size_t slice_min,
                            irr_overlap_t overlap);
void         irr_relay_fini(irr_relay_t *relay);

/* Starts an exchange; problem and what env points to are borrowed until it is over.  Never blocks. */
void irr_relay_start(irr_relay_t *relay, const irr_problem_t *problem, const irr_exec_env_t *env);

/* Goes on after progress of the transport: IRR_IN_PROGRESS, or the result. */
irr_status_t irr_relay_progress(irr_relay_t *relay);

/*
 * After the last progress, by rank: its message, which is long enough to come directly, came through the grid, as it is
 * shorter than this rank awaits.  NULL: none did, as far as this rank knows.
 */
static inline const bool *irr_relay_came(const irr_relay_t *relay)
{
    return relay->broken ? NULL : relay->plan->came;
}

/* Steps of which the transport has messages. */
static inline size_t irr_relay_in_flight(const irr_relay_t *relay)
{
    return irr_exec_in_flight(&relay->exec) + irr_exec_in_flight(&relay->inbox.moves.exec) +
           irr_exec_in_flight(&relay->outbox.moves.exec);
}

/* As irr_exec_awaited. */
int irr_relay_awaited(const irr_relay_t *relay);

/*
 * The plan of the last exchange, exact, with places in one scratch buffer, and with what goes directly, in `frozen`,
 * which is not begun.  IRR_ERR_BAD_PARAM if that exchange had another problem, did not end well, or brought what was
 * awaited directly; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_grid_plan_t *frozen);

/* ---- private to exec/relay*.c ---- */

static inline bool irr_relay_following(const irr_relay_t *relay)
{
    return relay->plan == relay->last;
}

static inline const irr_stage_t *irr_relay_stage(const irr_relay_t *relay)
{
    return &relay->stages.stage[relay->stage - 1];
}

/* Goes on without contents from here; what was told in this exchange is lost. */
void irr_relay_break(irr_relay_t *relay, irr_status_t status);
void irr_relay_keep(irr_relay_t *relay, irr_status_t status);

/* All layouts are told in this exchange from here on. */
static inline bool irr_relay_tells(const irr_relay_t *relay)
{
    return relay->status != IRR_OK || relay->lost;
}

/* Appends a step to `run`, which the executor takes in; fails with IRR_ERR_NO_MEMORY. */
irr_status_t irr_relay_add(irr_relay_t *relay, const irr_step_params_t *params);

/* Ends what was appended to `run` since the mark with this status: the executor takes it in, or it is taken off. */
irr_status_t irr_relay_commit(irr_relay_t *relay, const irr_plan_mark_t *mark, irr_status_t status);

/* The address of a piece of the plan. */
static inline const void *irr_relay_address(const irr_relay_t *relay, const irr_piece_t *piece)
{
    const uintptr_t base = piece->buffer == IRR_BUFFER_INPUT ? (uintptr_t)relay->exec.env.input : 0;

    return (const void *)(base + (uintptr_t)piece->offset);
}

/* The messages that the executor makes of a step to or from a rank with these pieces. */
static inline size_t irr_relay_messages(const irr_relay_t *relay, int peer, const irr_piece_t *pieces, size_t count,
                                        size_t bytes)
{
    const irr_channel_t *lane = irr_channel_lane(relay->exec.env.channel, peer);

    return irr_compose_messages(relay->exec.env.compose, &lane->transport->caps, pieces, count, bytes);
}

/* Begins a stage without its sends. */
void irr_relay_enter_stage(irr_relay_t *relay, int number);

/* Can the last plan be followed?  Remembers the blocks for the next time. */
bool irr_relay_may_follow(irr_relay_t *relay, const irr_problem_t *problem);

/* Starts the plan of an exchange that follows none. */
irr_status_t irr_relay_begin(irr_relay_t *relay);

/* Some opening is held: leaves the plan in that stage, if all before it is over. */
void irr_relay_leave(irr_relay_t *relay);

/* A stage begins: appends what it sends. */
void irr_relay_send_stage(irr_relay_t *relay);

/* Goes on sending without contents; true if something happened. */
bool irr_outbox_progress(irr_relay_t *relay);

/* Makes room for them in `run` and the executor, at rest; without memory all openings take anything. */
void irr_relay_reserve_openings(irr_relay_t *relay);

/* Appends the openings of all stages to a plan that is empty and just runs; some may take anything. */
void irr_relay_post_openings(irr_relay_t *relay);

/* Looks at the openings of this stage; true if something happened. */
bool irr_relay_hear(irr_relay_t *relay);

/* All of an opening of so many bytes, not 0, was thrown away. */
void irr_relay_hear_sunk(irr_relay_t *relay, int sender, size_t bytes);

/* A sender of this stage has been heard; its layout is known, or it is not. */
void irr_relay_heard(irr_relay_t *relay, int sender, bool known);

/*
 * Says where what comes from a sender goes: to OUTPUT, or to its memory, which grows; nothing may be on its way there.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_put(irr_relay_t *relay, irr_relay_place_t *place, const irr_slice_t *slices, size_t count,
                           irr_piece_t *pieces);

/* ---- relay_header.c ---- */

irr_status_t irr_inbox_init(irr_relay_t *relay);
void         irr_inbox_fini(irr_inbox_t *inbox);

/* Awaits the HEADER of a sender of this stage, whose opening was retired. */
void irr_inbox_open(irr_relay_t *relay, int sender);

/* Of an opening whose first message was thrown away, with so many bytes: awaits the others, and then the HEADER. */
void irr_inbox_drain(irr_relay_t *relay, int sender, size_t bytes);

/* Goes on with it; true if something happened. */
bool irr_inbox_progress(irr_relay_t *relay);

#endif
