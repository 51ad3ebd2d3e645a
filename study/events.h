/*
 * events.h - a queue of events in the order of time.
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

/* A heap.  Zeroed: empty. */
typedef struct irr_events {
    irr_event_t *heap;
    size_t       count, max;
    uint64_t     order;
} irr_events_t;

void irr_events_fini(irr_events_t *events);

/* Makes room for `count` events.  Returns IRR_OK, or IRR_ERR_NO_MEMORY and leaves the room unchanged. */
irr_status_t irr_events_reserve(irr_events_t *events, size_t count);

/* Add an event, for which there is reserved room, and remove the earliest event.  O(log n). */
void        irr_events_add(irr_events_t *events, irr_event_t event);
irr_event_t irr_events_take(irr_events_t *events);

#endif
