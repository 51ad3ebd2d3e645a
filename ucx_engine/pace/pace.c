/*
 * pace.c - the table of paces, and the account of sends in flight that all of them read.
 */
#include "pace/pace.h"

const irr_pace_t *irr_pace_of(irr_pacing_t pacing)
{
    static const irr_pace_t *const paces[IRR_PACE_COUNT] = {
        [IRR_PACE_FREE] = &irr_pace_free, [IRR_PACE_LOOSE] = &irr_pace_loose, [IRR_PACE_GRANT] = &irr_pace_grant,
        [IRR_PACE_SYNC] = &irr_pace_sync
    };

    return (int)pacing >= 0 && (int)pacing < (int)IRR_PACE_COUNT ? paces[pacing] : NULL;
}

bool irr_pace_admits(const irr_pace_t *pace, const irr_pace_state_t *state, const irr_pace_send_t *send)
{
    return irr_window_admits(state, send->bytes) && pace->admits(state, send);
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
