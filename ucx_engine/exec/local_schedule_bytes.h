/*
 * local_schedule_bytes.h - the local schedule of a rank as bytes: the messages that it sends and receives in each step
 * of a schedule (route/local_schedule.h).
 *
 * A transmission is a message, or a range of a message that is sent in several steps. A sync is a signal that the rank
 * sends when a transmission is complete, or a wait for a signal before a transmission.
 *
 *     steps           number of steps of the schedule
 *     transmissions   number of transmissions; then for each, in the order of the steps:
 *         what        8 * (step - previous step) + 4 if more ranges of the message follow in later steps
 *                     + 2 if an offset follows + 1 if this rank is the sender
 *         peer        the rank at the other end
 *         more        number of these later ranges; present if not 0
 *         offset      of the range in the message; present if not 0
 *         length
 *     syncs           number of signals and waits; then for each:
 *         what        2 * index of the transmission + 1 for a signal, + 0 for a wait
 *         peer
 *
 * All fields have the form of exec/varint.h. Before the first transmission, the step counts as 0. Cost: O(1) time and 2
 * to 24 bytes per transmission or sync, typically 4 to 8.
 */
#ifndef IRR_LOCAL_SCHEDULE_BYTES_H
#define IRR_LOCAL_SCHEDULE_BYTES_H

#include "exec/bytes.h"
#include "route/local_schedule.h"

void irr_local_schedule_write(const irr_local_schedule_t *local, int rank, irr_bytes_t *bytes);

/*
 * Reads the local schedule of one of `ranks` ranks, and checks it (irr_local_schedule_check). The caller frees it by
 * irr_local_schedule_fini. Returns IRR_ERR_PROTOCOL if it is not valid. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_local_schedule_read(irr_reader_t *reader, int ranks, int rank, irr_local_schedule_t *local);

#endif
