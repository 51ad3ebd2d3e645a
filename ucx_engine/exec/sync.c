/*
 * sync.c - see sync.h.
 */
#include "exec/sync.h"

#include <string.h>

/* Signals are of one stage of a plan, the last one, so they need no other tags than those of the first. */
#define STAGE 1

irr_status_t irr_sync_run_reserve(irr_sync_run_t *run, size_t syncs)
{
    return irr_signals_reserve(&run->signals, 2 * syncs);
}

void irr_sync_run_fini(irr_sync_run_t *run)
{
    irr_signals_fini(&run->signals);
    memset(run, 0, sizeof(*run));
}

void irr_sync_run_start(irr_sync_run_t *run, const irr_plan_t *plan, const irr_exec_env_t *env,
                        irr_status_t *result)
{
    run->plan = plan;
    run->next_tell = 0;
    run->next_await = 0;
    run->received = 0;
    irr_signals_start(&run->signals, env, result);
    for (size_t i = 0; i < plan->nawaits; i++) {
        if (plan->awaits[i].peer != plan->rank) {
            irr_signals_await(&run->signals, i, STAGE, plan->awaits[i].peer);
        }
    }
}

void irr_sync_run_advance(irr_sync_run_t *run, size_t received)
{
    const irr_plan_t *plan = run->plan;

    if (plan == NULL) {
        return;
    }
    run->received = received;
    irr_signals_retry(&run->signals);
    for (; run->next_tell < plan->ntells && plan->tells[run->next_tell].received <= received; run->next_tell++) {
        irr_signals_give(&run->signals, plan->nawaits + run->next_tell, STAGE, plan->tells[run->next_tell].peer);
    }
}

static bool is_here(const irr_sync_run_t *run, size_t i)
{
    const irr_plan_await_t *await = &run->plan->awaits[i];

    return await->peer == run->plan->rank ? await->received <= run->received : run->signals.list[i].here;
}

bool irr_sync_run_here(irr_sync_run_t *run, size_t step)
{
    const irr_plan_t *plan = run->plan;

    if (plan == NULL) {
        return true;
    }
    while (run->next_await < plan->nawaits && is_here(run, run->next_await)) {
        run->next_await++;
    }
    return run->next_await == plan->nawaits || plan->awaits[run->next_await].step > step;
}

bool irr_sync_run_end(irr_sync_run_t *run)
{
    if (run->plan != NULL && (run->next_tell < run->plan->ntells || run->signals.pending > 0)) {
        return false;
    }
    run->plan = NULL;
    return true;
}
