/*
 * schedules_learn.h - private to schedules*.c: from a miss to an entry of the cache that all ranks have.
 */
#ifndef IRR_SCHEDULES_LEARN_H
#define IRR_SCHEDULES_LEARN_H

#include "comm/assignment.h"
#include "comm/schedules.h"
#include "core/clock.h"

/* ---- schedules_learn.c: each goes on where the step before has ended, and starts the next one ---- */

void irr_schedules_begin_gather(irr_schedules_t *schedules);
irr_status_t irr_schedules_end_gather(irr_schedules_t *schedules);   /* IRR_IN_PROGRESS, or an error of rank 0 */
void irr_schedules_end_scatter(irr_schedules_t *schedules);

/* The entry that the cache has taken; NULL: some rank had no memory. */
irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules);

/* Forgets what was there between gather and commit. */
void irr_schedules_clean(irr_schedules_t *schedules);

/* ---- schedules_compute.c: rank 0 ---- */

/*
 * The assignments of all ranks for a matrix, whose rows had so many bytes: schedules for the ways that
 * irr_schedules_tune has in, or why there are none.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *parts);

/* ---- schedules_keep.c ---- */

/* Does way i need a schedule, and if so, is it of this route? */
static inline bool irr_schedules_needs(const irr_schedules_t *schedules, int i, int route)
{
    const irr_way_t *way = &schedules->way[i];

    return irr_way_is_scheduled(way) && irr_way_forwards(way) == (route == IRR_ASSIGNS_FORWARDED);
}

/* The trial of a new schedule, before it is known which routes have one. */
void irr_schedules_tune(const irr_schedules_t *schedules, irr_tune_t *tune);

/* Ways of this route are out. */
void irr_schedules_drop(const irr_schedules_t *schedules, int route, irr_tune_t *tune);

/*
 * What a rank needs to run its part of a schedule, in each way of the entry's trial that has a route in the assignment;
 * others are out.  Makes room for that in plan and executor, and leaves the excerpts to the caller.  IRR_ERR_NO_MEMORY,
 * or IRR_ERR_PROTOCOL if no way is left; the entry may have some of it even so.
 */
irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry);

/* Adds the time since, in ns, to a counter. */
static inline void irr_schedules_charge(uint64_t since, uint64_t *counter)
{
    *counter += irr_clock_ns() - since;
}

#endif
