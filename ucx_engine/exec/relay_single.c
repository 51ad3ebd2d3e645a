/*
 * relay_single.c - one message of a relay, by a plan of one step; see relay.h.
 */
#include "exec/relay.h"

#include <assert.h>
#include <string.h>

#define PIECES_MAX 2

irr_status_t irr_single_init(irr_single_t *single, int ranks, int rank)
{
    const irr_problem_t nobody = { .ranks = ranks, .rank = rank };
    const irr_plan_bounds_t bounds = { .steps = 1, .pieces = PIECES_MAX };
    irr_status_t status;

    irr_exec_init(&single->exec);
    irr_plan_init(&single->plan);
    irr_plan_reset(&single->plan, &nobody);
    status = irr_plan_reserve(&single->plan, bounds);
    return status == IRR_OK ? irr_exec_reserve(&single->exec, bounds) : status;
}

void irr_single_fini(irr_single_t *single)
{
    irr_exec_fini(&single->exec);
    irr_plan_fini(&single->plan);
}

void irr_single_start(irr_single_t *single, const irr_step_params_t *params, const irr_exec_env_t *env)
{
    const irr_plan_mark_t empty = { .nsteps = 0 };
    irr_status_t status;

    irr_plan_cut(&single->plan, &empty);
    status = irr_plan_add(&single->plan, params);
    assert(status == IRR_OK);
    (void)status;
    irr_exec_start(&single->exec, &single->plan, env);
}

irr_status_t irr_single_progress(irr_single_t *single, size_t *received_p)
{
    irr_status_t status = irr_exec_progress(&single->exec);

    if (status != IRR_IN_PROGRESS && received_p != NULL) {
        *received_p = irr_exec_transfer(&single->exec, 0)->received;
    }
    return status;
}
