/* own_plan.c - a plan and its executor, with all memory allocated at init; see own_plan.h. */
#include "exec/own_plan.h"

#include <assert.h>

irr_status_t irr_own_plan_init(irr_own_plan_t *own, int ranks, int rank, irr_plan_room_t bounds)
{
    const irr_problem_t empty = { .ranks = ranks, .rank = rank };
    irr_status_t status;

    irr_exec_init(&own->exec);
    irr_plan_init(&own->plan);
    irr_plan_reset(&own->plan, &empty);
    status = irr_plan_reserve(&own->plan, bounds);
    return status == IRR_OK ? irr_exec_reserve(&own->exec, bounds) : status;
}

void irr_own_plan_fini(irr_own_plan_t *own)
{
    irr_exec_fini(&own->exec);
    irr_plan_fini(&own->plan);
}

void irr_own_plan_clear(irr_own_plan_t *own)
{
    const irr_plan_mark_t empty = { .nsteps = 0 };

    irr_plan_cut(&own->plan, &empty);
}

void irr_own_plan_add(irr_own_plan_t *own, const irr_step_params_t *params)
{
    const irr_status_t status = irr_plan_add(&own->plan, params);

    assert(status == IRR_OK);
    (void)status;
}

void irr_own_plan_start(irr_own_plan_t *own, const irr_exec_env_t *env)
{
    own->exec.env = *env;
    irr_exec_start(&own->exec, &own->plan);
}
