/*
 * whole.h - a schedule in which no message is split.
 */
#ifndef IRR_WHOLE_H
#define IRR_WHOLE_H

#include "order/messages.h"
#include "order/schedule.h"

/*
 * Replaces what is in the schedule.  *fits: it takes no more than so many bytes one after the other, and so many steps,
 * else it is not complete.  IRR_ERR_NO_MEMORY; IRR_ERR_TIMEOUT.
 */
irr_status_t irr_whole(const irr_messages_t *messages, uint64_t limit, int max_steps, const irr_deadline_t *deadline,
                       irr_schedule_t *schedule, bool *fits);

#endif
