/*
 * candidates.h - which ways are worth a trial, where nobody named one.
 *
 * The model (choose/model.h) ranks direct messages, grids, leaders and, where only some messages are long, the hybrid;
 * hopeless ones are left out.  On one node direct messages are the only candidate if ranks share processors.
 * The model does not know what queues of switches cost.  Where messages between nodes are long enough to fill these,
 * ways with different paces (choose/paced.h) are therefore in the list in turn with those that the model ranks first,
 * whatever it says of them.
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

/* Fills list[] with all that irr_candidates chooses from, in no order and without times, and returns how many. */
int irr_candidates_all(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                       irr_candidate_t list[IRR_CANDIDATES_ALL]);

/*
 * Fills list[] with the strategies of irr_paced_ways, without times, and returns how many those are.  One that needs no
 * schedule is a1 with a pace; any other one is of this row of the algorithm table.
 */
int irr_candidates_paced(const irr_settings_t *settings, const irr_way_t *base, int row, unsigned routes, int ranks,
                         irr_candidate_t list[IRR_CANDIDATES_MAX]);

/* Do exchanges go the same way by both? */
bool irr_candidate_same(const irr_candidate_t *a, const irr_candidate_t *b);

/* Makes the settings of a communicator those of one that goes this way alone. */
void irr_candidate_settings(const irr_candidate_t *candidate, irr_settings_t *settings);

/* As a user would name it: "aapc, pace sync, pieces of 32 KiB".  Cut to size, from 1 on. */
void irr_candidate_text(const irr_candidate_t *candidate, char *text, size_t size);

#endif
