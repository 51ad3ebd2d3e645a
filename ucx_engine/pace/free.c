/*
 * free.c - every send may start at once.
 */
#include "pace/pace.h"

static irr_status_t add(irr_plan_t *plan, const irr_pace_params_t *params)
{
    (void)plan;
    (void)params;
    return IRR_OK;
}

static irr_plan_bounds_t bounds(irr_plan_bounds_t plain, const irr_pace_params_t *params)
{
    (void)params;
    return plain;
}

const irr_pace_t irr_pace_free = {
    .name = "free",
    .add = add,
    .bounds = bounds
};
