/*
 * order.c - the table of orders.
 */
#include "order/order.h"

const irr_order_t irr_order_priority = { .name = "priority" };

static irr_status_t compute_none(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                 irr_schedule_t *schedule)
{
    (void)matrix;
    (void)params;
    (void)schedule;
    return IRR_ERR_NOT_SUPPORTED;
}

const irr_order_t irr_order_given = { .name = "given", .schedule = compute_none };

static const irr_order_t *const orders[] = {
    &irr_order_rotate,
    &irr_order_natural,
    &irr_order_priority,
    &irr_order_lp,
    &irr_order_rs_n,
    &irr_order_rs_n_sort,
    &irr_order_rs_nh,
    &irr_order_optimal,
    &irr_order_redist,
    &irr_order_aapc,
};

const irr_order_t *irr_order_at(int i)
{
    return i >= 0 && i < (int)(sizeof(orders) / sizeof(orders[0])) ? orders[i] : NULL;
}

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
