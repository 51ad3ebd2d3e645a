/*
 * relay_follow.c - ends the use of the previous exchange's plan when a message has another layout (list of slices).
 *
 * An exchange begins by running the previous plan unchanged, with a predicted receive for each message (relay.h). If a
 * predicted receive is cancelled, the relay builds a new plan from the unchanged layouts of all earlier stages, with
 * their addresses. Then it continues stage by stage.
 *
 * Cost: O(n log n) for n slices.
 */
#include "exec/relay.h"

irr_status_t irr_relay_begin(irr_relay_t *relay)
{
    /* relay.h explains why `pipelined` acts as `dual`; the relay itself adds the barriers of `blocking` */
    const irr_overlap_t overlap = relay->overlap == IRR_OVERLAP_PIPELINED || relay->overlap == IRR_OVERLAP_DUAL
                                      ? IRR_OVERLAP_DUAL : IRR_OVERLAP_SINGLE;

    relay->plan = relay->last == &relay->plans[0] ? &relay->plans[1] : &relay->plans[0];
    return irr_grid_plan_begin(relay->plan, relay->problem, relay->slice_min, overlap);
}

irr_status_t irr_relay_repeat_stage(const irr_grid_plan_t *last, int number, irr_grid_plan_t *plan)
{
    const irr_stage_t *stage = &plan->stages->stage[number - 1];
    irr_status_t status = irr_grid_plan_sends(plan, number);

    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        const size_t index = last->recv_steps[plan->sender_base + (size_t)i], slices = irr_grid_plan_count(last, index);

        if (slices > 0 || plan->placed) {
            status = irr_grid_plan_receive(plan, number, i, irr_grid_plan_slices(last, index),
                                           &last->plan.pieces[last->plan.steps[index].first_piece], slices);
        }
    }
    return status == IRR_OK ? irr_grid_plan_end_stage(plan, number) : status;
}

/*
 * Returns the first stage with a predicted receive that is incomplete or held (cancelled or failed). Sets *held to true
 * if the stage has a held one.
 */
static int first_other(const irr_relay_t *relay, bool *held)
{
    size_t base = 0;

    *held = false;
    for (int number = 1; number <= relay->stages.count; number++) {
        const int senders = relay->stages.stage[number - 1].senders;
        bool open = false;

        for (int i = 0; i < senders; i++) {
            irr_exec_state_t state = irr_exec_state(&relay->exec, relay->last->recv_steps[base + (size_t)i]);

            open = open || state == IRR_EXEC_OPEN;
            *held = *held || state == IRR_EXEC_HELD;
        }
        if (open || *held) {
            return number;
        }
        base += (size_t)senders;
    }
    return relay->stages.count + 1;
}

/* Sets `predicted` of each sender to the index of its receive in the previous plan. */
static void find_predicted(irr_relay_t *relay)
{
    for (int i = 0; i < relay->stages.senders; i++) {
        relay->senders[i].predicted = relay->last->recv_steps[i];
        relay->senders[i].discarded = false;
        relay->senders[i].changed = false;
    }
}

void irr_relay_leave(irr_relay_t *relay)
{
    bool held;
    const int number = first_other(relay, &held);
    irr_status_t status;

    if (!held) {
        return;
    }
    find_predicted(relay);
    relay->mark = irr_plan_mark(relay->run);
    irr_exec_expect(&relay->exec, true);
    irr_exec_drop_sends(&relay->exec, number);
    status = irr_relay_begin(relay);
    for (int s = 1; s < number && status == IRR_OK; s++) {
        status = irr_relay_repeat_stage(relay->last, s, relay->plan);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_sends(relay->plan, number);
    }
    irr_relay_break(relay, status);
    irr_relay_enter_stage(relay, number);
    relay->outbox.next = irr_relay_stage(relay)->slots;
}
