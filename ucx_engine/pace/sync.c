/*
 * sync.c - a send of step s starts when this rank's sends of the steps below s are over for its transport, and all
 * that it would meet on a link has been received: also what the rank sent itself, which may wait in a buffer yet.
 *
 * The messages of a step go all at once: those of one rank are the pieces of one message.  Who has received tells the
 * ranks whose sends would meet that on a link; pace/signals.h says whom, and when: a signal goes out early by
 * a lead, so that the wire does not idle while it travels.  A tell goes out when all receives before some place are
 * over, and after the tells before it: that orders what one peer is told, and makes nobody wait for a later step.
 *
 * It comes to an end: a send waits for its rank's own earlier sends, and for receives, its own or those of the rank
 * that tells, of steps before its own.
 *
 * Cost: one empty message a signal.
 *
 * Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters, section 5.
 */
#include "pace/pace.h"

#include "pace/signals.h"

static const irr_signals_t none;

static const irr_signals_t *signals_of(const irr_pace_params_t *params)
{
    return params->signals != NULL ? params->signals : &none;
}

/* Makes a step wait for the receives from place *next up to this one, of which the first of all is step `first`. */
static irr_status_t await_receives(irr_plan_t *plan, size_t step, size_t first, size_t place, size_t *next)
{
    irr_status_t status = IRR_OK;

    for (; *next < place && status == IRR_OK; ++*next) {
        status = irr_plan_depend(plan, step, first + *next);
    }
    return status;
}

static irr_status_t await_all(irr_plan_t *plan, const irr_signals_t *signals, size_t receives)
{
    const size_t first = irr_pace_next(plan, IRR_STEP_SEND, plan->stages, 0);
    size_t count = 0, await = first, received = 0;
    irr_status_t status;

    for (size_t i = 0; i < signals->nawaits; i++) {
        count += signals->awaits[i].peer != plan->rank;
    }
    status = irr_plan_insert_awaits(plan, first, count, plan->stages);
    for (size_t i = 0; i < signals->nawaits && status == IRR_OK; i++) {
        const irr_await_t *entry = &signals->awaits[i];
        const size_t send = first + count + entry->send;

        if (entry->peer == plan->rank) {
            status = await_receives(plan, send, receives, entry->received, &received);
        } else {
            plan->steps[await].peer = entry->peer;
            status = irr_plan_depend(plan, send, await++);
        }
    }
    return status;
}

static irr_status_t tell_all(irr_plan_t *plan, const irr_signals_t *signals, size_t receives)
{
    size_t received = 0;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < signals->ntells && status == IRR_OK; i++) {
        status = irr_plan_tell(plan, signals->tells[i].peer, plan->stages);
        if (status == IRR_OK) {
            status = await_receives(plan, plan->nsteps - 1, receives, signals->tells[i].received, &received);
        }
    }
    return status;
}

/* The last stage has all receives one behind the other, and all its sends. */
static irr_status_t add(irr_plan_t *plan, const irr_pace_params_t *params)
{
    const irr_signals_t *signals = signals_of(params);
    const size_t receives = irr_pace_next(plan, IRR_STEP_RECV, plan->stages, 0);
    irr_status_t status = irr_pace_in_turn(plan, false);

    if (status == IRR_OK) {
        status = await_all(plan, signals, receives);
    }
    return status == IRR_OK ? tell_all(plan, signals, receives) : status;
}

/* Each step is waited for twice: a receive by a send and by a tell, a send by one that may move, as do those before. */
static irr_plan_bounds_t bounds(irr_plan_bounds_t plain, const irr_pace_params_t *params)
{
    const irr_signals_t *signals = signals_of(params);
    const size_t count = signals->ntells + signals->nawaits;

    return (irr_plan_bounds_t){
        .steps = plain.steps + count, .pieces = plain.pieces + count,
        .deps = 3 * plain.deps + 2 * plain.steps + signals->nawaits
    };
}

const irr_pace_t irr_pace_sync = {
    .name = "sync",
    .add = add,
    .bounds = bounds,
    .syncs = true
};
