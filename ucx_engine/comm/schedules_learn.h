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
 * Appends the assignments of all ranks for a matrix, whose rows had so many bytes: parts of a schedule, or that there
 * is none.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *parts);

/* ---- schedules_keep.c ---- */

/* The nodes inside of which ranks forward; NULL: messages go direct. */
static inline const irr_nodes_t *irr_schedules_nodes(const irr_schedules_t *schedules)
{
    return irr_way_forwards(&schedules->way) ? &schedules->nodes : NULL;
}

/*
 * Makes of an assignment what a rank needs to run its part of the schedule, and makes room for that in plan and
 * executor.  Leaves the excerpt to the caller.  IRR_ERR_NO_MEMORY; the entry may have some of it even so.
 */
irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry);

/* Adds the time since, in ns, to a counter. */
static inline void irr_schedules_charge(uint64_t since, uint64_t *counter)
{
    *counter += irr_clock_ns() - since;
}

#endif
