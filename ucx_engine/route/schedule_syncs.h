/*
 * schedule_syncs.h - what one rank tells others, and waits for, when a schedule runs with the pace `sync`.
 *
 * Two messages of different steps that share a link must not meet there (order/tree/syncs.h).  Signals need time, in
 * which a wire would idle: so a rank counts a receive as over when all but `lead` bytes of what it receives up to
 * there are here.  The lead is the rank's own affair; it moves the bytes that may meet on a link, and makes nobody
 * wait for something later.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 */
#ifndef IRR_SCHEDULE_SYNCS_H
#define IRR_SCHEDULE_SYNCS_H

#include "order/tree/syncs.h"
#include "irr.h"

/* When so many of the receives, the first ones, are over, peer is told. */
typedef struct irr_sync_tell {
    size_t received;
    int    peer;
} irr_sync_tell_t;

/* A send, counted from 0, and all after it wait for a tell of peer; for so many receives, if that is the rank. */
typedef struct irr_sync_await {
    size_t send;
    int    peer;
    size_t received;
} irr_sync_await_t;

/* Zeroed is empty. */
typedef struct irr_schedule_syncs {
    irr_sync_tell_t  *tells;      /* by received */
    size_t            ntells;
    irr_sync_await_t *awaits;     /* by send; what one peer tells another is in the order in which it is awaited */
    size_t            nawaits;
} irr_schedule_syncs_t;

/*
 * schedule: with these syncs between its transmissions; own: what irr_schedule_own made of it for the rank.  The
 * caller's to irr_schedule_syncs_fini.  O(n + P) time and memory.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_syncs_build(const irr_schedule_t *schedule, const irr_syncs_t *syncs, int rank,
                                      const irr_schedule_t *own, uint64_t lead, irr_schedule_syncs_t *made_p);
void         irr_schedule_syncs_fini(irr_schedule_syncs_t *syncs);

#endif
