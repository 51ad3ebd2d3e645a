/*
 * candidates.h - which ways are worth a trial, where nobody named one.
 *
 * On one node that is the one through shared memory.  If messages are long there are two of it: they are lent, or
 * copied twice, and which is faster depends on caches, and differs between processors by a factor of two or more
 * either way.  On several nodes, all ways that have sense there are ranked by the model (choose/model.h), and hopeless
 * ones are left out; so is the hybrid where it is not likely to be the best.  The model does not know what queues of
 * switches cost.  So where messages are long enough to fill these, ways with different paces (choose/paced.h) are in
 * the list in turn with those that the model likes, whatever it says of them.
 *
 * A candidate is pinned: a communicator with its settings goes that way and tries nothing by itself.
 *
 * Pure.  O(1), but for the logarithms of grids.
 */
#ifndef IRR_CANDIDATES_H
#define IRR_CANDIDATES_H

#include "choose/model.h"

typedef struct irr_candidate {
    int       row;   /* of the algorithm table */
    irr_way_t way;
    double    ns;    /* of an exchange, by the model */
} irr_candidate_t;

#define IRR_CANDIDATES_MAX 8

/* All that have sense: rows, grids and paces. */
#define IRR_CANDIDATES_ALL 24

/* Room for the text of any. */
#define IRR_CANDIDATE_TEXT 96

/*
 * Fills list[] with what is worth a trial, best first, and returns how many that are.  Settings are those of the
 * communicator, and what they pin is pinned in all; their algorithm is not looked at, nor are the limits of blocks in
 * the traffic, which follow from settings.  What the model says of Open MPI's own is irr_model_host_ns.
 */
int irr_candidates(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                   irr_candidate_t list[IRR_CANDIDATES_MAX]);

/*
 * What irr_candidates chooses from, and on one node also what does not go over boards: fills list[], in no order and
 * without times, and returns how many that are.
 */
int irr_candidates_all(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                       irr_candidate_t list[IRR_CANDIDATES_ALL]);

/*
 * Fills list[] with the strategies of irr_paced_ways, without times, and returns how many those are.  One that needs no
 * schedule is a1 with a pace; any other one is of this row of the algorithm table.
 */
int irr_candidates_paced(const irr_settings_t *settings, const irr_way_t *base, int row, unsigned routes, int ranks,
                         irr_candidate_t list[IRR_CANDIDATES_MAX]);

/* Are both the same way? */
bool irr_candidate_same(const irr_candidate_t *a, const irr_candidate_t *b);

/* Makes the settings of a communicator those of one that goes this way alone. */
void irr_candidate_settings(const irr_candidate_t *candidate, irr_settings_t *settings);

/* As a user would name it: "aapc, pace sync, pieces of 32 KiB".  Cut to size, from 1 on. */
void irr_candidate_text(const irr_candidate_t *candidate, char *text, size_t size);

#endif
