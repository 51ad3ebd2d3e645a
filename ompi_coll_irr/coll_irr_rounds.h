/*
 * coll_irr_rounds.h - reductions and gathers by point-to-point messages, which never block: maxima of words, bytes of
 * all ranks, or that all have come.
 *
 * A dissemination: in round k a rank sends what it knows to the rank at distance 2^k ahead, and receives what the one
 * at that distance behind knows.  Nothing is allocated, and there is no communicator but that of the ranks.
 *
 * Messages of two operations of a communicator must not be taken for each other.  Operations within blocking
 * collectives have one tag, as all ranks come to these in one order.  An operation that goes on beside other
 * collectives has a tag that Open MPI gives to nobody else; see mca_coll_irr_tag.
 *
 * A rank that has waited longer than ranks->timeout gives up, and so does one with an error of Open MPI's.  It notifies
 * the ranks ahead of it in the following rounds by an empty message each.  These give up, too, and notify others, and a
 * rank that comes late finds such a message.  An operation that was given up is the last one among its ranks, because
 * its late messages must not be taken for those of another one.
 *
 * A rank that comes late may find the messages of all others, and not know that these gave up later.  So where a rank
 * may give up, which is one word more of the maxima, all ranks go through the rounds twice: a rank that has completed
 * the first ones knows that all have come, and whether all have completed theirs it learns in the second ones.  The
 * rest cannot be had: a rank that gives up in its second rounds, after all have come, may do so alone.  Then others
 * wait in vain in the next operation or exchange, which ends in an error, too, or in a collective of Open MPI's.
 *
 * Cost: log2(P) messages each way, and twice as many for maxima with a timeout; those with bytes of all ranks become
 * twice as long from round to round.
 */
#ifndef MCA_COLL_IRR_ROUNDS_H
#define MCA_COLL_IRR_ROUNDS_H

#include "coll_irr_ranks.h"
#include "irr.h"

#include <time.h>

/* Most words whose maxima are asked for. */
#define MCA_COLL_IRR_ROUNDS_WORDS 52

/* Bit k: the rank at distance 2^k takes part, as far as this process knows. */
typedef struct mca_coll_irr_partners_t {
    uint32_t ahead, behind;
} mca_coll_irr_partners_t;

#define MCA_COLL_IRR_PARTNERS_ALL ((mca_coll_irr_partners_t){ UINT32_MAX, UINT32_MAX })

/* One operation at a time; stays where it is until that is over. */
typedef struct mca_coll_irr_rounds_t {
    mca_coll_irr_ranks_t   *ranks;
    const int              *members;     /* ranks of it that take part, of which this one is the me-th; NULL: all */
    int                     count, me, tag;
    uint64_t                waited_ns, seen_ns;   /* while somebody looked; and when somebody did last */
    mca_coll_irr_partners_t partners;
    int                     round;       /* that runs */
    ompi_request_t         *requests[2]; /* what is received and sent in it; NULL: nothing, or over */
    uint64_t               *words;       /* become maxima; NULL: bytes are gathered */
    unsigned char          *bytes;       /* of all ranks, this one's and those behind it first */
    size_t                  size;        /* words that travel, or bytes a rank */
    bool                    confirms;    /* all rounds for the second time */
    bool                    failed;      /* something of the round; */
    bool                    notified;    /* or another rank has given up */
    uint64_t                sent[MCA_COLL_IRR_ROUNDS_WORDS + 1], received[MCA_COLL_IRR_ROUNDS_WORDS + 1];
    irr_status_t            status;
} mca_coll_irr_rounds_t;

/* Among all ranks of an exchange, which stay. */
void mca_coll_irr_rounds_init(mca_coll_irr_rounds_t *rounds, mca_coll_irr_ranks_t *ranks, int tag);

/*
 * Start.  The words, or output, with room for the bytes of all ranks in their order, are the caller's, and stay until
 * the operation is over; so do members, ascending ranks of which this one is one.  With partners who has none on a side
 * sends or receives nothing there.
 */
void mca_coll_irr_rounds_maxima(mca_coll_irr_rounds_t *rounds, uint64_t *words, size_t count,
                                const mca_coll_irr_partners_t *partners);
void mca_coll_irr_rounds_gather(mca_coll_irr_rounds_t *rounds, const void *input, void *output, size_t bytes);
void mca_coll_irr_rounds_barrier(mca_coll_irr_rounds_t *rounds, const int *members, int count);

/*
 * Never blocks: IRR_IN_PROGRESS, and then for ever IRR_OK, or, if this rank has given up, IRR_ERR_OOB, IRR_ERR_TIMEOUT,
 * which is reported to the user, or IRR_ERR_PEER, if another one has.  With ranks->stranded the memory of the operation
 * stays.
 */
irr_status_t mca_coll_irr_rounds_test(mca_coll_irr_rounds_t *rounds);

/*
 * Waits while all of MPI, and our endpoints, move on.  IRR_ERR_TIMEOUT past the deadline (0: there is none), and it
 * goes on.
 */
irr_status_t mca_coll_irr_rounds_wait(mca_coll_irr_rounds_t *rounds, time_t deadline);

/* Blocking, in a blocking call: words become the maxima of all ranks. */
irr_status_t mca_coll_irr_maxima(mca_coll_irr_ranks_t *ranks, uint64_t *words, size_t count);

/*
 * Returns memory for so many bytes with the rounds of a blocking call: `own`, if these ranks never give up, as they
 * never do without memory.  The other function ends the call: it frees memory that is not `own`, unless Open MPI may
 * still use it for rounds that were given up.
 */
void *mca_coll_irr_rounds_room(mca_coll_irr_ranks_t *ranks, void *own, size_t bytes);
void mca_coll_irr_rounds_leave(const mca_coll_irr_ranks_t *ranks, void *own, void *room);

/*
 * The tags of what the ranks agree on for nonblocking calls, one for each collective, among those of Open MPI's
 * nonblocking collectives: so many calls away.
 */
#define MCA_COLL_IRR_TAG_CLASS (MCA_COLL_BASE_TAG_NONBLOCKING_BASE - (1 << 22))

/* That of blocking calls: Open MPI's own collectives must not find what ranks that gave up have left. */
#define MCA_COLL_IRR_TAG_BLOCKING (MCA_COLL_IRR_TAG_CLASS - MCA_COLL_IRR_COLLECTIVES)

/* Local, but to be called on all ranks of the communicator in the same order as collectives: a tag for operations. */
int mca_coll_irr_tag(ompi_communicator_t *comm);

#endif
