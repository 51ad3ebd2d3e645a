/*
 * grant.c - a send starts when its receiver has granted it, and fewer sends are in flight than a receiver admits.
 *
 * So neither end spreads over many messages at once.  The receiver alone is not enough: a rank that is granted by
 * two sends to both at half the speed, both receivers wait for it, and the exchange settles far below what the
 * network can do.  With two at a time the next grant is on its way while the message before it still moves.
 * exec/grant.h has the messages, and why they come to an end.
 */
#include "pace/pace.h"

static bool admits(const irr_pace_state_t *state, const irr_pace_send_t *send)
{
    return send->granted && state->messages < state->grants;
}

const irr_pace_t irr_pace_grant = {
    .name = "grant",
    .admits = admits,
    .grants = true
};
