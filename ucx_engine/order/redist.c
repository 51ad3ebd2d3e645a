/*
 * redist.c - the schedules of block-cyclic redistributions as a row of the table.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution
 *
 * The redistribution says in which step a message goes, the matrix how long it is.  A matrix of another exchange
 * has messages that the steps do not have, which the check in the end finds.  Cost: see redistribution_one.c and
 * redistribution_two.c; the check takes O(P * P + n log n) for n messages.
 */
#include "order/messages.h"
#include "order/redistribution.h"
#include "order/order.h"

#include <string.h>

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    const irr_redistribution_t *redistribution = &params->redistribution;
    uint64_t bytes;
    irr_status_t status = irr_messages_bytes(matrix, &bytes);
    irr_large_t large;

    if (status != IRR_OK || !irr_redistribution_has_sides(redistribution)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (redistribution->p > matrix->ranks || redistribution->q > matrix->ranks) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    status = irr_redistribution_order(redistribution, matrix, &large);
    if (status != IRR_OK) {
        return status;
    }
    status = irr_schedule_check(&large.schedule, matrix, NULL, 0);
    if (status == IRR_OK) {
        *schedule = large.schedule;
        memset(&large.schedule, 0, sizeof(large.schedule));
    }
    irr_large_fini(&large);
    return status == IRR_ERR_INVALID_PLAN ? IRR_ERR_NOT_SUPPORTED : status;
}

const irr_order_t irr_order_redist = {
    .name = "redist",
    .contention_free = true,
    .schedule = make_schedule
};
