/*
 * redistribution.h - the messages of an array that changes from cyclic(x) on p ranks to cyclic(y) on q ranks.
 *
 * Element g is on source (g / x) mod p before the change, and on target (g / y) mod q after it.  Source i and target i
 * are both rank i, so there are max(p, q) ranks.  The pattern repeats after a period of lcm(xp, yq) elements, which the
 * paper calls a slice.
 */
#ifndef IRR_REDISTRIBUTION_H
#define IRR_REDISTRIBUTION_H

#include "problem/matrix.h"

/* Returns true if x, p, y and q are above 0, and x * p and y * q are at most INT64_MAX.  Schedules require this. */
bool irr_redistribution_has_sides(const irr_redistribution_t *redistribution);

/* Returns the number of elements of a period, or UINT64_MAX if it does not fit 64 bits. */
uint64_t irr_redistribution_period(const irr_redistribution_t *redistribution);

/* Returns the number of elements that source i sends to target j in each period.  The period must fit 64 bits. */
uint64_t irr_redistribution_entry(const irr_redistribution_t *redistribution, int i, int j);

/*
 * Computes the communication table, in bytes, of max(p, q) ranks.  Returns IRR_ERR_BAD_PARAM if x, p, y, q or unit is
 * 0, if the array has more than INT64_MAX bytes, or if x * p or y * q is above INT64_MAX.  Returns
 * IRR_ERR_NOT_SUPPORTED if the part of the array after the last whole period has too many blocks to count.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_redistribution_matrix(const irr_redistribution_t *redistribution, irr_matrix_t *matrix);

/* Returns the greatest common divisor of two numbers; at least one of them must be above 0. */
uint64_t irr_gcd(uint64_t a, uint64_t b);

#endif
