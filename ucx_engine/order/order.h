/*
 * order.h - in which step does each message of an exchange go?
 *
 * Some orders a rank knows alone; others compute a schedule from the count matrix, and `priority` belongs to the grid,
 * whose steps depend on its rows (order/priority.h).  All are pure; plan/algorithms.c says which algorithm has which.
 *
 * An exchange runs inside a group of `size` members; `me` is the index of this rank.  An order that a rank knows alone
 * says in which step, counted from 1, this member sends to another one, and in which it receives from it.
 *
 * Rules: a member sends at most one message in a step, and receives at most one.  Messages need not be sent in the
 * step in which they are received (natural), unless the order says contention-free.
 *
 * Around the group, from the member of the lowest step on, steps rise, or they do so backwards; the own member has a
 * number that fits in.  So a list sorted by member is one by step as well, if it is read from the right place on.
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

    /* What a rank knows alone; else NULL. */
    int (*send_step)(irr_group_t group, int to);     /* to another member, */
    int (*recv_step)(irr_group_t group, int from);   /* or from one */

    /*
     * Appends to an empty schedule; else NULL.  The same matrix, parameters and seed give the same schedule on every
     * rank and machine.
     */
    irr_status_t (*schedule)(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                             irr_schedule_t *schedule);
    bool uses_tree;   /* of the parameters: it differs with the hosts that ranks are on */
} irr_order_t;

extern const irr_order_t irr_order_rotate;
extern const irr_order_t irr_order_natural;
extern const irr_order_t irr_order_priority;
extern const irr_order_t irr_order_lp;
extern const irr_order_t irr_order_rs_n;
extern const irr_order_t irr_order_rs_n_sort;
extern const irr_order_t irr_order_rs_nh;
extern const irr_order_t irr_order_optimal;
extern const irr_order_t irr_order_redist;
extern const irr_order_t irr_order_aapc;

/* That of a schedule which somebody has given, in a file: it computes none (IRR_ERR_NOT_SUPPORTED). */
extern const irr_order_t irr_order_given;

/*
 * Runs an order that computes a schedule, which is written on success only, and is the caller's to irr_schedule_fini.
 * IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if the bytes of the matrix are 2^63 or more.  IRR_ERR_TIMEOUT: not done by the
 * deadline; lp and redist, which are fast, do not look.  And redist alone: IRR_ERR_BAD_PARAM if the parameters have no
 * redistribution (p is 0, for one); IRR_ERR_NOT_SUPPORTED if it has more ranks than the matrix, or the matrix has
 * messages that it has not.
 */
irr_status_t irr_order_schedule(const irr_order_t *order, const irr_matrix_t *matrix,
                                const irr_scheduled_params_t *params, irr_schedule_t *schedule);

#endif
