/*
 * relay.h - runs an exchange in which ranks forward messages along a grid. At the start each rank knows only its own
 * counts. The relay builds the plan (the list of this rank's steps) during the exchange: it appends steps, and the
 * executor (exec/exec.h) runs them.
 *
 * An exchange has one stage per dimension of the grid. In each stage a rank sends one message to each of its peers, and
 * receives one message from each of its senders. In the next stage it forwards the received data that is for other
 * ranks. A slice is a range of the block that one rank sends to another; a message consists of slices.
 *
 * Predicted receives. The layout of a message is the list of its slices. Most messages have the same layout as in the
 * previous exchange. At the start of an exchange a rank therefore posts a predicted receive for each sender and stage,
 * for the layout of the previous message. If the layout is unchanged, the sender sends only the bytes. If its layout
 * has changed, the sender first sends empty messages (cancel notices), which end the predicted receive. Then it sends a
 * message of the kind HEADER (exec/header.h), which describes the new layout. Short data is in the HEADER, longer data
 * follows in messages of the kind BODY. If the receiver knows no layout, its predicted receive accepts one message of
 * any length and discards it. A rank without data for a peer sends one byte, the blank, because an empty message is a
 * cancel notice.
 *
 * If the blocks of a rank have not changed, it follows the plan of the previous exchange, that is, runs it unchanged.
 * When a predicted receive is cancelled, the relay drops the sends of later stages, builds a new plan from the layouts
 * of the stages so far, and continues stage by stage. If the blocks of a rank have changed, it works stage by stage
 * from the start.
 *
 * Data to forward has memory of its own for each sender and stage (irr_relay_sender_t), so received data never
 * overwrites data that is being sent. With more than two stages this is more memory than theorem 1 of Liu, Wang and
 * Prasanna needs. A frozen plan, a copy of the plan that later runs without the relay, needs only the memory of the
 * theorem.
 *
 * A rank sends a stage when all messages of the previous stage have arrived: only then it knows whether a layout has
 * changed. The overlap `pipelined` (irr_settings.h) therefore acts as `dual`, except in a frozen plan.
 *
 * Errors. If a rank stopped alone, other ranks would wait forever. A rank is broken if it lacks memory or has received
 * an invalid message. A broken rank sends cancel notices and HEADERs with the error instead of data, and discards all
 * data that it receives. A rank that receives an error passes it on in its own HEADERs, and its exchange ends with this
 * error. A broken rank does not store the layouts that it discards, but their senders assume that it does. In the next
 * exchange it therefore sends each peer a HEADER with the flag `lost`. All ranks forward the flag, so that all have it
 * at the end of this exchange. In the exchange after it, all ranks send HEADERs for all layouts. Until then a predicted
 * receive whose layout was lost ends in IRR_ERR_NO_MEMORY.
 *
 *   relay.c          init and fini, start, stages and end of an exchange relay_send.c     appends the sends of a stage
 *   relay_receive.c  predicted receives relay_header.c   receives HEADERs one at a time, and the data that they
 *   announce relay_follow.c   ends the use of the previous plan relay_freeze.c   freezes a plan, and frees memory
 *
 * Cost: if no layout changes, one message per peer and stage, no allocation, and O(P + n) time for n slices. A changed
 * layout costs two more messages, and O(n log n) time for a stage of n slices.
 */
#ifndef IRR_RELAY_H
#define IRR_RELAY_H

#include "exec/own_plan.h"
#include "exec/header.h"
#include "problem/blocks.h"
#include "route/grid_plan.h"

/* The state of one sender in one stage. */
typedef struct irr_relay_sender {
    bool           known;      /* this rank knows the layout of the sender's previous message */
    bool           discarded;   /* the predicted receive discards its message */
    bool           changed;    /* the sender has sent a HEADER in this exchange */
    size_t         messages;   /* number of messages as which the sender sends an unchanged layout, at least 1 */
    size_t         predicted;   /* index of the predicted receive in relay->run */
    unsigned char *memory;     /* for data of this sender that is to be forwarded */
    size_t         memory_max;
} irr_relay_sender_t;

/* A slot: the state of one peer in one stage. */
typedef struct irr_relay_slot {
    bool           known;      /* the peer knows the layout of this rank's previous message */
    size_t         messages;   /* number of messages for which the peer's predicted receive waits, at least 1 */
    unsigned char *header;     /* buffer for HEADER messages */

    size_t         header_max;
} irr_relay_slot_t;

typedef enum irr_inbox_state {
    IRR_INBOX_FREE,
    IRR_INBOX_DATA,     /* waits for more messages of a layout whose first message was discarded */
    IRR_INBOX_HEADER,   /* waits for a HEADER */
    IRR_INBOX_MORE,     /* waits for the second HEADER, which the first one has announced */
    IRR_INBOX_SINK      /* waits for a BODY that is discarded */
} irr_inbox_state_t;

/* The inbox receives HEADERs, one at a time, and data that is discarded. */
typedef struct irr_inbox {
    irr_inbox_state_t state;
    irr_own_plan_t    moves;
    int               sender;       /* index of the sender within the stage */
    size_t            left;         /* number of messages that are still to be discarded */
    size_t            bytes_discarded;   /* number of bytes of a predicted layout that were discarded */
    unsigned char    *bytes;
    size_t            bytes_max;    /* at least IRR_HEADER_MAX */
    bool              cut;          /* the end of a second HEADER was discarded */
    irr_slice_t      *slices;
    irr_piece_t      *pieces;       /* where the slices are received */
    size_t            slices_max, pieces_max;
} irr_inbox_t;

/*
 * The outbox sends the messages of a broken rank: to each peer of a stage cancel notices, then a HEADER with the error.
 */
typedef struct irr_outbox {
    irr_own_plan_t moves;
    bool           busy;
    int            next;    /* number of peers of this stage that have their messages, in the order of relay_send.c */
    size_t         cancelled; /* number of cancel notices sent to the next peer */
    unsigned char  header[IRR_HEADER_PREFIX_MAX];   /* buffer for a HEADER without slices */
} irr_outbox_t;

typedef struct irr_relay {
    irr_stages_t       stages;
    size_t             slice_min;
    irr_overlap_t      overlap;
    irr_grid_plan_t    plans[2];    /* of this exchange and of the previous exchange */
    irr_grid_plan_t   *plan, *last; /* equal while this rank follows the previous plan */
    irr_blocks_memory_t blocks;     /* blocks of the previous exchange */
    bool               follows;     /* the next exchange may follow the plan of this one */
    unsigned char      blank;       /* sent and received in place of an empty message */
    irr_relay_sender_t *senders;    /* by stage and sender */
    irr_relay_slot_t  *slots;       /* by stage and slot */
    size_t             scratch_bytes;   /* total length of the memory of `senders` */

    irr_plan_t        *run;         /* the plan that the executor runs: that of the previous exchange, or `grown` */
    irr_plan_t         grown;       /* a plan that begins without steps */
    irr_plan_mark_t    mark;        /* end of the previous plan in `run`; the relay appends steps behind the mark */
    irr_exec_t         exec;
    irr_inbox_t        inbox;
    irr_outbox_t       outbox;
    irr_own_plan_t    *barrier;     /* barrier after each stage; NULL: none, because the overlap is not `blocking` */

    /* state of the current exchange */
    const irr_problem_t *problem;
    irr_status_t       status;      /* first error, of this rank or received in a HEADER */
    bool               broken;      /* this rank sends HEADERs with an error instead of data */
    bool               lost;        /* some rank lost layouts in the previous exchange */
    int                stage;       /* number of the stage, from 1; 0: this rank follows the previous plan */
    size_t             slot_base, sender_base;   /* index of the first slot and the first sender of the stage */

    size_t             stage_steps; /* index of the first step appended for this stage */
    bool              *received;    /* by sender of this stage: its message has been handled */
    int                not_received;     /* number of senders of this stage whose messages are missing */

    bool               barrier_open;     /* the barrier is running */

} irr_relay_t;

/*
 * Allocates the memory with which an exchange can end on all ranks, even if memory is missing later. slice_min: length
 * in bytes of the shortest slice into which algorithm `balanced-grid` cuts a block. The nodes to which the grid points
 * must outlive the relay. The relay must not move. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_init(irr_relay_t *relay, const irr_grid_t *grid, int ranks, int rank, size_t slice_min,
                            irr_overlap_t overlap);
void         irr_relay_fini(irr_relay_t *relay);

/* Starts an exchange. The problem, and what env points to, must exist until the exchange ends. Never blocks. */
void irr_relay_start(irr_relay_t *relay, const irr_problem_t *problem, const irr_exec_env_t *env);

/* Continues an exchange after progress of the transport. Returns IRR_IN_PROGRESS or the result. */
irr_status_t irr_relay_progress(irr_relay_t *relay);

/*
 * Returns an array by rank, valid when the exchange is over. An entry is true if this rank expected a long, direct
 * message, but the message was shorter and came through the grid. NULL: there is no such message.
 */
static inline const bool *irr_relay_came(const irr_relay_t *relay)
{
    return relay->broken ? NULL : relay->plan->came;
}

/* Returns the number of steps whose messages the transport still has. */
static inline size_t irr_relay_in_flight(const irr_relay_t *relay)
{
    return irr_exec_in_flight(&relay->exec) + irr_exec_in_flight(&relay->inbox.moves.exec) +
           irr_exec_in_flight(&relay->outbox.moves.exec);
}

/* Returns the rank for which the exchange waits, as irr_exec_awaited does. */
int irr_relay_awaited(const irr_relay_t *relay);

/*
 * Sets *frozen to a copy of the plan of the previous exchange that can run without the relay; it also has the long
 * messages, which are sent directly. Returns IRR_ERR_BAD_PARAM if the previous exchange had another problem, failed, or
 * had a message for which irr_relay_came is true. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_plan_t *frozen);

/*
 * Forgets the previous exchange, and frees all memory except that of irr_relay_init. All ranks must do this after the
 * same exchange. No exchange may be running.
 */
void irr_relay_forget(irr_relay_t *relay);

/* ---- private to exec/relay*.c ---- */

/* Returns true while this rank follows the plan of the previous exchange. */
static inline bool irr_relay_following(const irr_relay_t *relay)
{
    return relay->plan == relay->last;
}

static inline const irr_stage_t *irr_relay_stage(const irr_relay_t *relay)
{
    return &relay->stages.stage[relay->stage - 1];
}

/*
 * Both functions store the first error, and do nothing if status is IRR_OK. irr_relay_break also makes the rank broken,
 * and forgets the layouts that its senders have announced in this exchange.
 */
void irr_relay_break(irr_relay_t *relay, irr_status_t status);
void irr_relay_keep(irr_relay_t *relay, irr_status_t status);

/* Returns true if this rank must send a HEADER for each further message of this exchange. */
static inline bool irr_relay_announces(const irr_relay_t *relay)
{
    return relay->status != IRR_OK || relay->lost;
}

/* Returns the room for all predicted receives if each of them discards its message; they have one piece in common. */
static inline irr_plan_room_t irr_relay_least_room(const irr_relay_t *relay)
{
    return (irr_plan_room_t){ .steps = (size_t)relay->stages.senders, .pieces = 1 };
}

/* Appends a step to relay->run, and adds it to the run of the executor. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_relay_add(irr_relay_t *relay, const irr_step_params_t *params);

/*
 * If status is IRR_OK, adds the steps that were appended to relay->run since `mark` to the run of the executor.
 * Otherwise removes them from the plan. Returns status, or IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_commit(irr_relay_t *relay, const irr_plan_mark_t *mark, irr_status_t status);

static inline const void *irr_relay_address(const irr_relay_t *relay, const irr_piece_t *piece)
{
    const uintptr_t base = piece->buffer == IRR_BUFFER_INPUT ? (uintptr_t)relay->exec.env.input : 0;

    return (const void *)(base + (uintptr_t)piece->offset);
}

/* Returns the number of messages in which the executor sends these pieces to a rank, or receives them from it. */
static inline size_t irr_relay_messages(const irr_relay_t *relay, int peer, const irr_piece_t *pieces, size_t count,
                                        size_t bytes)
{
    const irr_channel_t *lane = irr_channel_lane(relay->exec.env.channel, peer);

    return irr_compose_messages(relay->exec.env.compose, &lane->transport->caps, pieces, count, bytes);
}

/* Begins a stage, but does not append its sends. */
void irr_relay_enter_stage(irr_relay_t *relay, int number);

/* Starts a new plan, if this rank does not follow the previous plan. */
irr_status_t irr_relay_begin(irr_relay_t *relay);

/*
 * Stops following the previous plan, in the stage of a predicted receive that is held (cancelled or failed). Does
 * nothing until all earlier stages are complete.
 */
void irr_relay_leave(irr_relay_t *relay);

/* Adds a stage with the layouts of `last` to a new plan, and if plan->placed is true, with the same addresses. */
irr_status_t irr_relay_repeat_stage(const irr_grid_plan_t *last, int number, irr_grid_plan_t *plan);

/*
 * Prepares to follow the previous plan: allocates in the executor exactly the room for this plan, and frees what only
 * building a plan needs. After IRR_ERR_NO_MEMORY the plan cannot run.
 */
irr_status_t irr_relay_settle(irr_relay_t *relay);

/* Appends the sends of the current stage. */
void irr_relay_send_stage(irr_relay_t *relay);

/* Continues to send the messages of a broken rank. Returns true if something has changed. */
bool irr_outbox_progress(irr_relay_t *relay);

/*
 * Makes room for the predicted receives in relay->run and in the executor, which must not run a plan. If memory is
 * missing, the rank becomes broken, and all predicted receives discard their messages.
 */
void irr_relay_reserve_predicted(irr_relay_t *relay);

/* Appends the predicted receives of all stages to the plan, which is empty and has just started. */
void irr_relay_post_predicted(irr_relay_t *relay);

/* Handles the predicted receives of this stage that have ended. Returns true if there was one. */
bool irr_relay_receive(irr_relay_t *relay);

/* Handles the end of a message whose data was discarded. bytes: total length of the data, more than 0. */
void irr_relay_receive_discarded(irr_relay_t *relay, int sender, size_t bytes);

/* Marks the message of a sender of this stage as received. known: this rank knows its layout from now on. */
void irr_relay_received(irr_relay_t *relay, int sender, bool known);

/*
 * Sets `pieces` to where the slices of a sender are received: OUTPUT for data of this rank, from->memory for data to
 * forward. May reallocate from->memory, which must not be in use. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_put(irr_relay_t *relay, irr_relay_sender_t *from, const irr_slice_t *slices, size_t count,
                           irr_piece_t *pieces);

/* ---- relay_header.c ---- */

irr_status_t irr_inbox_init(irr_relay_t *relay);
void         irr_inbox_fini(irr_inbox_t *inbox);

/* Waits for the HEADER of a sender of this stage whose predicted receive was cancelled. */
void irr_inbox_open(irr_relay_t *relay, int sender);

/* Continues after a predicted receive has discarded its message: waits for the next messages, or for the HEADER. */
void irr_inbox_drain(irr_relay_t *relay, int sender, size_t bytes);

/* Continues to receive. Returns true if the message for which the inbox waits has arrived or failed. */
bool irr_inbox_progress(irr_relay_t *relay);

#endif
