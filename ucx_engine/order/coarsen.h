/*
 * coarsen.h - finds a schedule with a limited number of steps: computes several schedules, and returns the shortest one
 * that has few enough steps.
 *
 * The lengths of messages are rounded up to multiples of a length, the granule.  A longer granule gives fewer steps and
 * a longer makespan.
 */
#ifndef IRR_COARSEN_H
#define IRR_COARSEN_H

#include "order/schedule.h"

/* A function that computes schedules for granules of any length, in bytes. */
typedef struct irr_coarsen {
    /* Replaces the contents of the schedule.  *fits: the schedule is complete with at most max_steps steps. */
    irr_status_t (*attempt)(const void *context, uint64_t granule, int max_steps, irr_schedule_t *schedule,
                            bool *fits);
    const void  *context;
    uint64_t     longest;   /* longest granule that makes sense, in bytes; below 2^63 */
} irr_coarsen_t;

/*
 * Returns the schedule with granules of one byte if it has at most max_steps steps.  Otherwise computes about ten other
 * schedules, and returns the shortest of those with at most max_steps steps.  If there is none, returns the schedule
 * with the longest granules.  max_steps 0: no limit.  The schedule must be empty.  Returns the errors of
 * coarsen->attempt, such as IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_coarsen(const irr_coarsen_t *coarsen, int max_steps, irr_schedule_t *schedule);

#endif
