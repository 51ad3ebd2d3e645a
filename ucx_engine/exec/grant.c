/*
 * grant.c - see grant.h.
 */
#include "exec/grant.h"

#include "core/alloc.h"

#include <string.h>

irr_status_t irr_grants_reserve(irr_grants_t *grants, size_t steps)
{
    irr_grant_t *list;

    if (steps <= grants->list_max) {
        return IRR_OK;
    }
    list = irr_alloc(steps, sizeof(*list));
    if (list == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_free(grants->list);
    grants->list = list;
    grants->list_max = steps;
    return IRR_OK;
}

void irr_grants_fini(irr_grants_t *grants)
{
    irr_free(grants->list);
    memset(grants, 0, sizeof(*grants));
}

/* ---- messages ---- */

static void leave(irr_grant_t *grant)
{
    grant->grants->admitted -= grant->admitted;
    grant->admitted = false;
}

static void on_arrived(irr_transfer_t *transfer)
{
    irr_grant_t *grant = (irr_grant_t *)transfer;
    irr_status_t status = transfer->status;

    grant->grants->pending--;
    grant->over = true;
    /* No user has a block that it could be too long for. */
    irr_exec_keep(grant->grants->result, status == IRR_ERR_TRUNCATE ? IRR_ERR_PROTOCOL : status);
}

static void on_sent(irr_transfer_t *transfer)
{
    irr_grant_t *grant = (irr_grant_t *)transfer;
    irr_grants_t *grants = grant->grants;

    grants->pending--;
    if (transfer->status != IRR_OK) {
        irr_exec_keep(grants->result, transfer->status);
        leave(grant);
        grant->next_failed = grants->failed;
        grants->failed = grant;
    }
}

_Static_assert(offsetof(irr_grant_t, transfer) == 0, "the callbacks take a transfer for its grant");

static void begin(irr_grant_t *grant, void (*over)(irr_transfer_t *transfer))
{
    irr_grants_t *grants = grant->grants;

    grants->pending++;
    irr_transfer_begin(&grant->transfer, grants->env->transport, grants->env->counters, over);
    grant->transfer.describes = true;
}

static void await(irr_grant_t *grant)
{
    const irr_exec_env_t *env = grant->grants->env;
    const irr_step_t *step = &grant->grants->plan->steps[grant - grant->grants->list];

    begin(grant, on_arrived);
    irr_transfer_receive(&grant->transfer, &grant->part,
                         irr_tag(env->tag_base, IRR_TAG_SYNC, step->stage, step->peer), NULL, 0, IRR_FORM_IOVEC);
    irr_transfer_end(&grant->transfer);
}

static void give(irr_grant_t *grant)
{
    const irr_exec_env_t *env = grant->grants->env;
    const irr_plan_t *plan = grant->grants->plan;
    const irr_step_t *step = &plan->steps[grant - grant->grants->list];

    begin(grant, on_sent);
    irr_transfer_send(&grant->transfer, &grant->part, env->peers[step->peer],
                      irr_tag(env->tag_base, IRR_TAG_SYNC, step->stage, plan->rank), NULL, 0, IRR_FORM_IOVEC, 0);
    irr_transfer_end(&grant->transfer);
}

/* ---- the run ---- */

void irr_grants_start(irr_grants_t *grants, const irr_plan_t *plan, const irr_exec_env_t *env, size_t limit,
                      irr_status_t *result)
{
    grants->plan = plan;
    grants->env = env;
    grants->result = result;
    grants->limit = limit;
    grants->next = 0;
    grants->admitted = 0;
    grants->pending = 0;
    grants->failed = NULL;
    for (size_t i = 0; i < plan->nsteps; i++) {
        grants->list[i] = (irr_grant_t){ .grants = grants };
        if (plan->steps[i].kind == IRR_STEP_SEND) {
            await(&grants->list[i]);
        }
    }
}

/* Each once, because it may fail again at once. */
static void give_again(irr_grants_t *grants)
{
    irr_grant_t *failed = grants->failed;

    grants->failed = NULL;
    while (failed != NULL) {
        irr_grant_t *next = failed->next_failed;

        give(failed);
        failed = next;
    }
}

void irr_grants_advance(irr_grants_t *grants, size_t posted)
{
    if (grants->plan == NULL) {
        return;
    }
    give_again(grants);
    for (; grants->next < posted && grants->admitted < grants->limit; grants->next++) {
        irr_grant_t *grant = &grants->list[grants->next];

        if (grants->plan->steps[grants->next].kind == IRR_STEP_RECV) {
            /* One that has failed already takes no place, but its sender waits all the same. */
            grant->admitted = !grant->over;
            grants->admitted += grant->admitted;
            give(grant);
        }
    }
}

void irr_grants_close(irr_grants_t *grants, size_t step)
{
    if (grants->plan != NULL) {
        grants->list[step].over = true;
        leave(&grants->list[step]);
    }
}

bool irr_grants_here(const irr_grants_t *grants, size_t step)
{
    return grants->plan == NULL || grants->list[step].over;
}

bool irr_grants_end(irr_grants_t *grants)
{
    if (grants->plan != NULL && grants->pending > 0) {
        return false;
    }
    grants->plan = NULL;
    return true;
}
