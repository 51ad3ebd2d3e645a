/*
 * pace.c - the table of paces, and the account of sends in flight that all of them read.
 */
#include "pace/pace.h"

static const irr_pace_t *const paces[] = {
    &irr_pace_free,
    &irr_pace_window,
};

const irr_pace_t *irr_pace_at(int i)
{
    return i >= 0 && i < (int)(sizeof(paces) / sizeof(paces[0])) ? paces[i] : NULL;
}

const char *irr_pacing_name(int i)
{
#define PACING_NAME(name, text, meaning) text,
    static const char *const names[] = { IRR_PACE_MAP(PACING_NAME) };
#undef PACING_NAME

    return i >= 0 && i < (int)IRR_PACE_COUNT ? names[i] : NULL;
}

void irr_pace_begin(irr_pace_state_t *state, size_t bytes)
{
    state->messages++;
    state->bytes += bytes;
}

void irr_pace_end(irr_pace_state_t *state, size_t bytes)
{
    state->messages--;
    state->bytes -= bytes;
}
