/*
 * pairs.h - the direct route of an exchange in place: the data from a rank is received where the data to this rank was.
 *
 * A message may therefore be received only when the data that it overwrites is elsewhere.  Each rank copies that data
 * to scratch, sends it from there, and receives.  The scratch is bounded, and its places are reused when a send is
 * over, which may require that the receiver has posted its receive, after sends of its own.  Ranks never wait in a
 * circle, because all ranks take their peers in one order: in step k rank i exchanges with rank (k - i) mod P, which in
 * that step exchanges with i.  Of all messages that are not over, those of the lowest step have both ends ready.
 *
 * A long message goes in chunks.  Both ends have the same length for both directions, unless the program is wrong. With
 * different lengths one end would wait for chunks that never come.  The first of n chunks therefore has 2 n - 3 bytes
 * more than the others, and so more than any message that goes whole.  A rank that receives another length knows that
 * its peer has other counts, or does not exchange in place.  The peer finds the same, and neither sends any more: that
 * is why the other chunks wait for the first one.  A peer that does not exchange in place, and waits for its turn by
 * pacing or window, stops waiting (exec/exec.h).  Two cases are not detected: a whole message of IRR_PAIRS_CHUNK + 1
 * bytes from a peer that does not exchange in place, and two lengths of more than 32 GiB.
 *
 * Cost for d messages and b blocks: one copy of each byte, at most IRR_PAIRS_SCRATCH bytes of scratch for any exchange,
 * O(d + b) time, and the messages of the direct route plus one for each IRR_PAIRS_CHUNK bytes of a message.
 */
#ifndef IRR_PAIRS_H
#define IRR_PAIRS_H

#include "plan/plan.h"

/* Most bytes of scratch, and most bytes of a message that goes whole and of each chunk but the first. */
#define IRR_PAIRS_SCRATCH ((size_t)1 << 20)
#define IRR_PAIRS_CHUNK   ((size_t)1 << 18)

typedef struct irr_pairs_limits {
    size_t scratch;   /* at least twice a chunk, and a multiple of 64 */
    size_t chunk;     /* at least 64 */
} irr_pairs_limits_t;

extern const irr_pairs_limits_t irr_pairs_limits;   /* the constants above; alike on all ranks */

/*
 * Builds the plan of a problem's rank from its receive blocks; its message to itself is in place.  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_pairs_build(const irr_problem_t *problem, const irr_pairs_limits_t *limits, irr_plan_t *plan);

#endif
