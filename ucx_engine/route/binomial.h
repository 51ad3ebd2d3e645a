/*
 * binomial.h - the plan of a gather to rank 0, and of a scatter from it, of a part of any length for each rank.
 *
 * Both go along the binomial tree of ranks 0 to P - 1: the parent of a rank lacks its lowest bit, its children are at
 * distances 1, 2, 4 .. below that bit.  A rank and those below it, its family, are ranks one after the other, so what
 * a message carries is a range of the parts in the order of ranks.
 *
 * They are exchanges, of rank 0 with each rank, and irr_plan_check proves them as such: in a gather INPUT is the own
 * part, and on rank 0 OUTPUT has all parts; in a scatter INPUT has all parts on rank 0, and OUTPUT is the own part.  On
 * the other ranks SCRATCH has the parts of the family behind the own one.
 *
 * Cost: a message a rank; ceil(log2 P) one after the other.  Rank 0 has all parts, a rank those of its family.
 */
#ifndef IRR_BINOMIAL_H
#define IRR_BINOMIAL_H

#include "plan/plan.h"

/* Ranks of a family: the rank itself and those below it. */
int irr_binomial_family(int ranks, int rank);

/* So many steps and pieces are enough. */
irr_plan_bounds_t irr_binomial_bounds(int ranks, int rank);

/*
 * Appends the steps of rank plan->rank.  lengths: of the parts of its family, whose sum is at most PTRDIFF_MAX; NULL: a
 * word each.  down: it is a scatter.  Fails where irr_plan_add does.
 */
irr_status_t irr_binomial_add(irr_plan_t *plan, const uint64_t *lengths, bool down);

#endif
