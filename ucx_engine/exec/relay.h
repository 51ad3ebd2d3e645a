/*
 * relay.h - runs an exchange along a grid by store-and-forward. Each rank knows only its own counts at the start. The
 * relay is the source of a plan that grows: the relay appends steps, and the executor (exec/exec.h) runs the steps.
 *
 * In each stage a rank sends one message to each of its peers and receives one message from each of its senders. The
 * data received in one stage is sent in the next stage.
 *
 * Predicted receives. The layout of a message is the list of its slices, which are ranges of blocks. Most messages have
 * the same layout as in the previous exchange. At the start of an exchange a rank therefore posts, for each sender and
 * stage, a receive for the sender's layout of the previous exchange. If the layout of a sender is unchanged, the sender
 * sends only the bytes. If no layout has changed, the exchange runs the unchanged plan of the previous exchange. A
 * sender with a changed layout cancels the predicted receive by empty messages (cancel notices), and sends a HEADER
 * that describes its data. Short data follows in the HEADER, longer data in BODY messages. If the receiver knows no
 * layout, the predicted receive accepts one message of any length and discards it. A rank without data for a peer sends
 * one byte, the blank, because an empty message would be a cancel notice.
 *
 * The rank follows the previous plan until a predicted receive is cancelled. Then the relay drops the sends of later
 * stages, builds a new plan from the unchanged layouts up to this stage, and continues stage by stage. A rank whose own
 * blocks have changed works stage by stage from the start.
 *
 * The data to forward has separate memory for each sender and stage (irr_relay_sender_t), so received data never
 * overwrites data in flight. With more than two stages, separate memory exceeds the bound of theorem 1 of the JPDC
 * paper; a frozen plan meets the bound.
 *
 * A rank sends a stage when all messages of the previous stage have arrived. The rank cannot know earlier that no
 * layout has changed. The overlap `pipelined` therefore has the effect of `dual`.
 *
 * No rank may stop alone. A rank is broken if it lacks memory or has received an invalid message. A broken rank sends
 * cancel notices and HEADERs with a status instead of data, and discards all data that it receives. A rank that
 * receives a status includes the status in its own HEADERs, and the exchange ends with this status. A broken rank loses
 * the layouts that it discards, and their senders may not know about the loss. In the next exchange the rank that was
 * broken therefore sends a HEADER with a flag to each of its peers. All ranks forward the flag, so that all ranks have
 * the flag at the end of this exchange. In the exchange after it, all ranks announce all layouts again. Until then a
 * predicted receive whose layout was lost ends in IRR_ERR_NO_MEMORY.
 *
 *   relay.c          init and fini, stages, the end of an exchange
 *   relay_send.c     the steps that send a stage
 *   relay_receive.c  predicted receives
 *   relay_header.c   receives HEADERs one at a time, and the data that they announce
 *   relay_follow.c   follows the previous plan, and leaves it
 *   relay_freeze.c   freezes a plan, and frees memory
 *
 * Cost: if no layout changes, one message per peer and stage, and no allocation. A changed layout costs two more
 * messages, and one more message for each piece that is sent separately. A stage of n slices takes O(n log n) time. An
 * exchange that follows the previous plan takes O(P + n) time.
 */
#ifndef IRR_RELAY_H
#define IRR_RELAY_H

#include "exec/own_plan.h"
#include "exec/header.h"
#include "problem/blocks.h"
#include "route/grid_plan.h"

/* The state of one sender in one stage. */
typedef struct irr_relay_sender {
    bool           known;      /* the layout of the sender's previous message is known; unless `discarded`, the
                                  predicted receive has this layout */
    bool           discarded;   /* the data of the sender is discarded, first by the predicted receive, then by the
                                   inbox */
    bool           changed;    /* the sender announced another layout in this exchange */
    size_t         messages;   /* number of messages of the latest announced layout, at least 1 */
    size_t         predicted;   /* index of the predicted receive in `run` */
    unsigned char *memory;     /* buffer for data to be forwarded */
    size_t         memory_max;
} irr_relay_sender_t;

/* The state of one peer in one stage. */
typedef struct irr_relay_slot {
    bool           known;      /* the peer knows the layout of the previous message */
    size_t         messages;   /* number of messages that the peer's predicted receive takes: that of the last layout,
                                  or 1 */
    unsigned char *header;
    size_t         header_max;
} irr_relay_slot_t;

typedef enum irr_inbox_state {
    IRR_INBOX_FREE,
    IRR_INBOX_DATA,     /* waits for the remaining messages of a predicted receive that is discarded */
    IRR_INBOX_HEADER,   /* waits for a HEADER */
    IRR_INBOX_MORE,     /* waits for the second, longer HEADER that replaces the first one */
    IRR_INBOX_SINK      /* waits for a BODY that is discarded */
} irr_inbox_state_t;

/* Receives HEADERs one at a time, and most of the data to be discarded. */
typedef struct irr_inbox {
    irr_inbox_state_t state;
    irr_own_plan_t    moves;
    int               sender;       /* index of the sender within the stage */
    size_t            left;         /* number of messages still to be discarded */
    size_t            bytes_discarded;   /* number of discarded bytes of the predicted receive */
    unsigned char    *bytes;
    size_t            bytes_max;    /* at least IRR_HEADER_MAX */
    bool              cut;          /* the end of a header with two messages was discarded */
    irr_slice_t      *slices;
    irr_piece_t      *pieces;       /* addresses where the slices are received */
    size_t            slices_max, pieces_max;
} irr_inbox_t;

/* Sends the messages of a broken rank: to each peer of a stage its cancel notices, then a HEADER with the status. */
typedef struct irr_outbox {
    irr_own_plan_t moves;
    bool           busy;
    int            next;    /* number of peers of this stage that got their messages, in the order of the schedule */
    size_t         retired; /* number of cancel notices sent to the next peer */
    unsigned char  header[IRR_HEADER_PREFIX_MAX];   /* buffer for a HEADER without slices */
} irr_outbox_t;

typedef struct irr_relay {
    irr_stages_t       stages;
    size_t             slice_min;
    irr_overlap_t      overlap;
    irr_grid_plan_t    plans[2];    /* plans of this exchange and of the previous exchange */
    irr_grid_plan_t   *plan, *last; /* equal while the previous plan is followed */
    irr_blocks_memory_t blocks;     /* blocks of the previous exchange */
    bool               follows;     /* an exchange follows the previous plan if its blocks are unchanged */
    unsigned char      blank;       /* the byte sent and received in place of an empty message */
    irr_relay_sender_t *senders;    /* by stage and sender */
    irr_relay_slot_t  *slots;       /* by stage and slot */
    size_t             scratch_bytes;
    irr_plan_t        *run;         /* the plan that the executor runs: the plan of the previous exchange, or `grown` */
    irr_plan_t         grown;       /* a plan that grows from no steps */
    irr_plan_mark_t    mark;        /* end of the previous plan in `run`; the relay appends steps behind the mark */
    irr_exec_t         exec;
    irr_inbox_t        inbox;
    irr_outbox_t       outbox;
    irr_own_plan_t    *barrier;     /* barrier after each stage; NULL unless the overlap is blocking */

    /* state of the current exchange */
    const irr_problem_t *problem;
    irr_status_t       status;      /* first failure, on this rank or received in a HEADER */
    bool               broken;      /* the rank continues without data */
    bool               lost;        /* some rank, perhaps this rank, lost layouts in the previous exchange */
    int                stage;       /* number of the stage, from 1; 0: the previous plan is followed, no receive was
                                       cancelled */
    size_t             slot_base, sender_base;
    size_t             stage_steps; /* index of the first step appended for this stage */
    bool              *received;    /* by sender of this stage: its message was received */
    int                not_received;
    bool               barrier_open;
} irr_relay_t;

/*
 * Allocates all memory that an exchange needs to end on all ranks, so that an exchange can end even when memory is
 * exhausted. slice_min: length in bytes of the shortest slice that a balanced grid cuts. The nodes that the grid
 * borrows must outlive the relay. The relay must not move. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_init(irr_relay_t *relay, const irr_grid_t *grid, int ranks, int rank, size_t slice_min,
                            irr_overlap_t overlap);
void         irr_relay_fini(irr_relay_t *relay);

/* Starts an exchange. The problem and the targets of env are borrowed until the exchange ends. Never blocks. */
void irr_relay_start(irr_relay_t *relay, const irr_problem_t *problem, const irr_exec_env_t *env);

/* Continues after progress of the transport. Returns IRR_IN_PROGRESS or the result. */
irr_status_t irr_relay_progress(irr_relay_t *relay);

/*
 * Returns an array by rank, valid after the last progress. The entry of a rank is true if this rank expected a long
 * message, which bypasses the grid, but the message was shorter and came through the grid. Returns NULL if no such
 * message is known.
 */
static inline const bool *irr_relay_came(const irr_relay_t *relay)
{
    return relay->broken ? NULL : relay->plan->came;
}

/* Returns the number of steps whose messages the transport holds. */
static inline size_t irr_relay_in_flight(const irr_relay_t *relay)
{
    return irr_exec_in_flight(&relay->exec) + irr_exec_in_flight(&relay->inbox.moves.exec) +
           irr_exec_in_flight(&relay->outbox.moves.exec);
}

/* Returns the rank that the exchange waits for, as irr_exec_awaited does. */
int irr_relay_awaited(const irr_relay_t *relay);

/*
 * Sets *frozen to the plan of the previous exchange, with exact counts, one scratch buffer, and the long messages that
 * bypass the grid. *frozen need not be initialised. Returns IRR_ERR_BAD_PARAM if the previous exchange had another
 * problem, failed, or had a message for which irr_relay_came is true. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_plan_t *frozen);

/*
 * Forgets the previous exchange, and frees all memory that irr_relay_init has not allocated. All ranks must forget the
 * same exchange, and no exchange may be running.
 */
void irr_relay_forget(irr_relay_t *relay);

/* ---- private to exec/relay*.c ---- */

static inline bool irr_relay_following(const irr_relay_t *relay)
{
    return relay->plan == relay->last;
}

static inline const irr_stage_t *irr_relay_stage(const irr_relay_t *relay)
{
    return &relay->stages.stage[relay->stage - 1];
}

/*
 * Both functions record the first failure, and do nothing if status is IRR_OK. irr_relay_break also makes the rank
 * broken: the rank continues without data, and loses the layouts that its senders announce in this exchange.
 */
void irr_relay_break(irr_relay_t *relay, irr_status_t status);
void irr_relay_keep(irr_relay_t *relay, irr_status_t status);

/* Returns true if this rank must announce all further layouts of this exchange. */
static inline bool irr_relay_announces(const irr_relay_t *relay)
{
    return relay->status != IRR_OK || relay->lost;
}

/* Returns the room for all predicted receives if each of them discards its message. They share one piece. */
static inline irr_plan_room_t irr_relay_least_room(const irr_relay_t *relay)
{
    return (irr_plan_room_t){ .steps = (size_t)relay->stages.senders, .pieces = 1 };
}

/* Appends a step to `run` and hands it to the executor. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_relay_add(irr_relay_t *relay, const irr_step_params_t *params);

/*
 * If status is IRR_OK, hands the steps that were appended to `run` since the mark to the executor. Otherwise removes
 * these steps. Returns the status, or IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_commit(irr_relay_t *relay, const irr_plan_mark_t *mark, irr_status_t status);

/* Returns the address of a piece of the plan. */
static inline const void *irr_relay_address(const irr_relay_t *relay, const irr_piece_t *piece)
{
    const uintptr_t base = piece->buffer == IRR_BUFFER_INPUT ? (uintptr_t)relay->exec.env.input : 0;

    return (const void *)(base + (uintptr_t)piece->offset);
}

/* Returns the number of messages that the executor makes of a step with these pieces to or from a rank. */
static inline size_t irr_relay_messages(const irr_relay_t *relay, int peer, const irr_piece_t *pieces, size_t count,
                                        size_t bytes)
{
    const irr_channel_t *lane = irr_channel_lane(relay->exec.env.channel, peer);

    return irr_compose_messages(relay->exec.env.compose, &lane->transport->caps, pieces, count, bytes);
}

/* Begins a stage, without its sends. */
void irr_relay_enter_stage(irr_relay_t *relay, int number);

/* Starts a new plan, for an exchange that does not follow the previous plan. */
irr_status_t irr_relay_begin(irr_relay_t *relay);

/*
 * Leaves the previous plan in the stage of a held predicted receive. Does nothing until all earlier stages are
 * complete.
 */
void irr_relay_leave(irr_relay_t *relay);

/*
 * Repeats the layouts of a stage of the previous plan in a new plan. Also repeats the addresses if the new plan is
 * `placed`.
 */
irr_status_t irr_relay_repeat_stage(const irr_grid_plan_t *last, int number, irr_grid_plan_t *plan);

/*
 * Prepares to follow the previous plan: gives the executor exactly the room of this plan, and frees what only exchanges
 * need that learn a plan. After IRR_ERR_NO_MEMORY the executor has no room for the plan.
 */
irr_status_t irr_relay_settle(irr_relay_t *relay);

/* Appends the sends of the current stage. */
void irr_relay_send_stage(irr_relay_t *relay);

/* Continues to send the messages of a broken rank. Returns true if a message was started or completed. */
bool irr_outbox_progress(irr_relay_t *relay);

/*
 * Makes room for the predicted receives in `run` and in the executor. The executor must be idle. If memory is missing,
 * the rank becomes broken, and all predicted receives accept any message.
 */
void irr_relay_reserve_predicted(irr_relay_t *relay);

/* Appends the predicted receives of all stages to the empty plan that has just started. Some may accept any message. */
void irr_relay_post_predicted(irr_relay_t *relay);

/* Checks the predicted receives of this stage. Returns true if the state of a receive changed. */
bool irr_relay_receive(irr_relay_t *relay);

/* Handles a predicted receive whose data was all discarded. bytes: total length of the data, more than 0. */
void irr_relay_receive_discarded(irr_relay_t *relay, int sender, size_t bytes);

/* Marks the message of a sender of this stage as received. known: the layout of the message is known from now on. */
void irr_relay_received(irr_relay_t *relay, int sender, bool known);

/*
 * Sets `pieces` to the addresses where the slices of a sender are received: OUTPUT, or the memory of the sender. May
 * reallocate the memory of the sender, so no message may be in flight into this memory. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_put(irr_relay_t *relay, irr_relay_sender_t *from, const irr_slice_t *slices, size_t count,
                           irr_piece_t *pieces);

/* ---- relay_header.c ---- */

irr_status_t irr_inbox_init(irr_relay_t *relay);
void         irr_inbox_fini(irr_inbox_t *inbox);

/* Waits for the HEADER of a sender of this stage whose predicted receive was cancelled. */
void irr_inbox_open(irr_relay_t *relay, int sender);

/* Continues a predicted receive whose first message was discarded: waits for the other messages, or the HEADER. */
void irr_inbox_drain(irr_relay_t *relay, int sender, size_t bytes);

/* Continues to receive the message that the inbox waits for. Returns true if the message ended. */
bool irr_inbox_progress(irr_relay_t *relay);

#endif
