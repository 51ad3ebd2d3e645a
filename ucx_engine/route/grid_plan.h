/*
 * grid_plan.h - the plan of one rank for a grid route, built stage by stage.
 *
 * What a rank sends in a stage depends on what it received in the ones before, so whoever builds the plan tells it
 * what arrives: the sender's plan where all ranks are at hand (grid_plans.c), or what an exchange has learnt
 * (exec/relay.c).
 *
 * A builder that is told the places of what arrives (`placed`) writes a plan of which each rank knows that all others
 * may change theirs: where a rank has nothing for another one there is a message too, of one byte, the blank.
 *
 * Messages that the grid leaves out, because they are long, are steps of the plan unless it is placed: then who runs it
 * sends and receives them beside it, and only learns which of them have come through the grid all the same.
 *
 *     begin; for each stage: sends, receive for each message that is not empty, end_stage; finish
 */
#ifndef IRR_GRID_PLAN_H
#define IRR_GRID_PLAN_H

#include "plan/plan.h"
#include "route/deal.h"
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
    size_t              *send_steps;   /* by stage and slot: IRR_NO_STEP if there is no message */
    size_t              *recv_steps;   /* by stage and sender */
    size_t               slot_base, sender_base;   /* of the stage that is being built */
    bool                 placed;       /* set after init, with */
    uintptr_t            blank;        /* the address of the blank: SCRATCH offsets are addresses then */
    bool                 truncated;    /* something is longer than its block, and goes to scratch instead */
    bool                *came;         /* by rank: a message awaited directly came through the grid; or NULL */
    irr_items_t          held;
    irr_items_t          landed;       /* what this rank received for itself in scratch, as it lies in several blocks */
    irr_deal_t           deal;
    irr_extents_t        scratch;      /* unless placed */
    irr_piece_t         *pieces;       /* room for one step */
    size_t              *deps;
    size_t               pieces_max, deps_max;
    size_t               barrier;      /* overlap blocking: the step that ended the last stage */
} irr_grid_plan_t;

/* The stages are borrowed.  Fails with IRR_ERR_NO_MEMORY, and so does all that follows. */
irr_status_t irr_grid_plan_init(irr_grid_plan_t *build, const irr_stages_t *stages);
void         irr_grid_plan_fini(irr_grid_plan_t *build);

/* Starts a plan, in the room of the last one; the problem is borrowed until finish. */
irr_status_t irr_grid_plan_begin(irr_grid_plan_t *build, const irr_problem_t *problem, size_t slice_min,
                                 irr_overlap_t overlap);

/* Appends the sends of a stage, which counts from 1. */
irr_status_t irr_grid_plan_sends(irr_grid_plan_t *build, int stage);

/*
 * Appends the receive of what sender number i of the stage sends: to these places if the builder is placed, and else
 * where there is room; then it is not empty.
 */
irr_status_t irr_grid_plan_receive(irr_grid_plan_t *build, int stage, int i, const irr_slice_t *slices,
                                   const irr_piece_t *places, size_t count);

/*
 * Does a slice go to OUTPUT?  Then *piece says where.  One that is too long for its blocks does not, nor one that
 * lies in several.
 */
bool irr_grid_plan_arrives(const irr_grid_plan_t *build, const irr_slice_t *slice, irr_piece_t *piece);

irr_status_t irr_grid_plan_end_stage(irr_grid_plan_t *build, int stage);

/* Appends the copies of the message to itself, and of what lies in several blocks. */
irr_status_t irr_grid_plan_finish(irr_grid_plan_t *build);

/* How many slices a step has: as many as pieces, or none, if it is a blank. */
static inline size_t irr_grid_plan_count(const irr_grid_plan_t *build, size_t step)
{
    const irr_step_t *of = &build->plan.steps[step];

    return build->slices[of->first_piece].length > 0 ? of->pieces : 0;
}

/* The slices of a step. */
static inline const irr_slice_t *irr_grid_plan_slices(const irr_grid_plan_t *build, size_t step)
{
    return build->slices + build->plan.steps[step].first_piece;
}

#endif
