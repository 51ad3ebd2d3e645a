/*
 * direct.h - what plans of direct messages are made of.
 */
#ifndef IRR_DIRECT_H
#define IRR_DIRECT_H

#include "plan/plan.h"

/*
 * Appends the message that blocks of one rank make, from byte `skip` on, at most `length` bytes of it: to that rank out
 * of INPUT, or from it into OUTPUT, in a step of stage 1.  Fails where irr_plan_add does.
 */
irr_status_t irr_direct_add(irr_step_kind_t kind, int peer, int number, irr_blocks_t blocks, size_t skip, size_t length,
                            irr_plan_t *plan);

#endif
