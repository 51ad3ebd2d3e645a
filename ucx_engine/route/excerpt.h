/*
 * excerpt.h - what one rank has to know of a schedule: the transmissions that it sends or receives, and what it tells
 * and awaits with the pace sync.
 *
 * The order of both lists is that of the schedule, so plans and signals can be made of an excerpt as of the whole.
 *
 * Cost: O(P + n + m) time and memory for all excerpts of n transmissions and m syncs.
 */
#ifndef IRR_EXCERPT_H
#define IRR_EXCERPT_H

#include "order/tree/syncs.h"

/* Zeroed is empty. */
typedef struct irr_excerpt {
    irr_schedule_t schedule;   /* with all ranks and steps, but the rank's own transmissions alone */
    irr_syncs_t    syncs;      /* `after` is a place in that list where the rank tells, `before` where it awaits, and
                                  the other one of the two is 0 */
} irr_excerpt_t;

void irr_excerpt_fini(irr_excerpt_t *excerpt);

/* Where the transmissions and syncs of each rank are. */
typedef struct irr_excerpts {
    const irr_schedule_t *schedule;   /* borrowed, as are */
    const irr_syncs_t    *syncs;
    size_t               *first;      /* by rank, and one more: its transmissions in `list` begin there */
    size_t               *list;       /* their numbers in the schedule */
    size_t               *sent;       /* by transmission: its place among those of its sender ... */
    size_t               *received;   /* ... and of its receiver */
    size_t               *first_sync; /* by rank, and one more: its syncs in `sync` begin there */
    size_t               *sync;       /* their numbers */
} irr_excerpts_t;

/* syncs may be NULL: there are none.  No transmission goes from a rank to itself.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_excerpts_init(irr_excerpts_t *excerpts, const irr_schedule_t *schedule, const irr_syncs_t *syncs);
void         irr_excerpts_fini(irr_excerpts_t *excerpts);

/* That of a rank, the caller's to irr_excerpt_fini.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_excerpts_take(const irr_excerpts_t *excerpts, int rank, irr_excerpt_t *excerpt);

/*
 * Is it one of a rank, among so many: are all peers and places there are, is each message sent from its byte 0 on
 * without a gap, and does the rank send, and receive, once in a step at most?  IRR_ERR_PROTOCOL; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_excerpt_check(const irr_excerpt_t *excerpt, int rank);

#endif
