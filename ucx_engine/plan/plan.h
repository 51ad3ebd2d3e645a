/*
 * plan.h - a plan: the list of the steps of one rank in one exchange.  Steps read and write symbolic buffers.
 *
 * A plan contains no address, endpoint or time, so it can be stored, printed, checked and run again over other buffers.
 * A step may start when all steps on which it depends are complete.  There are three groups of steps: sends, copies and
 * reductions; signals; receives and waits.  The steps of a group start in the order of the array.  The receives of a
 * stage precede its sends in the array, and no pacing delays them, so they are posted before this rank sends in the
 * stage.
 *
 * A signal (IRR_STEP_SIGNAL) is an empty message.  Its receiver has a wait (IRR_STEP_WAIT), on which other steps may
 * depend.  Pacings consist of signals, waits and dependencies (pacing/pacing.h).
 *
 * Rules that irr_plan_check proves over the plans of all ranks:
 *
 * 1. The k-th message from p to q in a stage is a send of p and a receive of q, with the same number of parts and
 *    equal lengths, so both ends compose it in the same way (exec/compose.h).  A part is one piece (a contiguous
 *    range), or several joined pieces.  The k-th signal from p to q in a stage is a signal of p and a wait of q.
 * 2. A send reads only the input of its rank, and bytes that the rank received in steps on which the send depends.
 * 3. No byte of OUTPUT is written twice, and no byte outside the blocks of the problem is written.  In an exchange in
 *    place, INPUT is OUTPUT, and a byte is written only after all steps that read its old value.
 * 4. Each byte of each block is delivered exactly once, to its offset.
 * 5.  The exchange ends, even if a send completes only after its receive is posted, and a signal only after its wait.
 */
#ifndef IRR_PLAN_H
#define IRR_PLAN_H

#include "irr.h"

typedef enum irr_buffer {
    IRR_BUFFER_INPUT,
    IRR_BUFFER_OUTPUT,
    IRR_BUFFER_SCRATCH,
    IRR_BUFFER_NOWHERE  /* only in a receive that discards its message, which may have any length */
} irr_buffer_t;

#define IRR_BUFFERS (IRR_BUFFER_NOWHERE + 1)

/* A range of a symbolic buffer. */
typedef struct irr_piece {
    irr_buffer_t buffer;
    bool         joined;   /* true: in one part with the previous piece; the peer may cut the part into other pieces */
    ptrdiff_t    offset;
    size_t       length;
} irr_piece_t;

typedef enum irr_step_kind {
    IRR_STEP_SEND,  /* one message to peer, gathered from the pieces */
    IRR_STEP_RECV,  /* one message from peer, scattered into the pieces */
    IRR_STEP_COPY,  /* local copy of the first piece to the second; a shorter second piece truncates */
    IRR_STEP_SIGNAL,  /* empty message to peer */
    IRR_STEP_WAIT, /* wait for a signal from peer */
    IRR_STEP_REDUCE /* local: the 64-bit words of the second piece become the maxima of the words of both pieces */
} irr_step_kind_t;

/*
 * The content of a message.  Messages of one rank to another may overtake each other unless they have the same stage
 * and content.
 */
typedef enum irr_content {
    IRR_CONTENT_DATA,    /* bytes whose layout both ends know */
    IRR_CONTENT_HEADER,  /* a description of pieces, followed by the bytes of short pieces; always one message */
    IRR_CONTENT_BODY     /* the bytes that a header describes */
} irr_content_t;

/* A step.  The members that are read for each message are first, in one cache line. */
typedef struct irr_step {
    irr_step_kind_t kind : 8;
    irr_content_t   content : 7;
    bool            replaceable : 1;   /* of a receive: if other bytes arrive than the step expects, the caller of the
                                          executor completes the step (exec/exec.h) */
    int16_t         stage;        /* from 1 */
    int             peer;         /* rank in the communicator; this rank for a local step */
    int             number;       /* of a message: step of the schedule within the stage, from 1; otherwise 0 */
    uint32_t        ahead;        /* of a send: bytes of later sends for which the window, the limit of bytes in flight,
                                     must also have room */
    size_t          bytes;        /* length of the message */
    size_t          described;    /* of a send: number of its bytes that are a description, not user data */
    uint32_t        first_piece;  /* index in plan->pieces */
    uint32_t        pieces;       /* number of pieces: 2 for a local step; 1, of length 0, for a signal or a wait;
                                     otherwise at least 1 */
    uint32_t        first_dep;    /* index in plan->deps */
    uint32_t        deps;         /* number of dependencies */
} irr_step_t;

typedef struct irr_plan {
    int          ranks;
    int          rank;
    int          stages;
    size_t       scratch_bytes;
    irr_step_t  *steps;
    size_t       nsteps, steps_max;
    size_t       nsends, nrecvs, nsignals, nlocals;
    irr_piece_t *pieces;
    size_t       npieces, pieces_max;
    size_t      *deps;            /* indices of earlier steps; a step may share its list with the step before */
    size_t       ndeps, deps_max;
    uint64_t     edition;         /* two plans of a process with the same edition and number of steps have equal steps;
                                     0: no edition */
} irr_plan_t;

/* Returns true for a step without a message. */
static inline bool irr_step_is_local(irr_step_kind_t kind)
{
    return kind == IRR_STEP_COPY || kind == IRR_STEP_REDUCE;
}

/* Returns true for a message from this rank to the peer. */
static inline bool irr_step_goes_out(const irr_step_t *step)
{
    return step->kind == IRR_STEP_SEND || step->kind == IRR_STEP_SIGNAL;
}

/* Returns the number of pieces of a message of several pieces; 0 for any other step. */
static inline size_t irr_step_parts(const irr_step_t *step)
{
    return step->pieces > 1 && !irr_step_is_local(step->kind) ? step->pieces : 0;
}

/* The size of a plan. */
typedef struct irr_plan_room {
    size_t steps, pieces, deps;
    size_t parts;   /* sum of irr_step_parts; irr_plan_reserve ignores it */
} irr_plan_room_t;

void irr_plan_init(irr_plan_t *plan);
void irr_plan_fini(irr_plan_t *plan);

/* Allocates room for a plan of this size.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_plan_reserve(irr_plan_t *plan, irr_plan_room_t room);

/* Frees the unused room of a plan.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_plan_trim(irr_plan_t *plan);

/* Returns the size of a plan.  O(steps). */
irr_plan_room_t irr_plan_size(const irr_plan_t *plan);

/* Empties the plan, and sets its rank and its number of ranks.  Keeps the allocated room. */
void irr_plan_reset(irr_plan_t *plan, const irr_problem_t *problem);

/*
 * Appends a step, its pieces and its dependencies, and updates stages and scratch_bytes.  After IRR_ERR_NO_MEMORY the
 * plan is unchanged.  There is no error if irr_plan_reserve has allocated enough room.
 */
typedef struct irr_step_params {
    irr_step_kind_t    kind;
    int                peer, stage, number;
    const irr_piece_t *pieces;
    size_t             npieces;
    const size_t      *deps;
    size_t             ndeps;
    irr_content_t      content;
    size_t             described;
    uint32_t           ahead;
    bool               replaceable;
    bool               repeats;   /* the step may share the piece of the previous step, if each has one piece and both
                                     are equal */
} irr_step_params_t;

irr_status_t irr_plan_add(irr_plan_t *plan, const irr_step_params_t *params);

/* Appends a signal to a peer, without dependencies.  Returns the errors of irr_plan_add. */
irr_status_t irr_plan_signal(irr_plan_t *plan, int peer, int stage);

/*
 * Inserts `count` waits before step `at`; the caller sets their peers.  The indices of the steps from `at` on rise by
 * `count`, and dependencies on these steps are adjusted.  O(steps).  After IRR_ERR_NO_MEMORY the plan is unchanged.
 */
irr_status_t irr_plan_insert_waits(irr_plan_t *plan, size_t at, size_t count, int stage);

/*
 * Makes a step depend on an earlier step.  The dependencies of the step move to the end of plan->deps, so the caller
 * should add all new dependencies of a step before those of the next step.  After IRR_ERR_NO_MEMORY the dependencies
 * are unchanged.
 */
irr_status_t irr_plan_depend(irr_plan_t *plan, size_t step, size_t on);

/*
 * Appends a part to the last step: `length` bytes, from byte `skip` on, of the message that the blocks of one rank
 * form.  The part has as many pieces as necessary.  If the message has no such bytes, the part is an empty piece.
 */
irr_status_t irr_plan_add_part(irr_plan_t *plan, irr_buffer_t buffer, irr_blocks_t blocks, size_t skip, size_t length);

/* Appends the copies of the rank's message to itself.  They should be the last steps, so that messages start first. */
irr_status_t irr_plan_add_self(const irr_problem_t *problem, irr_plan_t *plan);

/* ---- plans that grow ---- */

/* The size of a growing plan, to which irr_plan_cut can return. */
typedef struct irr_plan_mark {
    size_t nsteps, nsends, nrecvs, nlocals, npieces, ndeps;
    int    stages;
} irr_plan_mark_t;

irr_plan_mark_t irr_plan_mark(const irr_plan_t *plan);

/* Removes all steps that were appended after irr_plan_mark returned the mark. */
void irr_plan_cut(irr_plan_t *plan, const irr_plan_mark_t *mark);

/* ---- check (study/check.c) ---- */

/*
 * Proves the rules above without running the plans.  plans[r] and problems[r] belong to rank r.  After
 * IRR_ERR_INVALID_PLAN, reason[size] describes the first broken rule; reason may be NULL.  O(m log m) time for m
 * messages and pieces of all plans.
 */
irr_status_t irr_plan_check(const irr_plan_t *plans, const irr_problem_t *problems, int ranks,
                            char *reason, size_t size);

/*
 * Proves rules 1, 2, 3 and 5 for a reduction of `words` words (route/reduction.h), and that each rank ends with the
 * maxima over all ranks.  O(m P) time and memory for m words of all messages together.
 */
irr_status_t irr_plan_check_reduction(const irr_plan_t *plans, int ranks, size_t words, char *reason, size_t size);

#endif
