/*
 * plans.h - the plans of all ranks of a job, made in one place from the count matrix, for tools and tests.
 */
#ifndef IRR_PLANS_H
#define IRR_PLANS_H

#include "order/tree/tree.h"
#include "plan/slice.h"
#include "plan/way.h"

/*
 * problems[r] and plans[r] belong to rank r.  Messages are in one block each, and these lie without gaps, by
 * rank, in INPUT and in OUTPUT alike; in place these are one.
 */
typedef struct irr_plans {
    int            ranks;
    irr_problem_t *problems;
    irr_plan_t    *plans;
    irr_block_t   *blocks;   /* what the problems point into */
} irr_plans_t;

/* What the plans are made from; all of it is borrowed while they are. */
typedef struct irr_plans_known {
    const irr_matrix_t   *matrix;
    const irr_nodes_t    *nodes;      /* for the route node, else NULL */
    const irr_schedule_t *schedule;   /* for a way that is scheduled: sorted, one that passes irr_schedule_check for the
                                         matrix, or for what irr_forward_matrix makes of it if the way forwards */
    const irr_tree_t     *tree;       /* of the ranks' hosts, for the pace sync; NULL: one switch */
    bool                  in_place;   /* for a local way with the pace free: by route/pairs.h */
} irr_plans_known_t;

/*
 * Builds all plans by a way.  IRR_ERR_BAD_PARAM: no such grid, a schedule or nodes are missing, a row or column of
 * the matrix sums to more than PTRDIFF_MAX bytes, or in place two ranks have different counts for each other;
 * IRR_ERR_NO_MEMORY, or what irr_syncs_find returns.  Outputs are set on success only.
 */
irr_status_t irr_plans_build(const irr_way_t *way, const irr_plans_known_t *known, irr_plans_t *plans);

/*
 * The same with nothing in the plans but the sends, each in one piece of INPUT that has its length and is not what it
 * sends: what a picture needs, in memory that does not grow with the number of pieces (outline.c).  Ways that are not
 * over a grid have the plans of irr_plans_build.
 */
irr_status_t irr_plans_outline(const irr_way_t *way, const irr_plans_known_t *known, irr_plans_t *plans);

/* The problems of a matrix, and plans without steps; to be closed in any case.  Fails as irr_plans_build does. */
irr_status_t irr_plans_open(const irr_matrix_t *matrix, irr_plans_t *plans);

void irr_plans_fini(irr_plans_t *plans);

/* One message of the job, as design and tools speak of it; steps that stay on a rank are none. */
typedef struct irr_plans_message {
    int                stage, step, from, to;
    size_t             index;    /* of the send in the plan of its rank */
    size_t             bytes;
    const irr_slice_t *slices;   /* of irr_plans_each_message: in the order of the message, adjacent ones merged; valid
                                    during the call */
    size_t             nslices;
} irr_plans_message_t;

/*
 * Calls fn for each message of the job, sorted by stage, step and sender, until it returns false, without looking at
 * what it carries.  Time O(m log m) for m messages.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_send(const irr_plans_t *plans,
                                 bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

/*
 * The same with what each message carries.  The plans must pass irr_plan_check, whose cost it has; IRR_ERR_INVALID_PLAN
 * if they do not, IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_message(const irr_plans_t *plans,
                                    bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

#endif
