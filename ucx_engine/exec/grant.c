/*
 * grant.c - see grant.h.
 */
#include "exec/grant.h"

#include "core/alloc.h"

#include <string.h>

irr_status_t irr_grants_reserve(irr_grants_t *grants, size_t steps)
{
    void *list = grants->list;
    irr_status_t status = irr_signals_reserve(&grants->signals, steps);

    if (status == IRR_OK) {
        status = irr_grow(&list, &grants->list_max, steps, sizeof(*grants->list));
    }
    grants->list = list;
    return status;
}

void irr_grants_fini(irr_grants_t *grants)
{
    irr_signals_fini(&grants->signals);
    irr_free(grants->list);
    memset(grants, 0, sizeof(*grants));
}

static void leave(irr_grants_t *grants, size_t step)
{
    grants->admitted -= grants->list[step].admitted;
    grants->list[step].admitted = false;
}

static void on_lost(irr_signals_t *signals, size_t step)
{
    leave((irr_grants_t *)signals, step);
}

_Static_assert(offsetof(irr_grants_t, signals) == 0, "on_lost takes the signals for the grants");

void irr_grants_start(irr_grants_t *grants, const irr_plan_t *plan, const irr_exec_env_t *env, size_t limit,
                      irr_status_t *result)
{
    grants->plan = plan;
    grants->limit = limit;
    grants->next = 0;
    grants->admitted = 0;
    grants->signals.lost = on_lost;
    irr_signals_start(&grants->signals, env, result);
    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        grants->list[i] = (irr_grant_t){ 0 };
        if (step->kind == IRR_STEP_SEND) {
            irr_signals_await(&grants->signals, i, step->stage, step->peer);
        }
    }
}

void irr_grants_advance(irr_grants_t *grants, size_t posted)
{
    if (grants->plan == NULL) {
        return;
    }
    irr_signals_retry(&grants->signals);
    for (; grants->next < posted && grants->admitted < grants->limit; grants->next++) {
        const irr_step_t *step = &grants->plan->steps[grants->next];
        irr_grant_t *grant = &grants->list[grants->next];

        if (step->kind == IRR_STEP_RECV) {
            /* One that has failed already takes no place, but its sender waits all the same. */
            grant->admitted = !grant->over;
            grants->admitted += grant->admitted;
            irr_signals_give(&grants->signals, grants->next, step->stage, step->peer);
        }
    }
}

void irr_grants_close(irr_grants_t *grants, size_t step)
{
    if (grants->plan != NULL) {
        grants->list[step].over = true;
        leave(grants, step);
    }
}

bool irr_grants_here(const irr_grants_t *grants, size_t step)
{
    return grants->plan == NULL || grants->signals.list[step].here;
}

bool irr_grants_end(irr_grants_t *grants)
{
    if (grants->plan != NULL && grants->signals.pending > 0) {
        return false;
    }
    grants->plan = NULL;
    return true;
}
