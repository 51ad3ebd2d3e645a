/* order.c - runs an order that computes a schedule. */
#include "order/order.h"

static irr_status_t compute_none(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                 irr_schedule_t *schedule)
{
    (void)matrix;
    (void)params;
    (void)schedule;
    return IRR_ERR_NOT_SUPPORTED;
}

const irr_order_t irr_order_given = { .name = "given", .schedule = compute_none };

irr_status_t irr_order_schedule(const irr_order_t *order, const irr_matrix_t *matrix,
                                const irr_scheduled_params_t *params, irr_schedule_t *schedule)
{
    irr_schedule_t made = { .ranks = matrix->ranks };
    irr_status_t status = order->schedule(matrix, params, &made);

    if (status != IRR_OK) {
        irr_schedule_fini(&made);
        return status;
    }
    *schedule = made;
    return IRR_OK;
}
