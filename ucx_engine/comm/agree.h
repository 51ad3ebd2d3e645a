/*
 * agree.h - agreements of the members of a communicator during its setup.
 *
 * An agreement is an all-reduce of a few words, after which all members take the same decision. Each function below is
 * called as the last action of a step of the setup (comm/setup.h). The function starts the all-reduce, and `next` is
 * the step that runs after it. A member is in trouble if it cannot take part, for example for lack of memory.
 */
#ifndef IRR_AGREE_H
#define IRR_AGREE_H

#include "comm/setup.h"

/*
 * The first agreement: on settings, contents of files, nodes, and memory that ranks of a node share. If a member is in
 * trouble or settings or files differ, the setup of all members ends in IRR_ERR_NOT_SUPPORTED.
 */
irr_status_t irr_agree_start(irr_setup_t *setup, irr_step_fn next);

/* Agrees on the lengths of addresses again, after members have opened another transport. Errors: as irr_agree_start. */
irr_status_t irr_agree_addresses(irr_setup_t *setup, irr_step_fn next);

/*
 * Agrees whether a member is in trouble, and whether `mine` is true on all members. Sets setup->verdict and
 * setup->lowest. The lowest member in trouble reports its reason to all members.
 */
irr_status_t irr_agree_all(irr_setup_t *setup, irr_status_t trouble, const char *reason, bool mine, irr_step_fn next);

/* Agrees whether a member is in trouble, and sets setup->verdict. */
irr_status_t irr_agree_no_trouble(irr_setup_t *setup, irr_step_fn next);

/*
 * Agrees on the lengths of addresses, and on an id for the communicator that is free on all members. Marks this id as
 * used. If there is no such id or a member is in trouble, the setup of all members ends in IRR_ERR_NOT_SUPPORTED.
 */
irr_status_t irr_agree_id(irr_setup_t *setup, irr_step_fn next);

/*
 * Warns the user that the ranks of a node do not share memory, at most once per engine. reduced: the maximum, over all
 * members with this problem, of the number of members minus the rank. Only the lowest of these members warns.
 */
void irr_agree_warn(irr_setup_t *setup, uint64_t reduced, const char *reason);

/* Marks the id that was proposed or agreed on as free. */
void irr_agree_release(irr_setup_t *setup);

#endif
