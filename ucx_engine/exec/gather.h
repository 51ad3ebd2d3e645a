/*
 * gather.h - rank 0 gathers an entry from each rank (for example its row of a count matrix), and scatters an entry to
 * each rank (for example its local schedule).
 *
 * Gather and scatter use the same binomial tree of the ranks (route/binomial.h). First the lengths of the entries are
 * sent along the tree, one word per entry, then the entries. Each receive is therefore posted for a known length.
 *
 * If a gather or scatter fails on one rank, other ranks may wait forever. The caller must then fail the communicator
 * (comm/failure.h).
 *
 * The family of a rank is the rank itself and all ranks below it in the tree.
 *
 * Cost: a gather followed by a scatter sends four messages per rank. The longest chain of messages that wait for each
 * other has about 2 log2 P messages. If all entries together have n bytes, rank 0 takes O(n + P) memory and time. A
 * rank takes memory for the entries of its family, and 8 bytes per rank of its family.
 */
#ifndef IRR_GATHER_H
#define IRR_GATHER_H

#include "exec/bytes.h"
#include "exec/own_plan.h"

/* A zeroed object is empty. The object must not move while an operation runs. */
typedef struct irr_gather {
    size_t         entry_max;   /* see irr_gather_init */

    irr_own_plan_t moves;
    irr_exec_env_t env;
    int            family;     /* number of ranks of the family */

    uint64_t      *lengths;   /* lengths of the entries of the family */
    irr_bytes_t    entries;   /* entries of the family as a list (exec/bytes.h); on rank 0 the entries of all ranks */
    bool           down;       /* the present or last operation is a scatter */

    bool           moves_entries;   /* the lengths have arrived, and the entries are sent */
    irr_status_t   status;
} irr_gather_t;

/*
 * Initializes the object. entry_max: largest length in bytes of a gathered entry, with the word that has its length.
 * May return IRR_ERR_NO_MEMORY; there is then nothing to free.
 */
irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t entry_max);
void         irr_gather_fini(irr_gather_t *gather);

/*
 * Empties the list `entries`, and begins this rank's entry in it. The caller then writes the entry, and calls
 * irr_bytes_end with the returned value.
 */
size_t irr_gather_begin(irr_gather_t *gather);

/*
 * Start a gather (up) and a scatter (down); all ranks call the same function. No gather or scatter may be running.
 * Before a scatter, rank 0 must put the entries of all ranks into `entries`. The functions read only the members
 * channel, tag_base, counters and failure of env; what they point to must exist until the operation ends. All messages
 * have the kind IRR_TAG_SYNC. Never block.
 */
void irr_gather_up(irr_gather_t *gather, const irr_exec_env_t *env);
void irr_gather_down(irr_gather_t *gather, const irr_exec_env_t *env);

/*
 * Continues a gather or scatter after progress of the transport. Returns IRR_IN_PROGRESS while it runs, and IRR_OK when
 * it is over. `entries` then begins with this rank's own entry; on rank 0 it has the entries of all ranks. Returns
 * IRR_ERR_PROTOCOL if an entry is too long or a message has another length than announced, IRR_ERR_NO_MEMORY, or the
 * error of the transport. After an error no other gather or scatter may start.
 */
irr_status_t irr_gather_progress(irr_gather_t *gather);

#endif
