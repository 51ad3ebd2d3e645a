/*
 * redist.h - the schedules of a block-cyclic redistribution.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution
 *
 * The paper's two algorithms align the lengths of the messages in a step for an array of whole periods.  For any
 * other array the steps are those of a period with what there is to send in them: nothing is missing, but lengths
 * differ.
 *
 * The paper counts the message of a processor to itself like all others, and the steps here are chosen so.  They
 * are then left out, as from all schedules (schedule.h), and a step that had nothing else is left out with them.
 */
#ifndef IRR_REDIST_H
#define IRR_REDIST_H

#include "order/large.h"
#include "problem/matrix.h"
#include "problem/redistribution.h"

/*
 * Each computes a schedule, sorted, for the matrix that irr_redistribution_matrix made of the redistribution.
 * *large needs no initialisation, and is the caller's to end with irr_large_fini on success.  IRR_ERR_NO_MEMORY;
 * IRR_ERR_NOT_SUPPORTED as said below.
 */
typedef irr_status_t (*irr_redistribution_order_t)(const irr_redistribution_t *redistribution,
                                                   const irr_matrix_t *matrix, irr_large_t *large);

/* Algorithm 1: all messages of a step are equally long.  Not supported: irr_redistribution_aligns says no. */
irr_status_t irr_redistribution_one(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large);

/*
 * Algorithm 2: each rank sends equally much in a large step, so far as receivers allow.  Not supported: periods of
 * 2^63 elements and more.
 */
irr_status_t irr_redistribution_two(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large);

/* The plain contention-free schedule, for comparison: in step k rank i sends to i + k, whatever the length. */
irr_status_t irr_redistribution_rotate(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                       irr_large_t *large);

/* Algorithm 1 where it is supported, else algorithm 2, else the plain schedule. */
irr_status_t irr_redistribution_order(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                      irr_large_t *large);

/* Once x and y are divided by what they have in common: gcd(x, q) = gcd(y, p) = 1? */
bool irr_redistribution_aligns(const irr_redistribution_t *redistribution);

/* ---- for the algorithms ---- */

/*
 * What an algorithm works on: gcd(x, y) is 1, which changes no pattern (lemma 2), and each source sends to all
 * targets in turn.  Turned: sources and targets have changed places, so that each target receives from all sources
 * in turn.
 */
typedef struct irr_redistribution_view {
    irr_redistribution_t sides;
    bool                 turned;
    const irr_matrix_t  *matrix;
    irr_large_t         *large;
} irr_redistribution_view_t;

/* Also empties *large. */
irr_redistribution_view_t irr_redistribution_view(const irr_redistribution_t *redistribution, bool turned,
                                                  const irr_matrix_t *matrix, irr_large_t *large);

/* The message between source i and target j of the view goes to a small step of a large one; see irr_large_add. */
irr_status_t irr_redistribution_send(const irr_redistribution_view_t *view, int number, int small, int i, int j);

/* What an algorithm returns: the schedule sorted, or nothing. */
irr_status_t irr_redistribution_end(irr_large_t *large, irr_status_t status);

#endif
