/*
 * loose.c - pacing loose: a send of step s starts when this rank has sent and received all its messages of earlier
 * steps.
 *
 * A rank that is ahead waits for messages of ranks that are behind; the pacing adds dependencies, but no barriers and
 * no messages.  Two messages arrive at one rank at the same time only if their senders are in different steps.
 *
 * The exchange ends.  Proof: message a is before message b if some rank has a in an earlier step than b, or sends a
 * before b in the same step.  A send waits only for messages that are before its message.  The relation `before` has no
 * cycle, for these reasons.  In a schedule, the sender and the receiver have a message in the same step, and the
 * messages of all ranks are in one list.  With order rotate, both have a message in step (to - from) mod P.  With order
 * natural, the sender has it in step to + 1 and the receiver in step from + 1; if a is before b, the sum from + to is
 * smaller for a.
 *
 * Ranka, Wang, Kumar 7.1 ("executed in a loosely synchronous fashion"), 5.1 (figure 7).
 */
#include "pacing/pacing.h"

static irr_status_t add(irr_plan_t *plan, const irr_pacing_params_t *params)
{
    (void)params;
    return irr_pacing_in_step_order(plan, true);
}

const irr_pacing_t irr_pacing_loose = {
    .name = "loose", .add = add
};
