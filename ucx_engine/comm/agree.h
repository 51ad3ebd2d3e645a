/*
 * agree.h - the agreements among the members of a communicator during its setup, as setup steps (comm/setup.h).
 */
#ifndef IRR_AGREE_H
#define IRR_AGREE_H

#include "comm/setup.h"

/*
 * Agrees that all members can take part with equal settings and files, and whether members share nodes and memory.
 * Returns IRR_ERR_NOT_SUPPORTED on all members if a member cannot take part or settings differ.
 */
irr_status_t irr_agree_start(irr_setup_t *setup, irr_step_fn next);

/* Agrees on addresses again, after members opened another transport. Returns the errors of irr_agree_start. */
irr_status_t irr_agree_addresses(irr_setup_t *setup, irr_step_fn next);

/*
 * Agrees whether a member is in trouble, and sets setup->verdict; the lowest member in trouble supplies the reason.
 * Agrees whether `mine` is true on all members, and sets setup->lowest.
 */
irr_status_t irr_agree_all(irr_setup_t *setup, irr_status_t trouble, const char *reason, bool mine, irr_step_fn next);

/* Agrees whether a member is in trouble, and sets setup->verdict. */
irr_status_t irr_agree_no_trouble(irr_setup_t *setup, irr_step_fn next);

/*
 * Agrees on addresses and on an id that is free at all members, and takes the id. Returns IRR_ERR_NOT_SUPPORTED on all
 * members if there is no such id or a member is in trouble.
 */
irr_status_t irr_agree_id(irr_setup_t *setup, irr_step_fn next);

/*
 * Warns the user once per engine that ranks of a node share no memory. `reduced` is the maximum of the members' words;
 * only the lowest member that reported the problem warns.
 */
void irr_agree_warn(irr_setup_t *setup, uint64_t reduced, const char *reason);

/* Frees the id that was proposed or agreed on. */
void irr_agree_release(irr_setup_t *setup);

#endif
