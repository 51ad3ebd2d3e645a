/*
 * exec.h - the executor: runs any plan over any transport.
 *
 * Receives and awaits are posted as soon as their dependencies are complete, in the order of the plan; sends and
 * copies start in the order of the plan, when their dependencies are complete and the window admits them; so do
 * tells, without a window.  A step that fails counts as complete and its status becomes the result, while all other
 * steps go on: a rank must never stop serving its peers because of an error of its own.  But a tell that could not be
 * sent is sent again until it goes out, because its peer waits for nothing else; the tells to others do not wait for
 * what that peer sends.  What never comes holds up its receiver, and what depends on it, on other ranks too.
 *
 * A rank that has no memory for its input or its output serves its peers without: it sends empty messages, and throws
 * away what comes.  So does one that has not received what it forwards.
 */
#ifndef IRR_EXEC_H
#define IRR_EXEC_H

#include "exec/compose.h"
#include "exec/env.h"
#include "exec/transfer.h"
#include "pace/window.h"
#include "plan/plan.h"

typedef struct irr_exec irr_exec_t;

/* A step of the plan in this run. */
typedef struct irr_exec_step {
    irr_transfer_t transfer;
    irr_exec_t    *exec;
    bool           excused;   /* a receive for which no tell waits any more: its peer could not be told */
} irr_exec_step_t;

struct irr_exec {
    const irr_plan_t *plan;         /* NULL while nothing runs */
    irr_exec_env_t    env;
    irr_window_t      window;
    irr_iov_t        *iov;          /* one entry a piece: the pieces of the plan as addresses */
    irr_part_t       *parts;        /* one entry a piece: a step has no more messages than pieces */
    size_t            pieces_max;
    irr_exec_step_t  *steps;
    size_t            steps_max;
    size_t            next_recv;    /* first step that may be a receive or an await not posted yet */
    size_t            next_send;    /* the same for sends and copies */
    size_t            next_tell;    /* the same for tells */
    size_t            failed_tell;  /* the first tell to be sent again; SIZE_MAX: none */
    size_t            open_steps;   /* steps not complete */
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

#endif
