/*
 * order.h - in which step does each message of an exchange go?
 *
 * An exchange runs inside a group of `size` members; `me` is the index of this rank.  An order says for
 * each step, counted from 1, to whom this member sends and from whom it receives.  Orders are pure.
 *
 * Rules: over all steps a member sends to each other member once and receives from each other member once;
 * IRR_NOBODY stands for a step in which it does not.  A member never meets itself.  Messages need not be
 * sent in the step in which they are received (natural), unless the order says contention-free.
 */
#ifndef IRR_ORDER_H
#define IRR_ORDER_H

#include "irr.h"

#define IRR_NOBODY (-1)

typedef struct irr_group {
    int size;
    int me;
} irr_group_t;

typedef struct irr_order {
    const char *name;
    bool        contention_free;  /* at most one message to a member in each step */
    int (*steps)(irr_group_t group);
    void (*peers)(irr_group_t group, int step, int *to, int *from);
} irr_order_t;

extern const irr_order_t irr_order_rotate;
extern const irr_order_t irr_order_natural;

/* Row i of the table of orders (order/order.c); NULL past the last. */
const irr_order_t *irr_order_at(int i);

#endif
