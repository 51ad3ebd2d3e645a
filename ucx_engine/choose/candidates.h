/*
 * candidates.h - lists the strategies that are worth a trial if the user has not chosen an algorithm.
 *
 * The model (choose/model.h) predicts the times of the algorithms direct, grid, node and, if only some messages are
 * long, hybrid.  The list is sorted by these times; strategies with a very long time are left out.  There are two
 * special cases.  If all ranks are on one node and share processors, the candidates are direct with a single copy, and
 * direct with two copies.  Long messages between nodes may fill the queues of switches, whose cost the model does not
 * know.  The list then alternates between strategies with different pacings (choose/paced.h) and strategies in the
 * order of the model.
 */
#ifndef IRR_CANDIDATES_H
#define IRR_CANDIDATES_H

#include "choose/model.h"

typedef struct irr_candidate {
    int            row;        /* row of the algorithm table */
    irr_strategy_t strategy;
    double         ns;         /* time of an exchange, by the model */
} irr_candidate_t;

#define IRR_CANDIDATES_MAX 8

/* Largest number of strategies of all algorithms, grids and pacings together. */
#define IRR_CANDIDATES_ALL 24

/* Room for the text of any candidate. */
#define IRR_CANDIDATE_TEXT 96

/*
 * Fills list[] with the strategies that are worth a trial, best first, and returns their number.  If the settings of
 * the communicator fix a value, all candidates have this value; the algorithm of the settings is ignored.  Open MPI's
 * implementation is not in the list; irr_model_host_ns predicts its time.
 */
int irr_candidates(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                   irr_candidate_t list[IRR_CANDIDATES_MAX]);

/*
 * Fills list[] with all strategies from which irr_candidates chooses, in any order and without times, and returns their
 * number.
 */
int irr_candidates_all(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                       irr_candidate_t list[IRR_CANDIDATES_ALL]);

/*
 * Fills list[] with the strategies of irr_paced_strategies, without times, and returns their number.  Strategies with a
 * schedule get row `row` of the algorithm table, all others get the row of direct.
 */
int irr_candidates_paced(const irr_settings_t *settings, const irr_strategy_t *base, int row, unsigned routes,
                         int ranks, irr_candidate_t list[IRR_CANDIDATES_MAX]);

/* Returns whether two candidates are the same strategy. */
bool irr_candidate_same(const irr_candidate_t *a, const irr_candidate_t *b);

/* Changes the settings of a communicator so that it uses only this strategy, and runs no trial. */
void irr_candidate_settings(const irr_candidate_t *candidate, irr_settings_t *settings);

/* Writes a description for users: "tree, pacing sync, pieces of 32 KiB".  The text is cut to size, which is above 0. */
void irr_candidate_text(const irr_candidate_t *candidate, char *text, size_t size);

#endif
