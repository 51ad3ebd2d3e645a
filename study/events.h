/*
 * events.h - a queue of events in the order of time.
 *
 * Events with equal times are in the order of their pairs, and those of a pair in the order in which they were added.
 */
#ifndef IRR_EVENTS_H
#define IRR_EVENTS_H

#include "irr.h"

typedef struct irr_event {
    double   time;
    uint32_t pair;
    int      kind;    /* kind, rank and what belong to the user */
    int      rank;
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

/* Makes room for `count` events.  IRR_ERR_NO_MEMORY: the room is as before. */
irr_status_t irr_events_reserve(irr_events_t *events, size_t count);

/* Add an event, within the reserved room, and take the first one out; O(log n). */
void        irr_events_add(irr_events_t *events, irr_event_t event);
irr_event_t irr_events_take(irr_events_t *events);

#endif
