/*
 * schedules_learn.h - private to schedules*.c: the steps from a cache miss to an entry that all ranks have.
 */
#ifndef IRR_SCHEDULES_LEARN_H
#define IRR_SCHEDULES_LEARN_H

#include "comm/assignment.h"
#include "comm/schedules.h"
#include "core/clock.h"

/* ---- schedules_learn.c: each function continues where the previous one ended, and starts the next step ---- */

void irr_schedules_begin_gather(irr_schedules_t *schedules);
irr_status_t irr_schedules_end_gather(irr_schedules_t *schedules);   /* IRR_IN_PROGRESS, or an error of rank 0 */
void irr_schedules_end_scatter(irr_schedules_t *schedules);

/* Returns the cached entry; NULL: nothing was cached, because some rank had no memory. */
irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules);

/* Frees the memory that is only needed between gather and commit. */
void irr_schedules_clean(irr_schedules_t *schedules);

/* ---- schedules_compute.c: on rank 0 ---- */

/*
 * Computes the schedule of a matrix. Appends the assignments of all ranks, even if there is no schedule. matrix_bytes:
 * length of the gathered rows in bytes. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *entries);

/* ---- schedules_keep.c ---- */

/* Returns the nodes inside which ranks forward messages; NULL: messages are sent directly. */
static inline const irr_nodes_t *irr_schedules_nodes(const irr_schedules_t *schedules)
{
    return irr_strategy_forwards(&schedules->strategy) ? &schedules->nodes : NULL;
}

/*
 * Converts an assignment to a cache entry, which has all that the rank needs to run its part of the schedule. Reserves
 * the scratch that the plan of this part needs. The caller keeps ownership of the local schedule. After
 * IRR_ERR_NO_MEMORY the entry may be partly filled.
 */
irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry);

/* Adds the time since `since`, in ns, to a counter. */
static inline void irr_schedules_charge(uint64_t since, uint64_t *counter)
{
    *counter += irr_clock_ns() - since;
}

#endif
