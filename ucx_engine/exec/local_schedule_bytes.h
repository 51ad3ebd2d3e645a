/*
 * local_schedule_bytes.h - the local schedule of one rank (route/local_schedule.h) as bytes.
 *
 *     steps           number of steps of the schedule
 *     transmissions   number of transmissions, and then for each:
 *         what        8 * (step - previous step) + 4 if the transmission continues in later steps
 *                     + 2 if an offset follows + 1 if this rank is the sender
 *         peer        the rank at the other end
 *         more        number of later steps in which the transmission continues; present if not 0
 *         offset      present if not 0
 *         length
 *     syncs           number of signals and waits, and then for each:
 *         what        2 * index of the transmission + 1 for a signal, + 0 for a wait
 *         peer
 *
 * All fields are numbers of exec/varint.h. The previous step of the first transmission is 0. Cost: O(1) time and 2 to
 * 24 bytes per entry, typically 4 to 8 bytes.
 */
#ifndef IRR_LOCAL_SCHEDULE_BYTES_H
#define IRR_LOCAL_SCHEDULE_BYTES_H

#include "exec/bytes.h"
#include "route/local_schedule.h"

/* Appends the local schedule of a rank. */
void irr_local_schedule_write(const irr_local_schedule_t *local, int rank, irr_bytes_t *bytes);

/*
 * Reads and checks (irr_local_schedule_check) the local schedule of one of `ranks` ranks. The caller frees it with
 * irr_local_schedule_fini. Errors: IRR_ERR_PROTOCOL, IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_local_schedule_read(irr_reader_t *reader, int ranks, int rank, irr_local_schedule_t *local);

#endif
