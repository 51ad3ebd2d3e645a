/*
 * header.h - the description in front of a message whose layout its receiver does not know.
 *
 *     status   one byte: 0, or the error that kept the sender from forwarding all its data (a negative irr_status_t);
 *              plus 128 if some rank lost layouts in the previous exchange
 *     more     0, or the length of a second header message, which replaces this message if the header is too long
 *     messages 2 * number of messages that a plan makes of the described bytes; plus 1 if the bytes follow the
 *              description in this message, otherwise the bytes follow in this number of BODY messages
 *     slices   number of slices, and then for each, ordered by destination, source and offset:
 *         what     8 * (destination - previous destination) + one bit for each of the following three that is present
 *         source   present if it differs from the previous source
 *         offset   present if it is not 0
 *         length   present if it differs from the previous length
 *
 * All fields but the status are numbers of exec/varint.h. The first slice follows a virtual slice of destination 0,
 * source 0 and length 0. The header of a short message has 1 to 3 bytes.
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
    size_t       messages;   /* number of messages that a plan makes of the described bytes, at least 1 */
    bool         inside;     /* the described bytes follow the description in the same message */
    size_t       slices;
} irr_header_t;

/* Maximum length in bytes of a header without slices. */
#define IRR_HEADER_PREFIX_MAX 31

/* Maximum length in bytes of a first header message with its data. The receive buffer has this size. */
#define IRR_HEADER_MAX 4096

/* Writes a header, and returns its length in bytes. If out is NULL, only computes the length. */
size_t irr_header_encode(const irr_header_t *header, const irr_slice_t *slices, unsigned char *out);

/*
 * Reads the fields of a header before its slices. Returns IRR_ERR_PROTOCOL if the bytes are no valid header, or if the
 * header announces more slices than the rest of the message can hold.
 */
irr_status_t irr_header_read(irr_reader_t *reader, irr_header_t *header);

/*
 * Reads the slices behind these fields; header->slices is their number. Returns IRR_ERR_PROTOCOL if a slice is empty,
 * out of order, or from a rank to itself, or if the message ends early.
 */
irr_status_t irr_header_read_slices(irr_reader_t *reader, const irr_header_t *header, int ranks, irr_slice_t *slices);

#endif
