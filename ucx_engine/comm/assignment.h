/*
 * assignment.h - what rank 0 assigns to a rank: its part of the schedule that rank 0 has computed, as bytes.
 *
 *     declined       1 if there is no schedule; then nothing follows but the matrix bytes
 *     matrix bytes   of the rows that rank 0 has gathered
 *     excerpt        of the schedule (exec/excerpt_bytes.h)
 *     lengths        what a rank that forwards must know of the matrix (exec/row.h)
 *
 * Cost: O(1) time and about 6 bytes for each message and sync of the rank; rank 0 has all of them at once.
 */
#ifndef IRR_ASSIGNMENT_H
#define IRR_ASSIGNMENT_H

#include "exec/bytes.h"
#include "order/tree/syncs.h"
#include "route/excerpt.h"
#include "route/forward.h"

/* What rank 0 has computed of a matrix.  Zeroed is empty. */
typedef struct irr_computed {
    bool           declined;   /* the order does not take the matrix, was not done in time, or there is no order */
    irr_schedule_t schedule;
    irr_syncs_t    syncs;      /* if the pace asks for them */
} irr_computed_t;

/* What a rank has read.  Zeroed is empty. */
typedef struct irr_assignment {
    bool          declined;
    uint64_t      matrix_bytes;
    irr_excerpt_t excerpt;
    irr_forward_t forward;     /* empty unless ranks forward */
} irr_assignment_t;

/*
 * Appends the assignments of all ranks, one part each.  nodes: of the ranks, if they forward; else NULL.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *parts);
void         irr_computed_fini(irr_computed_t *computed);

/*
 * Reads the assignment of a rank, the caller's to irr_assignment_fini.  nodes: as above.  sent: what the rank sends.
 * IRR_ERR_PROTOCOL; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignment_read(irr_reader_t reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment);
void         irr_assignment_fini(irr_assignment_t *assignment);

#endif
