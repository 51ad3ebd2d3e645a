/*
 * coarsen.h - a schedule with few steps, by trial: longer granules give fewer steps and a longer schedule.
 *
 * Messages are rounded up to whole granules.
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
 * Returns the schedule with granules of one byte, if it has at most max_steps steps.  Otherwise returns the shortest of
 * about ten attempts that do, or the one with the longest granules if none does.  max_steps 0: no limit.  The schedule
 * must be empty.  Returns the errors of the attempts, such as IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_coarsen(const irr_coarsen_t *coarsen, int max_steps, irr_schedule_t *schedule);

#endif
