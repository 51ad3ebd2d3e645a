/*
 * assignment.h - the assignment of a rank: its part of a schedule that rank 0 has computed, as bytes.
 *
 *     declined        1 if there is no schedule; then only the matrix bytes follow
 *     matrix bytes    length in bytes of the rows that rank 0 gathered
 *     local schedule  the rank's messages in the schedule (exec/local_schedule_bytes.h)
 *     lengths         counts that a rank must know to forward messages (exec/row.h)
 *
 * Cost: O(1) time and about 6 bytes per message, signal and wait of the rank. Rank 0 holds the assignments of all ranks
 * at once.
 */
#ifndef IRR_ASSIGNMENT_H
#define IRR_ASSIGNMENT_H

#include "exec/bytes.h"
#include "order/tree/syncs.h"
#include "route/local_schedule.h"
#include "route/forward.h"

/* The result of rank 0 for a matrix. A zeroed object is empty. */
typedef struct irr_computed {
    bool           declined;   /* no schedule: the order rejects the matrix, was too slow, or there is no order */
    irr_schedule_t schedule;
    irr_syncs_t    syncs;      /* signals; empty unless the pacing needs signals */
} irr_computed_t;

/* An assignment that was read. A zeroed object is empty. */
typedef struct irr_assignment {
    bool          declined;
    uint64_t      matrix_bytes;
    irr_local_schedule_t local;
    irr_forward_t forward;     /* empty unless ranks forward messages */
} irr_assignment_t;

/*
 * Appends the assignments of all ranks, one entry per rank. nodes: the nodes of the ranks if ranks forward messages;
 * NULL if they do not. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *entries);
void         irr_computed_fini(irr_computed_t *computed);

/*
 * Reads the assignment of a rank; the caller frees it with irr_assignment_fini. nodes: as for irr_assignments_write.
 * sent: the blocks that the rank sends. Errors: IRR_ERR_PROTOCOL, IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignment_read(irr_reader_t reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment);
void         irr_assignment_fini(irr_assignment_t *assignment);

#endif
