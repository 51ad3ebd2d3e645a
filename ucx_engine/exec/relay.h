/*
 * relay.h - runs an exchange on a grid route of which a rank knows nothing but its own messages.
 *
 * In each stage a rank sends one message, the lead, to each of its peers, empty or not, and so it hears from each of
 * its senders once.  A lead is DATA if it is laid out as the last one that went there in this stage; else HEADER: it
 * says how it is laid out.  What the composition wants apart follows a HEADER in PARTs of one piece.  What arrives
 * becomes the plan of the exchange (route/grid_plan.h), from which the next stage sends, and with which the next
 * exchange compares; frozen, it runs without headers and probes (exec/exec.h).
 *
 * As long as all is as in the last exchange, its plan is followed and nothing is built; what differs first makes the
 * relay build the plan again up to there, with the places that are in use.
 *
 * A stage is sent when all of the one before has arrived, and its leads are taken when the sends of the one before
 * are over, so scratch holds what theorem 1 of the JPDC paper allows.  `pipelined` is `dual` here: before a rank has
 * heard from all senders of a stage, it cannot know that nothing changed.
 *
 * No rank may stop alone.  One that has no memory, or reads nonsense, goes on without contents: it sends HEADERs with
 * a status and throws away what comes.  Who receives a status passes it on with what it has, and the exchange ends
 * with it.  The layouts that such a rank throws away are lost, and who told them may not hear of it.  So it says so in
 * the next exchange, in all its leads; who hears that passes it on, by the end all ranks have heard it, and in the
 * exchange after that all leads are HEADERs.  Until then a DATA whose layout was lost ends in IRR_ERR_NO_MEMORY.
 *
 *   relay.c          life, stages, the end
 *   relay_send.c     the messages of a stage
 *   relay_receive.c  leads and parts
 *   relay_follow.c   is all as in the last exchange?
 *   relay_freeze.c   the plan of the next exchanges with the same counts
 *
 * Cost: one message a peer and stage and one for each piece that goes apart; O(n log n) time for n slices in a stage,
 * O(P + n) where the last plan is followed.
 */
#ifndef IRR_RELAY_H
#define IRR_RELAY_H

#include "exec/exec.h"
#include "exec/header.h"
#include "route/grid_plan.h"

typedef struct irr_relay irr_relay_t;

/* A message on its way; in one block with its arrays, or one of the spares. */
typedef struct irr_flight {
    irr_transfer_t transfer;
    irr_relay_t   *relay;
    int            stage;
    size_t         bytes;    /* for the window */
    bool           spare;
    irr_iov_t     *iov;
    irr_part_t    *parts;
    unsigned char *header;
} irr_flight_t;

/* What a rank that lacks memory sends and receives with. */
typedef struct irr_spare {
    irr_flight_t  flight;
    irr_iov_t     iov[2];
    irr_part_t    part;
    unsigned char header[IRR_HEADER_PREFIX_MAX];
} irr_spare_t;

typedef enum irr_inbox_state {
    IRR_INBOX_FREE,
    IRR_INBOX_BUSY,    /* something is on its way */
    IRR_INBOX_HEADER,  /* a lead is here, to be read */
    IRR_INBOX_SINK     /* the parts of a lead are to be thrown away */
} irr_inbox_state_t;

/* Leads that are read before their contents find a place, and bytes that find none: one message at a time. */
typedef struct irr_inbox {
    irr_inbox_state_t state, next;   /* next: when it is not busy any more */
    irr_spare_t       spare;
    int               sender;        /* number within the stage */
    size_t            length;        /* of the lead */
    size_t            parts;         /* that are still to come */
    unsigned char    *bytes;
    size_t            bytes_max;
    irr_slice_t      *slices;
    size_t            slices_max;
} irr_inbox_t;

typedef struct irr_segment {
    unsigned char *memory;
    size_t         length;
} irr_segment_t;

struct irr_relay {
    irr_stages_t     stages;
    size_t           slice_min;
    irr_overlap_t    overlap;
    irr_grid_plan_t  plans[2];      /* of this exchange and of the last one; SCRATCH offsets are addresses */
    irr_grid_plan_t *plan, *last;   /* the same while the last one is followed */
    irr_block_t     *blocks;        /* of the last exchange: send, then recv */
    bool             ended_well;    /* the last exchange: what it left in plan and blocks can be followed */
    bool            *sent_known;    /* by stage and slot: the peer has the layout of `last` */
    bool            *received_known;
    irr_segment_t   *segments;      /* the scratch */
    size_t           nsegments, segments_max, scratch_bytes;
    irr_spare_t     *spares;        /* by slot */
    irr_inbox_t      inbox;
    irr_plan_t       barrier_plan;
    irr_exec_t       barrier;

    /* the exchange */
    const irr_problem_t *problem;
    irr_exec_env_t   env;
    irr_window_t     window;
    irr_status_t     status;        /* the first failure, here or told by a sender */
    irr_status_t     copied;        /* of the message to itself */
    bool             broken;        /* goes on without contents */
    bool             lost;          /* some rank, maybe this one, lost layouts in the last exchange */
    int              stage;         /* from 1 */
    size_t           slot_base, sender_base;
    int              next;          /* slots of this stage that were served */
    int             *sender_number; /* by rank: which sender of this stage, -1 none or heard */
    int              heard;
    bool             barrier_open;
    size_t           open_sends, open_receives;
    size_t           earlier_sends; /* open ones of the stages before */
};

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

/* A rank that this one has not heard in the stage that is open; -1: it has heard all. */
int irr_relay_awaited(const irr_relay_t *relay);

/*
 * The plan of the last exchange, exact, with places in one scratch buffer, in `frozen`, which is not begun.
 * IRR_ERR_BAD_PARAM if that exchange had another problem or did not end well; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_grid_plan_t *frozen);

/* ---- private to exec/relay*.c ---- */

static inline bool irr_relay_following(const irr_relay_t *relay)
{
    return relay->plan == relay->last;
}

/* Are the blocks those of the last exchange, and did it end well?  Remembers them for the next time. */
bool irr_relay_may_follow(irr_relay_t *relay, const irr_problem_t *problem);

/* Starts the plan of an exchange that follows none. */
irr_status_t irr_relay_begin(irr_relay_t *relay);

/*
 * Something is not as in the last exchange: builds the plan up to here.  The senders that were heard in this stage,
 * but for that one, sent what they did the last time.
 */
irr_status_t irr_relay_leave(irr_relay_t *relay, int sender);

/* Goes on without contents from here. */
void irr_relay_break(irr_relay_t *relay, irr_status_t status);
void irr_relay_keep(irr_relay_t *relay, irr_status_t status);

/* All leads of this exchange are HEADERs from here on. */
static inline bool irr_relay_tells(const irr_relay_t *relay)
{
    return relay->status != IRR_OK || relay->lost;
}

/* A message with room for `pieces` pieces, each in a part of its own, and a header; NULL: no memory. */
irr_flight_t *irr_relay_flight(irr_relay_t *relay, size_t pieces, size_t header);

/* Begins the transfer of a flight; over as in irr_transfer_begin, which then has to call irr_relay_land. */
void irr_relay_take_off(irr_relay_t *relay, irr_flight_t *flight, void (*over)(irr_transfer_t *transfer));
void irr_relay_land(irr_flight_t *flight);

/* The address of a piece of the plan. */
static inline void *irr_relay_address(const irr_relay_t *relay, const irr_piece_t *piece)
{
    switch (piece->buffer) {
    case IRR_BUFFER_INPUT:  return (char *)relay->env.input + piece->offset;
    case IRR_BUFFER_OUTPUT: return (char *)relay->env.output + piece->offset;
    case IRR_BUFFER_SCRATCH: break;
    }
    return (void *)(uintptr_t)piece->offset;
}

static inline const irr_stage_t *irr_relay_stage(const irr_relay_t *relay)
{
    return &relay->stages.stage[relay->stage - 1];
}

/* Sends what the window admits; true if something was sent. */
bool irr_relay_send(irr_relay_t *relay);

/* Takes a lead that is here, or goes on with the one in the inbox; true if something happened. */
bool irr_relay_receive(irr_relay_t *relay);

#endif
