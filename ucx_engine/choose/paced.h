/*
 * paced.h - how messages between nodes may be paced: the ways that are worth a trial where queues of switches matter.
 *
 * What is best depends on the rate, on queues, and on how fast processes answer; no constant is right everywhere, and
 * no model knows.  So these strategies are candidates of trials (choose/candidates.h); without a trial a schedule on a
 * tree of switches goes by the first of them.
 *
 * Pure.
 */
#ifndef IRR_PACED_H
#define IRR_PACED_H

#include "plan/way.h"

#define IRR_PACED_WAYS_MAX 8

/* With more ranks it takes seconds to find out which messages meet, so pace sync is only what a user asks for. */
#define IRR_PACED_SYNC_RANKS 512

/* Routes that may be tried. */
enum { IRR_PACED_DIRECT = 1, IRR_PACED_NODE = 2 };

/*
 * Fills ways[] with all of these routes, if there are any, that settings leave open, the likely best first; else, and
 * where they leave none open, with one: the base, which is what the settings say of a schedule by the route direct.
 * Returns how many.
 */
int irr_paced_ways(const irr_settings_t *settings, const irr_way_t *base, unsigned routes, int ranks,
                   irr_way_t ways[IRR_PACED_WAYS_MAX]);

/* The first of these. */
irr_way_t irr_paced_first(const irr_settings_t *settings, const irr_way_t *base, unsigned routes, int ranks);

#endif
