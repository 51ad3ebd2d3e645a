/*
 * plan.h - a plan is data: what one rank does in one exchange, as typed steps over symbolic buffers.
 *
 * A plan names no address, no endpoint and no time, so it can be stored, printed, checked and run again
 * over other buffers.  A step may start when the steps it depends on are complete; otherwise the array
 * order is the order of the schedule: sends, copies and reductions start in it, one behind the other; so do tells among
 * themselves, and receives and awaits.  Receives come before the sends of their stage: they are posted
 * before this rank sends anything, and no pace holds them back.
 *
 * A tell is an empty message by which one rank lets another go on, which awaits it.  Paces are made of them, and of
 * dependencies (pace/pace.h).
 *
 * Rules that irr_plan_check proves over the plans of all ranks:
 *   1. The k-th message from p to q in a stage is a send of p and a receive of q, in as many parts of equal lengths:
 *      so both find the same way to compose it (exec/compose.h).  A part is one piece, or several that are joined.
 *      The k-th tell is an await of q.
 *   2. A send reads only what its rank owns or has received in steps that the send depends on.
 *   3. No byte of OUTPUT is written twice, none outside the blocks of the problem.  In place INPUT is OUTPUT, and a
 *      byte is written only behind all steps that read what was there.
 *   4. Each byte of each block is delivered exactly once, to its offset.
 *   5. The exchange ends even if no send completes before its receive is posted, and no tell before its await.
 */
#ifndef IRR_PLAN_H
#define IRR_PLAN_H

#include "irr.h"

typedef enum irr_buffer {
    IRR_BUFFER_INPUT,
    IRR_BUFFER_OUTPUT,
    IRR_BUFFER_SCRATCH,
    IRR_BUFFER_NOWHERE  /* the only piece of a receive: of any length, and thrown away */
} irr_buffer_t;

#define IRR_BUFFERS (IRR_BUFFER_NOWHERE + 1)

/* A range of a symbolic buffer. */
typedef struct irr_piece {
    irr_buffer_t buffer;
    bool         joined;   /* to the piece before: they are one part of the message, which the other end may cut
                              differently */
    ptrdiff_t    offset;
    size_t       length;
} irr_piece_t;

typedef enum irr_step_kind {
    IRR_STEP_SEND,  /* one message to peer, gathered from the pieces */
    IRR_STEP_RECV,  /* one message from peer, scattered into the pieces */
    IRR_STEP_COPY,  /* first piece to second piece, on this rank; a shorter second one truncates */
    IRR_STEP_TELL,  /* an empty message to peer: it may go on */
    IRR_STEP_AWAIT, /* a tell of peer has come */
    IRR_STEP_REDUCE /* on this rank: the 64-bit words of the second piece become the maxima of both pieces */
} irr_step_kind_t;

#define IRR_STEP_KINDS (IRR_STEP_REDUCE + 1)

/* What a message has in it.  Messages of one pair of ranks, stage and content stay in order, others need not. */
typedef enum irr_content {
    IRR_CONTENT_DATA,    /* bytes whose layout both ends know */
    IRR_CONTENT_HEADER,  /* a description of bytes, and short ones behind it: one message, however it is composed */
    IRR_CONTENT_PART     /* the bytes that a header describes */
} irr_content_t;

/* What each message needs comes first, so that it lies in few cache lines. */
typedef struct irr_step {
    irr_step_kind_t kind;
    irr_content_t   content;
    int             peer;         /* rank in the communicator; this rank for a local step */
    int             stage;        /* from 1 */
    size_t          bytes;        /* length of the message */
    size_t          first_piece;  /* into plan->pieces */
    size_t          described;    /* of a send: so many of its bytes are description, not data */
    size_t          pieces;       /* at least 1; two for a local step; one without bytes for a tell or an await */
    size_t          first_dep;    /* into plan->deps */
    size_t          deps;
    size_t          ahead;        /* of a send: so many bytes, of what is right behind it, must fit in the window too */
    int             number;       /* of a message: step of the schedule within the stage, from 1; else 0 */
    bool            replaceable;  /* a receive: if not just these bytes come, it is not complete before the source of
                                     the plan says so (exec/exec.h) */
} irr_step_t;

typedef struct irr_plan {
    int          ranks;
    int          rank;
    int          stages;
    size_t       scratch_bytes;
    irr_step_t  *steps;
    size_t       nsteps, steps_max;
    size_t       nsends, nrecvs, ntells, nlocals;
    irr_piece_t *pieces;
    size_t       npieces, pieces_max;
    size_t      *deps;            /* indices of earlier steps */
    size_t       ndeps, deps_max;
    uint64_t     edition;         /* unlike that of any other plan of the process; two plans of one edition and one
                                     number of steps are equal.  0: not known */
} irr_plan_t;

/* True if the step is no message: it works on this rank's memory. */
static inline bool irr_step_is_local(irr_step_kind_t kind)
{
    return kind == IRR_STEP_COPY || kind == IRR_STEP_REDUCE;
}

/* Is it a message from this rank to the peer? */
static inline bool irr_step_goes_out(const irr_step_t *step)
{
    return step->kind == IRR_STEP_SEND || step->kind == IRR_STEP_TELL;
}

/* Most that a plan of some algorithm can need on a communicator of a size; see irr_plan_bounds. */
typedef struct irr_plan_bounds {
    size_t steps, pieces, deps;
} irr_plan_bounds_t;

void irr_plan_init(irr_plan_t *plan);
void irr_plan_fini(irr_plan_t *plan);

/* Makes room; a plan within its reserve is built without allocating. */
irr_status_t irr_plan_reserve(irr_plan_t *plan, irr_plan_bounds_t bounds);

/* Empties the plan and sets whose it is; keeps the room. */
void irr_plan_reset(irr_plan_t *plan, const irr_problem_t *problem);

/*
 * Appends a step, its pieces and the steps it depends on, and counts stages and scratch.  Grows the plan if
 * the reserve is used up, so only then it can fail: IRR_ERR_NO_MEMORY, the plan as before.
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
    size_t             ahead;
    bool               replaceable;
} irr_step_params_t;

irr_status_t irr_plan_add(irr_plan_t *plan, const irr_step_params_t *params);

/* Appends a tell to a peer, which depends on nothing yet.  Fails as irr_plan_add does. */
irr_status_t irr_plan_tell(irr_plan_t *plan, int peer, int stage);

/*
 * Puts so many awaits in front of step `at`, whose peers the caller sets; the steps from there on move up, and so do
 * dependencies on them.  O(steps).  IRR_ERR_NO_MEMORY: the plan as before.
 */
irr_status_t irr_plan_insert_awaits(irr_plan_t *plan, size_t at, size_t count, int stage);

/*
 * One more step that a step depends on, an earlier one.  What it depends on moves to the end of plan->deps, so a step
 * should get all its new ones in one go.  IRR_ERR_NO_MEMORY: it depends on what it did.
 */
irr_status_t irr_plan_depend(irr_plan_t *plan, size_t step, size_t on);

/*
 * Appends `length` bytes of the message that the blocks of one rank make, from byte `skip` on, to the step added last,
 * as one part in as many pieces of a buffer as it takes; an empty one if the message has no such bytes.
 */
irr_status_t irr_plan_add_part(irr_plan_t *plan, irr_buffer_t buffer, irr_blocks_t blocks, size_t skip, size_t length);

/*
 * Appends the copies of the rank's message to itself, if it is not empty.  To be called last, so that the copies
 * overlap with what is on the wire.
 */
irr_status_t irr_plan_add_self(const irr_problem_t *problem, irr_plan_t *plan);

/* ---- plans that grow ---- */

/* Where a plan ends. */
typedef struct irr_plan_mark {
    size_t nsteps, nsends, nrecvs, nlocals, npieces, ndeps;
    int    stages;
} irr_plan_mark_t;

irr_plan_mark_t irr_plan_mark(const irr_plan_t *plan);

/* Takes off what was appended since. */
void irr_plan_cut(irr_plan_t *plan, const irr_plan_mark_t *mark);

/* ---- print (study/print.c) ---- */

/* ---- check (study/check.c) ---- */

/*
 * Proves the rules above without running anything.  plans[r] and problems[r] belong to rank r.  Returns
 * IRR_ERR_INVALID_PLAN and the first broken rule in reason (size bytes, may be NULL).  Not for a hot path:
 * time O(m log m) in all messages and pieces m.
 */
irr_status_t irr_plan_check(const irr_plan_t *plans, const irr_problem_t *problems, int ranks,
                            char *reason, size_t size);

/*
 * The same of a reduction (route/reduction.h): rules 1, 2, 3 and 5, and that each rank ends with the maxima of so many
 * words of all ranks.  Time and memory O(m P) for m words of all messages.
 */
irr_status_t irr_plan_check_reduction(const irr_plan_t *plans, int ranks, size_t words, char *reason, size_t size);

#endif
