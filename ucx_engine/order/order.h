/*
 * order.h - orders.  An order states in which step of a collective exchange each message is sent.
 *
 * There are three kinds of orders.  An order of the first kind computes the steps of one rank, from the index of the
 * rank.  An order of the second kind computes the steps of all ranks from the count matrix, the table of the bytes that
 * each rank sends to each other rank.  The result is a schedule.  The only order of the third kind is `priority`, the
 * order of the grid algorithms; its function is irr_priority_step (order/priority.h).  plan/algorithms.c lists the
 * order of each algorithm.
 *
 * An order of the first kind works on a group of `size` members; `me` is the index of this rank in the group.  The
 * order returns the step, counted from 1, in which this member sends to another member, and the step in which it
 * receives from that member.
 *
 * Rules of the first kind: in a step a member sends at most one message, and receives at most one message.  If the
 * order is contention-free, the sender and the receiver of a message compute the same step.  In the order `natural`,
 * which is not contention-free, they may compute different steps.
 *
 * If the members form a ring, the steps of a member rise in one direction around the ring, from the peer of the lowest
 * step on.  A list that is sorted by member can therefore be read in the order of steps, from a suitable index on.
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
    bool        contention_free;  /* in a step no member receives two messages */

    /* The two functions of an order of the first kind; NULL for other orders. */
    int (*send_step)(irr_group_t group, int to);     /* step of the message to another member */
    int (*recv_step)(irr_group_t group, int from);   /* step of the message from another member */

    /*
     * The function of an order of the second kind; NULL for other orders.  Computes the schedule of a count matrix;
     * *schedule must be empty.  The same matrix and the same parameters, which include a random seed, give the same
     * schedule on every rank and machine.
     */
    irr_status_t (*schedule)(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                             irr_schedule_t *schedule);
    bool uses_tree;   /* the schedule depends on params->tree, the tree of switches with the host of each rank */
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

/* Stands for a schedule that was read from a file.  Its function `schedule` always returns IRR_ERR_NOT_SUPPORTED. */
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
