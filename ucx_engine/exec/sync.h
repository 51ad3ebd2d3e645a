/*
 * sync.h - the messages of the pace `sync`: who has received tells those whose sends would meet that on a link; who
 * sent it may be one of them.
 *
 * A plan says whom a rank tells, and after which receives, and for which signals each of its sends waits; see
 * irr_plan_tell_t.  A rank tells in the order of the plan, each when all receives before the place that it names are
 * over: that orders what it tells one peer, and makes nobody wait for a later step.  Signals go out early by the lead
 * that the plan was built with (route/schedule_syncs.h), so that the wire does not idle while they travel.
 *
 * It comes to an end: a send waits for its rank's own earlier sends, and for receives, its own or those of the rank
 * that tells, of steps before its own.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 *
 * Cost: one empty message a signal, O(1) time each.  Errors: see signal.h.
 */
#ifndef IRR_SYNC_H
#define IRR_SYNC_H

#include "exec/signal.h"
#include "plan/plan.h"

/* Zeroed is empty. */
typedef struct irr_sync_run {
    irr_signals_t     signals;      /* those that are awaited, then those that are given */
    const irr_plan_t *plan;         /* NULL: this run has none */
    size_t            next_tell;    /* first that is not given */
    size_t            next_await;   /* first that is not here */
    size_t            received;     /* all receives of the last stage before this step are over */
} irr_sync_run_t;

/* Makes room for plans of so many tells and awaits each, so that start cannot fail.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_sync_run_reserve(irr_sync_run_t *run, size_t syncs);
void         irr_sync_run_fini(irr_sync_run_t *run);

/* Posts receives for all that the plan awaits.  Plan, env and result are borrowed until irr_sync_run_end. */
void irr_sync_run_start(irr_sync_run_t *run, const irr_plan_t *plan, const irr_exec_env_t *env,
                        irr_status_t *result);

/* Tells what may be told when all receives before this step are over. */
void irr_sync_run_advance(irr_sync_run_t *run, size_t received);

/* Is all here that the send of this step waits for?  To be asked in the order of the plan.  Yes without a plan. */
bool irr_sync_run_here(irr_sync_run_t *run, size_t step);

/* When all steps of the plan are over: true, and the run is over, if all is told and the transport has no signal. */
bool irr_sync_run_end(irr_sync_run_t *run);

#endif
