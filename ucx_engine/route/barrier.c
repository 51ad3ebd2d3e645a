/*
 * barrier.c - in round k, from 0, a rank sends to rank + 2^k and waits for rank - 2^k; a send waits for the round
 * before it.  After the last round each rank has heard, through others, from all.
 */
#include "route/barrier.h"

static irr_status_t add(irr_plan_t *plan, irr_step_kind_t kind, int peer, int stage, int number,
                        const size_t *deps, size_t ndeps)
{
    static const irr_piece_t nothing = { .buffer = IRR_BUFFER_INPUT };
    irr_step_params_t params = {
        .kind = kind, .peer = peer, .stage = stage, .number = number, .pieces = &nothing, .npieces = 1,
        .deps = deps, .ndeps = ndeps
    };

    return irr_plan_add(plan, &params);
}

irr_status_t irr_barrier_add(irr_plan_t *plan, int stage, int number, const size_t *deps, size_t ndeps,
                             size_t *done)
{
    irr_status_t status = IRR_OK;
    size_t before = 0;

    for (int distance = 1; distance < plan->ranks && status == IRR_OK; distance *= 2) {
        int to = (plan->rank + distance) % plan->ranks, from = (plan->rank - distance + plan->ranks) % plan->ranks;

        status = distance == 1 ? add(plan, IRR_STEP_SEND, to, stage, number, deps, ndeps)
                               : add(plan, IRR_STEP_SEND, to, stage, number, &before, 1);
        if (status == IRR_OK) {
            before = plan->nsteps;
            status = add(plan, IRR_STEP_RECV, from, stage, number, NULL, 0);
        }
        number++;
    }
    if (status == IRR_OK && plan->ranks > 1) {
        *done = before;
    }
    return status;
}
