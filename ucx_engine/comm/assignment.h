/*
 * assignment.h - what rank 0 assigns to a rank: its part of the schedules that it has computed, as bytes.
 *
 *     what           1 if there is a schedule of the messages as they are, + 2 if of what ranks of hosts forward,
 *                    + 4 if there is none; 0: only ways are left that need none
 *     matrix bytes   of the rows that rank 0 has gathered
 *     excerpt        of each of them, (exec/excerpt_bytes.h)
 *     lengths        with the latter, what the rank must know of the matrix to forward (exec/row.h)
 *
 * Cost: O(1) time and about 6 bytes for each message and sync of the rank; rank 0 has all of them at once.
 */
#ifndef IRR_ASSIGNMENT_H
#define IRR_ASSIGNMENT_H

#include "exec/bytes.h"
#include "order/tree/syncs.h"
#include "route/excerpt.h"
#include "route/forward.h"

enum { IRR_ASSIGNS_DIRECT, IRR_ASSIGNS_FORWARDED, IRR_ASSIGNS };   /* routes of a schedule */

/* What rank 0 has computed of a matrix.  Zeroed is empty. */
typedef struct irr_computed {
    bool           declined;   /* the order does not take the matrix, was not done in time, or there is no order */
    bool           made[IRR_ASSIGNS];
    irr_schedule_t schedule[IRR_ASSIGNS];
    irr_syncs_t    syncs[IRR_ASSIGNS];      /* if a way asks for them */
} irr_computed_t;

/* What a rank has read.  Zeroed is empty. */
typedef struct irr_assignment {
    bool          declined;
    uint64_t      matrix_bytes;
    bool          given[IRR_ASSIGNS];
    irr_excerpt_t excerpt[IRR_ASSIGNS];
    irr_forward_t forward;
} irr_assignment_t;

/*
 * Appends the assignments of all ranks, one part each.  The nodes are those that forward, if any schedule does.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *parts);
void         irr_computed_fini(irr_computed_t *computed);

/*
 * Reads that of a rank, the caller's to irr_assignment_fini.  nodes may be without ranks, if nothing forwards.
 * sent: by the rank.
 * IRR_ERR_PROTOCOL; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignment_read(irr_reader_t reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment);
void         irr_assignment_fini(irr_assignment_t *assignment);

#endif
