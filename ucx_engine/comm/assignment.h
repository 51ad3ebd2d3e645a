/*
 * assignment.h - the message with which rank 0 sends a rank its part of a schedule.
 *
 * A schedule says in which step each message of an exchange is sent. Rank 0 computes it from the count matrix: row i
 * has the numbers of bytes that rank i sends to each rank. The message to a rank is its assignment:
 *
 *     declined        1 if there is no schedule (only the next field follows), otherwise 0
 *     matrix bytes    length in bytes of the rows that rank 0 has gathered, for the statistics of the rank
 *     local schedule  the messages that the rank sends and receives (exec/local_schedule_bytes.h)
 *     lengths         lengths of the messages of other ranks that the rank forwards, if ranks forward (exec/row.h)
 *
 * Cost: O(1) time and about 6 bytes per message of the rank, and per signal that it sends or waits for
 * (order/tree/syncs.h). Rank 0 has the assignments of all ranks in memory at the same time.
 */
#ifndef IRR_ASSIGNMENT_H
#define IRR_ASSIGNMENT_H

#include "exec/bytes.h"
#include "order/tree/syncs.h"
#include "route/local_schedule.h"
#include "route/forward.h"

/* What rank 0 computes from a matrix. A zeroed object is empty. */
typedef struct irr_computed {
    bool           declined;   /* no schedule: the algorithm cannot handle the matrix, or took too long */
    irr_schedule_t schedule;
    irr_syncs_t    syncs;      /* which messages wait for which others; empty unless the pacing needs this */
} irr_computed_t;

/* An assignment as its rank reads it. A zeroed object is empty. */
typedef struct irr_assignment {
    bool          declined;
    uint64_t      matrix_bytes;
    irr_local_schedule_t local;
    irr_forward_t forward;     /* what the rank forwards; empty unless ranks forward messages */
} irr_assignment_t;

/*
 * Appends the assignments of all ranks to a list, one entry per rank. nodes: which ranks share a node, if ranks forward
 * messages; otherwise NULL. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *entries);
void         irr_computed_fini(irr_computed_t *computed);

/*
 * Reads and checks the assignment of a rank; the caller frees it by irr_assignment_fini. nodes: as for
 * irr_assignments_write. sent: the blocks that the rank sends. Returns IRR_ERR_PROTOCOL if the bytes are not valid. May
 * return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_assignment_read(irr_reader_t reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment);
void         irr_assignment_fini(irr_assignment_t *assignment);

#endif
