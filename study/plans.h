/*
 * plans.h - the plans of all ranks of a job, built in one place from the count matrix, for tools and tests.
 */
#ifndef IRR_PLANS_H
#define IRR_PLANS_H

#include "order/tree/tree.h"
#include "plan/slice.h"
#include "plan/strategy.h"

/*
 * The problems and plans of all ranks; problems[r] and plans[r] belong to rank r.  Each message is one block.  Blocks
 * are in the order of ranks without gaps, in INPUT and in OUTPUT.  In place, INPUT and OUTPUT are the same buffer.
 */
typedef struct irr_plans {
    int            ranks;
    irr_problem_t *problems;
    irr_plan_t    *plans;
    irr_block_t   *blocks;   /* the lists of the problems */
} irr_plans_t;

/* The input of the plans, borrowed while they are built. */
typedef struct irr_plans_known {
    const irr_matrix_t   *matrix;
    const irr_nodes_t    *nodes;      /* for route node, else NULL */
    const irr_schedule_t *schedule;   /* for a strategy with a schedule: sorted, and passes irr_schedule_check for the
                                         matrix, or for the result of irr_forward_matrix if the strategy forwards */
    const irr_tree_t     *tree;       /* the hosts of the ranks, for pacing sync; NULL: all at one switch */
    bool                  in_place;   /* for a local strategy with pacing free: built by route/pairs.h */
    const int            *only;       /* the rank whose plan is wanted; NULL: all ranks */
} irr_plans_known_t;

/*
 * Builds the plans of a strategy; plans that are not wanted have no steps.  The caller frees them with irr_plans_fini.
 * Returns IRR_ERR_BAD_PARAM if the grid does not exist, a schedule or nodes are missing, a row or column of the matrix
 * sums to more than PTRDIFF_MAX bytes, or two ranks of plans in place have different counts for each other.  May also
 * return IRR_ERR_NO_MEMORY and the errors of irr_syncs_find.
 */
irr_status_t irr_plans_build(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans);

/*
 * A function that receives steps of the plan of one rank: those from index `first` on, with their pieces and
 * dependencies. last: these are the last steps of the rank.  An error of this function ends irr_plans_each.
 */
typedef irr_status_t (*irr_plans_take_t)(void *context, const irr_plan_t *plan, size_t first, bool last);

/*
 * Builds the same plans as irr_plans_build, one after the other, and passes each plan to `take`.  The plans of a grid
 * are passed stage by stage, also those that are not wanted, because they depend on each other.  Only one plan is in
 * memory at a time; for a grid, also the data that each rank holds between two stages.  Returns the errors of
 * irr_plans_build and of `take`.
 */
irr_status_t irr_plans_each(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_take_t take,
                            void *context);

/*
 * Builds plans with sends only.  Each send has one piece of the message's length, whose buffer and offset have no
 * meaning.  This is enough for a picture, and takes the memory of irr_plans_each and of the sends (outline.c).
 */
irr_status_t irr_plans_outline(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans);

/*
 * Sets the problem of one rank.  blocks: room for two lists of as many blocks as ranks.  Returns IRR_ERR_BAD_PARAM if a
 * sum of the matrix is too large.
 */
irr_status_t irr_plans_problem(const irr_matrix_t *matrix, int rank, irr_block_t *blocks, irr_problem_t *problem);

/*
 * Sets the problems of the wanted ranks, and plans without steps.  The caller must call irr_plans_fini, even after an
 * error.  Returns the errors of irr_plans_build.
 */
irr_status_t irr_plans_open(const irr_plans_known_t *known, irr_plans_t *plans);

void irr_plans_fini(irr_plans_t *plans);

/* Appends steps to the plan of their rank, if it is wanted; see irr_plans_take_t.  The context is an irr_plans_t. */
irr_status_t irr_plans_keep(void *context, const irr_plan_t *plan, size_t first, bool last);

/* A message between two ranks. */
typedef struct irr_plans_message {
    int                stage, step, from, to;
    size_t             index;    /* of the send in the plan of its rank */
    size_t             bytes;
    const irr_slice_t *slices;   /* not in irr_plans_each_send: in the order of the message, adjacent slices merged;
                                    valid until fn returns */
    size_t             nslices;
} irr_plans_message_t;

/*
 * Calls fn for each message of the job without its contents, sorted by stage, step and sender, until fn returns false.
 * Time O(m log m) for m messages.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_send(const irr_plans_t *plans,
                                 bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

/*
 * Calls fn as irr_plans_each_send does, with the contents of each message.  Costs as much as irr_plan_check.  Returns
 * IRR_ERR_INVALID_PLAN if the plans do not pass irr_plan_check.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_message(const irr_plans_t *plans,
                                    bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

/*
 * Builds the plans of irr_plans_build and proves them.  For each message it calls fn as irr_plans_each_message does,
 * but in any order, until fn returns false.  *plans is set before the first call.  Only the pieces of ranks that
 * exchange messages with each other in the same stage are in memory at a time; in the end the plans have no pieces, but
 * their numbers of pieces.  *proved: the plans pass irr_plan_check; if it is false they may pass nevertheless.  Returns
 * the errors of irr_plans_build.
 */
irr_status_t irr_plans_prove(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans,
                             bool (*fn)(void *context, const irr_plans_message_t *message), void *context,
                             bool *proved);

#endif
