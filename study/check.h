/*
 * check.h - private to the plan checker, which proves that the plans of all ranks are correct (check.c).
 *
 * A plan is the list of steps of one rank: sends, receives, copies, signals, waits, reductions.  Steps read INPUT and
 * write OUTPUT; SCRATCH holds bytes to forward.  In a list of segments (study/segments.h), the origin of a segment is
 * the rank whose INPUT had its bytes, or the step that wrote them.  The checker runs in phases, which prove rules 1 to
 * 5 of plan/plan.h.  A phase returns IRR_OK, IRR_ERR_NO_MEMORY or the result of irr_check_fail, and may rely on what
 * earlier phases have proved.
 *
 * All phases run for a *batch* of steps: consecutive steps of some ranks, with both ends of each of their messages.
 * The plans may be one batch or several.  A step waits only for earlier steps of its rank and for the other end of its
 * message, so the exchange ends if and only if each batch ends after the batches before it.  Between two batches of a
 * rank, check_carry.c keeps what later steps need.
 */
#ifndef IRR_CHECK_H
#define IRR_CHECK_H

#include "plan/plan.h"
#include "study/pack.h"
#include "study/plans.h"
#include "study/segments.h"

#define IRR_CHECK_NONE SIZE_MAX

/* Origin of bytes that the rank has at the start.  The other origins in such a list are steps of the rank. */
#define IRR_CHECK_OWN SIZE_MAX

/* Origin of bytes of OUTPUT that arrived in an earlier batch, and were found to be the right bytes. */
#define IRR_CHECK_RIGHT (SIZE_MAX - 1)

/* A step of some rank.  The steps of a batch are numbered consecutively; the number is the step's id. */
typedef struct irr_check_step {
    const irr_step_t *step;
    int               rank;
    size_t            partner;  /* id of the other end of the message; IRR_CHECK_NONE: a local step */
} irr_check_step_t;

/* A rank.  The origins in lists are steps of the rank, unless stated otherwise. */
typedef struct irr_check_rank {
    bool           fresh;      /* the batch has steps of this rank */
    bool           last;       /* later batches have no steps of this rank */
    bool           begun;      /* wanted and output are set */
    size_t         first;      /* first step of the batch; earlier steps are called old */
    irr_segments_t wanted;     /* the contents of OUTPUT that the problem requires; origins are ranks */
    irr_segments_t output;     /* contents of OUTPUT (SCRATCH for a reduction); origins are ranks after
                                  irr_check_delivery of the last batch */
    irr_segments_t scratch;    /* contents of SCRATCH; segments of old steps have `at` equal to the offset */
    irr_segments_t held;       /* bytes of SCRATCH that old steps have written and no step has read; origins are
                                  ranks */
    irr_pack_t     packed;     /* takes the place of `held` between two batches */
    size_t        *readers;    /* steps that read SCRATCH */
    size_t         nreaders, readers_max;
    size_t         scratch_bytes;   /* of the plan, in the last batch */
} irr_check_rank_t;

typedef struct irr_check {
    const irr_plan_t    *plans;      /* pieces are needed only for the steps of the batch */
    const irr_problem_t *problems;
    int                  ranks;
    char                *reason;
    size_t               reason_size;
    size_t               words;     /* number of words that a reduction combines in SCRATCH; 0: an exchange */
    irr_check_rank_t    *rank;
    size_t               npieces, nsteps;   /* of all batches so far */
    size_t               segments;  /* number of segments in contents so far */
    size_t              *base;      /* id of the first step of each rank in the batch; base[ranks]: number of ids */
    irr_check_step_t    *steps;     /* by id */
    size_t              *started;   /* ids of sends and local steps, in an order in which an exchange can start them */
    size_t               nstarted;
    irr_segments_t      *recipes;   /* by id of a send or local step: the bytes it reads; origins are steps
                                       of the rank, or IRR_CHECK_OWN */
} irr_check_t;

/* Writes the reason and returns IRR_ERR_INVALID_PLAN. */
irr_status_t irr_check_fail(irr_check_t *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline size_t irr_check_index(const irr_check_t *check, size_t id)
{
    const int rank = check->steps[id].rank;

    return id - check->base[rank] + check->rank[rank].first;
}

/* Returns the id of step i of a rank, which is in the batch. */
static inline size_t irr_check_id(const irr_check_t *check, int rank, size_t i)
{
    return check->base[rank] + i - check->rank[rank].first;
}

/*
 * check.c: runs all phases for plans that are one batch.  The caller sets plans, problems and ranks of the check,
 * zeroes its other members, and calls irr_check_fini afterwards, even after an error.  After success, recipes[id] of a
 * send has the bytes of INPUT that its message carries; their origins are ranks.
 */
irr_status_t irr_check_prove(irr_check_t *check);
void         irr_check_fini(irr_check_t *check);

/*
 * The same for plans of several batches: irr_check_open, and for each batch irr_check_batch and irr_check_carry.
 * Before irr_check_batch the caller appends the steps of the batch to the plans, and sets `fresh` and `last` of their
 * ranks.  If a batch fails, the plans may still be valid: the proof of several batches refuses plans that send bytes of
 * SCRATCH twice, send bytes of OUTPUT in a later batch than they arrive, or reuse SCRATCH in a later batch than they
 * read it without depending on all steps that have read SCRATCH.
 */
irr_status_t irr_check_open(irr_check_t *check);
irr_status_t irr_check_batch(irr_check_t *check);

/* check_carry.c: ends a batch, and keeps what later batches need.  May return IRR_ERR_INVALID_PLAN. */
irr_status_t irr_check_carry(irr_check_t *check);

/* Unpacks `packed` into `held`. */
irr_status_t irr_check_unpack(irr_check_rank_t *rank);

/* Frees what irr_check_batch has allocated for the steps of the batch. */
void irr_check_free_batch(irr_check_t *check);

/* Frees the lists of a rank: after the last batch of the rank, and at the end of the check. */
void irr_check_rank_fini(irr_check_rank_t *rank);

/* check_shape.c: checks that every number of the problems or plans is in its range, and that the problems agree. */
irr_status_t irr_check_problems(irr_check_t *check);
irr_status_t irr_check_shape(irr_check_t *check);

/* check_order.c: rule 1 (each message has two ends; sets `partner`) and rule 5 (the exchange ends; sets `started`). */
irr_status_t irr_check_messages(irr_check_t *check);
irr_status_t irr_check_ends(irr_check_t *check);

/* check_trace.c: rules 2 and 3 on each rank (what steps may read and write); sets wanted, output, scratch, recipes. */
irr_status_t irr_check_trace(irr_check_t *check);

/* check_uses.c: the ranges of some buffers that steps of a rank read and write, sorted for searching. */
typedef struct irr_check_use {
    ptrdiff_t offset, end;
    ptrdiff_t reach;  /* the largest end of the uses up to this one */
} irr_check_use_t;

typedef struct irr_check_uses {
    unsigned         buffers;    /* set of buffers: bit 1 << buffer for each buffer of the index */
    irr_check_use_t *items;      /* by offset */
    size_t           count, max;
    size_t           first;      /* the first step whose uses are collected */
    size_t           owner;      /* i + 1: the uses were collected for step i; 0: for no step of this rank */
    size_t          *taken;      /* by step: number of the call that collected it last */
    size_t           taken_max, round;
} irr_check_uses_t;

void irr_check_uses_fini(irr_check_uses_t *uses);

/*
 * Collects the uses of all steps from `first` to i - 1 on which step i depends neither directly nor indirectly.
 * ancestor[j] is i + 1 if step i depends on step j.  Does nothing if the uses were already collected for step i.
 * Returns IRR_OK or IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_check_uses_collect(irr_check_uses_t *uses, const irr_plan_t *plan, size_t i,
                                    const size_t *ancestor);

/* Returns true if a byte of the range [offset, end) is used. */
bool irr_check_uses_hit(const irr_check_uses_t *uses, ptrdiff_t offset, ptrdiff_t end);

/*
 * check_delivery.c: rule 4 (each byte arrives at its place) for ranks whose last steps are in the batch.  Replaces the
 * steps by ranks, as origins in the recipes and in the output of these ranks.
 */
irr_status_t irr_check_delivery(irr_check_t *check);

/* Returns the content that step i of the batch wrote: that of a local step, or of the send that a receive matches. */
const irr_segments_t *irr_check_content(const irr_check_t *check, int rank, size_t i);

/* The slices (ranges of blocks) of one message.  The next message reuses the memory. */
typedef struct irr_check_slices {
    irr_slice_t *items;
    size_t       count, max;
} irr_check_slices_t;

/* plans_messages.c: describes the message of a send of the batch, after the proof.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_check_message(const irr_check_t *check, int rank, size_t i, irr_check_slices_t *slices,
                               irr_plans_message_t *message);

/* check_reduction.c: checks that each rank ends with the maxima over all ranks. */
irr_status_t irr_check_reduction(irr_check_t *check);

#endif
