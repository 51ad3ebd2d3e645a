/*
 * events.c - see events.h.
 */
#include "study/events.h"

#include "core/alloc.h"

#include <assert.h>

static bool is_before(const irr_event_t *a, const irr_event_t *b)
{
    if (a->time != b->time) {
        return a->time < b->time;
    }
    return a->pair != b->pair ? a->pair < b->pair : a->order < b->order;
}

void irr_events_fini(irr_events_t *events)
{
    irr_free(events->heap);
    *events = (irr_events_t){ .count = 0 };
}

irr_status_t irr_events_reserve(irr_events_t *events, size_t count)
{
    return IRR_GROW(events->heap, events->max, count);
}

void irr_events_add(irr_events_t *events, irr_event_t event)
{
    size_t at = events->count++;

    assert(events->count <= events->max);
    event.order = events->order++;
    while (at > 0 && is_before(&event, &events->heap[(at - 1) / 2])) {
        events->heap[at] = events->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    events->heap[at] = event;
}

irr_event_t irr_events_take(irr_events_t *events)
{
    const irr_event_t first = events->heap[0], last = events->heap[--events->count];
    size_t at = 0;

    for (size_t child = 1; child < events->count; child = 2 * at + 1) {
        child += child + 1 < events->count && is_before(&events->heap[child + 1], &events->heap[child]);
        if (!is_before(&events->heap[child], &last)) {
            break;
        }
        events->heap[at] = events->heap[child];
        at = child;
    }
    events->heap[at] = last;
    return first;
}
