/*
 * rs_n.h - the steps of random scheduling, for rows in any order; see rs_n.c.
 */
#ifndef IRR_RS_N_H
#define IRR_RS_N_H

#include "order/messages.h"
#include "order/schedule.h"

/* Takes all messages, and appends their steps. */
irr_status_t irr_rs_n_steps(irr_messages_t *messages, uint64_t *random, const irr_deadline_t *deadline,
                            irr_schedule_t *schedule);

#endif
