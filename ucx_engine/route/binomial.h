/*
 * binomial.h - the plan of a gather to rank 0 or a scatter from rank 0.  The data of each rank is its entry, whose
 * length may differ from rank to rank.
 *
 * Both use the binomial tree of ranks 0 to P - 1.  To get the parent of a rank, clear the lowest set bit of the rank.
 * The children of rank r are r + 1, r + 2, r + 4 and so on.  The distance is less than the lowest set bit of r; rank 0
 * has no such limit.  The family of a rank is the rank and all ranks below it in the tree.  A family has consecutive
 * ranks, so a message carries consecutive entries, in the order of ranks.
 *
 * In a gather each rank sends its entry to rank 0; in a scatter rank 0 sends each rank its entry.  irr_plan_check
 * proves the plans correct as plans of such an exchange.  In a gather, buffer INPUT is the entry of the rank, and
 * OUTPUT of rank 0 has all entries.  In a scatter, INPUT of rank 0 has all entries, and OUTPUT is the entry of the
 * rank.  On all other ranks, SCRATCH has the entries of the family, except the entry of the rank itself.
 *
 * Cost: P - 1 messages, at most ceil(log2 P) of them one after the other.  A rank stores the entries of its family.
 */
#ifndef IRR_BINOMIAL_H
#define IRR_BINOMIAL_H

#include "plan/plan.h"

/* Returns the number of ranks of the family of a rank. */
int irr_binomial_family(int ranks, int rank);

/* Returns the room that the plan of a rank needs: upper bounds of the numbers of its steps, pieces and dependencies. */
irr_plan_room_t irr_binomial_bounds(int ranks, int rank);

/*
 * Appends the steps of rank plan->rank.  lengths: lengths in bytes of the entries of its family, in the order of ranks,
 * at most PTRDIFF_MAX together; NULL: each entry is a 64-bit word.  down: true for a scatter, false for a gather.
 * Returns the errors of irr_plan_add.
 */
irr_status_t irr_binomial_add(irr_plan_t *plan, const uint64_t *lengths, bool down);

#endif
