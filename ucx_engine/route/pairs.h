/*
 * pairs.h - the direct route of an exchange in place: the data from a rank replaces the data for this rank.
 *
 * A message may be received only after the data that it overwrites was copied.  Each rank copies its data for a peer to
 * scratch memory, sends it from there, and receives the data of the peer.  The scratch is bounded: its bytes are reused
 * when the send from them is complete.  A send may stay incomplete until its receiver has posted the receive, and the
 * receiver may first wait for its own sends.  This cannot deadlock, because all ranks process their peers in the same
 * order: in step k ranks i and (k - i) mod P exchange messages.  At any time, sender and receiver of the unfinished
 * messages of the lowest step are ready, so these messages make progress.
 *
 * A long message is sent in chunks.  In a correct program both ranks have the same length for both directions.  If the
 * lengths differed, a rank could wait for chunks that never arrive.  The length of the first of n chunks therefore
 * encodes n: it is IRR_PAIRS_CHUNK + 2 n - 3 bytes, which is longer than any message that is sent whole.  A rank that
 * receives a first chunk of an unexpected length detects that its peer has other counts, or does not exchange in place.
 * The peer detects the same error.  All other chunks wait for the first chunk of the peer, so neither rank sends more
 * data.  For a peer that does not exchange in place, the first chunk is a message that is too short, after which its
 * executor starts all its sends (exec/exec.h).  Two errors are not detected: a whole message of IRR_PAIRS_CHUNK + 1
 * bytes from a peer that does not exchange in place, and different lengths that are both above 32 GiB.
 *
 * Cost for d messages and b blocks: one copy of each byte, at most IRR_PAIRS_SCRATCH bytes of scratch, O(d + b) time,
 * and the messages of the direct route plus one message for each IRR_PAIRS_CHUNK bytes of a message.
 */
#ifndef IRR_PAIRS_H
#define IRR_PAIRS_H

#include "plan/plan.h"

/* Length of the scratch.  Largest length of a message that is sent whole, and of each chunk except the first. */
#define IRR_PAIRS_SCRATCH ((size_t)1 << 20)
#define IRR_PAIRS_CHUNK   ((size_t)1 << 18)

typedef struct irr_pairs_limits {
    size_t scratch;   /* at least twice a chunk, and a multiple of 64 */
    size_t chunk;     /* at least 64 */
} irr_pairs_limits_t;

extern const irr_pairs_limits_t irr_pairs_limits;   /* the constants above; equal on all ranks */

/*
 * Builds the plan of the rank from problem->recv; problem->send is the same list.  The message of the rank to itself
 * stays where it is.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_pairs_build(const irr_problem_t *problem, const irr_pairs_limits_t *limits, irr_plan_t *plan);

#endif
