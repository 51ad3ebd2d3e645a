/*
 * excerpt_bytes.h - an excerpt of a schedule (route/excerpt.h) as bytes, for the rank that it is of.
 *
 *     steps           of the schedule
 *     transmissions   their number, and then for each:
 *         what        8 * (step - the one before) + 4 if it goes on + 2 if an offset follows + 1 if the rank sends it
 *         peer
 *         more        steps in which it goes on
 *         offset
 *         length
 *     syncs           their number, and then for each:
 *         what        2 * the place of the transmission + 1 if the rank tells, else it awaits
 *         peer
 *
 * All are numbers of exec/varint.h.  Before the first transmission stands step 0.  Cost: O(1) time and 2 to 24 bytes an
 * entry, as a rule 4 to 8.
 */
#ifndef IRR_EXCERPT_BYTES_H
#define IRR_EXCERPT_BYTES_H

#include "exec/bytes.h"
#include "route/excerpt.h"

/* Appends it. */
void irr_excerpt_write(const irr_excerpt_t *excerpt, int rank, irr_bytes_t *bytes);

/*
 * Reads that of a rank among so many, and checks it (irr_excerpt_check).  The caller's to irr_excerpt_fini.
 * IRR_ERR_PROTOCOL; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_excerpt_read(irr_reader_t *reader, int ranks, int rank, irr_excerpt_t *excerpt);

#endif
