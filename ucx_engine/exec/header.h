/*
 * header.h - the description in front of a message whose layout its receiver does not know.
 *
 *     status   one byte: 0, or why the sender could not pass on all that it should (a negative irr_status_t); 128 more
 *              if some rank has lost layouts that it was told in the last exchange
 *     more     0, or the bytes of the header that comes in place of this one, which is too long for a first message
 *     parts    2 * the messages that a plan makes of what is described + 1 if it is right behind the description; else
 *              it follows in so many PARTs
 *     slices   their number, and then for each, in the order of destination, source and offset:
 *         what     8 * (destination - the one before) + a bit for each of the three that follows
 *         source   if it is not the one before
 *         offset   if it is not 0
 *         length   if it is not the one before
 *
 * All but the status are numbers in 7 bits a byte, low ones first, the top bit says that more follow.  Before the
 * first slice stand destination 0, source 0 and length 0.  A short message costs 1 to 3 bytes.
 */
#ifndef IRR_HEADER_H
#define IRR_HEADER_H

#include "exec/varint.h"
#include "irr.h"
#include "plan/slice.h"

typedef struct irr_header {
    irr_status_t status;
    bool         lost;
    size_t       more;
    size_t       parts;      /* messages that a plan makes of what is described, at least 1 */
    bool         inside;     /* it is right behind the description */
    size_t       slices;
} irr_header_t;

/* Most bytes of a header without slices. */
#define IRR_HEADER_PREFIX_MAX 31

/* Most bytes of a first header, with what is behind it: what a receiver has room for. */
#define IRR_HEADER_MAX 4096

/* Writes a header, whose bytes are returned; counts only where out is NULL. */
size_t irr_header_encode(const irr_header_t *header, const irr_slice_t *slices, unsigned char *out);

/*
 * Reads what stands before the slices of a message.  IRR_ERR_PROTOCOL if that is no header, or one with more slices
 * than the message has room for.
 */
irr_status_t irr_header_read(irr_reader_t *reader, irr_header_t *header);

/*
 * Reads the slices that follow: header->slices entries.  IRR_ERR_PROTOCOL if one is empty, out of order, or not from a
 * rank to another one, or if the message ends early.
 */
irr_status_t irr_header_read_slices(irr_reader_t *reader, const irr_header_t *header, int ranks, irr_slice_t *slices);

#endif
