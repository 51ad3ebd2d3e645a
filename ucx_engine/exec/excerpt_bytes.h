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

#include "route/excerpt.h"

/* Returns how many bytes there are, and writes them unless out is NULL. */
size_t irr_excerpt_encode(const irr_excerpt_t *excerpt, int rank, unsigned char *out);

/*
 * Reads that of a rank among so many from in[*at] on, to the end of what is there, and checks it (irr_excerpt_check).
 * The caller's to irr_excerpt_fini.  IRR_ERR_PROTOCOL; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_excerpt_decode(const unsigned char *in, size_t length, size_t *at, int ranks, int rank,
                                irr_excerpt_t *excerpt);

#endif
