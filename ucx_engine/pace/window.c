/*
 * window.c - a sliding window over the sends in flight, in messages and in bytes.  It goes with every pace.
 *
 * A send starts as soon as both limits allow it, not when a batch is over.  A message longer than the
 * window goes alone.
 */
#include "pace/pace.h"

bool irr_window_admits(const irr_pace_state_t *state, size_t bytes)
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
