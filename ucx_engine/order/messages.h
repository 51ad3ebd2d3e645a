/*
 * messages.h - the messages of a count matrix, row by row and without the zeros: the compressed matrix CCOM of
 * Ranka, Wang and Kumar (section 5.2 and appendix A), which the orders that compute schedules take apart.
 *
 * The first left[i] entries of row i are still to be sent, in any order.  What a rank has for itself is left out.
 * Reading a dense matrix takes O(P * P) for P ranks, all else O(messages), but for sorting: O(d log d) a row of
 * d.
 */
#ifndef IRR_MESSAGES_H
#define IRR_MESSAGES_H

#include "problem/matrix.h"

/* What is left of a message: `length` bytes from `offset` on. */
typedef struct irr_message {
    int      to;
    uint64_t offset, length;
} irr_message_t;

typedef struct irr_messages {
    int            ranks;
    size_t         count;    /* messages at the start */
    size_t        *first;    /* of row i in list */
    int           *left;     /* entries of row i that are still to be sent */
    irr_message_t *list;
} irr_messages_t;

/* What all ranks have for others, together. */
typedef struct irr_messages_sum {
    size_t   count;
    uint64_t bytes;
    uint64_t longest;   /* bytes of the longest message */
} irr_messages_sum_t;

/* IRR_ERR_BAD_PARAM if there are 2^63 bytes or more: then sums of lengths could overflow. */
irr_status_t irr_messages_sum(const irr_matrix_t *matrix, irr_messages_sum_t *sum_p);

/* By destination.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if all together are 2^63 bytes or more. */
irr_status_t irr_messages_init(irr_messages_t *messages, const irr_matrix_t *matrix);
void         irr_messages_fini(irr_messages_t *messages);

static inline irr_message_t *irr_messages_row(const irr_messages_t *messages, int row)
{
    return &messages->list[messages->first[row]];
}

/* Puts each row in random order. */
void irr_messages_shuffle(irr_messages_t *messages, uint64_t *random);

/* Puts the longest message of each row first; equal ones stay in order.  Only before anything is sent. */
void irr_messages_sort(irr_messages_t *messages);

#endif
