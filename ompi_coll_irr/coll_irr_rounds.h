/*
 * coll_irr_rounds.h - reductions by point-to-point messages, which never block: maxima of words, a gather of bytes of
 * all ranks, or a barrier.
 *
 * The algorithm is a dissemination: in round k a rank sends its data to the rank at distance 2^k ahead, and receives
 * the data of the rank at distance 2^k behind.  It allocates no memory and creates no communicator.
 *
 * Messages of two operations on a communicator must not match each other.  All operations within blocking collectives
 * share one tag, because all ranks call these in the same order.  An operation that runs concurrently with other
 * collectives has a tag that Open MPI assigns to nothing else; see mca_coll_irr_tag.
 *
 * A rank gives up if it has waited longer than ranks->timeout, or after an error of Open MPI.  It then sends an empty
 * message to the ranks ahead of it in all remaining rounds.  A rank that receives an empty message gives up in the same
 * way, even if it comes late.  After a given-up operation the ranks start no other one, because late messages could
 * match it.
 *
 * A late rank may receive the messages of all others without learning that they gave up afterwards.  If a rank may give
 * up, all ranks therefore run the rounds twice; one more word of the maxima reports this.  The first pass shows a rank
 * that all have come, the second pass that all have completed the first one.  One case remains: a rank may give up
 * alone in the second pass.  Other ranks then wait in vain in the next operation or exchange, which also ends in an
 * error, or in a collective of Open MPI.
 *
 * Cost: log2(P) messages sent and received; twice as many for maxima with a timeout.  A gather doubles the message size
 * from round to round.
 */
#ifndef MCA_COLL_IRR_ROUNDS_H
#define MCA_COLL_IRR_ROUNDS_H

#include "coll_irr_ranks.h"
#include "irr.h"

#include <time.h>

/* Largest number of words in a reduction. */
#define MCA_COLL_IRR_ROUNDS_WORDS 52

/* Bit k: the rank at distance 2^k takes part, as far as this process knows. */
typedef struct mca_coll_irr_partners_t {
    uint32_t ahead, behind;
} mca_coll_irr_partners_t;

#define MCA_COLL_IRR_PARTNERS_ALL ((mca_coll_irr_partners_t){ UINT32_MAX, UINT32_MAX })

/* The state of one operation at a time.  Must not move until the operation has ended. */
typedef struct mca_coll_irr_rounds_t {
    mca_coll_irr_ranks_t   *ranks;
    const int              *members;     /* participating ranks; this one has index `me`; NULL: all ranks */
    int                     count, me, tag;
    uint64_t                waited_ns, seen_ns;   /* time waited, long gaps cut; time of the last test */
    mca_coll_irr_partners_t partners;
    int                     round;       /* the current round */
    ompi_request_t         *requests[2]; /* receive and send of the round; NULL: none, or completed */
    uint64_t               *words;       /* become maxima; NULL: gather or barrier */
    unsigned char          *bytes;       /* of all ranks: first of this one, then of those behind it */
    size_t                  size;        /* words of a message, or bytes of one rank */
    bool                    confirms;    /* this is the second pass */
    bool                    failed;      /* an operation of the round failed */
    bool                    notified;    /* another rank has given up */
    uint64_t                sent[MCA_COLL_IRR_ROUNDS_WORDS + 1], received[MCA_COLL_IRR_ROUNDS_WORDS + 1];
    irr_status_t            status;
} mca_coll_irr_rounds_t;

/* Initializes the state for all ranks of an exchange; `ranks` must outlive it. */
void mca_coll_irr_rounds_init(mca_coll_irr_rounds_t *rounds, mca_coll_irr_ranks_t *ranks, int tag);

/*
 * Start an operation.  `words`, `output` and `members` belong to the caller and must stay valid until it ends.
 * `output` has room for the bytes of all ranks in rank order.  `members` are ascending ranks that include this one.  In
 * a round in which `partners` lacks a rank ahead or behind, this rank sends or receives nothing on that side.
 */
void mca_coll_irr_rounds_maxima(mca_coll_irr_rounds_t *rounds, uint64_t *words, size_t count,
                                const mca_coll_irr_partners_t *partners);
void mca_coll_irr_rounds_gather(mca_coll_irr_rounds_t *rounds, const void *input, void *output, size_t bytes);
void mca_coll_irr_rounds_barrier(mca_coll_irr_rounds_t *rounds, const int *members, int count);

/*
 * Progresses an operation; never blocks.  Returns IRR_IN_PROGRESS until it has ended, and the same result from then on:
 * IRR_OK, or if this rank has given up IRR_ERR_OOB (error of Open MPI), IRR_ERR_TIMEOUT (reported to the user) or
 * IRR_ERR_PEER (another rank gave up).  If ranks->stranded is set, Open MPI may still use the memory of the operation.
 */
irr_status_t mca_coll_irr_rounds_test(mca_coll_irr_rounds_t *rounds);

/*
 * Waits for an operation while it progresses all of MPI and the engine.  Returns IRR_ERR_TIMEOUT after the deadline (0:
 * there is none); the operation then continues.
 */
irr_status_t mca_coll_irr_rounds_wait(mca_coll_irr_rounds_t *rounds, time_t deadline);

/* Replaces words by the maxima of all ranks.  Blocking; for blocking calls only. */
irr_status_t mca_coll_irr_maxima(mca_coll_irr_ranks_t *ranks, uint64_t *words, size_t count);

/*
 * Returns memory for the state of a blocking call: `own` if these ranks have no timeout, or if there is no memory,
 * which disables the timeout.  mca_coll_irr_rounds_leave ends the call: it frees memory other than `own`, unless Open
 * MPI may still use it for rounds that were given up.
 */
void *mca_coll_irr_rounds_room(mca_coll_irr_ranks_t *ranks, void *own, size_t bytes);
void mca_coll_irr_rounds_leave(const mca_coll_irr_ranks_t *ranks, void *own, void *room);

/*
 * The tags of agreements of nonblocking calls, one for each collective.  They lie in the range of Open MPI's
 * nonblocking collectives, 2^22 calls away from its start.
 */
#define MCA_COLL_IRR_TAG_CLASS (MCA_COLL_BASE_TAG_NONBLOCKING_BASE - (1 << 22))

/* The tag of blocking calls.  Open MPI's own collectives cannot match messages left by ranks that gave up. */
#define MCA_COLL_IRR_TAG_BLOCKING (MCA_COLL_IRR_TAG_CLASS - MCA_COLL_IRR_COLLECTIVES)

/*
 * Returns a tag for operations.  Local, but all ranks of the communicator must call it in the same order relative to
 * collectives.
 */
int mca_coll_irr_tag(ompi_communicator_t *comm);

#endif
