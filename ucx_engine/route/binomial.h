/*
 * binomial.h - the plan of a gather to rank 0 or a scatter from rank 0.  The data of each rank is its entry, whose
 * length may differ from rank to rank.
 *
 * Both use the binomial tree of ranks 0 to P - 1.  To get the parent of a rank, clear the lowest set bit of the rank.
 * The children of rank r are r + 1, r + 2, r + 4 and so on, as long as the distance is less than the lowest set bit of
 * r.  The family of a rank is the rank and all ranks below it in the tree.  A family has consecutive ranks, so a
 * message carries a range of the entries in the order of ranks.
 *
 * A gather or scatter is an exchange of rank 0 with each rank, so irr_plan_check can prove its plans.  In a gather,
 * INPUT is the entry of the rank, and OUTPUT of rank 0 has all entries.  In a scatter, INPUT of rank 0 has all entries,
 * and OUTPUT is the entry of the rank.  On all ranks except 0, SCRATCH has the entries of the family without the entry
 * of the rank itself.
 *
 * Cost: P - 1 messages in all, and ceil(log2 P) messages one after the other.  A rank stores the entries of its family.
 */
#ifndef IRR_BINOMIAL_H
#define IRR_BINOMIAL_H

#include "plan/plan.h"

/* Returns the number of ranks of the family of a rank: the rank itself and all ranks below it in the tree. */
int irr_binomial_family(int ranks, int rank);

/* Returns the numbers of steps, pieces and dependencies of the plan of a rank. */
irr_plan_room_t irr_binomial_bounds(int ranks, int rank);

/*
 * Appends the steps of rank plan->rank.  lengths: lengths in bytes of the entries of its family, at most PTRDIFF_MAX
 * together; NULL: each entry is a 64-bit word.  down: true for a scatter, false for a gather.  Returns the errors of
 * irr_plan_add.
 */
irr_status_t irr_binomial_add(irr_plan_t *plan, const uint64_t *lengths, bool down);

#endif
