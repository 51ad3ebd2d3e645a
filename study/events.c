/*
 * events.c - see events.h.
 */
#include "study/events.h"

#include "core/alloc.h"

#include <assert.h>

enum { CHILDREN = 4 };

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

/* Stores an event at index `at` of the heap, or at a descendant of it: moves earlier events up to make room. */
static void sink(irr_events_t *events, size_t at, const irr_event_t *event)
{
    for (size_t child = CHILDREN * at + 1; child < events->count; child = CHILDREN * at + 1) {
        const size_t end = child + CHILDREN < events->count ? child + CHILDREN : events->count;
        size_t least = child;

        while (++child < end) {
            least = is_before(&events->heap[child], &events->heap[least]) ? child : least;
        }
        if (!is_before(&events->heap[least], event)) {
            break;
        }
        events->heap[at] = events->heap[least];
        at = least;
    }
    events->heap[at] = *event;
}

void irr_events_add(irr_events_t *events, irr_event_t event)
{
    size_t at = events->count;

    event.order = events->order++;
    if (events->taken) {
        events->taken = false;
        sink(events, 0, &event);
        return;
    }
    events->count++;
    assert(events->count <= events->max);
    while (at > 0 && is_before(&event, &events->heap[(at - 1) / CHILDREN])) {
        events->heap[at] = events->heap[(at - 1) / CHILDREN];
        at = (at - 1) / CHILDREN;
    }
    events->heap[at] = event;
}

const irr_event_t *irr_events_first(irr_events_t *events)
{
    if (events->taken) {
        const irr_event_t last = events->heap[--events->count];

        events->taken = false;
        if (events->count > 0) {
            sink(events, 0, &last);
        }
    }
    return events->count > 0 ? events->heap : NULL;
}

irr_event_t irr_events_take(irr_events_t *events)
{
    const irr_event_t first = *irr_events_first(events);

    events->taken = true;
    return first;
}

bool irr_events_is_first(irr_events_t *events, double time, uint32_t pair)
{
    const irr_event_t event = { .time = time, .pair = pair, .order = events->order };
    const irr_event_t *first = irr_events_first(events);

    return first == NULL || is_before(&event, first);
}
