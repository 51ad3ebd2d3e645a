/*
 * xor.c - linear permutation, algorithm xor: Ranka, Wang and Kumar, section 5.1.
 *
 * If the number of ranks P is a power of two, rank i sends to rank i xor k in step k, for k = 1 to P - 1.  Ranks i and
 * i xor k then send to each other in the same step.  Otherwise, or with params->shift, rank i sends to rank (i + k) mod
 * P.  Each message is sent whole, in one step.  The schedule always has P - 1 steps; as in the paper, steps without
 * messages count.  O(n log n) for n messages.
 */
#include "order/messages.h"
#include "order/order.h"

static int step_of(int ranks, int from, int to, bool shift)
{
    return !shift && (ranks & (ranks - 1)) == 0 ? from ^ to : (to - from + ranks) % ranks;
}

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    irr_messages_t messages;
    irr_status_t status = irr_messages_init(&messages, matrix);

    if (status != IRR_OK) {
        return status;
    }
    for (int i = 0; status == IRR_OK && i < messages.ranks; i++) {
        const irr_message_t *row = irr_messages_row(&messages, i);

        for (int n = 0; status == IRR_OK && n < messages.left[i]; n++) {
            status = irr_schedule_add(schedule, (irr_transmission_t){
                .step = step_of(messages.ranks, i, row[n].to, params->shift),
                .from = i, .to = row[n].to, .length = row[n].length });
        }
    }
    irr_messages_fini(&messages);
    irr_schedule_sort(schedule);
    schedule->steps = schedule->ranks - 1;
    return status;
}

const irr_order_t irr_order_xor = {
    .name = "xor", .contention_free = true, .schedule = make_schedule
};
