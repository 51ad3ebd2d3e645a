/*
 * forward.h - the node route in front of a schedule: what leaves a host goes first to the rank of the host that serves
 * its destination, and from there, in one message with what the other ranks of the host have for that destination.
 *
 * With R ranks a host, a rank so sends one message to each rank that it serves, in place of one to every rank, and each
 * is about R times as long.  That pays where a message costs more than its bytes, and a path through memory costs less
 * than one over a link: the bytes on the links are the same.  Unlike the grid route `node` (route/grid.h), all ranks
 * know the count matrix, so nothing is described or learnt, and the messages between hosts go in the steps of a
 * schedule of their own, with its pace.
 *
 *     stage 1   inside the hosts: to each other rank of the host what it shall forward, and what is for it; rotation
 *     stage 2   between hosts: the schedule of the forwarded matrix
 *
 * Cost: R - 1 messages inside the host and about (P - R) / R to others a rank; a rank's part takes O(P * R)
 * time and O(P + R * R) memory, the matrix O(P * P).
 *
 *     Liu, Wang, Prasanna: Coalesced message-passing, section 3.1.3: the rows of the grid are hosts, the columns serve
 */
#ifndef IRR_FORWARD_H
#define IRR_FORWARD_H

#include "route/nodes.h"
#include "route/schedule_plans.h"

/* Who on this node sends to a rank of another one what the node has for it.  Each serves equally many of a node. */
static inline int irr_forward_server(const irr_nodes_t *nodes, int node, int to)
{
    const int turn = nodes->place[to] + nodes->node[to];

    return nodes->members[nodes->first[node] + turn % irr_nodes_size(nodes, node)];
}

/*
 * The messages between nodes: what servers send.  The caller's to irr_matrix_fini.  IRR_ERR_BAD_PARAM if the ranks
 * differ, or all have 2^63 bytes or more for each other; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_forward_matrix(const irr_nodes_t *nodes, const irr_matrix_t *matrix, irr_matrix_t *forwarded);

/* Bytes of the message that blocks make, from `skip` on; of SCRATCH, from there on. */
typedef struct irr_forward_part {
    irr_buffer_t buffer;
    irr_blocks_t blocks;
    size_t       skip, length;
} irr_forward_part_t;

/* What a rank must know of the matrix.  Zeroed is empty. */
typedef struct irr_forward {
    const irr_nodes_t *nodes;      /* NULL: empty */
    int                rank;
    int               *served;     /* ranks of other nodes, by the place of who serves them here, then by rank */
    int               *first;      /* by place, and one more: where in `served` its own begin */
    size_t            *at;         /* by place and own served rank, and one more: where in SCRATCH what they have is */
    size_t            *expected;   /* by rank: bytes that it has for this one */
    size_t             spill;      /* longest of these: room in SCRATCH, behind the rest, for what OUTPUT has none */
    irr_forward_part_t *parts;     /* room for a step that is being built, as are */
    size_t            *deps;
} irr_forward_t;

/*
 * What a rank must know of a matrix that irr_forward_matrix took: what each rank has for it, and what others of its node
 * have for those whom it serves; irr_forward_count lengths.  O(P) time.
 */
size_t irr_forward_count(const irr_nodes_t *nodes, int rank);
void   irr_forward_lengths(const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank, uint64_t *lengths);

/* The nodes are borrowed, lengths are read.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_forward_init_with(irr_forward_t *forward, const irr_nodes_t *nodes, const uint64_t *lengths,
                                   int rank);

/* The same of the matrix. */
irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank);
void         irr_forward_fini(irr_forward_t *forward);

/* Are the rank's own transmissions between nodes, and what it sends for those whom it serves? */
bool irr_forward_fits(const irr_forward_t *forward, const irr_schedule_t *own);

/* Memory of it, and what its plans need of SCRATCH, in bytes. */
size_t irr_forward_bytes(const irr_forward_t *forward);
size_t irr_forward_scratch(const irr_forward_t *forward);

/*
 * As irr_schedule_plan_build, with `own` of a schedule of the forwarded matrix, for the pace sync or free.  A block
 * that is too short for what comes gets nothing, and the plan ends in IRR_ERR_TRUNCATE; all that is forwarded goes on.
 */
irr_status_t irr_forward_plan_build(const irr_forward_t *forward, const irr_schedule_t *own,
                                    const irr_problem_t *problem, irr_plan_t *plan);

/* What irr_plan_reserve needs for it. */
irr_plan_bounds_t irr_forward_plan_bounds(const irr_forward_t *forward, const irr_schedule_t *own);

#endif
