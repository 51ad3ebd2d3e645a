/*
 * events.h - what happens when, in the order of time.
 *
 * Events of one time go in the order of their pairs, and those of a pair in the order in which they were added.
 */
#ifndef IRR_EVENTS_H
#define IRR_EVENTS_H

#include "irr.h"

typedef struct irr_event {
    double   time;
    uint32_t pair;
    int      kind;    /* kind, rank and what are the user's */
    int      rank;
    void    *what;
    uint64_t order;   /* set by irr_events_add */
} irr_event_t;

/* Zeroed, it is empty: a heap. */
typedef struct irr_events {
    irr_event_t *heap;
    size_t       count, max;
    uint64_t     order;
} irr_events_t;

void irr_events_fini(irr_events_t *events);

/* Room for so many at a time.  IRR_ERR_NO_MEMORY: it is as before. */
irr_status_t irr_events_reserve(irr_events_t *events, size_t count);

/* Into the room that is reserved, and the first one out of it; O(log n). */
void        irr_events_add(irr_events_t *events, irr_event_t event);
irr_event_t irr_events_take(irr_events_t *events);

#endif
