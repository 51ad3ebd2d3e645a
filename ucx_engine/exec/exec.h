/*
 * exec.h - the executor: runs any plan over any transport.
 *
 * Receives and awaits are posted as soon as their dependencies are complete, in the order of the plan; sends and
 * local steps start in the order of the plan, when their dependencies are complete and the window admits them; so do
 * tells, without a window.
 *
 * A message that is too long for its block of OUTPUT, or for the second piece of a copy, ends in IRR_ERR_TRUNCATE.  The
 * step counts as complete and all others go on.  Any other failure ends the run: the transport refuses a message, or
 * loses it; a message is not as long as its receive into SCRATCH; or it is not what a tell is.  The executor starts
 * nothing more and returns the error at once.  Other ranks may wait for this one, so the owner of the plan ends the
 * exchange on all of them.  The transport may still hold messages of a run that failed; its room stays until the
 * transport is gone, and no other plan is started in it.
 *
 * A message that is shorter than its block of OUTPUT is no error.  But the plans of the ranks are at odds then, and
 * ranks that wait for their turns might wait for each other in a circle.  So the receiver sends what it owns without
 * waiting for turns, by pace or window.
 *
 * A plan may grow while it runs: its source appends steps to it (irr_exec_grow), and says when no more will come.  A
 * receive that is `replaceable` tells by its message whether its source has to: a message of another length than
 * expected, or an error, leaves the step held, and with it all that depends on it, until the source has dealt with it.
 * A run with a source goes on after a failure, as the source decides what the other ranks get.
 *
 * The requests of a step are set when the executor takes in the plan.  If the same plan runs again on the same buffers,
 * only the tags of its messages are new.
 */
#ifndef IRR_EXEC_H
#define IRR_EXEC_H

#include "exec/compose.h"
#include "exec/tag.h"
#include "pace/window.h"
#include "plan/plan.h"

/* The first failure of a message that other ranks may wait for, and the rank at its other end. */
typedef struct irr_failure {
    irr_status_t status;   /* IRR_OK: none */
    int          peer;
} irr_failure_t;

/* What a plan meets when it runs; what it points to is borrowed until the run is over. */
typedef struct irr_exec_env {
    irr_channel_t    *channel;
    uint16_t          tag_base;
    irr_tag_kind_t    tag_kind;   /* of the messages of a plan */
    const void       *input;
    void             *output;
    void             *scratch;    /* plan->scratch_bytes, NULL if 0 */
    irr_compose_t     compose;
    size_t            window_messages, window_bytes;   /* of sends in flight; 0: no limit */
    irr_counters_t   *counters;
    bool              sourced;    /* the plan has a source, which deals with what did not arrive */
    irr_failure_t    *failure;    /* takes that of this run, and of others before; NULL: nobody asks */
} irr_exec_env_t;

/* The result of a run is its first error. */
static inline void irr_exec_keep(irr_status_t *result, irr_status_t status)
{
    if (status != IRR_OK && *result == IRR_OK) {
        *result = status;
    }
}

typedef struct irr_exec irr_exec_t;

/* A step of the plan in this run. */
typedef struct irr_exec_step {
    irr_request_t request;    /* of its message, if that has one piece; else `count` is the number of messages, and
                                 `bytes` what a receive has got */
    irr_exec_t   *exec;
    uint32_t      index;      /* of the step in the plan */
    uint32_t      pending;    /* messages that are not over, or IRR_EXEC_NOT_STARTED and so on */
    irr_status_t  status;     /* the first error */
    uint16_t      tag;        /* of its messages, without the base */
    uint8_t       kind;       /* irr_step_kind_t */
    bool          comes;      /* it is a receive or an await */
} irr_exec_step_t;

_Static_assert(sizeof(irr_exec_step_t) <= 128, "a short message touches all of it: two cache lines");

/* One of the messages of a step that has several pieces. */
typedef struct irr_part {
    irr_request_t    request;
    irr_exec_step_t *step;
    size_t           bytes;
    bool             gathers;
} irr_part_t;

/* Room for the steps of a plan from one on.  It never moves while they run, because the transport knows addresses. */
typedef struct irr_exec_room {
    struct irr_exec_room *next;     /* for earlier steps */
    size_t           first_step, steps_max;
    size_t           first_piece, pieces_max;
    irr_iov_t       *iov;           /* one entry a piece: the pieces of each step as addresses, message by message */
    irr_part_t      *parts;         /* one entry a piece: a step has no more messages than pieces */
    irr_exec_step_t *steps;
} irr_exec_room_t;

/* A plan in which no step depends on another one, and each message has one piece. */
typedef struct irr_line {
    bool   is;               /* the plan is one, */
    bool   looks;            /* all lanes of its receives look for messages (transport.h), */
    size_t bytes, longest;   /* and it sends so many, and a message of so many */
} irr_line_t;

struct irr_exec {
    const irr_plan_t *plan;         /* NULL while nothing runs */
    irr_exec_env_t    env;          /* set by the owner before each run */
    uintptr_t         base[IRR_BUFFERS];   /* addresses of the buffers, */
    uint64_t          edition;      /* the plan that was taken in with them, 0: none, */
    irr_channel_t    *channel;      /* and what else went into its requests */
    irr_tag_kind_t    tag_kind;
    irr_compose_t     compose;
    irr_line_t        line;
    irr_window_t      window;
    irr_exec_room_t   room;         /* from the first step on */
    irr_exec_room_t  *grown;        /* for what was appended and did not fit, latest first */
    size_t            nsteps;       /* of the plan, that are taken in */
    size_t            held;         /* receives that wait for the source of the plan, and steps that failed the run */
    bool              more;         /* steps may still be appended */
    bool              at_odds;      /* a message was shorter than its block */
    bool              news;         /* a step is complete since the others were looked at, or there are new ones */
    bool              failed;       /* with result: the run is over; of a run with a source, a receive has failed */
    size_t            next_recv;    /* first step that may be a receive or an await not posted yet */
    size_t            next_send;    /* the same for sends and copies */
    size_t            next_tell;    /* the same for tells */
    size_t            unstarted;    /* steps not started */
    size_t            open_steps;   /* steps not complete */
    irr_status_t      result;
};

void irr_exec_init(irr_exec_t *exec);
void irr_exec_fini(irr_exec_t *exec);

/* Makes room for a plan, so that start cannot fail; none runs.  IRR_ERR_NO_MEMORY: the room is as before. */
irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_bounds_t bounds);

/*
 * Starts a plan that fits the reserve in exec->env, which the caller has set; posts what may be posted.  No plan may be
 * running.  Never blocks.
 */
void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan);

/*
 * Starts what has become possible since the transport was progressed.  IRR_IN_PROGRESS; or the result, once all steps
 * are complete, after which nothing runs; or the failure that has ended the run.
 */
irr_status_t irr_exec_progress(irr_exec_t *exec);

/* Is there a receive that is not over? */
bool irr_exec_receives(const irr_exec_t *exec);

/* Are all receives of the plan posted? */
bool irr_exec_listens(const irr_exec_t *exec);

/* The peer of the first receive that is not over, or else of the first send; -1: nothing runs. */
int irr_exec_awaited(const irr_exec_t *exec);

/* Are all steps complete?  Then irr_exec_progress returns the result. */
static inline bool irr_exec_is_complete(const irr_exec_t *exec)
{
    return exec->open_steps == 0 && !exec->more;
}

/* Steps of which the transport has messages, also of a run that has failed. */
static inline size_t irr_exec_in_flight(const irr_exec_t *exec)
{
    return exec->open_steps - exec->unstarted - exec->held;
}

/* ---- plans that grow (exec/exec_room.c) ---- */

/*
 * Takes in what was appended to the plan that runs.  IRR_ERR_NO_MEMORY: not so; the caller takes it off again
 * (irr_plan_cut).
 */
irr_status_t irr_exec_grow(irr_exec_t *exec);

/* The run is not over before this is called again with false: steps may come. */
static inline void irr_exec_expect(irr_exec_t *exec, bool more)
{
    exec->more = more;
}

typedef enum irr_exec_state { IRR_EXEC_OPEN, IRR_EXEC_HELD, IRR_EXEC_COMPLETE } irr_exec_state_t;

irr_exec_state_t irr_exec_state(const irr_exec_t *exec, size_t step);

/* A step that is held is complete. */
void irr_exec_settle(irr_exec_t *exec, size_t step);

/* The sends of later stages, none of which has started, are complete without being run. */
void irr_exec_drop_sends(irr_exec_t *exec, int stage);

/* Are all sends of the plan before this step complete? */
bool irr_exec_sent(const irr_exec_t *exec, size_t end);

static inline const irr_exec_room_t *irr_exec_room_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = exec->grown;

    while (room != NULL && step < room->first_step) {
        room = room->next;
    }
    return room != NULL ? room : &exec->room;
}

/* A step of the run, or of the last one; its status and what it received, once it is held or complete. */
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

/* Takes in the steps of the plan from exec->nsteps on: sets their requests. */
void irr_exec_take_in(irr_exec_t *exec);

/* The steps from there on have not started. */
void irr_exec_open(irr_exec_t *exec, size_t first);

/* True if the message is the engine's own, and no data of the user, so its length does not depend on counts. */
static inline bool irr_exec_is_own(const irr_exec_t *exec, const irr_step_t *step)
{
    return exec->env.tag_kind == IRR_TAG_SYNC || step->kind == IRR_STEP_TELL || step->kind == IRR_STEP_AWAIT;
}

/*
 * Other bytes came than the step is for, or none went.  The step is complete, or held, and then nothing that depends on
 * it starts.
 */
void irr_exec_end_odd(irr_exec_step_t *state);

/* A message of one piece is over; `done` of the requests of all steps. */
void irr_exec_on_done(irr_request_t *request, irr_status_t status);

/* Sets the messages of a step of several pieces, and hands them to the transport (exec/exec_parts.c). */
void irr_exec_set_parts(const irr_exec_t *exec, const irr_exec_room_t *room, const irr_step_t *step,
                        irr_exec_step_t *state);
void irr_exec_start_parts(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step);

/* A piece as an address.  Added as numbers: a buffer may be NULL, with absolute offsets. */
static inline irr_iov_t irr_exec_address(const irr_exec_t *exec, const irr_piece_t *piece)
{
    return (irr_iov_t){ (void *)(exec->base[piece->buffer] + (uintptr_t)piece->offset), piece->length };
}

#endif
