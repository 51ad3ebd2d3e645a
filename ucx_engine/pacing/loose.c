/*
 * loose.c - pacing loose: a send of step s starts when this rank has sent and received all messages of the steps below
 * s.
 *
 * Ranks that are out of step wait for each other through their messages, without barriers or additional messages: the
 * pacing consists of dependencies.  So two messages to one rank collide only if its partners have drifted apart.
 *
 * The exchange ends.  Let a message be before another if some rank has it in an earlier step, or sends it earlier in
 * the same step.  A send waits for messages that are before it.  In a schedule both ends have a message in the same
 * step and in one list for all ranks.  In rotate both have it in step (to - from) mod P.  In natural the sender has it
 * in step to + 1 and the receiver in step from + 1, and from + to grows from a message to those after it.  So `before`
 * has no cycle.
 *
 * Ranka, Wang, Kumar 7.1 ("executed in a loosely synchronous fashion"), 5.1 (figure 7).
 */
#include "pacing/pacing.h"

static irr_status_t add(irr_plan_t *plan, const irr_pacing_params_t *params)
{
    (void)params;
    return irr_pacing_in_turn(plan, true);
}

const irr_pacing_t irr_pacing_loose = {
    .name = "loose",
    .add = add
};
