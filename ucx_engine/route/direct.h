/*
 * direct.h - what plans of direct messages are made of.
 */
#ifndef IRR_DIRECT_H
#define IRR_DIRECT_H

#include "plan/plan.h"

/*
 * Appends the message of a block of INPUT to a peer, or from a peer into a block of OUTPUT, in a step of stage 1.
 * Fails where irr_plan_add does.
 */
irr_status_t irr_direct_add(irr_step_kind_t kind, int peer, int number, irr_block_t block, irr_plan_t *plan);

#endif
