/*
 * relay_freeze.c - what the last exchange learnt, as a plan that runs alone: the same messages in the same order, with
 * new places in one buffer, because that exchange took what scratch it had.  O(n log n) for n slices.
 */
#include "exec/relay.h"

static bool all_known(const irr_relay_t *relay)
{
    for (int i = 0; i < relay->stages.senders; i++) {
        if (!relay->places[i].known) {
            return false;
        }
    }
    return true;
}

static irr_status_t freeze_stage(const irr_relay_t *relay, int number, irr_grid_plan_t *frozen)
{
    const irr_stage_t *stage = &relay->stages.stage[number - 1];
    const size_t *recv_steps = relay->plan->recv_steps + frozen->sender_base;
    irr_status_t status = irr_grid_plan_sends(frozen, number);

    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        const size_t slices = irr_grid_plan_count(relay->plan, recv_steps[i]);

        if (slices > 0) {
            status = irr_grid_plan_receive(frozen, number, i, irr_grid_plan_slices(relay->plan, recv_steps[i]), NULL,
                                           slices);
        }
    }
    return status == IRR_OK ? irr_grid_plan_end_stage(frozen, number) : status;
}

irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_grid_plan_t *frozen)
{
    irr_status_t status;

    if (problem != relay->problem || relay->status != IRR_OK || relay->copied != IRR_OK ||
        relay->plan->truncated || !all_known(relay)) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_grid_plan_init(frozen, &relay->stages);
    if (status != IRR_OK) {
        return status;
    }
    status = irr_grid_plan_begin(frozen, problem, relay->slice_min, relay->overlap);
    for (int number = 1; number <= relay->stages.count && status == IRR_OK; number++) {
        status = freeze_stage(relay, number, frozen);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_finish(frozen);
    }
    if (status != IRR_OK) {
        irr_grid_plan_fini(frozen);
    }
    return status;
}
