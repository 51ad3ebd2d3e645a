/*
 * errand.c - see errand.h.
 */
#include "exec/errand.h"

#include <assert.h>

irr_status_t irr_errand_init(irr_errand_t *errand, int ranks, int rank, irr_plan_bounds_t bounds)
{
    const irr_problem_t nobody = { .ranks = ranks, .rank = rank };
    irr_status_t status;

    irr_exec_init(&errand->exec);
    irr_plan_init(&errand->plan);
    irr_plan_reset(&errand->plan, &nobody);
    status = irr_plan_reserve(&errand->plan, bounds);
    return status == IRR_OK ? irr_exec_reserve(&errand->exec, bounds) : status;
}

void irr_errand_fini(irr_errand_t *errand)
{
    irr_exec_fini(&errand->exec);
    irr_plan_fini(&errand->plan);
}

void irr_errand_clear(irr_errand_t *errand)
{
    const irr_plan_mark_t empty = { .nsteps = 0 };

    irr_plan_cut(&errand->plan, &empty);
}

void irr_errand_add(irr_errand_t *errand, const irr_step_params_t *params)
{
    const irr_status_t status = irr_plan_add(&errand->plan, params);

    assert(status == IRR_OK);
    (void)status;
}

void irr_errand_start(irr_errand_t *errand, const irr_exec_env_t *env)
{
    irr_exec_start(&errand->exec, &errand->plan, env);
}
