/*
 * large.h - a schedule whose steps are taken together to large steps.
 *
 * All ranks wait for each other after a large step only; within it a message starts as soon as its sender and its
 * receiver have done with those of the small steps before it.
 */
#ifndef IRR_LARGE_H
#define IRR_LARGE_H

#include "order/schedule.h"

/* Zeroed, but for schedule.ranks, is empty. */
typedef struct irr_large {
    irr_schedule_t schedule;
    int           *last;             /* last[n]: the last step of large step n + 1 */
    size_t         count, max;       /* large steps */
    int            number, small;    /* of the latest message, as irr_large_add was told */
} irr_large_t;

void irr_large_fini(irr_large_t *large);

/*
 * Appends a whole message to small step `small` of large step `number`, both from 1 and never going back.
 * Messages of a rank to itself and empty ones are left out, and so are steps that have nothing else: the steps of
 * the schedule count from 1 without a gap.  Fails with IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_large_add(irr_large_t *large, int number, int small, int from, int to, uint64_t length);

/*
 * Bytes that go by one after the other until all is sent; the schedule must be sorted.  begins (may be NULL) has
 * room for each transmission: so many bytes go by before it begins.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_large_makespan(const irr_large_t *large, uint64_t *begins, uint64_t *makespan_p);

/* The same for a schedule whose steps are all one large step: nobody waits for more than the other rank. */
irr_status_t irr_large_makespan_async(const irr_schedule_t *schedule, uint64_t *begins, uint64_t *makespan_p);

#endif
