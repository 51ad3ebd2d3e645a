/*
 * grid_plan.h - builds the plan of one rank for a grid route, stage by stage.
 *
 * What a rank sends in a stage depends on the data that it received in earlier stages.  The caller therefore describes
 * each arriving message to the builder as a list of slices; a slice is a range of a block that travels separately.  The
 * description comes from the sender's plan (study/grid_plans.c), from the counts of all ranks (route/forward.c), or
 * from the message itself (exec/relay.c).
 *
 * If `placed` is true, the caller chooses where arriving slices are stored (their targets), and may run the plan again
 * after the counts have changed.  Each rank then expects a message from each sender of a stage.  A rank without data
 * for another rank sends a message of one byte, the blank.
 *
 * Long messages may be sent directly (grid.h).  Their steps are part of the plan, unless `placed` is true.  If it is,
 * the caller sends and receives these messages.  The builder records which of them arrived through the grid instead.
 *
 *     calls: begin; for each stage: sends, receive for each message that is not empty, end_stage; finish
 */
#ifndef IRR_GRID_PLAN_H
#define IRR_GRID_PLAN_H

#include "plan/plan.h"
#include "route/distribution.h"
#include "route/extents.h"

#define IRR_NO_STEP UINT32_MAX

typedef struct irr_grid_plan {
    const irr_stages_t  *stages;
    const irr_problem_t *problem;
    size_t               slice_min;
    irr_overlap_t        overlap;
    irr_plan_t           plan;         /* the plan; it has a step for each message that is not empty */
    irr_slice_t         *slices;       /* by index in plan.pieces: the slice in the piece of a send or receive */
    size_t               slices_max;
    uint32_t            *send_steps;   /* by stage and slot: the step that sends; IRR_NO_STEP: no message */
    uint32_t            *recv_steps;   /* by stage and sender: the step that receives */
    size_t               slot_base, sender_base;   /* indices in these two arrays at which the current stage begins */
    bool                 placed;       /* set by the caller after init, together with blank */
    uintptr_t            blank;        /* if placed: address of the blank; offsets in SCRATCH are addresses, too */
    bool                 truncated;    /* true: a message is longer than its blocks, and was received in scratch */
    bool                *came;         /* by rank: true if the blocks for its message are so long that this rank
                                          expects it directly, but it came through the grid; NULL: none is direct */
    irr_items_t          held;         /* slices that this rank sends in a later stage */
    irr_items_t          landed;       /* slices for this rank in scratch; finish copies them to its blocks */
    irr_distribution_t   distribution;
    irr_extents_t        scratch;      /* unused if placed */
    irr_piece_t         *pieces;       /* the pieces of the step that is being added */
    size_t              *deps;         /* the dependencies of this step */
    bool                *marked;       /* by step: mark of unique(), false outside of it */
    size_t               pieces_max, deps_max, marked_max;
    size_t               barrier;      /* overlap `blocking`: the last step of the barrier after the previous stage */
} irr_grid_plan_t;

/*
 * Initialises a builder; the stages are borrowed.  This function and all functions below may return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_grid_plan_init(irr_grid_plan_t *build, const irr_stages_t *stages);
void         irr_grid_plan_fini(irr_grid_plan_t *build);

/* Starts a plan, in the memory of the previous plan.  The problem is borrowed until irr_grid_plan_finish. */
irr_status_t irr_grid_plan_begin(irr_grid_plan_t *build, const irr_problem_t *problem, size_t slice_min,
                                 irr_overlap_t overlap);

/* Appends the sends of a stage, counted from 1. */
irr_status_t irr_grid_plan_sends(irr_grid_plan_t *build, int stage);

/*
 * Appends the receive of a message from sender number i of the stage.  If the builder is `placed`, targets[k] receives
 * slice k.  Otherwise the builder chooses the targets, and count must not be 0.
 */
irr_status_t irr_grid_plan_receive(irr_grid_plan_t *build, int stage, int i, const irr_slice_t *slices,
                                   const irr_piece_t *targets, size_t count);

/*
 * Returns true and sets *piece if a slice can be received in OUTPUT.  Returns false if the slice is for another rank,
 * is too long for its blocks, or belongs to several blocks.
 */
bool irr_grid_plan_arrives(const irr_grid_plan_t *build, const irr_slice_t *slice, irr_piece_t *piece);

irr_status_t irr_grid_plan_end_stage(irr_grid_plan_t *build, int stage);

/* Appends the copies of the rank's message to itself, and of the slices that belong to several blocks. */
irr_status_t irr_grid_plan_finish(irr_grid_plan_t *build);

/* Frees memory that a complete plan does not need. */
void irr_grid_plan_trim(irr_grid_plan_t *build);

/* Removes the plan, and frees all memory that irr_grid_plan_init has not allocated. */
void irr_grid_plan_clear(irr_grid_plan_t *build, const irr_problem_t *problem);

/* Returns the number of slices of a step: the number of its pieces, or 0 if its message is the blank. */
static inline size_t irr_grid_plan_count(const irr_grid_plan_t *build, size_t step)
{
    const irr_step_t *of = &build->plan.steps[step];

    return build->slices[of->first_piece].length > 0 ? of->pieces : 0;
}

static inline const irr_slice_t *irr_grid_plan_slices(const irr_grid_plan_t *build, size_t step)
{
    return build->slices + build->plan.steps[step].first_piece;
}

#endif
