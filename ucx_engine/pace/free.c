/*
 * free.c - every send may start at once.
 */
#include "pace/pace.h"

static bool admits(const irr_pace_state_t *state, const irr_pace_send_t *send)
{
    (void)state;
    (void)send;
    return true;
}

const irr_pace_t irr_pace_free = {
    .name = "free",
    .admits = admits
};
