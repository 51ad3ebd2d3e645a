/*
 * sync.c - pacing sync: a send of step s starts when the transport has completed this rank's sends of the steps below
 * s, and all messages that it would collide with on a link have been received.  These include the rank's own messages,
 * which may still wait in a buffer.
 *
 * The messages of a rank in a step, which are the pieces of one message, start together.  The receiver of a message
 * signals the ranks whose sends share a link with it.  pacing/signals.h determines these signals, and sends them early
 * by a lead, so that the link does not idle while they travel.  A signal is sent when the first receives, up to a
 * certain one, are over, and after the signals before it: this orders the signals to a peer, and delays no rank until a
 * later step.
 *
 * The exchange ends, because a send waits only for earlier sends of its rank, and for receives of steps before its own,
 * on its rank or on the signalling rank.
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

/* Makes a step wait for receives *next to place - 1; receive 0 is step `first`. */
static irr_status_t wait_receives(irr_plan_t *plan, size_t step, size_t first, size_t place, size_t *next)
{
    irr_status_t status = IRR_OK;

    for (; *next < place && status == IRR_OK; ++*next) {
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

/* In the last stage all receives are consecutive, and so are all sends. */
static irr_status_t add(irr_plan_t *plan, const irr_pacing_params_t *params)
{
    const irr_signals_t *signals = signals_of(params);
    const size_t receives = irr_pacing_next(plan, IRR_STEP_RECV, plan->stages, 0);
    irr_status_t status = irr_pacing_in_turn(plan, false);

    if (status == IRR_OK) {
        status = wait_all(plan, signals, receives);
    }
    return status == IRR_OK ? signal_all(plan, signals, receives) : status;
}

const irr_pacing_t irr_pacing_sync = {
    .name = "sync",
    .add = add,
    .syncs = true
};
