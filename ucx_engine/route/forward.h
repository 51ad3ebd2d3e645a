/*
 * forward.h - the grid route `node` (route/stages.c) where the counts are known, in front of a schedule: what leaves a
 * host goes first to the rank of the host that serves its destination, and from there, in one message with what the
 * other ranks of the host have for that destination.
 *
 * With R ranks a host, a rank so sends one message to each rank that it serves, in place of one to every rank, and each
 * is about R times as long.  That pays where a message costs more than its bytes, and a path through memory costs less
 * than one over a link: the bytes on the links are the same.
 *
 *     stage 1   inside the hosts: to each other rank of the host what it shall forward, and what is for it; rotation
 *     stage 2   between hosts: the schedule of the forwarded matrix
 *
 * The plan is that of route/grid_plan.h, which is told what arrives from the counts, where a relay learns it.  It is
 * built once for all exchanges of the same counts, and written down for each: with the places of its blocks, and with
 * the messages of stage 2 cut as the schedule says.
 *
 * Cost: R - 1 messages inside the host and about (P - R) / R to others a rank; a rank's part takes O(P log P) time to
 * build, O(P) to write down, and O(P) memory, the matrix O(P * P).
 *
 *     Liu, Wang, Prasanna: Coalesced message-passing, section 3.1.3: the rows of the grid are hosts, the columns serve
 */
#ifndef IRR_FORWARD_H
#define IRR_FORWARD_H

#include "problem/matrix.h"
#include "route/grid_plan.h"
#include "route/direct.h"

/*
 * The messages between nodes: what servers send.  The caller's to irr_matrix_fini.  IRR_ERR_BAD_PARAM if the ranks
 * differ, or all have 2^63 bytes or more for each other; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_matrix(const irr_nodes_t *nodes, const irr_matrix_t *matrix, irr_matrix_t *forwarded);

/* The plan of a rank but for its blocks and the schedule.  Zeroed is empty. */
typedef struct irr_forward {
    irr_grid_plan_t build;   /* its blocks begin at byte 0 each */
    size_t         *step;    /* by rank: its message to there in stage 2, IRR_NO_STEP if none; then, from there */
    size_t          spill;   /* longest message to it: room in SCRATCH, behind the rest, for what OUTPUT has none */
} irr_forward_t;

/*
 * What a rank must know of a matrix that irr_forward_matrix took, beside its own row: what each rank has for it, and
 * what others of its node have for those whom it serves; irr_forward_count lengths.  O(P) time.  IRR_ERR_NO_MEMORY.
 */
size_t       irr_forward_count(const irr_nodes_t *nodes, int rank);
irr_status_t irr_forward_lengths(const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank, uint64_t *lengths);

/* Of these lengths, and what the rank sends; nothing is borrowed.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_forward_init_with(irr_forward_t *forward, const irr_nodes_t *nodes, irr_blocks_t sent,
                                   const uint64_t *lengths, int rank);

/* The same of the matrix. */
irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                              irr_blocks_t sent, int rank);
void         irr_forward_fini(irr_forward_t *forward);

/* Is there a message for each of the rank's own transmissions? */
bool irr_forward_fits(const irr_forward_t *forward, const irr_schedule_t *own);

/* Memory of it, and what its plans need of SCRATCH, in bytes. */
size_t irr_forward_bytes(const irr_forward_t *forward);
size_t irr_forward_scratch(const irr_forward_t *forward);

/*
 * As irr_direct_plan_build, with `own` of a schedule of the forwarded matrix, for the pace sync or free, and a
 * problem with the rank's row.  A block that is too short for what comes gets nothing, and the plan ends in
 * IRR_ERR_TRUNCATE; all that is forwarded goes on.
 */
irr_status_t irr_forward_plan_build(const irr_forward_t *forward, const irr_schedule_t *own,
                                    const irr_problem_t *problem, irr_plan_t *plan);

/* What irr_plan_reserve needs for it. */
irr_plan_bounds_t irr_forward_plan_bounds(const irr_forward_t *forward, const irr_schedule_t *own);

#endif
