/*
 * gather.h - rank 0 gathers an entry from each rank (for example its row of a count matrix), and scatters an entry to
 * each rank (for example its local schedule).
 *
 * The gather and the scatter each run two plans of the same binomial tree (route/binomial.h). The first plan moves the
 * lengths of the entries, one word per entry. The second plan moves the entries. Each receive is therefore posted for a
 * known length.
 *
 * If a gather or scatter fails on one rank, other ranks may keep waiting. The caller must then fail the communicator.
 *
 * The family of a rank is the rank itself and all ranks below it in the tree.
 *
 * Cost: a gather followed by a scatter sends two messages per rank; the longest chain of messages that depend on each
 * other has 2 ceil(log2 P). If all entries together have n bytes, rank 0 takes O(n + P) memory and time. A rank takes
 * memory for the entries of its family, and 8 bytes per rank of the family.
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

/*
 * Initializes the object. entry_max: length in bytes of the longest gathered entry, with its length word. On
 * IRR_ERR_NO_MEMORY there is nothing to free.
 */
irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t entry_max);
void         irr_gather_fini(irr_gather_t *gather);

/*
 * Empties the list `entries`, and begins this rank's entry in the list. The caller writes the entry and ends the entry
 * with irr_bytes_end. Returns the value to pass to irr_bytes_end as `begin`.
 */
size_t irr_gather_begin(irr_gather_t *gather);

/*
 * irr_gather_up starts a gather on all ranks; irr_gather_down starts a scatter on all ranks. No other gather or scatter
 * may be running. Before a scatter, rank 0 must put the entries of all ranks into `entries`. The functions use only
 * the members `channel`, `tag_base`, `counters` and `failure` of env; the objects behind these members must exist until
 * the gather or scatter ends. All messages are of kind IRR_TAG_SYNC. The functions never block.
 */
void irr_gather_up(irr_gather_t *gather, const irr_exec_env_t *env);
void irr_gather_down(irr_gather_t *gather, const irr_exec_env_t *env);

/*
 * Continues a gather or scatter after progress of the transport. Returns IRR_IN_PROGRESS while it runs, and IRR_OK when
 * it is over. `entries` then begins with this rank's own entry; after a gather rank 0 has the entries of all ranks.
 * Errors: IRR_ERR_PROTOCOL if an entry is too long or a message contradicts the announced length, IRR_ERR_NO_MEMORY, or
 * the error of the transport. After an error no further gather or scatter may start.
 */
irr_status_t irr_gather_progress(irr_gather_t *gather);

#endif
