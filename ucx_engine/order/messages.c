/* messages.c - the messages of a count matrix as a list; see messages.h. */
#include "order/messages.h"

#include "core/alloc.h"
#include "core/random.h"

#include <stdlib.h>

irr_status_t irr_messages_sum(const irr_matrix_t *matrix, irr_messages_sum_t *sum_p)
{
    irr_messages_sum_t sum = { .count = 0 };

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t length = i != j ? *irr_matrix_at(matrix, i, j) : 0;

            if (length > (uint64_t)INT64_MAX - sum.bytes) {
                return IRR_ERR_BAD_PARAM;
            }
            sum.bytes += length;
            sum.count += length > 0;
            sum.longest = length > sum.longest ? length : sum.longest;
        }
    }
    *sum_p = sum;
    return IRR_OK;
}

static void fill(irr_messages_t *messages, const irr_matrix_t *matrix)
{
    size_t next = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        messages->first[i] = next;
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t length = i != j ? *irr_matrix_at(matrix, i, j) : 0;

            if (length > 0) {
                messages->list[next++] = (irr_message_t){ .to = j, .length = length };
            }
        }
        messages->left[i] = (int)(next - messages->first[i]);
    }
}

irr_status_t irr_messages_init(irr_messages_t *messages, const irr_matrix_t *matrix)
{
    irr_messages_t made = { .ranks = matrix->ranks };
    irr_messages_sum_t sum;
    irr_status_t status = irr_messages_sum(matrix, &sum);

    if (status != IRR_OK) {
        return status;
    }
    made.count = sum.count;
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(made.first, (size_t)made.ranks), IRR_ARRAY(made.left, (size_t)made.ranks),
        IRR_ARRAY(made.list, made.count) }));
    if (status == IRR_OK) {
        fill(&made, matrix);
        *messages = made;
    }
    return status;
}

void irr_messages_fini(irr_messages_t *messages)
{
    irr_free(messages->first);   /* frees the other arrays too */
    *messages = (irr_messages_t){ .ranks = 0 };
}

void irr_messages_shuffle(irr_messages_t *messages, uint64_t *random)
{
    for (int i = 0; i < messages->ranks; i++) {
        irr_message_t *row = irr_messages_row(messages, i);

        for (int n = messages->left[i]; n > 1; n--) {
            size_t other = irr_random_below(random, (size_t)n);
            irr_message_t last = row[n - 1];

            row[n - 1] = row[other];
            row[other] = last;
        }
    }
}

static int longest_first(const void *a, const void *b)
{
    const irr_message_t *x = a, *y = b;

    if (x->length != y->length) {
        return x->length > y->length ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* qsort is not stable.  During the sort, the offsets of the messages (otherwise 0) are their indices in the row. */
void irr_messages_sort(irr_messages_t *messages)
{
    for (int i = 0; i < messages->ranks; i++) {
        irr_message_t *row = irr_messages_row(messages, i);

        for (int n = 0; n < messages->left[i]; n++) {
            row[n].offset = (uint64_t)n;
        }
        qsort(row, (size_t)messages->left[i], sizeof(*row), longest_first);
        for (int n = 0; n < messages->left[i]; n++) {
            row[n].offset = 0;
        }
    }
}
