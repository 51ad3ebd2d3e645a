/*
 * gather.h - all ranks learn the count matrix: an allgather of its rows, without what is zero.
 *
 * The algorithm of Bruck et al. for any number of ranks ("Efficient algorithms for all-to-all communications in
 * multiport message-passing systems", 1997): before round k, from 0, a rank has the rows of itself and of the 2^k
 * - 1 ranks that follow.  It sends them, but for those that would come around again, to rank - 2^k, and gets as
 * many from rank + 2^k.  Nobody knows how long a message will be, so it is probed for by its tag, and comes to
 * where its rows stay (exec/row.h).  All rows are described by at most max_bytes.
 *
 * No rank may stop alone.  One that failed (no memory, too many bytes, a malformed message) sends empty messages
 * from there on, which no other one does, and throws away what comes; who gets one fails.  In the end all agree
 * whether one of them failed (exec/consensus.h).
 *
 * Cost: 2 ceil(log2 P) messages a rank, half of them of one word; O(n) bytes and time for n bytes of rows, one
 * round after the other; memory for the rows, at most twice and for a while thrice, and a word a rank.
 */
#ifndef IRR_GATHER_H
#define IRR_GATHER_H

#include "exec/consensus.h"
#include "exec/row.h"

typedef enum irr_gather_state {
    IRR_GATHER_LISTENS,   /* for the message of the round */
    IRR_GATHER_BUSY,      /* the message is here, and that or the one to send is on its way */
    IRR_GATHER_HEARD,     /* both are over */
    IRR_GATHER_AGREES     /* so are all rounds */
} irr_gather_state_t;

/* May not be moved while it runs. */
typedef struct irr_gather {
    irr_transfer_t     transfer;   /* of the round */
    irr_part_t         parts[2];
    irr_iov_t          iov[2];
    irr_consensus_t    consensus;
    irr_exec_env_t     env;
    int                ranks, rank;
    size_t             max_bytes;
    irr_gather_state_t state;
    irr_status_t       status;     /* the first failure here */
    int                round, distance;   /* from 1; 2^(round - 1) */
    size_t             incoming;   /* length of the message that was heard */
    unsigned char     *bytes;      /* the rows: of this rank, of the next one, and so on around */
    size_t             room;
    unsigned char     *retired;    /* rows that are still being sent from where they were */
    size_t            *ends;       /* ends[0] is 0; row i in bytes is from ends[i] to ends[i + 1] */
    uint64_t           total;      /* of the lengths */
    bool               too_large;  /* it failed for max_bytes and nothing else; alike on all ranks */
} irr_gather_t;

/*
 * max_bytes is the same on all ranks.  IRR_ERR_NO_MEMORY; IRR_ERR_NOT_SUPPORTED, alike on all ranks, where a
 * consensus is not.
 */
irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t max_bytes);
void         irr_gather_fini(irr_gather_t *gather);

/*
 * Starts one among all ranks; none may run.  The row of this rank are the lengths of its blocks, one a rank, which
 * are read here; offsets are not.  trouble: not IRR_OK if this rank failed before, so it has no row and all end
 * alike.  Of env channel, tag_base and counters are used; what they point to is borrowed until it is
 * over.  Messages are of kinds IRR_TAG_HEADER and IRR_TAG_SYNC, with rounds for stages.  Never blocks.
 */
void irr_gather_start(irr_gather_t *gather, const irr_block_t *row, irr_status_t trouble,
                      const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; IRR_OK on all ranks: the rows are here; or
 * IRR_ERR_NOT_SUPPORTED on all: gather->too_large, and gather->status says what failed here, if that was here.
 * Only where the consensus fails on a rank this rank alone may end in its error (irr_consensus_progress).
 */
irr_status_t irr_gather_progress(irr_gather_t *gather);

/* The rank that is to be heard in this round. */
int irr_gather_awaited(const irr_gather_t *gather);

/* ---- after IRR_OK, until the next start ---- */

/* Begins the row of a rank, to be read with irr_row_next. */
void irr_gather_row(const irr_gather_t *gather, int from, irr_row_t *row);

/* Fills a matrix of as many ranks.  Its entries sum to at most PTRDIFF_MAX.  O(P^2). */
void irr_gather_matrix(const irr_gather_t *gather, irr_matrix_t *matrix);

#endif
