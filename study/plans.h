/*
 * plans.h - builds the plans of all ranks of a job in one process, for tools and tests.
 *
 * A plan is the list of the steps of one rank in an all-to-all exchange: sends, receives, copies and so on.  A problem
 * is the two lists of blocks (ranges of bytes) that one rank sends and receives.  Entry (i, j) of the count matrix is
 * the number of bytes that rank i sends to rank j.
 */
#ifndef IRR_PLANS_H
#define IRR_PLANS_H

#include "order/tree/tree.h"
#include "plan/slice.h"
#include "plan/strategy.h"

/*
 * The problems and plans of all ranks; problems[r] and plans[r] belong to rank r.  Each message is one block.  The
 * blocks to send are in the buffer INPUT, and the blocks to receive in OUTPUT, both in the order of ranks without gaps.
 * In an exchange in place, INPUT and OUTPUT are the same buffer.
 */
typedef struct irr_plans {
    int            ranks;
    irr_problem_t *problems;
    irr_plan_t    *plans;
    irr_block_t   *blocks;   /* the memory of all lists of the problems */
} irr_plans_t;

/* The input of the plans, borrowed while they are built. */
typedef struct irr_plans_known {
    const irr_matrix_t   *matrix;
    const irr_nodes_t    *nodes;      /* the nodes of the ranks; needed for route node, otherwise ignored */
    const irr_schedule_t *schedule;   /* the round of each message, sorted; needed if irr_strategy_is_scheduled.  It is
                                         correct by irr_schedule_check for the matrix, or for the result of
                                         irr_forward_matrix if irr_strategy_forwards */
    const irr_tree_t     *tree;       /* the switches and hosts of the ranks, for pacing sync; NULL: one switch */
    bool                  in_place;   /* received bytes replace sent bytes (route/pairs.h); only if
                                         irr_strategy_is_local and the pacing is free */
    const int            *only;       /* the only rank whose plan is wanted; NULL: all plans are wanted */
} irr_plans_known_t;

/*
 * Builds the plans of a strategy; plans that are not wanted have no steps.  The caller frees the plans with
 * irr_plans_fini.  Returns IRR_ERR_BAD_PARAM if the grid of the strategy is not possible, a schedule or nodes are
 * missing, or a row or column of the matrix has a sum above PTRDIFF_MAX bytes; in place also if rank i sends to rank j
 * another number of bytes than rank j to rank i.  May also return IRR_ERR_NO_MEMORY and the errors of irr_syncs_find.
 */
irr_status_t irr_plans_build(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans);

/*
 * A function to which irr_plans_each passes new steps of the plan of one rank: the steps from index `first` on, with
 * their pieces and dependencies.  last: the rank has no further steps.  An error of this function ends irr_plans_each.
 */
typedef irr_status_t (*irr_plans_take_t)(void *context, const irr_plan_t *plan, size_t first, bool last);

/*
 * Builds the plans of irr_plans_build one after the other, and passes each plan to `take` before it builds the next
 * plan.  The plans of a grid depend on each other.  They are therefore built and passed stage by stage, and include
 * plans that are not wanted.  Memory: one plan; for a grid also a list of the data that each rank holds between two
 * stages.  Returns the errors of irr_plans_build and of `take`.
 */
irr_status_t irr_plans_each(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_take_t take,
                            void *context);

/*
 * Builds plans that have only sends, which is enough for a picture (outline.c).  Each send has one piece as long as the
 * message; buffer and offset of this piece have no meaning.  Takes the memory of irr_plans_each, and that of the sends.
 */
irr_status_t irr_plans_outline(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans);

/*
 * Sets the problem of one rank.  blocks: an array of 2 * ranks elements, in which the lists of the problem are stored.
 * Returns IRR_ERR_BAD_PARAM if the rank's row or column of the matrix has a sum above PTRDIFF_MAX bytes.
 */
irr_status_t irr_plans_problem(const irr_matrix_t *matrix, int rank, irr_block_t *blocks, irr_problem_t *problem);

/*
 * Sets the problems of the wanted ranks, and gives each rank a plan without steps.  The caller must call
 * irr_plans_fini, even after an error.  Returns the errors of irr_plans_problem, or IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_open(const irr_plans_known_t *known, irr_plans_t *plans);

void irr_plans_fini(irr_plans_t *plans);

/*
 * An irr_plans_take_t with an irr_plans_t as context: appends the steps to the plan of their rank, if this plan is
 * wanted.
 */
irr_status_t irr_plans_keep(void *context, const irr_plan_t *plan, size_t first, bool last);

/* A message between two ranks. */
typedef struct irr_plans_message {
    int                stage, step, from, to;
    size_t             index;    /* index of the send in the plan of rank `from` */
    size_t             bytes;
    const irr_slice_t *slices;   /* the contents of the message in order, as ranges of blocks; valid until fn returns;
                                    NULL in irr_plans_each_send */
    size_t             nslices;
} irr_plans_message_t;

/*
 * Calls fn for each message of the job in the order of stage, step and sender, until fn returns false.  The messages
 * lack `slices`.  Time O(m log m) for m messages.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_send(const irr_plans_t *plans,
                                 bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

/*
 * Does the same as irr_plans_each_send for messages with `slices`.  Costs as much as irr_plan_check.  Returns
 * IRR_ERR_INVALID_PLAN if the plans do not pass irr_plan_check.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_plans_each_message(const irr_plans_t *plans,
                                    bool (*fn)(void *context, const irr_plans_message_t *message), void *context);

/*
 * Builds the plans of irr_plans_build and proves them correct.  Calls fn for each message with its slices, in any
 * order, until fn returns false; *plans is set before the first call.  To save memory, the function frees the pieces of
 * a plan as soon as they are proved.  Afterwards npieces of a plan is the number of pieces that the plan had.  *proved:
 * the plans pass irr_plan_check.  If *proved is false, the plans may nevertheless pass irr_plan_check.  Returns the
 * errors of irr_plans_build.
 */
irr_status_t irr_plans_prove(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans,
                             bool (*fn)(void *context, const irr_plans_message_t *message), void *context,
                             bool *proved);

#endif
