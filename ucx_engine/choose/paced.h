/*
 * paced.h - lists the strategies of long messages between nodes that are worth a trial if queues of switches matter.
 *
 * The best pacing depends on the rate of the network, on queues, and on how fast processes answer.  No constant suits
 * all networks, and no model predicts the best one.  These strategies are therefore candidates of trials
 * (choose/candidates.h). Without a trial, a schedule on a tree of switches uses the first of them.
 *
 * Pure.
 */
#ifndef IRR_PACED_H
#define IRR_PACED_H

#include "plan/strategy.h"

#define IRR_PACED_STRATEGIES_MAX 8

/* Most ranks for which sync is tried: with more it takes seconds to find out which messages share a link. */
#define IRR_PACED_SYNC_RANKS 512

/* Routes that may be tried. */
enum { IRR_PACED_DIRECT = 1, IRR_PACED_NODE = 2 };

/*
 * Fills strategies[] with the strategies of these routes that the settings leave open, the likely best first, and
 * returns their number.  If there are none, strategies[0] is the base, which is the settings' strategy of a schedule by
 * the direct route.
 */
int irr_paced_strategies(const irr_settings_t *settings, const irr_strategy_t *base, unsigned routes, int ranks,
                         irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX]);

/* Returns the first of the strategies of irr_paced_strategies. */
irr_strategy_t irr_paced_first(const irr_settings_t *settings, const irr_strategy_t *base, unsigned routes, int ranks);

#endif
