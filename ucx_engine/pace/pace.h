/*
 * pace.h - when may a send start?
 *
 * A rank sends in the order of its plan.  It asks before each send, and reports its start and its end.  A send
 * that may not start yet is asked for again whenever something has happened; those behind it wait.
 *
 * A pace may make a send wait for messages alone that come before it in an order in which all ranks have theirs,
 * so that the first message of all that is not over can always go.  window: the sends before it.  loose and grant:
 * see there.
 */
#ifndef IRR_PACE_H
#define IRR_PACE_H

#include "irr.h"

/* What a pace may look at: this rank. */
typedef struct irr_pace_state {
    size_t window_messages;    /* limits; 0: none */
    size_t window_bytes;
    size_t messages;           /* sends in flight now */
    size_t bytes;
    size_t grants;             /* most sends in flight, and receives granted, at a time; not 0 */
    int    first_open;         /* lowest number of its steps in the stage of the send that are not over */
    int    first_send;         /* the same of its sends */
} irr_pace_state_t;

/* The send that is asked for. */
typedef struct irr_pace_send {
    size_t bytes;
    int    number;             /* of its step in the stage */
    bool   granted;            /* its receiver admits it, or all that it waits for has been received */
} irr_pace_send_t;

typedef struct irr_pace {
    const char *name;
    bool (*admits)(const irr_pace_state_t *state, const irr_pace_send_t *send);
    bool grants;               /* receivers admit senders: see exec/grant.h */
    bool syncs;                /* receivers tell other senders: see exec/sync.h */
} irr_pace_t;

extern const irr_pace_t irr_pace_free;
extern const irr_pace_t irr_pace_loose;
extern const irr_pace_t irr_pace_grant;
extern const irr_pace_t irr_pace_sync;

/* The pace of that name (pace/pace.c); NULL for IRR_PACE_AUTO, which is none, and for what is not in the map. */
const irr_pace_t *irr_pace_of(irr_pacing_t pacing);

/* Do the window, which goes with every pace, and this one let the send start? */
bool irr_pace_admits(const irr_pace_t *pace, const irr_pace_state_t *state, const irr_pace_send_t *send);

/* The window alone (pace/window.c). */
bool irr_window_admits(const irr_pace_state_t *state, size_t bytes);

void irr_pace_begin(irr_pace_state_t *state, size_t bytes);
void irr_pace_end(irr_pace_state_t *state, size_t bytes);

#endif
