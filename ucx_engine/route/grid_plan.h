/*
 * grid_plan.h - the plan of one rank for a grid route, built stage by stage.
 *
 * A rank's sends in a stage depend on what it received in earlier stages.  So the caller passes each message that
 * arrives: study/grid_plans.c takes it from the sender's plan, exec/relay.c from the message itself.
 *
 * A `placed` builder takes the places of arriving data from the caller.  Each rank then knows that all others may
 * change their plan: a rank without data for another one still sends a message, of one byte, called the blank.
 *
 * Long messages that do not go through the grid are steps of the plan, unless the builder is placed.  A placed plan
 * leaves them to its caller, and only records which of them came through the grid nevertheless.
 *
 *     begin; for each stage: sends, receive for each message that is not empty, end_stage; finish
 */
#ifndef IRR_GRID_PLAN_H
#define IRR_GRID_PLAN_H

#include "plan/plan.h"
#include "route/distribution.h"
#include "route/extents.h"

#define IRR_NO_STEP SIZE_MAX

typedef struct irr_grid_plan {
    const irr_stages_t  *stages;
    const irr_problem_t *problem;
    size_t               slice_min;
    irr_overlap_t        overlap;
    irr_plan_t           plan;         /* a step for each message that is not empty */
    irr_slice_t         *slices;       /* one for each piece of a send or receive, by the piece's index */
    size_t               slices_max;
    size_t              *send_steps;   /* by stage and slot; IRR_NO_STEP: no message */
    size_t              *recv_steps;   /* by stage and sender */
    size_t               slot_base, sender_base;   /* first slot and sender of the current stage */
    bool                 placed;       /* set after init, together with blank */
    uintptr_t            blank;        /* address of the blank; offsets in SCRATCH are addresses then */
    bool                 truncated;    /* something is longer than its block, and goes to scratch instead */
    bool                *came;         /* by rank: a message expected directly came through the grid; or NULL */
    irr_items_t          held;
    irr_items_t          landed;       /* data for this rank that is in scratch, because it belongs to several blocks */
    irr_distribution_t   distribution;
    irr_extents_t        scratch;      /* unused if placed */
    irr_piece_t         *pieces;       /* room for one step */
    size_t              *deps;
    size_t               pieces_max, deps_max;
    size_t               barrier;      /* overlap blocking: the step that ended the last stage */
} irr_grid_plan_t;

/* Initialises a builder; the stages are borrowed.  IRR_ERR_NO_MEMORY, as from all functions below. */
irr_status_t irr_grid_plan_init(irr_grid_plan_t *build, const irr_stages_t *stages);
void         irr_grid_plan_fini(irr_grid_plan_t *build);

/* Starts a plan and reuses the memory of the last one.  The problem is borrowed until finish. */
irr_status_t irr_grid_plan_begin(irr_grid_plan_t *build, const irr_problem_t *problem, size_t slice_min,
                                 irr_overlap_t overlap);

/* Appends the sends of a stage, counted from 1. */
irr_status_t irr_grid_plan_sends(irr_grid_plan_t *build, int stage);

/*
 * Appends the receive of a message from sender number i of the stage.  A placed builder receives it at these places.
 * Otherwise the builder finds places, and the message must not be empty.
 */
irr_status_t irr_grid_plan_receive(irr_grid_plan_t *build, int stage, int i, const irr_slice_t *slices,
                                   const irr_piece_t *places, size_t count);

/*
 * Returns whether a slice is received in OUTPUT, and then its place in *piece.  A slice that is too long for its
 * blocks, or belongs to several of them, is not.
 */
bool irr_grid_plan_arrives(const irr_grid_plan_t *build, const irr_slice_t *slice, irr_piece_t *piece);

irr_status_t irr_grid_plan_end_stage(irr_grid_plan_t *build, int stage);

/* Appends the copies of the rank's message to itself, and of the slices that belong to several blocks. */
irr_status_t irr_grid_plan_finish(irr_grid_plan_t *build);

/* Returns the number of slices of a step: the number of its pieces, or 0 if it is a blank. */
static inline size_t irr_grid_plan_count(const irr_grid_plan_t *build, size_t step)
{
    const irr_step_t *of = &build->plan.steps[step];

    return build->slices[of->first_piece].length > 0 ? of->pieces : 0;
}

/* Returns the slices of a step. */
static inline const irr_slice_t *irr_grid_plan_slices(const irr_grid_plan_t *build, size_t step)
{
    return build->slices + build->plan.steps[step].first_piece;
}

#endif
