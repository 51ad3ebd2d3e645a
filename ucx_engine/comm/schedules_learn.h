/* schedules_learn.h - private to schedules*.c: after a miss of the cache, gather, scatter and commit (schedules.h). */
#ifndef IRR_SCHEDULES_LEARN_H
#define IRR_SCHEDULES_LEARN_H

#include "comm/assignment.h"
#include "comm/schedules.h"
#include "core/clock.h"

/* ---- schedules_learn.c: each function starts the next phase ---- */

void irr_schedules_begin_gather(irr_schedules_t *schedules);
irr_status_t irr_schedules_end_gather(irr_schedules_t *schedules);   /* IRR_IN_PROGRESS, or on rank 0 an error */
void irr_schedules_end_scatter(irr_schedules_t *schedules);

/* Returns the new entry of the cache; NULL: there is none, because some rank had no memory for it. */
irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules);

/* Frees the memory that is needed only from gather to commit. */
void irr_schedules_clean(irr_schedules_t *schedules);

/*
 * Fills a cache entry from an assignment, and allocates the memory for data that the rank forwards. Moves
 * assignment->forward to the entry; the caller still owns and frees assignment->local. After IRR_ERR_NO_MEMORY the
 * entry may be partly filled.
 */
irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry);

/* ---- schedules_compute.c: on rank 0 ---- */

/*
 * Computes the schedule for a matrix, and appends each rank's assignment (comm/assignment.h) to `entries`. If there is
 * no schedule, the assignments say so. matrix_bytes: length of the gathered rows. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_compute(irr_schedules_t *schedules, const irr_matrix_t *matrix, uint64_t matrix_bytes,
                                   irr_bytes_t *entries);

/* Returns which ranks share a node, if they forward messages; NULL: messages are sent directly. */
static inline const irr_nodes_t *irr_schedules_nodes(const irr_schedules_t *schedules)
{
    return irr_strategy_forwards(&schedules->strategy) ? &schedules->nodes : NULL;
}

/* Adds the time in ns since `since` to a counter. */
static inline void irr_schedules_charge(uint64_t since, uint64_t *counter)
{
    *counter += irr_clock_ns() - since;
}

#endif
