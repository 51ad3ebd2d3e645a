/*
 * pace.h - when may a send start?
 *
 * The executor asks before each send and reports its start and its end.  A pace that says no is asked
 * again after the next end, so it must say yes when nothing is in flight: then no exchange stands still.
 */
#ifndef IRR_PACE_H
#define IRR_PACE_H

#include "irr.h"

/* What a pace may look at. */
typedef struct irr_pace_state {
    size_t window_messages;    /* limits; 0: none */
    size_t window_bytes;
    size_t messages;           /* in flight now */
    size_t bytes;
} irr_pace_state_t;

typedef struct irr_pace {
    const char *name;
    bool (*admits)(const irr_pace_state_t *state, size_t bytes);
} irr_pace_t;

extern const irr_pace_t irr_pace_free;
extern const irr_pace_t irr_pace_window;

/* Row i of the table of paces (pace/pace.c); NULL past the last. */
const irr_pace_t *irr_pace_at(int i);

void irr_pace_begin(irr_pace_state_t *state, size_t bytes);
void irr_pace_end(irr_pace_state_t *state, size_t bytes);

#endif
