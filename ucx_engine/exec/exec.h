/*
 * exec.h - the executor: runs any plan over any transport.
 *
 * The executor posts receives and waits (IRR_STEP_WAIT) as soon as their dependencies are complete, in the order of
 * the plan. Sends and local steps start in the order of the plan when their dependencies are complete and the window
 * has room. Signals (IRR_STEP_SIGNAL) start in the order of the plan when their dependencies are complete; the window
 * does not limit them.
 *
 * A message that is too long for its block of OUTPUT, or for the second piece of a copy, ends in IRR_ERR_TRUNCATE. The
 * step of the message counts as complete, and the other steps go on. The run ends at once if the transport refuses or
 * loses a message, if a message differs in length from its receive into SCRATCH, or if a signal is not empty. The
 * executor then starts no more steps and returns the error. Other ranks may wait for this rank, so the owner of the
 * plan must fail the exchange on all ranks. The transport may still hold messages of a failed run, so the room of the
 * executor lives as long as the transport and runs no other plan.
 *
 * A message that is shorter than its block of OUTPUT is no error. It shows, however, that the plans of the ranks
 * disagree, so ranks that delay sends could wait for each other in a cycle. The receiver therefore sends all data that
 * it owns at once, and ignores pacing and window.
 *
 * A plan may grow while it runs. The source of the plan appends steps (irr_exec_grow) and announces the end
 * (irr_exec_expect). A `replaceable` receive is held if the receive fails or gets a message of another length than
 * expected. Steps that depend on a held receive wait until the source settles the receive (irr_exec_settle). A run with
 * a source goes on after a failure, because the source decides what to send to the other ranks.
 *
 * The executor sets the requests of all steps when it takes in the plan. If the same plan runs again on the same
 * buffers, only the tags of its messages change.
 */
#ifndef IRR_EXEC_H
#define IRR_EXEC_H

#include "exec/compose.h"
#include "exec/tag.h"
#include "pacing/window.h"
#include "plan/plan.h"

/* The first failed message for which other ranks may be waiting. */
typedef struct irr_failure {
    irr_status_t status;   /* error of the message; IRR_OK: no message has failed */
    int          peer;
} irr_failure_t;

/* Arguments of a run. The executor borrows all pointers until the run ends. */
typedef struct irr_exec_env {
    irr_channel_t    *channel;
    uint16_t          tag_base;
    irr_tag_kind_t    tag_kind;   /* kind of the data messages of the plan */
    const void       *input;
    void             *output;
    void             *scratch;    /* plan->scratch_bytes bytes; NULL if 0 */
    irr_compose_t     compose;
    size_t            window_messages, window_bytes;   /* limits for messages and bytes of sends in flight; 0: no
                                                          limit */
    irr_counters_t   *counters;
    bool              sourced;    /* the plan has a source, which handles failed and unexpected messages */
    irr_failure_t    *failure;    /* receives the first failure, unless it already holds a failure; NULL: failures are
                                     not recorded */
} irr_exec_env_t;

/* Stores `status` in *result unless *result is an error already: the result of a run is its first error. */
static inline void irr_exec_keep(irr_status_t *result, irr_status_t status)
{
    if (status != IRR_OK && *result == IRR_OK) {
        *result = status;
    }
}

typedef struct irr_exec irr_exec_t;

/* The state of one step of the plan in this run. */
typedef struct irr_exec_step {
    irr_request_t request;    /* the message of the step; for a step of several messages `iov` is NULL, `count` is the
                                 number of messages, `bytes` the number of bytes received, and reserved[0] the address
                                 of the first irr_part_t */
    irr_exec_t   *exec;
    uint32_t      index;      /* index of the step in the plan */
    uint32_t      pending;    /* number of unfinished messages, or one of IRR_EXEC_NOT_STARTED and so on */
    irr_status_t  status;     /* first error of a message of the step */
    uint16_t      tag;        /* tag of the messages, without the base */
    uint8_t       kind;       /* irr_step_kind_t */
    bool          comes;      /* true for a receive or a wait */
} irr_exec_step_t;

_Static_assert(sizeof(irr_exec_step_t) <= 128, "a short message touches a whole step: two cache lines");

/* One of several messages of a step. */
typedef struct irr_part {
    irr_request_t    request;
    irr_exec_step_t *step;
} irr_part_t;

/*
 * Storage for consecutive steps of a plan, beginning with first_step. The storage never moves during a run, because the
 * transport holds its addresses.
 */
typedef struct irr_exec_room {
    struct irr_exec_room *next;     /* storage of the steps before first_step */
    size_t           first_step, steps_max;
    size_t           first_piece, pieces_max;
    size_t           first_part, parts_max;
    irr_exec_step_t *steps;         /* this block of memory also has the other arrays */
    irr_iov_t       *iov;           /* one entry per piece: addresses of the pieces of each step, message by message */
    irr_part_t      *parts;         /* the messages of steps that have several messages */
} irr_exec_room_t;

/* A straight line: a plan in which no step depends on another and each message has one piece. */
typedef struct irr_line {
    bool   is;               /* the plan is a straight line */
    bool   looks;            /* `looks` is set in all lanes of the receives (transport.h) */
    size_t bytes, longest;   /* total length of the sends, length of the longest send */
} irr_line_t;

struct irr_exec {
    const irr_plan_t *plan;         /* NULL while nothing runs */
    irr_exec_env_t    env;          /* set by the owner before each run */
    uintptr_t         base[IRR_BUFFERS];   /* addresses of the buffers */
    uint64_t          edition;      /* edition of the plan whose requests are set; 0: none */
    irr_channel_t    *channel;      /* channel, tag kind and composition that the requests were set for */
    irr_tag_kind_t    tag_kind;
    irr_compose_t     compose;
    irr_line_t        line;
    irr_window_t      window;
    irr_exec_room_t   room;         /* storage from the first step on */
    irr_exec_room_t  *last;         /* `room`, or the latest storage for appended steps that did not fit in `room` */
    size_t            nsteps;       /* number of steps whose requests are set */
    size_t            npieces, nparts;   /* number of pieces of these steps, and of entries in `parts` */
    size_t            held;         /* number of receives that wait for the source, and of steps that failed the run */
    bool              more;         /* the source may still append steps */
    bool              at_odds;      /* a message was shorter than its block */
    bool              news;         /* a step completed or was appended since the cursors last advanced */
    bool              failed;       /* a receive has failed; without a source this ends the run */
    size_t            next_recv;    /* first step that may be a receive or wait not posted yet */
    size_t            next_send;    /* first step that may be a send or local step not started yet */
    size_t            next_signal;   /* first step that may be a signal not started yet */
    size_t            unstarted;    /* steps not started */
    size_t            open_steps;   /* steps not complete */
    irr_status_t      result;
};

void irr_exec_init(irr_exec_t *exec);
void irr_exec_fini(irr_exec_t *exec);

/*
 * Returns the room that the executor needs for a plan. Reads only channel and compose of env. irr_plan_size returns an
 * upper bound for every channel and composition.
 */
irr_plan_room_t irr_exec_size(const irr_exec_env_t *env, const irr_plan_t *plan);

/*
 * Reserves room for a plan, so that irr_exec_start cannot fail. No plan may be running. On IRR_ERR_NO_MEMORY nothing
 * changes.
 */
irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_room_t bounds);

/*
 * As irr_exec_reserve, but frees room that the plan does not need, if memory allows: for a plan that will run often.
 */
irr_status_t irr_exec_fit(irr_exec_t *exec, irr_plan_room_t bounds);

/*
 * Starts a plan, and posts the steps that may start. The plan must fit the reserved room, and the caller must have set
 * exec->env. No plan may be running. Never blocks.
 */
void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan);

/*
 * Starts the steps that the progress of the transport has made ready. Returns IRR_IN_PROGRESS while steps are
 * incomplete. When all steps are complete, returns the result, and no plan is running. If a failure ends the run,
 * returns the failure.
 */
irr_status_t irr_exec_progress(irr_exec_t *exec);

/* Returns true if a receive is not complete. */
bool irr_exec_receives(const irr_exec_t *exec);

/* Returns true if all receives of the plan are posted. */
bool irr_exec_listens(const irr_exec_t *exec);

/*
 * Returns the peer of the first incomplete receive. If no receive is incomplete, returns the peer of the first
 * incomplete send. Returns -1 if no plan is running.
 */
int irr_exec_awaited(const irr_exec_t *exec);

/* Returns true if all steps are complete. Then irr_exec_progress returns the result. */
static inline bool irr_exec_is_complete(const irr_exec_t *exec)
{
    return exec->open_steps == 0 && !exec->more;
}

/* Returns the number of steps whose messages the transport holds. May be called after a failed run. */
static inline size_t irr_exec_in_flight(const irr_exec_t *exec)
{
    return exec->open_steps - exec->unstarted - exec->held;
}

/* ---- plans that grow (exec/exec_room.c) ---- */

/*
 * Sets the requests of the steps that were appended to the running plan. On IRR_ERR_NO_MEMORY nothing changes, and the
 * caller must remove the appended steps from the plan (irr_plan_cut).
 */
irr_status_t irr_exec_grow(irr_exec_t *exec);

/*
 * Announces whether the source may append more steps. After a call with true, the run does not end before a call with
 * false.
 */
static inline void irr_exec_expect(irr_exec_t *exec, bool more)
{
    exec->more = more;
}

typedef enum irr_exec_state { IRR_EXEC_OPEN, IRR_EXEC_HELD, IRR_EXEC_COMPLETE } irr_exec_state_t;

irr_exec_state_t irr_exec_state(const irr_exec_t *exec, size_t step);

/* Completes a step that is held. */
void irr_exec_settle(irr_exec_t *exec, size_t step);

/* Completes the sends of all stages after `stage` without sending. None of these sends may have started. */
void irr_exec_drop_sends(irr_exec_t *exec, int stage);

/* Returns true if all sends among the first `end` steps of the plan are complete. */
bool irr_exec_sent(const irr_exec_t *exec, size_t end);

static inline const irr_exec_room_t *irr_exec_room_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = exec->last;

    while (step < room->first_step) {
        room = room->next;
    }
    return room;
}

/*
 * Returns the state of a step of the current or last run. When the step is held or complete, the status and the number
 * of received bytes in the state are valid.
 */
static inline irr_exec_step_t *irr_exec_step_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = irr_exec_room_of(exec, step);

    return &room->steps[step - room->first_step];
}

/* ---- private to exec/exec*.c ---- */

/* Values of `pending` that are not a number of messages. */
#define IRR_EXEC_NOT_STARTED  UINT32_MAX
#define IRR_EXEC_PENDING_HELD (UINT32_MAX - 1)
#define IRR_EXEC_DONE         UINT32_C(0)

/* Sets the requests of the steps of the plan from exec->nsteps on. */
void irr_exec_take_in(irr_exec_t *exec);

/* Marks the steps from `first` on as not started. */
void irr_exec_open(irr_exec_t *exec, size_t first);

/* Returns true if the message carries no user data, so that its length does not depend on counts. */
static inline bool irr_exec_is_own(const irr_exec_t *exec, const irr_step_t *step)
{
    return exec->env.tag_kind == IRR_TAG_SYNC || step->kind == IRR_STEP_SIGNAL || step->kind == IRR_STEP_WAIT;
}

/*
 * Ends a step whose message failed, or had another length than the step. Makes the step complete or held. Steps that
 * depend on a held step do not start.
 */
void irr_exec_end_odd(irr_exec_step_t *state);

/* Ends a step of one message. The callback `done` of the requests of all steps. */
void irr_exec_on_done(irr_request_t *request, irr_status_t status);

/*
 * irr_exec_parts returns the number of messages of a step if there are several, otherwise 0. irr_exec_set_parts sets
 * the messages of a step of several pieces, and returns the same number. irr_exec_start_parts starts the messages if
 * there are several (exec/exec_parts.c).
 */
size_t irr_exec_parts(const irr_exec_env_t *env, const irr_plan_t *plan, const irr_step_t *step);
size_t irr_exec_set_parts(const irr_exec_t *exec, const irr_step_t *step, irr_iov_t *iov, irr_part_t *parts,
                          irr_exec_step_t *state);
void irr_exec_start_parts(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step);

/*
 * Returns the address of a piece. The function adds integers and not pointers, because a buffer may be NULL with
 * absolute offsets.
 */
static inline irr_iov_t irr_exec_address(const irr_exec_t *exec, const irr_piece_t *piece)
{
    return (irr_iov_t){ (void *)(exec->base[piece->buffer] + (uintptr_t)piece->offset), piece->length };
}

#endif
