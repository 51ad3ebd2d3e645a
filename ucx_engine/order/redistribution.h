/*
 * redistribution.h - the schedules of a block-cyclic redistribution.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution
 *
 * In the paper's two algorithms the messages of a step are equally long if the array is a whole number of periods,
 * after which the pattern of messages repeats.  Any other array has the steps of a period, and messages of different
 * lengths.
 *
 * The paper counts the message of a processor to itself like all others, and the steps are computed with these
 * messages. The schedule then omits them (schedule.h), and also omits steps without other messages.
 */
#ifndef IRR_REDIST_H
#define IRR_REDIST_H

#include "order/large.h"
#include "problem/matrix.h"
#include "problem/redistribution.h"

/*
 * Computes a sorted schedule for the matrix that irr_redistribution_matrix made of the redistribution.  *large needs no
 * initialisation; on success the caller frees it with irr_large_fini.  Returns IRR_ERR_NOT_SUPPORTED in the cases
 * stated below.  May return IRR_ERR_NO_MEMORY.
 */
typedef irr_status_t (*irr_redistribution_order_t)(const irr_redistribution_t *redistribution,
                                                   const irr_matrix_t *matrix, irr_large_t *large);

/* Algorithm 1: all messages of a step are equally long.  Not supported if irr_redistribution_aligns returns false. */
irr_status_t irr_redistribution_one(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large);

/*
 * Algorithm 2: each rank sends the same number of bytes in a large step, unless receivers prevent it.  Not supported
 * for periods of 2^63 elements and more.
 */
irr_status_t irr_redistribution_two(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large);

/* The plain contention-free schedule, for comparison: in step k rank i sends to i + k, whatever the lengths. */
irr_status_t irr_redistribution_rotate(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                       irr_large_t *large);

/* The first of algorithm 1, algorithm 2 and the plain schedule that is supported. */
irr_status_t irr_redistribution_order(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                      irr_large_t *large);

/* Returns whether gcd(x, q) = gcd(y, p) = 1 after x and y are divided by gcd(x, y). */
bool irr_redistribution_aligns(const irr_redistribution_t *redistribution);

/* ---- for the algorithms ---- */

/*
 * The input of an algorithm.  gcd(x, y) is 1, which changes no pattern (lemma 2), and each source sends to all targets
 * in turn.  turned: sources and targets are swapped, so each target receives from all sources in turn.
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

/* Appends the message between source i and target j of the view to a small step of a large one; see irr_large_add. */
irr_status_t irr_redistribution_send(const irr_redistribution_view_t *view, int number, int small, int i, int j);

/* Sorts the schedule if status is IRR_OK, and frees it otherwise.  Returns status. */
irr_status_t irr_redistribution_end(irr_large_t *large, irr_status_t status);

#endif
