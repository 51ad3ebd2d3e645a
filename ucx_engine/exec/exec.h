/*
 * exec.h - the executor: runs any plan over any transport.
 *
 * Receives and awaits are posted as soon as their dependencies are complete, in the order of the plan; sends and
 * copies start in the order of the plan, when their dependencies are complete and the window admits them; so do
 * tells, without a window.  A step that fails counts as complete and its status becomes the result, while all other
 * steps go on: a rank must never stop serving its peers because of an error of its own.  But a tell that could not be
 * sent is sent again until it goes out, because its peer waits for nothing else; the tells to others do not wait for
 * what that peer sends.  What never comes holds up its receiver, and what depends on it, on other ranks too: so a rank
 * that could not send or receive a message says so in env->refused, for its owner to end the exchange on all ranks.
 *
 * Who is sent less than it expects sends what it owns without waiting for its turn, by pace or window: ranks whose
 * plans are at odds might wait for each other.
 *
 * A plan may grow while it runs: its source appends steps to it (irr_exec_grow), and says when no more will come.  A
 * receive that is `replaceable` tells by its message whether its source has to: a message of another length than
 * expected, or an error, leaves the step held, and with it all that depends on it, until the source has dealt with it.
 *
 * A rank that has no memory for its input or its output serves its peers without: it sends empty messages, and throws
 * away what comes.  So does one that has not received what it forwards.
 */
#ifndef IRR_EXEC_H
#define IRR_EXEC_H

#include "exec/compose.h"
#include "exec/tag.h"
#include "exec/transfer.h"
#include "pace/window.h"
#include "plan/plan.h"

/* What a plan meets when it runs; borrowed until the run is over. */
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
    irr_status_t     *refused;    /* takes why a message was not sent, or not received, at all; NULL: nobody asks */
    unsigned          lacks;      /* buffers that this rank has no memory for: IRR_LACKS_INPUT, IRR_LACKS_OUTPUT */
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
    irr_transfer_t transfer;
    irr_exec_t    *exec;
    size_t         index;     /* of the step in the plan */
    bool           excused;   /* a receive for which no tell waits any more: its peer could not be told */
} irr_exec_step_t;

/* Room for the steps of a plan from one on.  It never moves while they run, because the transport knows addresses. */
typedef struct irr_exec_room {
    struct irr_exec_room *next;     /* for earlier steps */
    size_t           first_step, steps_max;
    size_t           first_piece, pieces_max;
    irr_iov_t       *iov;           /* one entry a piece: the pieces of the plan as addresses */
    irr_part_t      *parts;         /* one entry a piece: a step has no more messages than pieces */
    irr_exec_step_t *steps;
} irr_exec_room_t;

struct irr_exec {
    const irr_plan_t *plan;         /* NULL while nothing runs */
    irr_exec_env_t    env;
    irr_window_t      window;
    irr_exec_room_t   room;         /* from the first step on */
    irr_exec_room_t  *grown;        /* for what was appended and did not fit, latest first */
    size_t            nsteps;       /* of the plan, that are taken in */
    size_t            held;         /* receives that wait for the source of the plan */
    bool              more;         /* steps may still be appended */
    bool              drops;        /* some steps were dropped */
    size_t            next_recv;    /* first step that may be a receive or an await not posted yet */
    size_t            next_send;    /* the same for sends and copies */
    size_t            next_tell;    /* the same for tells */
    size_t            failed_tell;  /* the first tell to be sent again; SIZE_MAX: none */
    size_t            open_steps;   /* steps not complete */
    bool              amiss;        /* a message was shorter than its receive */
    bool              spoiled;      /* something did not arrive in scratch, which must not be sent from now on */
    irr_status_t      result;
};

void irr_exec_init(irr_exec_t *exec);
void irr_exec_fini(irr_exec_t *exec);

/* Makes room for a plan, so that start cannot fail.  IRR_ERR_NO_MEMORY: the room is as before. */
irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_bounds_t bounds);

/* Starts a plan that fits the reserve; posts what may be posted.  None may be running.  Never blocks. */
void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan, const irr_exec_env_t *env);

/*
 * Starts what has become possible since the transport was progressed.  IRR_IN_PROGRESS, or the result once
 * all steps are complete, after which nothing runs.
 */
irr_status_t irr_exec_progress(irr_exec_t *exec);

/* Is there a receive that is not over? */
bool irr_exec_receives(const irr_exec_t *exec);

/* Are all receives of the plan posted? */
bool irr_exec_listens(const irr_exec_t *exec);

/* The peer of the first receive that is not over, or else of the first send; -1: nothing runs. */
int irr_exec_awaited(const irr_exec_t *exec);

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

/* What came for a step that is held, or for any one of the last run. */
const irr_transfer_t *irr_exec_transfer(const irr_exec_t *exec, size_t step);

/* A step that is held is complete. */
void irr_exec_settle(irr_exec_t *exec, size_t step);

/* The sends of later stages, none of which has started, are complete without being run. */
void irr_exec_drop_sends(irr_exec_t *exec, int stage);

/*
 * Receives that are held are complete, with their status, and so is what comes behind each with its peer, none of which
 * has started.
 */
void irr_exec_drop_held(irr_exec_t *exec);

/* Are all sends of the plan before this step complete? */
bool irr_exec_sent(const irr_exec_t *exec, size_t end);

/* ---- private to exec/exec*.c ---- */

/* Values of `pending` that are not a number of messages. */
#define IRR_EXEC_NOT_STARTED   SIZE_MAX
#define IRR_EXEC_PENDING_HELD (SIZE_MAX - 1)

static inline const irr_exec_room_t *irr_exec_room_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = exec->grown;

    while (room != NULL && step < room->first_step) {
        room = room->next;
    }
    return room != NULL ? room : &exec->room;
}

static inline irr_exec_step_t *irr_exec_step_of(const irr_exec_t *exec, size_t step)
{
    const irr_exec_room_t *room = irr_exec_room_of(exec, step);

    return &room->steps[step - room->first_step];
}

/* The steps of the plan that were not there before. */
void irr_exec_take_in(irr_exec_t *exec);

#endif
