/*
 * schedules_learn.h - private to schedules*.c: from the gathered count matrix to a schedule that all ranks have.
 *
 * Each function goes on where a gather or a consensus has ended well, and starts the next one, IRR_IN_PROGRESS, or
 * ends with the entry, as irr_schedules_progress does.
 */
#ifndef IRR_SCHEDULES_LEARN_H
#define IRR_SCHEDULES_LEARN_H

#include "comm/schedules.h"
#include "core/clock.h"

/* status: IRR_OK, or IRR_ERR_NOT_SUPPORTED, alike on all ranks. */
irr_status_t irr_schedules_end_gather(irr_schedules_t *schedules, irr_status_t status,
                                      const irr_cache_entry_t **entry_p);
irr_status_t irr_schedules_end_search(irr_schedules_t *schedules);

/* The entry that the cache has taken; NULL: some rank had no memory. */
irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules);

/* Forgets what was there between gather and commit. */
void irr_schedules_clean(irr_schedules_t *schedules);

/* ---- schedules_keep.c ---- */

/*
 * The rank's part of a schedule of direct messages in the first way, and room to run it.  IRR_ERR_NO_MEMORY; the entry
 * may have some of it even so.
 */
irr_status_t irr_schedules_keep(irr_schedules_t *schedules, const irr_schedule_t *schedule, irr_cache_entry_t *entry);

/*
 * Computes what the ways need from the matrix that was gathered, and keeps the rank's part of it in each.  The same,
 * and the errors of irr_scheduled_build.
 */
irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_lambda_t *lambda, irr_cache_entry_t *entry);

/* Adds the time since, in ns, to a counter. */
static inline void irr_schedules_charge(uint64_t since, uint64_t *counter)
{
    *counter += irr_clock_ns() - since;
}

#endif
