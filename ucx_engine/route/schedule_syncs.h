/*
 * schedule_syncs.h - what one rank tells others, and waits for, when a schedule runs with the pace `sync`.
 *
 * Two messages of different steps that share a link must not meet there (order/syncs.h).  Signals need time, and in it
 * a wire would idle: so a rank counts a receive as over when all but `lead` bytes of what it receives up to there are
 * here.  The lead is the rank's own affair; it moves the bytes that may meet on a link, and makes nobody wait for
 * something later.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SCHEDULE_SYNCS_H
#define IRR_SCHEDULE_SYNCS_H

#include "order/syncs.h"
#include "plan/plan.h"

/* As in a plan, but receives and sends are each counted from 0, in their order.  Zeroed is empty. */
typedef struct irr_schedule_syncs {
    irr_plan_tell_t  *tells;
    size_t            ntells;
    irr_plan_await_t *awaits;
    size_t            nawaits;
} irr_schedule_syncs_t;

/*
 * schedule: with these syncs between its transmissions; own: what irr_schedule_own made of it for the rank.  The
 * caller's to irr_schedule_syncs_fini.  O(n + P) time and memory.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_syncs_build(const irr_schedule_t *schedule, const irr_syncs_t *syncs, int rank,
                                      const irr_schedule_t *own, uint64_t lead, irr_schedule_syncs_t *made_p);
void         irr_schedule_syncs_fini(irr_schedule_syncs_t *syncs);

/* Entries that irr_plan_reserve needs for them. */
size_t irr_schedule_syncs_bound(const irr_schedule_syncs_t *syncs);

/*
 * Adds them to a plan that has all receives of `own`, one behind the other, from this step on, and all its sends from
 * that one on.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_syncs_add(const irr_schedule_syncs_t *syncs, size_t receives, size_t sends,
                                    irr_plan_t *plan);

#endif
