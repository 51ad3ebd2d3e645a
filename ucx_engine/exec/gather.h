/*
 * gather.h - rank 0 gathers an entry from each rank (for example its row of a count matrix), and scatters an entry to
 * each rank (for example its local schedule).
 *
 * The gather and the scatter each run two plans of the same binomial tree (route/binomial.h): the first plan moves the
 * lengths of the entries, one word per entry, the second plan moves the entries. Each receive is therefore posted for a
 * known length.
 *
 * If an operation fails on one rank, others may keep waiting, so the caller must then fail the communicator.
 *
 * The family of a rank is the rank itself and all ranks below it in the tree.
 *
 * Cost: two messages per rank in each direction, 2 ceil(log2 P) of them in sequence; O(n + P) bytes and time on rank 0
 * for n bytes in total; memory on a rank for the entries of its family, plus 8 bytes per rank of the family.
 */
#ifndef IRR_GATHER_H
#define IRR_GATHER_H

#include "exec/bytes.h"
#include "exec/own_plan.h"

/* A zeroed object is empty. The object must not move while an operation runs. */
typedef struct irr_gather {
    size_t         entry_max;
    irr_own_plan_t moves;
    irr_exec_env_t env;
    int            family;
    uint64_t      *lengths;   /* lengths of the entries of the family */
    irr_bytes_t    entries;   /* entries of the family as a list (exec/bytes.h); on rank 0 the entries of all ranks */
    bool           down;
    bool           moves_entries;   /* the lengths have arrived */
    irr_status_t   status;
} irr_gather_t;

/* entry_max: longest gathered entry in bytes, with its length word. On IRR_ERR_NO_MEMORY there is nothing to free. */
irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t entry_max);
void         irr_gather_fini(irr_gather_t *gather);

/* Begins this rank's entry in the emptied list `entries`. The caller writes the entry and ends it (irr_bytes_end). */
size_t irr_gather_begin(irr_gather_t *gather);

/*
 * Start a gather (up) or a scatter (down) on all ranks. None may be running. Before a scatter, rank 0 has put the
 * entries of all ranks into `entries`. Only channel, tag_base, counters and failure of env are used; their targets are
 * borrowed until the operation ends. All messages are of kind IRR_TAG_SYNC. Never block.
 */
void irr_gather_up(irr_gather_t *gather, const irr_exec_env_t *env);
void irr_gather_down(irr_gather_t *gather, const irr_exec_env_t *env);

/*
 * Continues after progress of the transport. Returns IRR_IN_PROGRESS, or IRR_OK when done: `entries` then begins with
 * this rank's own entry, and after a gather rank 0 has the entries of all ranks. Errors: IRR_ERR_PROTOCOL if an entry
 * is too long or a message contradicts the announced length, IRR_ERR_NO_MEMORY, or the error of the transport. After an
 * error no further operation may start.
 */
irr_status_t irr_gather_progress(irr_gather_t *gather);

#endif
