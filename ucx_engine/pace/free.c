/*
 * free.c - every send may start at once.
 */
#include "pace/pace.h"

static bool admits(const irr_pace_state_t *state, size_t bytes)
{
    (void)state;
    (void)bytes;
    return true;
}

const irr_pace_t irr_pace_free = {
    .name = "free",
    .admits = admits
};
