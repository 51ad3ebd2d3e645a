/*
 * local_schedule.h - the local schedule of a rank: the transmissions that it sends or receives, and its signals and
 * waits for pacing sync.
 *
 * Both lists have the order of the schedule, so plans and signals can be made from a local schedule as from the whole
 * one.
 *
 * Cost: O(P + n + m) time and memory for the local schedules of all ranks, with n transmissions and m synchronisations.
 */
#ifndef IRR_LOCAL_SCHEDULE_H
#define IRR_LOCAL_SCHEDULE_H

#include "order/tree/syncs.h"

/* A local schedule.  Zeroed: empty. */
typedef struct irr_local_schedule {
    irr_schedule_t schedule;   /* ranks and steps of the whole schedule, with the rank's own transmissions only */
    irr_syncs_t    syncs;      /* of a signal: `after` indexes that list, `before` is 0; of a wait, the reverse */
} irr_local_schedule_t;

void irr_local_schedule_fini(irr_local_schedule_t *local);

/* Lists of the transmissions and synchronisations of each rank. */
typedef struct irr_local_schedules {
    const irr_schedule_t *schedule;   /* borrowed, like syncs */
    const irr_syncs_t    *syncs;
    size_t               *first;      /* by rank, and one more: index in `list` of its first transmission */
    size_t               *list;       /* indices in the schedule */
    size_t               *sent;       /* by transmission: its index in the sender's list */
    size_t               *received;   /* by transmission: its index in the receiver's list */
    size_t               *first_sync; /* by rank, and one more: index in `sync` of its first synchronisation */
    size_t               *sync;       /* indices in syncs */
} irr_local_schedules_t;

/* Sorts a schedule, without transmissions of a rank to itself, by rank.  syncs: NULL means none.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_local_schedules_init(irr_local_schedules_t *locals, const irr_schedule_t *schedule,
                                      const irr_syncs_t *syncs);
void         irr_local_schedules_fini(irr_local_schedules_t *locals);

/* Returns the local schedule of a rank; the caller frees it with irr_local_schedule_fini.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_local_schedules_take(const irr_local_schedules_t *locals, int rank, irr_local_schedule_t *local);

/*
 * Checks a local schedule from another process: all peers and indices exist, each message is sent from byte 0 on
 * without a gap, and the rank sends, and receives, at most once in a step.  IRR_ERR_PROTOCOL; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_local_schedule_check(const irr_local_schedule_t *local, int rank);

#endif
