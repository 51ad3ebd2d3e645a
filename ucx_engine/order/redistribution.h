/*
 * redistribution.h - the schedules of a block-cyclic redistribution.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution
 *
 * An array with blocks of x elements on p ranks, the sources, gets blocks of y elements on q ranks, the targets
 * (problem/redistribution.h).  The pattern of messages repeats after a number of elements, the period.  If the array is
 * a whole number of periods, all messages of a step are equally long in both algorithms of the paper.  For any other
 * array the steps are those of one period, and the messages of a step may have different lengths.
 *
 * As in the paper, the messages of ranks to themselves count when the steps are computed.  The schedule omits these
 * messages, and steps without other messages.
 */
#ifndef IRR_REDIST_H
#define IRR_REDIST_H

#include "order/large.h"
#include "problem/matrix.h"
#include "problem/redistribution.h"

/*
 * Computes a sorted schedule for the matrix that irr_redistribution_matrix computed from the redistribution.  *large
 * needs no initialisation; on success the caller frees it with irr_large_fini.  Returns IRR_ERR_NOT_SUPPORTED in the
 * cases stated below.  May return IRR_ERR_NO_MEMORY.
 */
typedef irr_status_t (*irr_redistribution_order_t)(const irr_redistribution_t *redistribution,
                                                   const irr_matrix_t *matrix, irr_large_t *large);

/*
 * Algorithm 1: all messages of a step are equally long.  Returns IRR_ERR_NOT_SUPPORTED if irr_redistribution_aligns
 * returns false.
 */
irr_status_t irr_redistribution_one(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large);

/*
 * Algorithm 2, in large steps (order/large.h): each source sends the same number of bytes in a large step.  Returns
 * IRR_ERR_NOT_SUPPORTED for periods of 2^63 elements and more.
 */
irr_status_t irr_redistribution_two(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large);

/* The plain schedule, for comparison: in step k rank i sends to rank i + k.  The steps do not depend on lengths. */
irr_status_t irr_redistribution_rotate(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                       irr_large_t *large);

/* Uses algorithm 1; if it is not supported, algorithm 2; if that is not supported either, irr_redistribution_rotate. */
irr_status_t irr_redistribution_order(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                      irr_large_t *large);

/* Returns whether x and q, and y and p, have no common divisor, after x and y are divided by gcd(x, y). */
bool irr_redistribution_aligns(const irr_redistribution_t *redistribution);

/* ---- for the algorithms ---- */

/*
 * The input of an algorithm.  In `sides`, x and y are divided by gcd(x, y), which does not change the pattern of
 * messages (lemma 2).  turned: sources and targets are swapped.  An algorithm computes the order in which each source
 * sends to its targets; if turned, this becomes the order in which each target receives from its sources.
 */
typedef struct irr_redistribution_view {
    irr_redistribution_t sides;
    bool                 turned;
    const irr_matrix_t  *matrix;
    irr_large_t         *large;
} irr_redistribution_view_t;

/* Returns the view of a redistribution, and empties *large. */
irr_redistribution_view_t irr_redistribution_view(const irr_redistribution_t *redistribution, bool turned,
                                                  const irr_matrix_t *matrix, irr_large_t *large);

/*
 * Appends the message between source i and target j of the view to small step `small` of large step `number`; see
 * irr_large_add.
 */
irr_status_t irr_redistribution_send(const irr_redistribution_view_t *view, int number, int small, int i, int j);

/* Sorts the schedule if status is IRR_OK, and frees it otherwise.  Returns status. */
irr_status_t irr_redistribution_end(irr_large_t *large, irr_status_t status);

#endif
