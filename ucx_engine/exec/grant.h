/*
 * grant.h - the messages of the pace `grant`: a receiver admits a few senders at a time.
 *
 * A rank grants its receives in the order of its plan: it sends an empty message to the sender of each, and has at
 * most `limit` of them granted and not over.  It sends in the order of its plan too, each message when its grant
 * is here (pace/grant.c).  Grants of one rank to another are alike and stay in order, and both have their messages
 * in the same order, so the j-th grant is for the j-th message.  Grants are of kind IRR_TAG_SYNC, with the stage
 * of the step.
 *
 * It comes to an end if all messages of the exchange have one order that each rank keeps in its sends and in its
 * receives: of the messages that are not over take the first.  Its receiver has no receive before it that is not
 * over, so it is granted; its sender has no send before it that is not over, so it goes.  The order is the list of
 * a schedule; (to - from) mod P with rotate; from + to with natural, where a rank sends to 0, 1, 2 ... and
 * receives from 0, 1, 2 ...  The ranks of a grid have no such order, and sends that wait for receives, so grids go
 * without grants.
 *
 * Errors: see signal.h.  A grant that could not be sent gives its place to the next receive, so that nobody else
 * waits for it.
 *
 * What never comes holds up what is behind it in that order, on other ranks too.
 *
 * Cost: one empty message for each message of the plan, O(1) time each; memory for one grant a step.  On emulated
 * switched Ethernet a prototype reached 0.82 to 0.91 of a port where exchanges without grants reach about half:
 * with pieces of 16 to 128 KiB, strict order on both sides, and the next grant on its way before a piece ends.  A
 * limit of 2 stands for that lead, and has not been measured.
 */
#ifndef IRR_GRANT_H
#define IRR_GRANT_H

#include "exec/signal.h"
#include "plan/plan.h"

/* Of a step that is a receive. */
typedef struct irr_grant {
    bool over;       /* the receive is */
    bool admitted;   /* it takes one of the places */
} irr_grant_t;

/* Zeroed is empty. */
typedef struct irr_grants {
    irr_signals_t     signals;    /* one a step: a send awaits it, a receive gives it */
    irr_grant_t      *list;       /* one entry a step */
    size_t            list_max;
    const irr_plan_t *plan;       /* NULL: this run has no grants */
    size_t            limit;
    size_t            next;       /* first step that may be a receive without a grant */
    size_t            admitted;   /* receives granted and not over */
} irr_grants_t;

/* Makes room for plans of so many steps, so that start cannot fail.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_grants_reserve(irr_grants_t *grants, size_t steps);
void         irr_grants_fini(irr_grants_t *grants);

/*
 * Posts receives for all grants that the sends of a plan wait for.  Plan, env and result, which takes the first
 * error, are borrowed until irr_grants_end.  limit: receives granted at a time, not 0.
 */
void irr_grants_start(irr_grants_t *grants, const irr_plan_t *plan, const irr_exec_env_t *env, size_t limit,
                      irr_status_t *result);

/* Grants what may be granted of the receives before this step, all of which are posted. */
void irr_grants_advance(irr_grants_t *grants, size_t posted);

/* A receive is over, well or not. */
void irr_grants_close(irr_grants_t *grants, size_t step);

/* May the send of this step start?  Yes in a run without grants. */
bool irr_grants_here(const irr_grants_t *grants, size_t step);

/* When all steps of the plan are over: true, and the run is over, if the transport has no grant any more. */
bool irr_grants_end(irr_grants_t *grants);

#endif
