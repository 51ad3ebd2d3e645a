/*
 * order.c - the table of orders.
 */
#include "order/order.h"

static const irr_order_t *const orders[] = {
    &irr_order_rotate,
    &irr_order_natural,
};

const irr_order_t *irr_order_at(int i)
{
    return i >= 0 && i < (int)(sizeof(orders) / sizeof(orders[0])) ? orders[i] : NULL;
}
