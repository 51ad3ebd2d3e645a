/*
 * paced.h - lists the strategies that are worth a trial if long messages between nodes may fill the queues of switches.
 *
 * A pacing is the condition under which a message may start.  The fastest pacing depends on the rate of the network, on
 * its queues, and on the time that processes take to respond.  The model (choose/model.h) cannot predict it, so trials
 * compare these strategies (choose/candidates.h).  Without a trial, algorithm tree uses the first strategy of the list.
 */
#ifndef IRR_PACED_H
#define IRR_PACED_H

#include "plan/strategy.h"

#define IRR_PACED_STRATEGIES_MAX 8

/*
 * Largest number of ranks with which pacing sync is tried.  With more ranks, the computation of its synchronisations
 * would take seconds.
 */
#define IRR_PACED_SYNC_RANKS 512

/* Routes that may be tried. */
enum { IRR_PACED_DIRECT = 1, IRR_PACED_NODE = 2 };

/*
 * Fills strategies[] with the strategies of these routes that the settings allow, and returns their number.  The
 * strategy that is probably the fastest comes first.  base: the strategy of the settings, with a schedule and the
 * direct route.  If the settings allow none of them, strategies[0] is the base, with pacing grant if its own pacing is
 * not allowed.
 */
int irr_paced_strategies(const irr_settings_t *settings, const irr_strategy_t *base, unsigned routes, int ranks,
                         irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX]);

/* Returns the first of the strategies of irr_paced_strategies. */
irr_strategy_t irr_paced_first(const irr_settings_t *settings, const irr_strategy_t *base, unsigned routes, int ranks);

#endif
