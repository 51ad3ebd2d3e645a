/* whole.h - computes a schedule in which each message is sent whole; see whole.c. */
#ifndef IRR_WHOLE_H
#define IRR_WHOLE_H

#include "order/messages.h"
#include "order/schedule.h"

/*
 * Replaces the contents of the schedule.  Sets *fits to true if the schedule is complete, its makespan is at most
 * `limit` bytes, and it has at most max_steps steps; otherwise to false.  May return IRR_ERR_NO_MEMORY or
 * IRR_ERR_TIMEOUT.
 */
irr_status_t irr_whole(const irr_messages_t *messages, uint64_t limit, int max_steps, const irr_deadline_t *deadline,
                       irr_schedule_t *schedule, bool *fits);

#endif
