/*
 * large.h - a schedule whose steps are grouped into large steps.  The steps of a group are its small steps.
 *
 * All ranks wait for each other only after a large step.  Inside a large step, a message starts as soon as its sender
 * and its receiver have finished their messages of earlier small steps.
 */
#ifndef IRR_LARGE_H
#define IRR_LARGE_H

#include "order/schedule.h"

/* Empty if zeroed, except for schedule.ranks. */
typedef struct irr_large {
    irr_schedule_t schedule;
    int           *last;             /* last[n]: the last step of large step n + 1 */
    size_t         count, max;       /* number of large steps, and room for them */
    int            number, small;    /* large and small step of the latest message */
} irr_large_t;

void irr_large_fini(irr_large_t *large);

/*
 * Appends a whole message to small step `small` of large step `number`.  Both count from 1, and the calls must be in
 * the order of the steps.  A message of a rank to itself and an empty message are ignored.  Steps without messages are
 * left out, so the steps of the schedule count from 1 without a gap.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_large_add(irr_large_t *large, int number, int small, int from, int to, uint64_t length);

/*
 * Computes the makespan of a sorted schedule.  The unit of time is the time in which a port transfers a byte.  begins:
 * NULL, or room for the start time of each transmission.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_large_makespan(const irr_large_t *large, uint64_t *begins, uint64_t *makespan_p);

/*
 * Computes the makespan as if all steps were one large step, in which a rank waits only for the other rank of each
 * message.
 */
irr_status_t irr_large_makespan_async(const irr_schedule_t *schedule, uint64_t *begins, uint64_t *makespan_p);

#endif
