/*
 * relay_follow.c - is all as in the last exchange, and what if not any more?
 *
 * An exchange that follows uses the steps and places of the last plan as they are.  To leave it, the plan is built
 * again from the layouts that were the same so far.  Its places are given, because messages are on their way to some
 * of them; they are free in the new plan when they are needed, because they were in the old one.  O(n log n).
 */
#include "exec/relay.h"

#include "problem/blocks.h"

bool irr_relay_may_follow(irr_relay_t *relay, const irr_problem_t *problem)
{
    return irr_blocks_repeat(relay->blocks, problem) && relay->ended_well;
}

irr_status_t irr_relay_begin(irr_relay_t *relay)
{
    irr_status_t status;

    relay->plan = relay->last == &relay->plans[0] ? &relay->plans[1] : &relay->plans[0];
    /* Pipelined, because the relay itself keeps the order that the other overlaps would write down. */
    status = irr_grid_plan_begin(relay->plan, relay->problem, relay->slice_min, IRR_OVERLAP_PIPELINED);
    for (size_t i = 0; i < relay->nsegments && status == IRR_OK; i++) {
        status = irr_extents_give(&relay->plan->scratch, (size_t)(uintptr_t)relay->segments[i].memory,
                                  relay->segments[i].length);
    }
    return status;
}

/* Gives the new plan what the sender sent in this stage the last time, to the same places. */
static irr_status_t receive_again(irr_relay_t *relay, int number, int sender)
{
    const irr_grid_plan_t *last = relay->last;
    size_t index = last->recv_steps[relay->plan->sender_base + (size_t)sender];
    const irr_step_t *step;

    if (index == IRR_NO_STEP) {
        return IRR_OK;
    }
    step = &last->plan.steps[index];
    return irr_grid_plan_receive(relay->plan, number, sender, irr_grid_plan_slices(last, index),
                                 &last->plan.pieces[step->first_piece], step->pieces);
}

irr_status_t irr_relay_leave(irr_relay_t *relay, int sender)
{
    const irr_stages_t *stages = &relay->stages;
    irr_status_t status = irr_relay_begin(relay);

    for (int number = 1; number <= relay->stage && status == IRR_OK; number++) {
        const irr_stage_t *stage = &stages->stage[number - 1];

        status = irr_grid_plan_sends(relay->plan, number);
        for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
            bool heard = relay->sender_number[stage->sender[i]] < 0;

            if (number < relay->stage || (heard && i != sender)) {
                status = receive_again(relay, number, i);
            }
        }
        if (number < relay->stage && status == IRR_OK) {
            status = irr_grid_plan_end_stage(relay->plan, number);
        }
    }
    if (status != IRR_OK) {
        /* What was sent and heard so far is laid out as the last plan says, which the next exchange has to know. */
        relay->plan = relay->last;
    }
    return status;
}
