/*
 * coarsen.h - finds a schedule with a limited number of steps: computes several schedules, and returns the shortest one
 * that has few enough steps.
 *
 * The lengths of messages are rounded up to multiples of a number of bytes, the granule.  The longer the granule, the
 * fewer steps a schedule has, and the longer it takes.
 */
#ifndef IRR_COARSEN_H
#define IRR_COARSEN_H

#include "order/schedule.h"

/* A method that computes a schedule with any granule. */
typedef struct irr_coarsen {
    /* Replaces the contents of *schedule.  *fits: the new schedule is complete with at most max_steps steps. */
    irr_status_t (*attempt)(const void *context, uint64_t granule, int max_steps, irr_schedule_t *schedule,
                            bool *fits);
    const void  *context;
    uint64_t     longest;   /* length of the longest message in bytes, below 2^63; longer granules change nothing */
} irr_coarsen_t;

/*
 * Returns the schedule with granules of one byte if it has at most max_steps steps.  Otherwise computes about ten other
 * schedules, and returns the shortest of those with at most max_steps steps.  If all have more steps, returns the
 * schedule with the longest granules.  max_steps 0: no limit.  *schedule must be empty.  May return any error of
 * coarsen->attempt.
 */
irr_status_t irr_coarsen(const irr_coarsen_t *coarsen, int max_steps, irr_schedule_t *schedule);

#endif
