/*
 * route.h - through which ranks does a byte travel?
 *
 * A route appends to a plan the steps that carry the problem's blocks, stage by stage; in each stage it
 * asks the order for the step of each message.  Routes are pure.
 */
#ifndef IRR_ROUTE_H
#define IRR_ROUTE_H

#include "order/order.h"
#include "plan/plan.h"

typedef struct irr_route {
    const char *name;
    /* The plan is empty and belongs to the problem's rank.  Fails only where irr_plan_add does. */
    irr_status_t (*build)(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan);
    /* The most that build can add, for any counts. */
    irr_plan_bounds_t (*bounds)(int ranks);
} irr_route_t;

extern const irr_route_t irr_route_direct;

/* Row i of the table of routes (route/route.c); NULL past the last. */
const irr_route_t *irr_route_at(int i);

#endif
