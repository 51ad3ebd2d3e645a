/*
 * sync.c - a send of step s starts when this rank's sends of the steps below s are over for its transport, and all
 * that it would meet on a link has been received: also what the rank sent itself, which may wait in a buffer yet.
 *
 * The messages of a step go all at once: those of one rank are the pieces of one message.  Who has received tells the
 * ranks that wait for it; exec/sync.h has the signals, and why they come to an end.
 *
 * Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters, section 5.
 */
#include "pace/pace.h"

static bool admits(const irr_pace_state_t *state, const irr_pace_send_t *send)
{
    return send->granted && send->number <= state->first_send;
}

const irr_pace_t irr_pace_sync = {
    .name = "sync",
    .admits = admits,
    .syncs = true
};
