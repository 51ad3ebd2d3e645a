/*
 * scatter.h - rank 0 tells each rank its part: some bytes, as what it does in a schedule.
 *
 * Along a binomial tree: a rank hears the parts of itself and of those below it, and tells each child, the farthest
 * first, those of the child and below.  Or a mark comes in place of all parts: why there are none.
 *
 * No rank may stop alone.  One that failed, or is told something malformed, tells its children IRR_GATHER_FAILED.
 *
 * Cost: as of exec/gather.h; rank 0 has all parts, others those at and below them.
 */
#ifndef IRR_SCATTER_H
#define IRR_SCATTER_H

#include "exec/gather.h"

/* May not be moved while it runs.  Zeroed is empty. */
typedef struct irr_scatter {
    irr_blob_t     blob;
    irr_exec_env_t env;
    int            ranks, rank;
    int            distance;   /* to the child that is told next; 0: all are */
    bool           heard;
    irr_bytes_t    parts;      /* of this rank and those below it */
    size_t         ends[32];   /* where those of the children begin in it, by the logarithm of the distance */
    unsigned       mark;       /* 0: there are parts; else why not */
    irr_status_t   status;     /* the first failure here */
    const unsigned char *own;  /* this rank's part, until the next start */
    size_t         length;
} irr_scatter_t;

void irr_scatter_init(irr_scatter_t *scatter, int ranks, int rank);
void irr_scatter_fini(irr_scatter_t *scatter);

/*
 * Starts, on all ranks.  On rank 0 scatter->parts are filled before, one for each rank, or mark says why not; it is
 * ignored elsewhere.  Env as in irr_gather_start; messages are of stage 2.  Never blocks.
 */
void irr_scatter_start(irr_scatter_t *scatter, unsigned mark, const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; then scatter->status.  If that is IRR_OK, mark is what
 * rank 0 or a rank between has said, and with mark 0 the own part is there.
 */
irr_status_t irr_scatter_progress(irr_scatter_t *scatter);

/* The rank that is to be heard, or to hear. */
int irr_scatter_awaited(const irr_scatter_t *scatter);

#endif
