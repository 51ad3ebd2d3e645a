/*
 * rs_n_sort.c - RS_N with the longest messages of each row first: RS_N+sort of Ranka, Wang and Kumar, section 7.1.
 *
 * The rows are sorted once, and RS_N takes them apart, so the order decays: the paper found no gain over RS_N.
 * O(d log d) more a row of d messages.
 */
#include "order/messages.h"
#include "order/rs_n.h"
#include "order/order.h"

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    uint64_t random = params->seed;
    irr_messages_t messages;
    irr_status_t status = irr_messages_init(&messages, matrix);

    if (status == IRR_OK) {
        irr_messages_shuffle(&messages, &random);  /* the order of equal ones */
        irr_messages_sort(&messages);
        status = irr_rs_n_steps(&messages, &random, params->deadline, schedule);
        irr_messages_fini(&messages);
    }
    return status;
}

const irr_order_t irr_order_rs_n_sort = {
    .name = "rs_n_sort",
    .contention_free = true,
    .schedule = make_schedule
};
