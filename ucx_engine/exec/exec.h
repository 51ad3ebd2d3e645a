/*
 * exec.h - the executor: runs a plan, which is the list of the steps of one rank in an exchange.
 *
 * The steps are sends, receives, copies, reductions, signals (empty messages) and waits (receives of signals); copies
 * and reductions are local steps. A step may depend on earlier steps of the plan. The data of a step is in pieces of
 * three buffers: INPUT and OUTPUT of the user, and SCRATCH for data on its way. The window limits the number and the
 * bytes of sends in flight.
 *
 * A step starts when the steps on which it depends are complete; a send also waits for room in the window. There are
 * three groups of steps: receives and waits; sends and local steps; signals. The steps of a group start in the order of
 * the plan.
 *
 * If a message is longer than its receive into OUTPUT, or the source of a copy is longer than its target, the result of
 * the run is IRR_ERR_TRUNCATE, but all steps run. Three errors end the run at once: the transport cannot move a
 * message, a message into SCRATCH has another length than its receive, or a signal is not empty. The executor then
 * starts no more steps and returns the error. Other ranks may wait for this rank, so the caller must fail the exchange
 * on all ranks. The transport may still use the executor's memory, which must stay allocated and must not be used for
 * another plan.
 *
 * A message that is shorter than its receive into OUTPUT is no error, but shows that the plans of the ranks do not
 * match. Two ranks that delay a send until the other's message arrives could then wait forever. The receiver therefore
 * starts each later send from INPUT at once, regardless of dependencies and window.
 *
 * A plan may grow while it runs: its source, the relay (exec/relay.h), appends steps (irr_exec_grow) until it announces
 * the end (irr_exec_expect). A receive that the source has marked as `replaceable` is held if it fails or gets a
 * message of another length. Steps that depend on a held receive wait until the source settles it (irr_exec_settle). A
 * run with a source does not end after an error, because the source decides what to send to the other ranks.
 *
 * A request describes a message to the transport. The executor prepares the requests of all steps when it first runs a
 * plan. If the same plan runs again on the same buffers, it changes only their tags.
 */
#ifndef IRR_EXEC_H
#define IRR_EXEC_H

#include "exec/compose.h"
#include "exec/tag.h"
#include "pacing/window.h"
#include "plan/plan.h"

/* The first failed message of a run; other ranks may wait for it. */
typedef struct irr_failure {
    irr_status_t status;   /* error of the message; IRR_OK: no message has failed */
    int          peer;
} irr_failure_t;

/* Arguments of a run. What the pointers point to must exist until the run ends. */
typedef struct irr_exec_env {
    irr_channel_t    *channel;
    uint16_t          tag_base;   /* what the tags of all messages have in common (exec/tag.h) */

    irr_tag_kind_t    tag_kind;   /* kind in the tags of messages with data */
    const void       *input;
    void             *output;
    void             *scratch;    /* plan->scratch_bytes bytes; NULL: the offsets of pieces in SCRATCH are addresses */
    irr_compose_t     compose;    /* how messages of several pieces are sent */
    size_t            window_messages, window_bytes;   /* the window; 0: no limit */
    irr_counters_t   *counters;
    bool              sourced;    /* the plan has a source, which handles failed messages and those of another length */
    irr_failure_t    *failure;    /* the first failure is stored here, unless there is one already; NULL: not stored */
} irr_exec_env_t;

/* Stores an error in *result if it is the first one: the result of a run is its first error. */
static inline void irr_exec_keep(irr_status_t *result, irr_status_t status)
{
    if (status != IRR_OK && *result == IRR_OK) {
        *result = status;
    }
}

typedef struct irr_exec irr_exec_t;

/* The state of one step of the plan in this run. */
typedef struct irr_exec_step {
    irr_request_t request;    /* the message of the step. If the step has several messages, `iov` is NULL, `count` their
                                 number, `bytes` the number of bytes received, and reserved[0] the address of the first
                                 irr_part_t */
    irr_exec_t   *exec;
    uint32_t      index;      /* index of the step in the plan */
    uint32_t      pending;    /* number of unfinished messages, or IRR_EXEC_NOT_STARTED or IRR_EXEC_PENDING_HELD */
    irr_status_t  status;     /* first error of a message of the step */
    uint16_t      tag;        /* tag of the messages, without tag_base */
    uint8_t       kind;       /* irr_step_kind_t */
    bool          comes;      /* true for a receive or a wait */
} irr_exec_step_t;

_Static_assert(sizeof(irr_exec_step_t) <= 128, "a step fits into two cache lines");

/* One of several messages of a step. */
typedef struct irr_part {
    irr_request_t    request;
    irr_exec_step_t *step;
} irr_part_t;

/*
 * Memory ("room") for consecutive steps of a plan, beginning with first_step. It never moves during a run, because the
 * transport has addresses in it.
 */
typedef struct irr_exec_room {
    struct irr_exec_room *next;     /* room of the steps before first_step */
    size_t           first_step, steps_max;
    size_t           first_piece, pieces_max;
    size_t           first_part, parts_max;
    irr_exec_step_t *steps;         /* the first array in an allocation that has all three */
    irr_iov_t       *iov;           /* one entry per piece: the address */
    irr_part_t      *parts;         /* the messages of steps that have several messages */
} irr_exec_room_t;

/*
 * What the executor needs to run a straight line faster: a plan in which no step depends on another, each message has
 * one piece, and all receives come first.
 */
typedef struct irr_line {
    bool   is;               /* the plan is a straight line */
    bool   looks;            /* the channels of all receives have irr_channel_t.looks set */
    size_t bytes, longest;   /* of the sends: total length, length of the longest */
} irr_line_t;

struct irr_exec {
    const irr_plan_t *plan;         /* NULL while nothing runs */
    irr_exec_env_t    env;          /* set by the caller before each run */
    uintptr_t         base[IRR_BUFFERS];   /* addresses of the buffers in the last run */
    uint64_t          edition;      /* number of the version of the plan for which the requests are prepared; 0: none */
    irr_channel_t    *channel;      /* this and the next two: values of env for which the requests are prepared */
    irr_tag_kind_t    tag_kind;
    irr_compose_t     compose;
    irr_line_t        line;
    irr_window_t      window;
    irr_exec_room_t   room;         /* room of the first steps */
    irr_exec_room_t  *last;         /* `room`, or the latest additional room */
    size_t            nsteps;       /* number of steps whose requests are prepared */
    size_t            npieces, nparts;   /* number of pieces of these steps, and of entries in `parts` */
    size_t            held;         /* number of held receives and of steps whose error ended the run */
    bool              more;         /* the source may append more steps */
    bool              at_odds;      /* a message was shorter than its receive */
    bool              news;         /* a step was completed or appended since the cursors last advanced (exec.c) */
    bool              failed;       /* a message has failed */
    size_t            next_recv;    /* all receives and waits before this step have started */
    size_t            next_send;    /* all sends and local steps before this step have started */
    size_t            next_signal;   /* all signals before this step have started */
    size_t            unstarted;    /* number of steps that have not started */
    size_t            open_steps;   /* number of steps that are not complete */
    irr_status_t      result;
};

void irr_exec_init(irr_exec_t *exec);
void irr_exec_fini(irr_exec_t *exec);

/*
 * Returns the room that the executor needs for a plan. Reads only `channel` and `compose` of env. Without an env,
 * irr_plan_size returns an upper bound.
 */
irr_plan_room_t irr_exec_size(const irr_exec_env_t *env, const irr_plan_t *plan);

/* Reserves room, so that irr_exec_start allocates nothing. No plan may be running. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_room_t bounds);

/* As irr_exec_reserve, but also gives back memory beyond `bounds`. The smaller arrays are allocated first. */
irr_status_t irr_exec_fit(irr_exec_t *exec, irr_plan_room_t bounds);

/* Starts a plan that fits the reserved room. The caller has set exec->env. No plan may be running. Never blocks. */
void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan);

/*
 * Continues a run after progress of the transport. Returns IRR_IN_PROGRESS while the plan runs. When all steps are
 * complete, returns the result, and no plan is running any more. If an error ends the run, returns the error.
 */
irr_status_t irr_exec_progress(irr_exec_t *exec);

/* Returns true if a receive of the running plan is not complete. */
bool irr_exec_receives(const irr_exec_t *exec);

/* Returns true if all receives and waits of the running plan have started, or no plan is running. */
bool irr_exec_listens(const irr_exec_t *exec);

/*
 * Returns the peer of the first incomplete receive. If no receive is incomplete, returns the peer of the first
 * incomplete send. Returns -1 if no plan is running.
 */
int irr_exec_awaited(const irr_exec_t *exec);

/* Returns true if all steps are complete, and no more may be appended. */
static inline bool irr_exec_is_complete(const irr_exec_t *exec)
{
    return exec->open_steps == 0 && !exec->more;
}

/* Returns the number of steps whose messages the transport still has. May be called after a failed run. */
static inline size_t irr_exec_in_flight(const irr_exec_t *exec)
{
    return exec->open_steps - exec->unstarted - exec->held;
}

/* ---- plans that grow (exec/exec_room.c) ---- */

/*
 * Makes the run include steps that were appended to its plan. On IRR_ERR_NO_MEMORY nothing changes, and the caller must
 * remove these steps from the plan (irr_plan_cut).
 */
irr_status_t irr_exec_grow(irr_exec_t *exec);

/* Announces whether the source may append steps. After a call with true, the run ends only after a call with false. */
static inline void irr_exec_expect(irr_exec_t *exec, bool more)
{
    exec->more = more;
}

typedef enum irr_exec_state { IRR_EXEC_OPEN, IRR_EXEC_HELD, IRR_EXEC_COMPLETE } irr_exec_state_t;

irr_exec_state_t irr_exec_state(const irr_exec_t *exec, size_t step);

/* Completes a held step. */
void irr_exec_settle(irr_exec_t *exec, size_t step);

/* Marks the sends of all stages after `stage` as complete without sending. None of them may have started. */
void irr_exec_drop_sends(irr_exec_t *exec, int stage);

/* Returns true if all sends among the first `end` steps of the plan are complete. */
bool irr_exec_sent(const irr_exec_t *exec, size_t end);

/* Returns the room that has a step. */
static inline const irr_exec_room_t *irr_exec_room_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = exec->last;

    while (step < room->first_step) {
        room = room->next;
    }
    return room;
}

/*
 * Returns the state of a step of the present or last run. If the step is held or complete, `status` and `request.bytes`
 * (received bytes) are valid.
 */
static inline irr_exec_step_t *irr_exec_step_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = irr_exec_room_of(exec, step);

    return &room->steps[step - room->first_step];
}

/* ---- private to exec/exec*.c ---- */

/* Special values of irr_exec_step_t.pending. */
#define IRR_EXEC_NOT_STARTED  UINT32_MAX
#define IRR_EXEC_PENDING_HELD (UINT32_MAX - 1)
#define IRR_EXEC_DONE         UINT32_C(0)

/* Prepares the requests of the steps of the plan from exec->nsteps on. */
void irr_exec_take_in(irr_exec_t *exec);

/* Marks the steps from `first` on as not started. */
void irr_exec_open(irr_exec_t *exec, size_t first);

/* Returns true if a step has no data of the user, so that its length does not depend on the user's counts. */
static inline bool irr_exec_is_own(const irr_exec_t *exec, const irr_step_t *step)
{
    return exec->env.tag_kind == IRR_TAG_SYNC || step->kind == IRR_STEP_SIGNAL || step->kind == IRR_STEP_WAIT;
}

/* Ends a step whose message failed or had another length than expected: it becomes complete or held. */
void irr_exec_end_odd(irr_exec_step_t *state);

/* The callback `done` of the request of a step: ends the step. */
void irr_exec_on_done(irr_request_t *request, irr_status_t status);

/*
 * exec/exec_parts.c: steps of several pieces. irr_exec_parts returns the number of messages of a step, or 0 for a step
 * of one message. irr_exec_set_parts prepares the messages, and returns the same number. irr_exec_start_parts starts
 * these messages.
 */
size_t irr_exec_parts(const irr_exec_env_t *env, const irr_plan_t *plan, const irr_step_t *step);
size_t irr_exec_set_parts(const irr_exec_t *exec, const irr_step_t *step, irr_iov_t *iov, irr_part_t *parts,
                          irr_exec_step_t *state);
void irr_exec_start_parts(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step);

/*
 * Returns address and length of a piece. Adds integers, not pointers: a buffer may be NULL, and the offset an address.
 */
static inline irr_iov_t irr_exec_address(const irr_exec_t *exec, const irr_piece_t *piece)
{
    return (irr_iov_t){ (void *)(exec->base[piece->buffer] + (uintptr_t)piece->offset), piece->length };
}

#endif
