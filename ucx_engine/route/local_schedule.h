/*
 * local_schedule.h - the local schedule of a rank: the transmissions (messages, or ranges of split messages) that it
 * sends or receives, in the order of the whole schedule, and its signals and waits for pacing sync.
 *
 * For pacing sync, a synchronisation (order/tree/syncs.h) makes a transmission wait until another one has ended: the
 * receiver of the earlier transmission signals the sender of the later one.  The code that builds plans and signals
 * accepts a local schedule as well as a whole one.
 *
 * Cost: O(P + n + m) time and memory for the local schedules of all ranks, with n transmissions and m synchronisations.
 */
#ifndef IRR_LOCAL_SCHEDULE_H
#define IRR_LOCAL_SCHEDULE_H

#include "order/tree/syncs.h"

/* A local schedule.  Zeroed: empty. */
typedef struct irr_local_schedule {
    irr_schedule_t schedule;   /* ranks and steps of the whole schedule, with the rank's own transmissions only */
    irr_syncs_t    syncs;      /* of a signal of this rank: `after` is an index in schedule.list, and `before` is 0; of
                                  a wait: `before` is an index in schedule.list, and `after` is 0 */
} irr_local_schedule_t;

void irr_local_schedule_fini(irr_local_schedule_t *local);

/* Lists of the transmissions and synchronisations of each rank. */
typedef struct irr_local_schedules {
    const irr_schedule_t *schedule;   /* the whole schedule; borrowed, as is syncs */
    const irr_syncs_t    *syncs;
    size_t               *first;      /* ranks + 1 entries; by rank: index in `list` of its first transmission */
    size_t               *list;       /* indices in the schedule */
    size_t               *sent;       /* by transmission: its index in the sender's list */
    size_t               *received;   /* by transmission: its index in the receiver's list */
    size_t               *first_sync; /* ranks + 1 entries; by rank: index in `sync` of its first synchronisation */
    size_t               *sync;       /* indices in syncs */
} irr_local_schedules_t;

/*
 * Lists the transmissions and synchronisations by rank.  The schedule must not have messages of a rank to itself.
 * syncs may be NULL.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_local_schedules_init(irr_local_schedules_t *locals, const irr_schedule_t *schedule,
                                      const irr_syncs_t *syncs);
void         irr_local_schedules_fini(irr_local_schedules_t *locals);

/*
 * Returns the local schedule of a rank; the caller frees it with irr_local_schedule_fini.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_local_schedules_take(const irr_local_schedules_t *locals, int rank, irr_local_schedule_t *local);

/*
 * Checks a local schedule that came from another process.  All peers and indices must exist.  Each message must be sent
 * from byte 0 on without a gap.  In a step the rank must send at most once and receive at most once.  Returns
 * IRR_ERR_PROTOCOL if a rule is broken.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_local_schedule_check(const irr_local_schedule_t *local, int rank);

#endif
