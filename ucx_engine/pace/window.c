/*
 * window.c - a sliding window over the sends in flight, in messages and in bytes.
 *
 * A send starts as soon as both limits allow it, not when a batch is over.  A message longer than the
 * window goes alone.
 */
#include "pace/pace.h"

static bool admits(const irr_pace_state_t *state, size_t bytes)
{
    if (state->messages == 0) {
        return true;
    }
    if (state->window_messages > 0 && state->messages >= state->window_messages) {
        return false;
    }
    return state->window_bytes == 0 ||
           (state->bytes < state->window_bytes && bytes <= state->window_bytes - state->bytes);
}

const irr_pace_t irr_pace_window = {
    .name = "window",
    .admits = admits
};
