/*
 * events.h - a queue of the events of a simulation, in the order of time.
 *
 * Events with equal times are in the order of `pair`, a number that the caller computes from two ranks.  Events with
 * equal times and pairs are in the order in which they were added.  The queue is a heap in which each event has up to
 * four children, because such a heap reads fewer cache lines than a binary heap.
 */
#ifndef IRR_EVENTS_H
#define IRR_EVENTS_H

#include "irr.h"

typedef struct irr_event {
    double   time;
    uint32_t pair;
    int      kind;    /* the caller defines the meaning of `kind` and `what` */
    void    *what;
    uint64_t order;   /* number of the event in the order of irr_events_add, which sets it */
} irr_event_t;

/* Zeroed: empty. */
typedef struct irr_events {
    irr_event_t *heap;
    size_t       count, max;
    uint64_t     order;
    bool         taken;    /* heap[0] was taken and is still there; the next event that is added overwrites it */
} irr_events_t;

void irr_events_fini(irr_events_t *events);

/* Makes room for `count` events.  After IRR_ERR_NO_MEMORY the queue is unchanged. */
irr_status_t irr_events_reserve(irr_events_t *events, size_t count);

/* Adds an event.  The caller has reserved room for it.  O(log n). */
void irr_events_add(irr_events_t *events, irr_event_t event);

/* Returns the earliest event, valid until the next call; NULL: there are no events.  O(log n). */
const irr_event_t *irr_events_first(irr_events_t *events);

/* Removes and returns the earliest event.  The queue must not be empty.  O(log n). */
irr_event_t irr_events_take(irr_events_t *events);

/* Returns whether an event of this time and pair would be the earliest event if it were added now. */
bool irr_events_is_first(irr_events_t *events, double time, uint32_t pair);

#endif
