/* pacing.c - the table of pacings, and their common functions. */
#include "pacing/pacing.h"

/* Pacing free: every send may start at once. */
const irr_pacing_t irr_pacing_free = { .name = "free" };

const irr_pacing_t *irr_pacing_of(irr_pacing_kind_t pacing)
{
    static const irr_pacing_t *const pacings[IRR_PACING_COUNT] = {
        [IRR_PACING_FREE] = &irr_pacing_free, [IRR_PACING_LOOSE] = &irr_pacing_loose,
        [IRR_PACING_GRANT] = &irr_pacing_grant,
        [IRR_PACING_SYNC] = &irr_pacing_sync
    };

    return (int)pacing >= 0 && (int)pacing < (int)IRR_PACING_COUNT ? pacings[pacing] : NULL;
}

irr_status_t irr_pacing_add(const irr_pacing_t *pacing, const irr_pacing_params_t *params, irr_plan_t *plan)
{
    return pacing->add != NULL ? pacing->add(plan, params) : IRR_OK;
}

static bool is_of(const irr_step_t *step, irr_step_kind_t kind, int stage)
{
    return step->kind == kind && step->stage == stage;
}

size_t irr_pacing_next(const irr_plan_t *plan, irr_step_kind_t kind, int stage, size_t from)
{
    while (from < plan->nsteps && !is_of(&plan->steps[from], kind, stage)) {
        from++;
    }
    return from;
}

/*
 * Makes a send depend on all steps of `kind` that have its stage and a lower step number.  Searches from index *next
 * on, and advances *next to the first step that is not lower.
 */
static irr_status_t wait_lower(irr_plan_t *plan, size_t send, irr_step_kind_t kind, size_t *next)
{
    const irr_step_t *step = &plan->steps[send];
    irr_status_t status = IRR_OK;

    for (; *next < send && status == IRR_OK; ++*next) {
        if (is_of(&plan->steps[*next], kind, step->stage)) {
            if (plan->steps[*next].number >= step->number) {
                break;
            }
            status = irr_plan_depend(plan, send, *next);
        }
    }
    return status;
}

irr_status_t irr_pacing_in_step_order(irr_plan_t *plan, bool receives)
{
    irr_status_t status = IRR_OK;

    for (int stage = 1; stage <= plan->stages; stage++) {
        size_t sent = 0, received = 0;

        for (size_t i = irr_pacing_next(plan, IRR_STEP_SEND, stage, 0); i < plan->nsteps && status == IRR_OK;
             i = irr_pacing_next(plan, IRR_STEP_SEND, stage, i + 1)) {
            status = wait_lower(plan, i, IRR_STEP_SEND, &sent);
            if (status == IRR_OK && receives) {
                status = wait_lower(plan, i, IRR_STEP_RECV, &received);
            }
        }
    }
    return status;
}
