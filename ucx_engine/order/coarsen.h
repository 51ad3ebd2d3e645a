/*
 * coarsen.h - a schedule of few steps by trial: coarser granules make fewer steps and a longer schedule.
 */
#ifndef IRR_COARSEN_H
#define IRR_COARSEN_H

#include "order/schedule.h"

/* Makes schedules of granules of any length, in bytes. */
typedef struct irr_coarsen {
    /* Replaces what is in the schedule.  *fits: in so many steps, else the schedule is not complete. */
    irr_status_t (*attempt)(const void *context, uint64_t granule, int max_steps, irr_schedule_t *schedule,
                            bool *fits);
    const void  *context;
    uint64_t     longest;   /* granules of so many bytes are the coarsest that make sense; below 2^63 */
} irr_coarsen_t;

/*
 * The first attempt, in granules of a byte, if it fits.  Otherwise the shortest schedule of about ten attempts
 * that fits, or that of the coarsest granules if none does.  max_steps 0: no limit.  Appends to an empty
 * schedule; fails as the attempts do, IRR_ERR_NO_MEMORY among that.
 */
irr_status_t irr_coarsen(const irr_coarsen_t *coarsen, int max_steps, irr_schedule_t *schedule);

#endif
