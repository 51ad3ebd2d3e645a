/*
 * syncs.h - pair-wise synchronisation: which messages of a schedule on a tree must wait for which others.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SYNCS_H
#define IRR_SYNCS_H

#include "order/tree/tree.h"

/*
 * Never more messages are on a link than its capacity, if each waits for what is listed here.  Transmission
 * `before` must not begin until `after` is over; both are indices in the schedule's list.  A message from one rank
 * to another tells so: from the receiver of `after`, to the sender of `before`.  The paper lets the sender tell;
 * but a send may be over at its sender while the bytes still wait in a buffer, and only the receiver knows that
 * the links are free.  So a rank is told of its own messages, too, before it sends the next one over their links.
 */
typedef struct irr_sync {
    size_t after, before;
    int    from, to;
} irr_sync_t;

/* Zeroed is empty. */
typedef struct irr_syncs {
    irr_sync_t *list;      /* by `before` */
    size_t      count, max;
    uint64_t    removed;   /* others that would be needed, but follow from these and from the ranks' own order */
} irr_syncs_t;

/*
 * The synchronisations of a schedule; see syncs.c for the order that ranks must keep beside.  The schedule has
 * passed irr_schedule_check_alone and irr_tree_check.  Written on success only, and the caller's to
 * irr_syncs_fini. IRR_ERR_BAD_PARAM if the ranks differ; IRR_ERR_NO_MEMORY; IRR_ERR_TIMEOUT.
 */
irr_status_t irr_syncs_find(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_deadline_t *deadline,
                            irr_syncs_t *syncs);
void         irr_syncs_fini(irr_syncs_t *syncs);

/*
 * The same of the tree, or, where the schedule lets messages meet on a link within a step, or there is no tree, of a
 * switch with all ranks: each of them receives from one at a time.
 */
irr_status_t irr_syncs_find_any(const irr_tree_t *tree, const irr_schedule_t *schedule,
                                const irr_deadline_t *deadline, irr_syncs_t *syncs);

#endif
