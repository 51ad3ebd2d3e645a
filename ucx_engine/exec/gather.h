/*
 * gather.h - rank 0 gathers a part from each rank, for example its row of a count matrix, and scatters a part to each
 * rank, for example its local schedule.
 *
 * Each way is two plans of the same tree (route/binomial.h): the first moves the lengths of the parts, a word each, the
 * second the parts.  So each receive is posted for a length that the receiver knows.
 *
 * An operation that fails on a rank may keep others waiting, so the caller fails the communicator then.
 *
 * Cost: two messages a rank and way, 2 ceil(log2 P) one after the other; O(n + P) bytes and time on rank 0 for n bytes
 * in all; memory on a rank for the parts of its family, and 8 bytes a rank of it.
 */
#ifndef IRR_GATHER_H
#define IRR_GATHER_H

#include "exec/bytes.h"
#include "exec/own_plan.h"

/* May not be moved while it runs.  Zeroed is empty. */
typedef struct irr_gather {
    size_t         part_max;
    irr_own_plan_t moves;
    irr_exec_env_t env;
    int            family;
    uint64_t      *lengths;   /* of the parts of the family */
    irr_bytes_t    parts;     /* of the family: a list of parts (exec/bytes.h), of all ranks on rank 0 */
    bool           down;
    bool           moves_parts;   /* the lengths have come */
    irr_status_t   status;
} irr_gather_t;

/* part_max: most bytes of a part that is gathered, with its length.  IRR_ERR_NO_MEMORY: nothing to give back. */
irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t part_max);
void         irr_gather_fini(irr_gather_t *gather);

/* Begins this rank's part in `parts`, which is empty then; the caller writes it and ends it (irr_bytes_end). */
size_t irr_gather_begin(irr_gather_t *gather);

/*
 * Start on all ranks, the gather or the scatter; none may run.  Before a scatter rank 0 has put the parts of all ranks
 * into `parts`.  Of env channel, tag_base, counters and refused are used; what they point to is borrowed until it is
 * over.  Messages are of kind IRR_TAG_SYNC.  Never block.
 */
void irr_gather_up(irr_gather_t *gather, const irr_exec_env_t *env);
void irr_gather_down(irr_gather_t *gather, const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; IRR_OK: `parts` begins with the own part, and on rank 0
 * has those of all after a gather; IRR_ERR_PROTOCOL: a part is longer than it may be, or a message is not what its
 * length said; IRR_ERR_NO_MEMORY; or the error of the transport.  After an error no other may start.
 */
irr_status_t irr_gather_progress(irr_gather_t *gather);

#endif
