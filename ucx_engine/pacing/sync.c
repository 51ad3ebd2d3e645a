/*
 * sync.c - pacing sync.  A send of step s starts when two conditions hold.  First, the transport has completed this
 * rank's sends of earlier steps.  Second, all earlier messages that share a link with the send have been received.
 * This includes messages of this rank, because the transport may complete a send whose bytes are still in a buffer.
 *
 * A rank sends at most one message in a step.  If the message is cut into pieces, they start together.  The receiver of
 * a message signals the ranks whose later sends share a link with the message.  pacing/signals.h computes these
 * signals.  A signal is sent when only the last bytes of the message (the lead) are missing, so that the link is not
 * idle while the signal travels.  In the plan, a signal waits for a number of receives, and for all earlier signals.
 * The signals to a peer are therefore in order, and no rank waits for a later step.
 *
 * The exchange ends, because a send waits only for earlier sends of its rank, and for receives of earlier steps.  These
 * receives are on its rank or on the signalling rank.
 *
 * Cost: one empty message for each signal.
 *
 * Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters, section 5.
 */
#include "pacing/pacing.h"

#include "pacing/signals.h"

static const irr_signals_t none;

static const irr_signals_t *signals_of(const irr_pacing_params_t *params)
{
    return params->signals != NULL ? params->signals : &none;
}

/* Makes a step wait for receives *next to end - 1, and advances *next; receive number 0 is step `first`. */
static irr_status_t wait_receives(irr_plan_t *plan, size_t step, size_t first, size_t end, size_t *next)
{
    irr_status_t status = IRR_OK;

    for (; *next < end && status == IRR_OK; ++*next) {
        status = irr_plan_depend(plan, step, first + *next);
    }
    return status;
}

static irr_status_t wait_all(irr_plan_t *plan, const irr_signals_t *signals, size_t receives)
{
    const size_t first = irr_pacing_next(plan, IRR_STEP_SEND, plan->stages, 0);
    size_t count = 0, wait = first, received = 0;
    irr_status_t status;

    for (size_t i = 0; i < signals->nwaits; i++) {
        count += signals->waits[i].peer != plan->rank;
    }
    status = irr_plan_insert_waits(plan, first, count, plan->stages);
    for (size_t i = 0; i < signals->nwaits && status == IRR_OK; i++) {
        const irr_wait_t *entry = &signals->waits[i];
        const size_t send = first + count + entry->send;

        if (entry->peer == plan->rank) {
            status = wait_receives(plan, send, receives, entry->received, &received);
        } else {
            plan->steps[wait].peer = entry->peer;
            status = irr_plan_depend(plan, send, wait++);
        }
    }
    return status;
}

static irr_status_t signal_all(irr_plan_t *plan, const irr_signals_t *signals, size_t receives)
{
    size_t received = 0;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < signals->nsignals && status == IRR_OK; i++) {
        status = irr_plan_signal(plan, signals->signals[i].peer, plan->stages);
        if (status == IRR_OK) {
            status = wait_receives(plan, plan->nsteps - 1, receives, signals->signals[i].received, &received);
        }
    }
    return status;
}

/* The receives of the last stage are consecutive steps, and so are its sends. */
static irr_status_t add(irr_plan_t *plan, const irr_pacing_params_t *params)
{
    const irr_signals_t *signals = signals_of(params);
    const size_t receives = irr_pacing_next(plan, IRR_STEP_RECV, plan->stages, 0);
    irr_status_t status = irr_pacing_in_step_order(plan, false);

    if (status == IRR_OK) {
        status = wait_all(plan, signals, receives);
    }
    return status == IRR_OK ? signal_all(plan, signals, receives) : status;
}

const irr_pacing_t irr_pacing_sync = {
    .name = "sync", .add = add, .syncs = true
};
