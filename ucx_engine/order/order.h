/*
 * order.h - in which step does each message of an exchange go?
 *
 * An exchange runs inside a group of `size` members; `me` is the index of this rank.  An order says in which step,
 * counted from 1, this member sends to another one, and in which it receives from it.  Orders are pure.
 *
 * Rules: a member sends at most one message in a step, and receives at most one.  Messages need not be sent in the
 * step in which they are received (natural), unless the order says contention-free.
 *
 * Around the group, from the member of the lowest step on, steps rise, or they do so backwards; the own member has a
 * number that fits in.  So a list sorted by member is one by step as well, if it is read from the right place on.
 */
#ifndef IRR_ORDER_H
#define IRR_ORDER_H

#include "irr.h"

typedef struct irr_group {
    int size;
    int me;
} irr_group_t;

typedef struct irr_order {
    const char *name;
    bool        contention_free;  /* at most one message to a member in each step */
    int (*steps)(irr_group_t group);                 /* no step is above that */
    int (*send_step)(irr_group_t group, int to);     /* to another member, */
    int (*recv_step)(irr_group_t group, int from);   /* or from one */
} irr_order_t;

extern const irr_order_t irr_order_rotate;
extern const irr_order_t irr_order_natural;

/* Row i of the table of orders (order/order.c); NULL past the last. */
const irr_order_t *irr_order_at(int i);

#endif
