/*
 * board_plans.c - see board_plans.h.  Pieces have lengths alone: all of them lie at the same place.
 */
#include "study/board_plans.h"

#include "core/alloc.h"
#include "study/timed.h"

enum { CELLS = 2, BETWEEN = 3, ARRIVED = IRR_TIMED_ARRIVED_STAGE };

/* The plan of a rank that is being made. */
typedef struct work {
    const irr_nodes_t        *nodes;
    const irr_matrix_t       *matrix;
    const irr_board_limits_t *limits;
    irr_plan_t               *plan;
    int                       rank, node;
    irr_piece_t              *pieces;   /* room for those of a message */
    size_t                    npieces;
    size_t                   *cells;    /* the receives of the first stage */
    size_t                    ncells;
    size_t                   *received;  /* by node: the receive of what comes from there, if this rank serves it */
} work_t;

static uint64_t bytes_between(const work_t *work, int from, int to)
{
    return *irr_matrix_at(work->matrix, from, to);
}

static void add_piece(work_t *work, uint64_t length)
{
    if (length > 0) {
        work->pieces[work->npieces++] = (irr_piece_t){ .buffer = IRR_BUFFER_INPUT, .length = (size_t)length };
    }
}

/* A message of these pieces, of which there are none afterwards. */
static irr_status_t add_step(work_t *work, irr_step_kind_t kind, int peer, int stage, const size_t *deps, size_t ndeps)
{
    static const irr_piece_t empty = { .buffer = IRR_BUFFER_INPUT };
    const size_t count = work->npieces;

    work->npieces = 0;
    return irr_plan_add(work->plan, &(irr_step_params_t){
        .kind = kind, .peer = peer, .stage = stage, .number = 1, .pieces = count > 0 ? work->pieces : &empty,
        .npieces = count > 0 ? count : 1, .deps = deps, .ndeps = ndeps });
}

/* ---- inside of the node ---- */

static irr_status_t add_cells(work_t *work, irr_step_kind_t kind)
{
    const irr_nodes_t *nodes = work->nodes;
    irr_status_t status = IRR_OK;

    for (int i = nodes->first[work->node]; i < nodes->first[work->node + 1] && status == IRR_OK; i++) {
        const int member = nodes->members[i];
        const bool sends = kind == IRR_STEP_SEND;
        const uint64_t bytes = bytes_between(work, sends ? work->rank : member, sends ? member : work->rank);

        if (member == work->rank) {
            continue;
        }
        if (!sends) {
            work->cells[work->ncells++] = work->plan->nsteps;
        }
        add_piece(work, bytes <= work->limits->board_block ? bytes : 0);
        status = add_step(work, kind, member, CELLS, NULL, 0);
    }
    return status;
}

/* ---- between nodes ---- */

/* What the ranks of one node have for those of another one; there is always a byte. */
static void list_blocks(work_t *work, int from, int to)
{
    const irr_nodes_t *nodes = work->nodes;

    for (int j = nodes->first[to]; j < nodes->first[to + 1]; j++) {
        for (int i = nodes->first[from]; i < nodes->first[from + 1]; i++) {
            const uint64_t bytes = bytes_between(work, nodes->members[i], nodes->members[j]);

            add_piece(work, bytes <= work->limits->node_block ? bytes : 0);
        }
    }
    add_piece(work, work->npieces == 0);
}

/* What came from a node for one member of this one. */
static void list_arrived(work_t *work, int from, int member)
{
    const irr_nodes_t *nodes = work->nodes;

    for (int i = nodes->first[from]; i < nodes->first[from + 1]; i++) {
        const uint64_t bytes = bytes_between(work, nodes->members[i], member);

        add_piece(work, bytes <= work->limits->node_block ? bytes : 0);
    }
}

/* Does this rank speak to that node? */
static bool serves(const work_t *work, int other)
{
    return other != work->node && irr_nodes_speaker(work->nodes, work->node, other) == work->rank;
}

/* The receive is one range of the server's board. */
static irr_status_t receive(work_t *work, int other)
{
    size_t bytes = 0;

    list_blocks(work, other, work->node);
    for (size_t i = 0; i < work->npieces; i++) {
        bytes += work->pieces[i].length;
    }
    work->npieces = 0;
    add_piece(work, bytes);
    return add_step(work, IRR_STEP_RECV, irr_nodes_speaker(work->nodes, other, work->node), BETWEEN, NULL, 0);
}

static irr_status_t send(work_t *work, int other)
{
    list_blocks(work, work->node, other);
    return add_step(work, IRR_STEP_SEND, irr_nodes_speaker(work->nodes, other, work->node), BETWEEN, work->cells,
                    work->ncells);
}

/* Cells for the members, of what has arrived from a node. */
static irr_status_t tell(work_t *work, int other, size_t received)
{
    const irr_nodes_t *nodes = work->nodes;
    irr_status_t status = IRR_OK;

    for (int i = nodes->first[work->node]; i < nodes->first[work->node + 1] && status == IRR_OK; i++) {
        if (nodes->members[i] != work->rank) {
            list_arrived(work, other, nodes->members[i]);
            status = add_step(work, IRR_STEP_SEND, nodes->members[i], ARRIVED, &received, 1);
        }
    }
    return status;
}

static irr_status_t hear(work_t *work, int other)
{
    list_arrived(work, other, work->rank);
    return add_step(work, IRR_STEP_RECV, irr_nodes_speaker(work->nodes, work->node, other), ARRIVED, NULL, 0);
}

/* A rank sends in the order of its plan, so all that waits for what arrives is behind what does not. */
static irr_status_t extend(work_t *work)
{
    const irr_nodes_t *nodes = work->nodes;
    irr_status_t status = add_cells(work, IRR_STEP_RECV);

    if (status == IRR_OK) {
        status = add_cells(work, IRR_STEP_SEND);
    }
    if (work->limits->node_block == 0) {
        return status;
    }
    for (int other = 0; other < nodes->count && status == IRR_OK; other++) {
        if (other != work->node) {
            work->received[other] = work->plan->nsteps;
            status = serves(work, other) ? receive(work, other) : hear(work, other);
        }
    }
    for (int other = 0; other < nodes->count && status == IRR_OK; other++) {
        status = serves(work, other) ? send(work, other) : IRR_OK;
    }
    for (int other = 0; other < nodes->count && status == IRR_OK; other++) {
        status = serves(work, other) ? tell(work, other, work->received[other]) : IRR_OK;
    }
    return status;
}

/* ---- all ranks ---- */

static bool is_long(const irr_nodes_t *nodes, const irr_board_limits_t *limits, int from, int to, uint64_t bytes)
{
    return bytes > (nodes->node[from] == nodes->node[to] ? limits->board_block : limits->node_block);
}

/* What goes directly. */
static void keep_long(const irr_nodes_t *nodes, const irr_board_limits_t *limits, const irr_matrix_t *matrix,
                      irr_matrix_t *left)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t bytes = *irr_matrix_at(matrix, i, j);

            *irr_matrix_at(left, i, j) = i != j && is_long(nodes, limits, i, j, bytes) ? bytes : 0;
        }
    }
}

static irr_status_t extend_all(const work_t *shared, irr_plans_t *plans)
{
    const size_t largest = (size_t)shared->nodes->largest;
    work_t work = *shared;
    irr_status_t status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(work.pieces, largest * largest + 1), IRR_ARRAY(work.cells, largest),
        IRR_ARRAY(work.received, (size_t)shared->nodes->count) }));

    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        work.plan = &plans->plans[r];
        work.rank = r;
        work.node = work.nodes->node[r];
        work.ncells = 0;
        status = extend(&work);
    }
    irr_free(work.pieces);   /* and the other arrays */
    return status;
}

irr_status_t irr_board_plans_build(const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                                   const irr_board_limits_t *limits, irr_plans_t *plans)
{
    const work_t shared = { .nodes = nodes, .matrix = matrix, .limits = limits };
    irr_matrix_t left;
    irr_plans_known_t known = { .matrix = &left };
    irr_plans_t made = { .ranks = 0 };
    irr_status_t status = irr_matrix_init(&left, matrix->ranks);

    if (status != IRR_OK) {
        return status;
    }
    keep_long(nodes, limits, matrix, &left);
    status = irr_plans_build(irr_algorithm_way(irr_algorithm_find("a1")), &known, &made);
    if (status == IRR_OK) {
        status = extend_all(&shared, &made);
    }
    irr_matrix_fini(&left);
    if (status != IRR_OK) {
        irr_plans_fini(&made);
        return status;
    }
    *plans = made;
    return IRR_OK;
}

void irr_board_plans_start(const irr_machine_t *machine, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                           const irr_board_limits_t *limits, double *start)
{
    for (int i = 0; i < matrix->ranks; i++) {
        start[i] = 0;
        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t bytes = *irr_matrix_at(matrix, i, j);

            if (nodes->node[i] != nodes->node[j] && bytes > 0 && bytes <= limits->node_block) {
                start[i] += (double)bytes * 1e3 / (double)machine->copy + (double)machine->piece;
            }
        }
    }
}
