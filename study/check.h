/*
 * check.h - private to the plan checker: what its phases share.
 *
 * A phase returns IRR_OK, IRR_ERR_NO_MEMORY, or IRR_ERR_INVALID_PLAN from irr_check_fail, and may rely on what
 * the phases before it have proved.
 */
#ifndef IRR_CHECK_H
#define IRR_CHECK_H

#include "plan/plan.h"
#include "study/segments.h"

#define IRR_CHECK_NONE SIZE_MAX

/* Origin of what a rank owns from the start, in lists whose other origins are steps of that rank. */
#define IRR_CHECK_OWN SIZE_MAX

/* A step of some rank.  Steps of all ranks are numbered through; a number is called an id. */
typedef struct irr_check_step {
    const irr_step_t *step;
    int               rank;
    size_t            partner;  /* id of the other end of the message; IRR_CHECK_NONE for a local step */
} irr_check_step_t;

typedef struct irr_check {
    const irr_plan_t    *plans;
    const irr_problem_t *problems;
    int                  ranks;
    char                *reason;
    size_t               reason_size;
    size_t               words;     /* not 0: a reduction of so many, which begin SCRATCH */
    size_t              *base;      /* id of the first step of each rank, and at [ranks] the number of ids */
    irr_check_step_t    *steps;     /* by id */
    size_t              *started;   /* ids of sends and local steps in an order in which they can start */
    size_t               nstarted;
    irr_segments_t      *wanted;    /* by rank: what the problem wants in OUTPUT; origins are ranks */
    irr_segments_t      *output;    /* by rank: what OUTPUT holds in the end, or SCRATCH of a reduction; origins are
                                       steps of the rank */
    irr_segments_t      *recipes;   /* by id of a send or local step: what it reads; origins as in output, or OWN */
} irr_check_t;

/* Writes the reason and returns IRR_ERR_INVALID_PLAN. */
irr_status_t irr_check_fail(irr_check_t *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline size_t irr_check_index(const irr_check_t *check, size_t id)
{
    return id - check->base[check->steps[id].rank];
}

/*
 * check.c: runs all phases over a check that knows its plans, problems and ranks and is zero otherwise.  What a
 * success leaves in it is good until irr_check_fini, which a failure needs too: recipes[id] of a send says
 * which bytes of the ranks' INPUT its message holds (origins are ranks).
 */
irr_status_t irr_check_prove(irr_check_t *check);
void         irr_check_fini(irr_check_t *check);

/* check_shape.c: every number of the problems and plans is in its range, and the problems agree. */
irr_status_t irr_check_shape(irr_check_t *check);

/* check_order.c: rule 1, sets the partners; rule 5, sets the order of the starts. */
irr_status_t irr_check_messages(irr_check_t *check);
irr_status_t irr_check_ends(irr_check_t *check);

/* check_trace.c: rules 2 and 3 on each rank; sets wanted, output and the recipes. */
irr_status_t irr_check_trace(irr_check_t *check);

/*
 * check_uses.c: where in some buffers the steps of a rank read and write, as ranges; but for those an empty index is 0.
 */
typedef struct irr_check_use {
    ptrdiff_t offset, end;
    ptrdiff_t reach;  /* the last end up to this one */
} irr_check_use_t;

typedef struct irr_check_uses {
    unsigned         buffers;    /* 1 << buffer for each */
    irr_check_use_t *items;      /* by offset */
    size_t           count, max;
    size_t           owner;      /* i + 1: was collected for step i; 0: for none of this rank */
    size_t          *taken;      /* by step: the round in which it was collected last */
    size_t           taken_max, round;
} irr_check_uses_t;

void irr_check_uses_fini(irr_check_uses_t *uses);

/*
 * Collects what the steps before step i use but those that must come before it: ancestor[j] is i + 1 for them.
 * Does nothing if that was done for this step already.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_check_uses_collect(irr_check_uses_t *uses, const irr_plan_t *plan, size_t i,
                                    const size_t *ancestor);

/* Is a byte from offset to end used? */
bool irr_check_uses_hit(const irr_check_uses_t *uses, ptrdiff_t offset, ptrdiff_t end);

/* check_delivery.c: rule 4 over all ranks; uses up output and the recipes. */
irr_status_t irr_check_delivery(irr_check_t *check);

/* check_reduction.c: each rank ends with the maxima of all. */
irr_status_t irr_check_reduction(irr_check_t *check);

#endif
