/*
 * gather.h - rank 0 learns what each rank has to say: some bytes, as the row of a count matrix.
 *
 * Along a binomial tree: a rank hears its children, one after the other, and tells its parent what it has and they
 * had, as a list of parts in the order of ranks (exec/bytes.h).  Only rank 0 looks into them.
 *
 * No rank may stop alone.  One that failed (no memory, too many bytes, a malformed message) still hears its children,
 * and tells its parent so by a mark, as does who hears of it: rank 0 learns the worst.
 *
 * Cost: a message a rank, two for more than IRR_BLOB_FIRST bytes, ceil(log2 P) one after the other; O(n) bytes and
 * time on rank 0 for n bytes in all; memory on a rank for what is at and below it in the tree.
 */
#ifndef IRR_GATHER_H
#define IRR_GATHER_H

#include "exec/blob.h"

/* Marks of a blob from here on; others are the caller's.  The larger one tells. */
#define IRR_GATHER_LARGE  6   /* more bytes than the limit, and nothing worse */
#define IRR_GATHER_FAILED 7

/* May not be moved while it runs.  Zeroed is empty. */
typedef struct irr_gather {
    irr_blob_t     blob;
    irr_exec_env_t env;
    int            ranks, rank;
    size_t         max_bytes;
    int            distance;   /* to the child that is heard; past the last: all are */
    bool           told;       /* the parent is, or is being */
    irr_bytes_t    parts;      /* of this rank and those below it; of all on rank 0, until the next start */
    unsigned       mark;       /* 0: they are whole */
    irr_status_t   status;     /* the first failure here */
} irr_gather_t;

/* max_bytes: of all parts with their lengths, alike on all ranks; 0: no limit. */
void irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t max_bytes);
void irr_gather_fini(irr_gather_t *gather);

/*
 * Begins with this rank's part, of so many bytes, which the caller then writes to where it is told; NULL: it will
 * fail, for want of memory or as trouble says, which is not IRR_OK if this rank failed before.
 */
unsigned char *irr_gather_begin(irr_gather_t *gather, size_t length, irr_status_t trouble);

/*
 * Starts, on all ranks.  Of env channel, tag_base and counters are used; what they point to is borrowed until
 * it is over.  Messages are of kinds IRR_TAG_HEADER and IRR_TAG_PART, stage 1.  Never blocks.
 */
void irr_gather_start(irr_gather_t *gather, const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; then gather->status, and on rank 0 gather->mark, which
 * says whether all parts are there.
 */
irr_status_t irr_gather_progress(irr_gather_t *gather);

/* The rank that is to be heard, or to hear. */
int irr_gather_awaited(const irr_gather_t *gather);

#endif
