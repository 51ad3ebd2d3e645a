/*
 * check.h - private to the plan checker: the state that its phases share.
 *
 * A phase returns IRR_OK, IRR_ERR_NO_MEMORY or the result of irr_check_fail.  It may rely on what earlier phases have
 * proved.  Rules 1 to 5 are listed in plan/plan.h.
 */
#ifndef IRR_CHECK_H
#define IRR_CHECK_H

#include "plan/plan.h"
#include "study/segments.h"

#define IRR_CHECK_NONE SIZE_MAX

/* Origin of the bytes that a rank has at the start.  The other origins in these lists are steps of the rank. */
#define IRR_CHECK_OWN SIZE_MAX

/* A step of some rank.  The steps of all ranks are numbered consecutively; the number is the step's id. */
typedef struct irr_check_step {
    const irr_step_t *step;
    int               rank;
    size_t            partner;  /* id of the other end of the message; IRR_CHECK_NONE: a local step */
} irr_check_step_t;

typedef struct irr_check {
    const irr_plan_t    *plans;
    const irr_problem_t *problems;
    int                  ranks;
    char                *reason;
    size_t               reason_size;
    size_t               words;     /* words of a reduction, at the start of SCRATCH; 0: an exchange */
    size_t              *base;      /* id of the first step of each rank, and at [ranks] the number of ids */
    irr_check_step_t    *steps;     /* by id */
    size_t              *started;   /* ids of sends and local steps in an order in which they can start */
    size_t               nstarted;
    irr_segments_t      *wanted;    /* by rank: the contents of OUTPUT that the problem requires; origins are ranks */
    irr_segments_t      *output;    /* by rank: final contents of OUTPUT (SCRATCH for a reduction); origins are
                                       steps of the rank, and ranks after irr_check_delivery */
    irr_segments_t      *recipes;   /* by id of a send or local step: the bytes it reads; origins as in output, or
                                       OWN */
} irr_check_t;

/* Writes the reason and returns IRR_ERR_INVALID_PLAN. */
irr_status_t irr_check_fail(irr_check_t *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline size_t irr_check_index(const irr_check_t *check, size_t id)
{
    return id - check->base[check->steps[id].rank];
}

/*
 * check.c: runs all phases.  The caller sets plans, problems and ranks of the check, zeroes its other members, and
 * calls irr_check_fini afterwards, even after an error.  After success, recipes[id] of a send has the bytes of INPUT
 * that its message carries; their origins are ranks.
 */
irr_status_t irr_check_prove(irr_check_t *check);
void         irr_check_fini(irr_check_t *check);

/* check_shape.c: checks that every number of the problems and plans is in its range, and that the problems agree. */
irr_status_t irr_check_shape(irr_check_t *check);

/* check_order.c: checks rule 1 and sets the partners; checks rule 5 and sets the order of the starts. */
irr_status_t irr_check_messages(irr_check_t *check);
irr_status_t irr_check_ends(irr_check_t *check);

/* check_trace.c: checks rules 2 and 3 on each rank; sets wanted, output and the recipes. */
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
    size_t           owner;      /* i + 1: the uses were collected for step i; 0: for no step of this rank */
    size_t          *taken;      /* by step: the round in which it was collected last */
    size_t           taken_max, round;
} irr_check_uses_t;

void irr_check_uses_fini(irr_check_uses_t *uses);

/*
 * Collects the uses of all steps with lower numbers on which step i depends neither directly nor indirectly.
 * ancestor[j] is i + 1 if step i depends on step j.  Does nothing if the uses were already collected for step i.
 * Returns IRR_OK or IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_check_uses_collect(irr_check_uses_t *uses, const irr_plan_t *plan, size_t i,
                                    const size_t *ancestor);

/* Returns true if a byte of the range [offset, end) is used. */
bool irr_check_uses_hit(const irr_check_uses_t *uses, ptrdiff_t offset, ptrdiff_t end);

/* check_delivery.c: checks rule 4 over all ranks; replaces the origins in output and in the recipes by ranks. */
irr_status_t irr_check_delivery(irr_check_t *check);

/* check_reduction.c: checks that each rank ends with the maxima over all ranks. */
irr_status_t irr_check_reduction(irr_check_t *check);

#endif
