/*
 * syncs.h - pair-wise synchronisation: the messages of a schedule on a tree that must wait for each other.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SYNCS_H
#define IRR_SYNCS_H

#include "order/tree/tree.h"

/*
 * A synchronisation: transmission `before` begins only when transmission `after` has ended.  Both are indices in the
 * list of the schedule.  If transmissions wait in this way, a link never carries more messages than its capacity.
 *
 * The receiver of `after` sends a signal to the sender of `before`.  In the paper the sender of `after` sends the
 * signal.  Here a send may be complete at its sender while the bytes are still in a buffer, so only the receiver knows
 * that the links are free.  If a rank sends two messages over the same links, the receiver of the first message
 * therefore signals the rank before it sends the second one.
 */
typedef struct irr_sync {
    size_t after, before;
    int    from, to;
} irr_sync_t;

/* Zeroed: empty. */
typedef struct irr_syncs {
    irr_sync_t *list;      /* sorted by `before` */
    size_t      count, max;
    uint64_t    removed;   /* number of removed synchronisations, which the others and the order of steps imply */
} irr_syncs_t;

/*
 * Finds the synchronisations of a schedule; syncs.c states which order of steps each rank must also keep.  The schedule
 * must have passed irr_schedule_check_alone and irr_tree_check.  The caller frees *syncs with irr_syncs_fini.  Returns
 * IRR_ERR_BAD_PARAM if tree and schedule have different numbers of ranks.  May return IRR_ERR_NO_MEMORY or
 * IRR_ERR_TIMEOUT.
 */
irr_status_t irr_syncs_find(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_deadline_t *deadline,
                            irr_syncs_t *syncs);
void         irr_syncs_fini(irr_syncs_t *syncs);

/*
 * Finds the synchronisations of a schedule on the tree.  If there is no tree, or if the messages of a step exceed the
 * capacity of a link, finds the synchronisations as if all ranks were at one switch; then each rank receives one
 * message at a time.
 */
irr_status_t irr_syncs_find_any(const irr_tree_t *tree, const irr_schedule_t *schedule,
                                const irr_deadline_t *deadline, irr_syncs_t *syncs);

#endif
