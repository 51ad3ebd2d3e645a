/*
 * redistribution.h - an array changes from cyclic(x) on p ranks to cyclic(y) on q ranks: who sends how much to
 * whom.
 *
 * Element g lies on source (g / x) mod p before, and on target (g / y) mod q after.  Sources and targets are the
 * same ranks, counted from 0: source i and target i are rank i, and there are max(p, q) of them.  The pattern
 * repeats after a period of lcm(xp, yq) elements, which the paper calls a slice.
 */
#ifndef IRR_REDISTRIBUTION_H
#define IRR_REDISTRIBUTION_H

#include "problem/matrix.h"

/* Are there blocks and ranks on both sides, and at most INT64_MAX elements in xp and yq?  The orders need that. */
bool irr_redistribution_has_sides(const irr_redistribution_t *redistribution);

/* Elements of a period, UINT64_MAX if they are more. */
uint64_t irr_redistribution_period(const irr_redistribution_t *redistribution);

/* Elements that source i sends to target j in each period; the period must be below UINT64_MAX. */
uint64_t irr_redistribution_entry(const irr_redistribution_t *redistribution, int i, int j);

/*
 * The communication table, in bytes, for max(p, q) ranks.  IRR_ERR_BAD_PARAM: a zero (but elements), or more than
 * INT64_MAX bytes in the array or elements in xp or yq.  IRR_ERR_NOT_SUPPORTED: what is left after the last whole
 * period has too many blocks to be counted.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_redistribution_matrix(const irr_redistribution_t *redistribution, irr_matrix_t *matrix);

/* Greatest common divisor; one of the two must not be 0. */
uint64_t irr_gcd(uint64_t a, uint64_t b);

#endif
