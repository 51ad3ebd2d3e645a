/*
 * random.c - random scheduling in which a rank sends and receives at most one message in a step.  The algorithms random
 * and random-sorted are RS_N and RS_N+sort of Ranka, Wang and Kumar, sections 5.2 and 7.1.
 *
 * The list of the messages that a rank sends is called its row.  The rows are shuffled once.  In each step the ranks,
 * beginning with a random rank, each take the first message of their row whose receiver is free.  The last message of
 * the row moves into the gap that the taken message leaves.  No message is split.  With d messages from and to each
 * rank there are about d + log d steps.  For P ranks a step takes O(P * d) time in the worst case.  It usually takes
 * O(P) time, plus O(1) for each busy receiver that a rank tries.
 *
 * random-sorted first sorts each row, longest message first, in O(d log d) time for a row.  The row does not stay
 * sorted, because its last message moves into each gap.  The paper found no gain over RS_N.
 */
#include "order/messages.h"

#include "core/alloc.h"
#include "core/deadline.h"
#include "core/random.h"
#include "order/order.h"

/*
 * Finds the first message of the row whose receiver is free, moves it behind the unscheduled messages of the row, and
 * returns it.  Returns NULL if no receiver is free.
 */
static irr_message_t *take(irr_messages_t *messages, int row, const int *busy, int step)
{
    irr_message_t *list = irr_messages_row(messages, row);

    for (int n = 0; n < messages->left[row]; n++) {
        if (busy[list[n].to] != step) {
            irr_message_t taken = list[n], *last = &list[--messages->left[row]];

            list[n] = *last;
            *last = taken;
            return last;
        }
    }
    return NULL;
}

/*
 * Assigns messages to steps until none is left.  busy[j]: the last step in which rank j receives; taken[i]: the message
 * that rank i sends in the current step.
 */
static irr_status_t run_steps(irr_messages_t *messages, uint64_t *random, int *busy, irr_message_t **taken,
                              const irr_deadline_t *deadline, irr_schedule_t *schedule)
{
    const int ranks = messages->ranks;
    irr_status_t status = IRR_OK;
    size_t left = messages->count;

    for (int step = 1; left > 0 && status == IRR_OK; step++) {
        const size_t start = irr_random_below(random, (size_t)ranks);

        for (int n = 0; n < ranks; n++) {
            int i = (int)((start + (size_t)n) % (size_t)ranks);

            taken[i] = take(messages, i, busy, step);
            if (taken[i] != NULL) {
                busy[taken[i]->to] = step;
                left--;
            }
        }
        for (int i = 0; status == IRR_OK && i < ranks; i++) {
            if (taken[i] != NULL) {
                status = irr_schedule_add(schedule, (irr_transmission_t){
                    .step = step, .from = i, .to = taken[i]->to, .length = taken[i]->length });
            }
        }
        status = status == IRR_OK && irr_deadline_passed(deadline) ? IRR_ERR_TIMEOUT : status;
    }
    return status;
}

/* Assigns all messages to steps, and appends their transmissions to the schedule. */
static irr_status_t take_all(irr_messages_t *messages, uint64_t *random, const irr_deadline_t *deadline,
                             irr_schedule_t *schedule)
{
    int *busy;
    irr_message_t **taken;
    const irr_array_t arrays[] = {
        IRR_ARRAY(busy, (size_t)messages->ranks), IRR_ARRAY(taken, (size_t)messages->ranks)
    };
    irr_status_t status = IRR_ALLOC_ARRAYS(arrays);

    if (status == IRR_OK) {
        status = run_steps(messages, random, busy, taken, deadline, schedule);
        irr_free(busy);   /* frees the other array too */
    }
    return status;
}

static irr_status_t schedule_rows(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, bool sorted,
                                  irr_schedule_t *schedule)
{
    uint64_t random = params->seed;
    irr_messages_t messages;
    irr_status_t status = irr_messages_init(&messages, matrix);

    if (status == IRR_OK) {
        irr_messages_shuffle(&messages, &random);   /* if the row is then sorted, equally long messages stay in random
                                                       order */
        if (sorted) {
            irr_messages_sort(&messages);
        }
        status = take_all(&messages, &random, params->deadline, schedule);
        irr_messages_fini(&messages);
    }
    return status;
}

static irr_status_t in_random_order(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                    irr_schedule_t *schedule)
{
    return schedule_rows(matrix, params, false, schedule);
}

static irr_status_t longest_first(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    return schedule_rows(matrix, params, true, schedule);
}

const irr_order_t irr_order_random = {
    .name = "random", .contention_free = true, .schedule = in_random_order
};

const irr_order_t irr_order_random_sorted = {
    .name = "random-sorted", .contention_free = true, .schedule = longest_first
};
