/*
 * messages.h - the messages of a count matrix as a list, row by row and without the zeros.  The algorithms that compute
 * a schedule (order/order.h) choose messages from this list.  The list is the compressed matrix CCOM of Ranka, Wang and
 * Kumar (section 5.2 and appendix A).
 *
 * The first left[i] entries of row i are the messages that are not yet scheduled, in any order.  Messages of a rank to
 * itself are left out.  Reading a dense matrix takes O(P * P) for P ranks, sorting takes O(d log d) for a row of d
 * messages, and all other functions take O(messages).
 */
#ifndef IRR_MESSAGES_H
#define IRR_MESSAGES_H

#include "problem/matrix.h"

/*
 * A message to rank `to`.  An algorithm that splits a message schedules its first bytes and leaves the remaining ones
 * here: `length` bytes, which begin at byte `offset` of the message.
 */
typedef struct irr_message {
    int      to;
    uint64_t offset, length;
} irr_message_t;

typedef struct irr_messages {
    int            ranks;
    size_t         count;    /* number of messages, including those that were scheduled since */
    size_t        *first;    /* index in list of the first entry of row i */
    int           *left;     /* number of messages of row i that are not yet scheduled; they come first in the row */
    irr_message_t *list;
} irr_messages_t;

/* Sums over all messages between two different ranks. */
typedef struct irr_messages_sum {
    size_t   count;
    uint64_t bytes;
    uint64_t longest;   /* bytes of the longest message */
} irr_messages_sum_t;

/*
 * Sums the messages of a matrix.  Returns IRR_ERR_BAD_PARAM if they have 2^63 bytes or more, because sums of lengths
 * could then overflow.
 */
irr_status_t irr_messages_sum(const irr_matrix_t *matrix, irr_messages_sum_t *sum_p);

/*
 * Reads a matrix; each row is sorted by destination.  Returns IRR_ERR_BAD_PARAM if the messages have 2^63 bytes or
 * more.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_messages_init(irr_messages_t *messages, const irr_matrix_t *matrix);
void         irr_messages_fini(irr_messages_t *messages);

static inline irr_message_t *irr_messages_row(const irr_messages_t *messages, int row)
{
    return &messages->list[messages->first[row]];
}

/* Shuffles each row. */
void irr_messages_shuffle(irr_messages_t *messages, uint64_t *random);

/*
 * Sorts each row, longest message first; messages of equal length keep their order.  Must be called before any message
 * is split.
 */
void irr_messages_sort(irr_messages_t *messages);

#endif
