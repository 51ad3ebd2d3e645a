/*
 * relay_follow.c - follows the plan of the previous exchange, leaves this plan, and freezes a plan.
 *
 * An exchange that follows the previous plan runs this plan unchanged. To leave the plan, the relay builds a new plan
 * from the layouts that have not changed up to the current stage, with the same addresses. To freeze the plan of an
 * exchange, the relay builds a plan that runs without the relay. The frozen plan has the same messages in the same
 * order. Its scratch data has new offsets in one buffer, because the exchange used separate memory for each sender and
 * stage.
 *
 * Cost: O(n log n) for n slices.
 */
#include "exec/relay.h"

#include <string.h>

irr_status_t irr_relay_begin(irr_relay_t *relay)
{
    /* the relay itself orders stages that do not follow the previous plan */
    const irr_overlap_t overlap = relay->overlap == IRR_OVERLAP_PIPELINED || relay->overlap == IRR_OVERLAP_DUAL
                                      ? IRR_OVERLAP_DUAL : IRR_OVERLAP_SINGLE;

    relay->plan = relay->last == &relay->plans[0] ? &relay->plans[1] : &relay->plans[0];
    return irr_grid_plan_begin(relay->plan, relay->problem, relay->slice_min, overlap);
}

/*
 * Repeats the layouts of a stage of the previous plan in a new plan. Also repeats the addresses if the new plan is
 * `placed`.
 */
static irr_status_t repeat_stage(const irr_grid_plan_t *last, int number, irr_grid_plan_t *plan)
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
 * Returns the first stage in which a predicted receive is incomplete or held. Sets *held to true if a predicted receive
 * of this stage is held.
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

/* Sets the index of each predicted receive in the followed plan. */
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
        status = repeat_stage(relay->last, s, relay->plan);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_sends(relay->plan, number);
    }
    irr_relay_break(relay, status);
    irr_relay_enter_stage(relay, number);
    relay->outbox.next = irr_relay_stage(relay)->slots;
}

/* ---- freeze ---- */

static bool all_known(const irr_relay_t *relay)
{
    for (int i = 0; i < relay->stages.senders; i++) {
        if (!relay->senders[i].known) {
            return false;
        }
    }
    return true;
}

/* Returns true if a message that was expected to bypass the grid came through the grid. */
static bool some_came(const irr_relay_t *relay)
{
    const bool *came = relay->plan->came;

    return came != NULL && memchr(came, true, (size_t)relay->stages.ranks) != NULL;
}

irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_plan_t *frozen)
{
    irr_grid_plan_t build;
    irr_status_t status;

    if (problem != relay->problem || relay->status != IRR_OK || relay->exec.result != IRR_OK ||
        relay->plan->truncated || some_came(relay) || !all_known(relay)) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_grid_plan_init(&build, &relay->stages);
    if (status != IRR_OK) {
        return status;
    }
    status = irr_grid_plan_begin(&build, problem, relay->slice_min, relay->overlap);
    for (int number = 1; number <= relay->stages.count && status == IRR_OK; number++) {
        status = repeat_stage(relay->plan, number, &build);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_finish(&build);
    }
    if (status == IRR_OK) {
        status = irr_plan_trim(&build.plan);
    }
    if (status == IRR_OK) {
        *frozen = build.plan;
        irr_plan_init(&build.plan);
    }
    irr_grid_plan_fini(&build);
    return status;
}
