/*
 * header.h - the header of a message whose layout its receiver does not know.
 *
 * The data of a message consists of slices: a slice is a range of bytes of the block that rank `source` sends to rank
 * `destination`. The layout is the list of its slices. A header message (kind HEADER) describes the layout; the data
 * follows in the same message or in messages of kind BODY (exec/tag.h). The fields of a header:
 *
 *     status   one byte: 0, or minus the error because of which the sender does not send all data (irr_status_t);
 *              plus 128 if some rank lost its knowledge of layouts in the previous exchange (exec/relay.h)
 *     more     0; or, if the header is too long for this message, the length of a second message with the whole header
 *     messages 2 * number of messages in which the data travels if it has no header; plus 1 if the data follows in this
 *              message, otherwise it follows in this number of BODY messages
 *     slices   number of slices; then for each, ordered by destination, source and offset:
 *         what     8 * (destination - previous destination), plus a bit for each of the next three that is present
 *         source   present if it differs from the previous source
 *         offset   present if it is not 0
 *         length   present if it differs from the previous length
 *
 * All fields but the status have the form of exec/varint.h. Before the first slice, destination, source and length
 * count as 0.
 */
#ifndef IRR_HEADER_H
#define IRR_HEADER_H

#include "exec/varint.h"
#include "irr.h"
#include "plan/slice.h"

typedef struct irr_header {
    irr_status_t status;
    bool         lost;       /* some rank lost its knowledge of layouts */

    size_t       more;
    size_t       messages;   /* as in the field `messages`; at least 1 */
    bool         inside;     /* the data follows in the same message */
    size_t       slices;
} irr_header_t;

/* Largest length in bytes of a header without slices. */
#define IRR_HEADER_PREFIX_MAX 31

/* Largest length in bytes of the first header message, with data in it; the receiver has a buffer of this size. */
#define IRR_HEADER_MAX 4096

/* Writes a header, and returns its length in bytes. If out is NULL, only computes the length. */
size_t irr_header_encode(const irr_header_t *header, const irr_slice_t *slices, unsigned char *out);

/*
 * Reads the fields of a header before its slices. Returns IRR_ERR_PROTOCOL if the bytes are no valid header, or if the
 * header announces more slices than the rest of the message can hold.
 */
irr_status_t irr_header_read(irr_reader_t *reader, irr_header_t *header);

/*
 * Reads the header->slices slices that follow these fields. Returns IRR_ERR_PROTOCOL if a slice is empty, out of order,
 * or from a rank to itself, or if the message ends too early.
 */
irr_status_t irr_header_read_slices(irr_reader_t *reader, const irr_header_t *header, int ranks, irr_slice_t *slices);

#endif
