/*
 * order.h - orders: the step in which each message of an exchange is sent.
 *
 * There are three kinds of orders.  With the first kind, a rank computes its steps alone.  The second kind computes a
 * schedule from the count matrix.  The third kind is `priority`, the order for grids: its steps depend on the rows of
 * the grid (order/priority.h).  All orders are pure.  plan/algorithms.c lists the order of each algorithm.
 *
 * An exchange runs in a group of `size` members; `me` is the index of this rank.  An order of the first kind returns
 * the step, counted from 1, in which this member sends to another member, and the step in which it receives from that
 * member.
 *
 * Rules: in a step a member sends at most one message, and receives at most one message.  If the order is
 * contention-free, both ends of a message have the same step.  Otherwise (natural) the two ends may have different
 * steps.
 *
 * The members form a ring.  From the member of the lowest step on, the steps always rise, or always fall, around the
 * ring.  A list that is sorted by member can therefore be read in the order of steps, from a suitable index on.
 */
#ifndef IRR_ORDER_H
#define IRR_ORDER_H

#include "order/schedule.h"

typedef struct irr_group {
    int size;
    int me;
} irr_group_t;

typedef struct irr_order {
    const char *name;
    bool        contention_free;  /* at most one message to a member in each step */

    /* The steps of an order of the first kind; NULL for other orders. */
    int (*send_step)(irr_group_t group, int to);     /* step of the message to another member */
    int (*recv_step)(irr_group_t group, int from);   /* step of the message from another member */

    /*
     * Computes the schedule of a count matrix; *schedule must be empty.  NULL for orders of the other kinds.  The same
     * matrix, parameters and seed give the same schedule on every rank and machine.
     */
    irr_status_t (*schedule)(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                             irr_schedule_t *schedule);
    bool uses_tree;   /* the schedule depends on the tree in the parameters, which contains the hosts of the ranks */
} irr_order_t;

extern const irr_order_t irr_order_rotate;
extern const irr_order_t irr_order_natural;
extern const irr_order_t irr_order_priority;
extern const irr_order_t irr_order_xor;
extern const irr_order_t irr_order_random;
extern const irr_order_t irr_order_random_sorted;
extern const irr_order_t irr_order_random_heap;
extern const irr_order_t irr_order_optimal;
extern const irr_order_t irr_order_redistribution;
extern const irr_order_t irr_order_tree;

/* The order of a schedule that was read from a file.  Its function `schedule` returns IRR_ERR_NOT_SUPPORTED. */
extern const irr_order_t irr_order_given;

/*
 * Computes the schedule of a count matrix.  The caller frees the schedule with irr_schedule_fini.  Does not block, but
 * may take long.
 *
 * May return IRR_ERR_NO_MEMORY.  Returns IRR_ERR_BAD_PARAM if the matrix has 2^63 bytes or more, or if the order is
 * redistribution and the parameters describe no redistribution.  Returns IRR_ERR_TIMEOUT if the deadline has passed;
 * the orders xor and redistribution are fast, and do not check the deadline.  The order redistribution returns
 * IRR_ERR_NOT_SUPPORTED if the redistribution has more ranks than the matrix, or if the matrix has a message that the
 * redistribution does not have.
 */
irr_status_t irr_order_schedule(const irr_order_t *order, const irr_matrix_t *matrix,
                                const irr_scheduled_params_t *params, irr_schedule_t *schedule);

#endif
