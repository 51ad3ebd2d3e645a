/*
 * outline.c - builds plans that have only sends, for pictures; see plans.h.
 *
 * A plan of a grid has many pieces, and a picture needs none of them.  Cost: the time to build the plans, and the
 * memory of irr_plans_each and of the sends.
 */
#include "study/plans.h"

/* An irr_plans_take_t that appends only the sends to other ranks. */
static irr_status_t add_sends(void *context, const irr_plan_t *from, size_t first, bool last)
{
    const irr_plans_t *plans = context;
    irr_plan_t *plan = &plans->plans[from->rank];
    irr_status_t status = IRR_OK;

    (void)last;
    for (size_t i = first; i < from->nsteps && status == IRR_OK; i++) {
        const irr_step_t *step = &from->steps[i];
        const irr_piece_t piece = { .buffer = IRR_BUFFER_INPUT, .length = step->bytes };

        if (step->kind == IRR_STEP_SEND && step->peer != from->rank) {
            status = irr_plan_add(plan, &(irr_step_params_t){
                .kind = IRR_STEP_SEND, .peer = step->peer, .stage = step->stage, .number = step->number,
                .pieces = &piece, .npieces = 1 });
        }
    }
    plan->stages = from->stages > plan->stages ? from->stages : plan->stages;
    return status;
}

irr_status_t irr_plans_outline(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    irr_plans_t outline;
    irr_status_t status = irr_plans_open(known, &outline);

    status = status == IRR_OK ? irr_plans_each(strategy, known, add_sends, &outline) : status;
    if (status != IRR_OK) {
        irr_plans_fini(&outline);
        return status;
    }
    *plans = outline;
    return IRR_OK;
}
