/*
 * events.h - a queue of events in the order of time.
 *
 * The queue is a heap in which each event has up to four children, so that few cache lines are read.
 *
 * Events with equal times are in the order of their pairs.  Events of one pair are in the order in which they were
 * added.
 */
#ifndef IRR_EVENTS_H
#define IRR_EVENTS_H

#include "irr.h"

typedef struct irr_event {
    double   time;
    uint32_t pair;
    int      kind;    /* the caller defines the meaning of kind and what */
    void    *what;
    uint64_t order;   /* set by irr_events_add */
} irr_event_t;

/* Zeroed: empty. */
typedef struct irr_events {
    irr_event_t *heap;
    size_t       count, max;
    uint64_t     order;
    bool         taken;    /* the root was taken; the next event that is added replaces it */
} irr_events_t;

void irr_events_fini(irr_events_t *events);

/* Makes room for `count` events.  Returns IRR_OK, or IRR_ERR_NO_MEMORY and leaves the room unchanged. */
irr_status_t irr_events_reserve(irr_events_t *events, size_t count);

/* Adds an event, for which there is reserved room.  O(log n). */
void irr_events_add(irr_events_t *events, irr_event_t event);

/* Returns the earliest event, valid until the next call; NULL: there are no events.  O(log n). */
const irr_event_t *irr_events_first(irr_events_t *events);

/* Removes and returns the earliest event; there must be one.  O(log n). */
irr_event_t irr_events_take(irr_events_t *events);

/* Returns whether an event would be the earliest event if it were added now. */
bool irr_events_is_first(irr_events_t *events, double time, uint32_t pair);

#endif
