/*
 * pairs.h - the direct route of an exchange in place: the data from a rank replaces the data for this rank.
 *
 * A message may be received only after the data that it overwrites was copied.  Each rank copies its data for a peer to
 * scratch, sends it from there, and receives the data of the peer.  The scratch is bounded: its bytes are reused when
 * the send from them is over.  A send may not be over before its receiver has posted the receive, and the receiver may
 * first wait for its own sends.  This cannot deadlock, because all ranks process their peers in one order: in step k
 * rank i exchanges with rank (k - i) mod P, and this rank exchanges with rank i.  Of all unfinished messages, those of
 * the lowest step have both ends ready, so they make progress.
 *
 * A long message is sent in chunks.  In a correct program both ends have the same length for both directions.  With
 * different lengths, one end would wait for chunks that never arrive.  The length of the first of n chunks therefore
 * tells n: it has 2 n - 3 bytes more than the other chunks, and more bytes than any message that is sent whole.  A rank
 * that receives a first chunk of an unexpected length knows that its peer has other counts, or does not exchange in
 * place.  The peer detects the same error.  All other chunks wait for the first chunk of the peer, so neither rank
 * sends more data.  If the peer does not exchange in place, a send of the peer that waits because of pacing or window
 * stops waiting (exec/exec.h).  Two errors are not detected: a whole message of IRR_PAIRS_CHUNK + 1 bytes from a peer
 * that does not exchange in place, and different lengths that are both above 32 GiB.
 *
 * Cost for d messages and b blocks: one copy of each byte, at most IRR_PAIRS_SCRATCH bytes of scratch, O(d + b) time,
 * and the messages of the direct route plus one message for each IRR_PAIRS_CHUNK bytes of a message.
 */
#ifndef IRR_PAIRS_H
#define IRR_PAIRS_H

#include "plan/plan.h"

/* Largest length of the scratch, and largest length of a message that is not cut and of each chunk except the first. */
#define IRR_PAIRS_SCRATCH ((size_t)1 << 20)
#define IRR_PAIRS_CHUNK   ((size_t)1 << 18)

typedef struct irr_pairs_limits {
    size_t scratch;   /* at least twice a chunk, and a multiple of 64 */
    size_t chunk;     /* at least 64 */
} irr_pairs_limits_t;

extern const irr_pairs_limits_t irr_pairs_limits;   /* the constants above; equal on all ranks */

/*
 * Builds the plan of a problem's rank from its receive blocks.  Its message to itself needs no step.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_pairs_build(const irr_problem_t *problem, const irr_pairs_limits_t *limits, irr_plan_t *plan);

#endif
