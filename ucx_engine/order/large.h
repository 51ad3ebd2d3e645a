/*
 * large.h - a schedule whose steps are divided into groups.  A group is called a large step, and the steps in it are
 * its small steps.
 *
 * After each large step, all ranks wait for each other.  Within a large step, a message starts as soon as its sender
 * and its receiver have finished their messages of earlier small steps.
 */
#ifndef IRR_LARGE_H
#define IRR_LARGE_H

#include "order/schedule.h"

/* An object with schedule.ranks set and all other members 0 is an empty schedule. */
typedef struct irr_large {
    irr_schedule_t schedule;
    int           *last;             /* last[n]: the last step of large step n + 1 */
    size_t         count, max;       /* number of large steps, and room for them */
    int            number, small;    /* numbers of the large and the small step of the message that was appended last */
} irr_large_t;

void irr_large_fini(irr_large_t *large);

/*
 * Appends a whole message to small step `small` of large step `number`.  Both count from 1, and the calls must follow
 * the order of the steps.  A message of a rank to itself and an empty message are ignored.  A step without messages
 * gets no number in the schedule, so no step of the schedule is empty.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_large_add(irr_large_t *large, int number, int small, int from, int to, uint64_t length);

/*
 * Computes the makespan of a sorted schedule: the time from its start to the end of its last message.  The unit of time
 * is the time in which a rank sends one byte.  begins: NULL, or room for the start time of each transmission.  May
 * return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_large_makespan(const irr_large_t *large, uint64_t *begins, uint64_t *makespan_p);

/*
 * Computes the makespan as if all steps formed one large step.  A message then waits only for earlier messages of its
 * sender and its receiver.
 */
irr_status_t irr_large_makespan_async(const irr_schedule_t *schedule, uint64_t *begins, uint64_t *makespan_p);

#endif
