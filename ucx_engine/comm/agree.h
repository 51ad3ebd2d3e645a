/*
 * agree.h - the agreements among the members of a communicator that is being set up: steps (comm/opening.h).
 */
#ifndef IRR_AGREE_H
#define IRR_AGREE_H

#include "comm/opening.h"

/*
 * Agrees that all members can go on with equal settings and equal files, and whether they share a node and its memory.
 * IRR_ERR_NOT_SUPPORTED, alike on all, if one has trouble or others.
 */
irr_status_t irr_agree_start(irr_opening_t *opening, irr_step_fn next);

/* Agrees on addresses again, for members that have opened a transport since; errors as above. */
irr_status_t irr_agree_addresses(irr_opening_t *opening, irr_step_fn next);

/*
 * Agrees whether a member has trouble, of which the lowest tells the reason: the verdict; and whether all say yes
 * (opening->lowest).
 */
irr_status_t irr_agree_all(irr_opening_t *opening, irr_status_t trouble, const char *reason, bool mine,
                           irr_step_fn next);

/* The verdict on the trouble of the set-up. */
irr_status_t irr_agree_no_trouble(irr_opening_t *opening, irr_step_fn next);

/*
 * Agrees on an id that is free at all members and takes it, and on addresses.  IRR_ERR_NOT_SUPPORTED, alike on all, if
 * there is none, or a member has trouble.
 */
irr_status_t irr_agree_id(irr_opening_t *opening, irr_step_fn next);

/* The lowest member that lacks memory to share, of a word that was reduced, warns the user, once an engine. */
void irr_agree_warn(irr_opening_t *opening, uint64_t reduced, const char *reason);

/* Gives back the id that was proposed, or agreed on. */
void irr_agree_release(irr_opening_t *opening);

#endif
