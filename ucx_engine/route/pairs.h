/*
 * pairs.h - the direct route of an exchange in place: what comes from a rank lies where what goes to it was.
 *
 * So a message may be received only when what it overwrites is out of the way.  Each rank copies that to scratch, sends
 * it from there, and receives.  The scratch is bounded, and so is used again when a send is over, which may need that
 * its receiver has asked for it, after sends of its own.  Nobody waits in a circle, because all ranks take their peers
 * in one order: in step k rank i exchanges with rank (k - i) mod P, which in that step exchanges with i.  Of all
 * messages that are not over those of the lowest step have both ends ready.
 *
 * A long message goes in pieces.  Both ends have one length for what goes either way, unless the program is wrong.
 * Then one of them would wait for pieces that never come.  So the first of n pieces has 2 n - 3 bytes more than the
 * others, and so more than any message that goes whole.  Who receives another length than that knows that its peer
 * counts otherwise, or does not exchange in place, and so does that peer; neither sends the other any more.  That is
 * why the other pieces wait for the first one.  A peer that does not exchange in place, and that waits for its turn, by
 * pace or window, waits no more (exec/exec.h).  What this cannot tell apart is a whole
 * message of IRR_PAIRS_PIECE + 1 bytes, of a peer that does not exchange in place, and two lengths of more than 32 GiB.
 *
 * Cost for d messages and b blocks: a copy of each byte, IRR_PAIRS_SCRATCH bytes of scratch at most, whatever is
 * exchanged, and O(d + b) time; as many messages as otherwise, and one more for each IRR_PAIRS_PIECE bytes of one.
 */
#ifndef IRR_PAIRS_H
#define IRR_PAIRS_H

#include "plan/plan.h"

/* Bytes of scratch at most; and of a message that goes whole, and of each piece but the first. */
#define IRR_PAIRS_SCRATCH ((size_t)1 << 20)
#define IRR_PAIRS_PIECE   ((size_t)1 << 18)

typedef struct irr_pairs_limits {
    size_t scratch;   /* twice a piece at least, and a multiple of 64 */
    size_t piece;     /* 64 or more */
} irr_pairs_limits_t;

extern const irr_pairs_limits_t irr_pairs_limits;   /* those above; alike on all ranks */

/*
 * Makes the plan of a problem's rank, of which only what it receives is looked at, but for its message to itself, which
 * lies where it goes.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_pairs_build(const irr_problem_t *problem, const irr_pairs_limits_t *limits, irr_plan_t *plan);

#endif
