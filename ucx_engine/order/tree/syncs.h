/*
 * syncs.h - pair-wise synchronisation: finds the messages of a schedule on a tree of switches that must wait for each
 * other, so that a link never carries more messages at a time than its capacity.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SYNCS_H
#define IRR_SYNCS_H

#include "order/tree/tree.h"

/*
 * A synchronisation: the transmission with index `before` in the list of the schedule begins only when the transmission
 * with index `after` has ended.  Rank `from`, the receiver of `after`, then sends a signal to rank `to`, the sender of
 * `before`.
 *
 * In the paper, the sender of `after` sends the signal.  Here a send may be complete at its sender while bytes are
 * still in a buffer, so only the receiver knows that the links are free.  If a rank sends two messages over the same
 * link, the receiver of the first one therefore signals the rank before the rank sends the second one.
 */
typedef struct irr_sync {
    size_t after, before;
    int    from, to;
} irr_sync_t;

/* Zeroed: empty. */
typedef struct irr_syncs {
    irr_sync_t *list;      /* sorted by `before` */
    size_t      count, max;
    uint64_t    removed;   /* number of redundant synchronisations, which are not in the list */
} irr_syncs_t;

/*
 * Finds the synchronisations of a schedule.  They are sufficient if each rank also keeps its steps in the order that
 * syncs.c states.  The schedule must have passed irr_schedule_check_alone and irr_tree_check.  The caller frees *syncs
 * with irr_syncs_fini.  Returns IRR_ERR_BAD_PARAM if tree and schedule have different numbers of ranks.  May return
 * IRR_ERR_NO_MEMORY or IRR_ERR_TIMEOUT.
 */
irr_status_t irr_syncs_find(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_deadline_t *deadline,
                            irr_syncs_t *syncs);
void         irr_syncs_fini(irr_syncs_t *syncs);

/*
 * Calls irr_syncs_find if there is a tree, and if the messages of each step fit the capacities of its links.  Otherwise
 * finds the synchronisations as if all ranks were at one switch; then each rank receives one message at a time.
 */
irr_status_t irr_syncs_find_any(const irr_tree_t *tree, const irr_schedule_t *schedule,
                                const irr_deadline_t *deadline, irr_syncs_t *syncs);

#endif
