/*
 * binomial.h - the plan of a gather to rank 0 or a scatter from it, with an entry of any length for each rank.
 *
 * Both use the binomial tree of ranks 0 to P - 1.  The parent of a rank is the rank without its lowest bit; its
 * children are at distances 1, 2, 4 .. below that bit.  The family of a rank, which is the rank and all below it, has
 * consecutive ranks.  So a message carries a range of the entries in the order of ranks.
 *
 * A gather or scatter is an exchange of rank 0 with each rank, and irr_plan_check proves it as such.  In a gather INPUT
 * is the own entry, and on rank 0 OUTPUT has all entries.  In a scatter INPUT has all entries on rank 0, and OUTPUT is
 * the own entry.  On the other ranks SCRATCH has the entries of the family without the own one.
 *
 * Cost: one message for each rank but 0, ceil(log2 P) of them one after the other.  A rank stores the entries of its
 * family.
 */
#ifndef IRR_BINOMIAL_H
#define IRR_BINOMIAL_H

#include "plan/plan.h"

/* Returns the number of ranks of a family: the rank itself and those below it. */
int irr_binomial_family(int ranks, int rank);

/* Returns the steps and pieces that a plan needs. */
irr_plan_room_t irr_binomial_bounds(int ranks, int rank);

/*
 * Appends the steps of rank plan->rank.  lengths: bytes of the entries of its family, PTRDIFF_MAX in all at most; NULL:
 * one word each.  down: scatter.  Returns the errors of irr_plan_add.
 */
irr_status_t irr_binomial_add(irr_plan_t *plan, const uint64_t *lengths, bool down);

#endif
