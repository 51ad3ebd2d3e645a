/*
 * coll_irr_rounds.h - ranks tell each other something by point-to-point messages, and nobody waits: maxima of words,
 * bytes of all ranks, or that all have come.
 *
 * A dissemination: in round k a rank sends what it knows to the rank at distance 2^k ahead, and receives what the one
 * at that distance behind knows.  Nothing is allocated, and there is no communicator but that of the ranks.
 *
 * Messages of two operations of a communicator must not be taken for each other.  Operations within blocking
 * collectives may have one tag, as all ranks come to these in one order.  An operation that goes on beside other
 * collectives has a tag that Open MPI gives to nobody else; see mca_coll_irr_tag.
 *
 * Cost: log2(P) messages each way; of bytes of all ranks these become twice as long from round to round.
 */
#ifndef MCA_COLL_IRR_ROUNDS_H
#define MCA_COLL_IRR_ROUNDS_H

#include "coll_irr_ranks.h"
#include "irr.h"

#include <time.h>

/* Most words whose maxima are asked for. */
#define MCA_COLL_IRR_ROUNDS_WORDS 32

/* Bit k: the rank at distance 2^k takes part, as far as this process can tell. */
typedef struct mca_coll_irr_partners_t {
    uint32_t ahead, behind;
} mca_coll_irr_partners_t;

#define MCA_COLL_IRR_PARTNERS_ALL ((mca_coll_irr_partners_t){ UINT32_MAX, UINT32_MAX })

/* One operation at a time; stays where it is until that is over. */
typedef struct mca_coll_irr_rounds_t {
    const mca_coll_irr_ranks_t *ranks;
    const int              *members;     /* ranks of it that take part, of which this one is the me-th; NULL: all */
    int                     count, me, tag;
    mca_coll_irr_partners_t partners;
    int                     round;       /* that runs */
    ompi_request_t         *requests[2]; /* what is received and sent in it; NULL: nothing, or over */
    uint64_t               *words;       /* become maxima */
    unsigned char          *bytes;       /* of all ranks, this one's and those behind it first */
    size_t                  size;        /* words, or bytes a rank */
    bool                    failed;      /* something of the round */
    uint64_t                received[MCA_COLL_IRR_ROUNDS_WORDS];
    irr_status_t            status;
} mca_coll_irr_rounds_t;

/* Among all ranks of an exchange, which stay. */
void mca_coll_irr_rounds_init(mca_coll_irr_rounds_t *rounds, const mca_coll_irr_ranks_t *ranks, int tag);

/*
 * Start.  The words, or output, with room for the bytes of all ranks in their order, are the caller's, and stay until
 * the operation is over; so do members, ascending ranks of which this one is one.  With partners who has none on a side
 * sends or receives nothing there.
 */
void mca_coll_irr_rounds_maxima(mca_coll_irr_rounds_t *rounds, uint64_t *words, size_t count,
                                const mca_coll_irr_partners_t *partners);
void mca_coll_irr_rounds_gather(mca_coll_irr_rounds_t *rounds, const void *input, void *output, size_t bytes);
void mca_coll_irr_rounds_barrier(mca_coll_irr_rounds_t *rounds, const int *members, int count);

/* Never blocks: IRR_IN_PROGRESS, and then IRR_OK or IRR_ERR_OOB ever after. */
irr_status_t mca_coll_irr_rounds_test(mca_coll_irr_rounds_t *rounds);

/*
 * Waits while all of MPI, and our endpoints, move on.  IRR_ERR_TIMEOUT past the deadline (0: there is none), and it
 * goes on.  late: what the user is told if it is not over after ten seconds, or NULL.
 */
irr_status_t mca_coll_irr_rounds_wait(mca_coll_irr_rounds_t *rounds, time_t deadline, const char *late);

/* Local, but to be called on all ranks of the communicator in the same order as collectives: a tag for operations. */
int mca_coll_irr_tag(ompi_communicator_t *comm);

#endif
