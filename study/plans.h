/*
 * plans.h - the plans of all ranks of a job, made in one place from the count matrix, for tools and tests.
 */
#ifndef IRR_PLANS_H
#define IRR_PLANS_H

#include "order/schedule.h"
#include "order/tree/tree.h"
#include "plan/plan.h"
#include "plan/slice.h"
#include "route/nodes.h"

/*
 * problems[r] and plans[r] belong to rank r.  Messages are in one block each, and these lie without gaps, by
 * rank, in INPUT and in OUTPUT alike.
 */
typedef struct irr_plans {
    int            ranks;
    irr_problem_t *problems;
    irr_plan_t    *plans;
    irr_block_t   *blocks;   /* what the problems point into */
} irr_plans_t;

/*
 * Builds all plans with the algorithm, dims, slice_min and overlap of the settings; nodes is for the row that
 * needs it, else NULL.  IRR_ERR_BAD_PARAM: no such row or grid, a scheduled row, or a row or column of the matrix
 * sums to more than PTRDIFF_MAX bytes; IRR_ERR_NO_MEMORY.  Outputs are set on success only.
 */
irr_status_t irr_plans_build(const irr_settings_t *settings, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                             irr_plans_t *plans);

/*
 * Builds all plans from a sorted schedule of the matrix, be it that of a scheduled row (irr_scheduled_build) or any
 * other that passes irr_schedule_check.  Errors are those of irr_plans_build; the schedule is not needed afterwards.
 */
irr_status_t irr_plans_schedule(const irr_schedule_t *schedule, const irr_matrix_t *matrix, irr_plans_t *plans);

/*
 * The same of the node route in front of a schedule, which is one of what irr_forward_matrix makes of the matrix for
 * these nodes.
 */
irr_status_t irr_plans_forward(const irr_schedule_t *schedule, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                               irr_plans_t *plans);

/*
 * Adds a pace, not auto, to plans of direct messages; grants as in irr_settings_t.  sync needs the schedule that the
 * plans were made from, and the tree of the ranks' hosts, or NULL for one switch.  IRR_ERR_NO_MEMORY, or what
 * irr_syncs_find returns.
 */
irr_status_t irr_plans_pace(irr_plans_t *plans, irr_pacing_t pacing, size_t grants, const irr_schedule_t *schedule,
                            const irr_tree_t *tree);

void irr_plans_fini(irr_plans_t *plans);

/* One message of the job, as design and tools speak of it; steps that stay on a rank are none. */
typedef struct irr_plans_message {
    int                stage, step, from, to;
    size_t             index;    /* of the send in the plan of its rank */
    size_t             bytes;
    const irr_slice_t *slices;   /* in the order of the message, adjacent ones merged; valid during the call */
    size_t             nslices;
} irr_plans_message_t;

/*
 * Calls fn for each message of the job, sorted by stage, step and sender, until it returns false.  The plans
 * must pass irr_plan_check; IRR_ERR_INVALID_PLAN if they do not, IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_message(const irr_plans_t *plans,
                                    bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

#endif
