/*
 * paper.c - what an exchange with boards does (board/board.h, board/mail.h), as plans; see paper.h.
 *
 *     stage 1   within a node: what a rank reads of another one's board, for itself and for the nodes that it serves;
 *               which may be what that one lends; and directly, also between nodes, what does not go over boards
 *     stage 2   from node to node: one message, of the rank that serves the other node to the one that serves this node
 *     stage 3   within a node: what a rank reads of the board of who received for it
 *
 * Which messages go over boards is asked of the engine, by irr_board_kind and irr_mail_limit.  The engine's boards are
 * no scratch: what a rank serves is in its SCRATCH here, because a plan knows no memory of others.
 *
 * Cost: O(P) time for each message and each rank, O(P^2) memory.
 */
#include "study/paper.h"

#include "core/alloc.h"
#include "problem/blocks.h"
#include "route/boarded.h"
#include "route/direct.h"

enum { ONTO = 1, BETWEEN = 2, OFF = 3 };   /* stages */

/* Where a block is that a rank serves, and since which of its steps. */
typedef struct passing {
    size_t offset, step;
} passing_t;

typedef struct paper {
    const irr_nodes_t   *nodes;
    const irr_problem_t *problems;
    bool                *boarded;   /* by source and destination, as is: */
    passing_t           *passing;   /* of the rank whose plan is made */
    irr_plan_t          *plan;
    const irr_problem_t *problem;
    int                  rank, node;
    size_t               scratch;   /* bytes of it so far */
} paper_t;

/* One end of a message; its step is added when it has bytes. */
typedef struct end {
    irr_step_params_t params;
    bool              added;
    size_t            after;   /* the step that it depends on last, */
    bool              waits;   /* if any */
} end_t;

static size_t pair_of(const paper_t *paper, int from, int to)
{
    return (size_t)from * (size_t)paper->nodes->ranks + (size_t)to;
}

static size_t bytes_of(const paper_t *paper, int from, int to)
{
    return irr_blocks_bytes(irr_blocks_of(paper->problems[from].send, to));
}

static int member(const paper_t *paper, int node, int place)
{
    return paper->nodes->members[paper->nodes->first[node] + place % irr_nodes_size(paper->nodes, node)];
}

/* ---- what goes over boards ---- */

static size_t limit_of(const irr_way_t *way, const irr_nodes_t *nodes)
{
    return way->route == &irr_route_node ? irr_mail_limit(nodes, way->board_block, way->board_bytes) : 0;
}

static void decide(const irr_way_t *way, int rank, paper_t *paper)
{
    const irr_nodes_t *nodes = paper->nodes;
    const int node = nodes->node[rank];
    const size_t limit = limit_of(way, nodes);
    size_t left = irr_board_room(way->board_bytes);

    for (int k = 1; k < irr_nodes_size(nodes, node); k++) {
        const int to = member(paper, node, nodes->place[rank] + k);

        paper->boarded[pair_of(paper, rank, to)] =
            irr_board_kind(bytes_of(paper, rank, to), way->board_block, way->lends, &left) != IRR_BOARD_DIRECT;
    }
    for (int to = 0; to < nodes->ranks; to++) {
        if (nodes->node[to] != node) {
            paper->boarded[pair_of(paper, rank, to)] = bytes_of(paper, rank, to) <= limit;
        }
    }
}

/* ---- messages with boards on their way ---- */

/* Adds a step of the rank for the first part of its end. */
static irr_status_t open_end(paper_t *paper, end_t *end)
{
    const bool added = end->added;

    end->added = true;
    return added ? IRR_OK : irr_plan_add(paper->plan, &end->params);
}

static irr_status_t depend(paper_t *paper, end_t *end, size_t step)
{
    if (end->waits && end->after == step) {
        return IRR_OK;
    }
    end->waits = true;
    end->after = step;
    return irr_plan_depend(paper->plan, paper->plan->nsteps - 1, step);
}

/* A block that is neither of this rank nor for it. */
static irr_status_t pass(paper_t *paper, end_t *end, int from, int to)
{
    passing_t *passing = &paper->passing[pair_of(paper, from, to)];
    irr_block_t block = { .rank = to, .length = bytes_of(paper, from, to) };
    irr_status_t status = IRR_OK;

    if (end->params.kind == IRR_STEP_RECV) {
        *passing = (passing_t){ .offset = paper->scratch, .step = paper->plan->nsteps - 1 };
        paper->scratch += block.length;
    } else {
        status = depend(paper, end, passing->step);
    }
    block.offset = (ptrdiff_t)passing->offset;
    return status != IRR_OK ? status : irr_plan_add_part(paper->plan, IRR_BUFFER_SCRATCH,
                                                         (irr_blocks_t){ &block, 1 }, 0, SIZE_MAX);
}

/* Appends a block to a message, if it goes that way. */
static irr_status_t carry(paper_t *paper, end_t *end, int from, int to)
{
    irr_plan_t *plan = paper->plan;
    irr_status_t status;

    if (!paper->boarded[pair_of(paper, from, to)] || bytes_of(paper, from, to) == 0) {
        return IRR_OK;
    }
    status = open_end(paper, end);
    if (status != IRR_OK) {
        return status;
    }
    if (from == paper->rank) {
        return irr_plan_add_part(plan, IRR_BUFFER_INPUT, irr_blocks_of(paper->problem->send, to), 0, SIZE_MAX);
    }
    if (to == paper->rank) {
        return irr_plan_add_part(plan, IRR_BUFFER_OUTPUT, irr_blocks_of(paper->problem->recv, from), 0, SIZE_MAX);
    }
    return pass(paper, end, from, to);
}

/* The blocks of a rank, or of all of its node, for a node. */
static irr_status_t carry_to_node(paper_t *paper, end_t *end, int from, int node)
{
    irr_status_t status = IRR_OK;

    for (int k = 0; k < irr_nodes_size(paper->nodes, node) && status == IRR_OK; k++) {
        status = carry(paper, end, from, member(paper, node, k));
    }
    return status;
}

static end_t end_of(irr_step_kind_t kind, int peer, int stage, int number)
{
    return (end_t){ .params = {
        .kind = kind, .peer = peer, .stage = stage, .number = number, .boarded = stage != BETWEEN } };
}

/* A message of stage 1 of this rank, to a peer or from it. */
typedef struct first {
    irr_step_kind_t kind;
    int             peer, from, to, number;
} first_t;

/* What one rank of a node reads of the board of another one. */
static irr_status_t add_onto(paper_t *paper, const first_t *first)
{
    const irr_nodes_t *nodes = paper->nodes;
    end_t end = end_of(first->kind, first->peer, ONTO, first->number);
    irr_status_t status = carry(paper, &end, first->from, first->to);

    for (int i = 0; i < nodes->count - 1 && status == IRR_OK; i++) {
        const int other = irr_nodes_after(nodes, paper->node, i);

        if (irr_nodes_speaker(nodes, paper->node, other) == first->to) {
            status = carry_to_node(paper, &end, first->from, other);
        }
    }
    return status;
}

/* What does not go over boards. */
static irr_status_t add_direct(paper_t *paper, const first_t *first)
{
    const irr_blocks_t list = first->kind == IRR_STEP_SEND ? paper->problem->send : paper->problem->recv;

    if (paper->boarded[pair_of(paper, first->from, first->to)] || bytes_of(paper, first->from, first->to) == 0) {
        return IRR_OK;
    }
    return irr_direct_add(first->kind, first->peer, first->number, irr_blocks_of(list, first->peer), 0, SIZE_MAX,
                          paper->plan);
}

/* The message from node to node, if this rank serves the other one. */
static irr_status_t add_between(paper_t *paper, irr_step_kind_t kind, int other)
{
    const irr_nodes_t *nodes = paper->nodes;
    const int from = kind == IRR_STEP_SEND ? paper->node : other, to = kind == IRR_STEP_SEND ? other : paper->node;
    end_t end = end_of(kind, irr_nodes_speaker(nodes, other, paper->node), BETWEEN, irr_nodes_turn(nodes, from, to));
    irr_status_t status = IRR_OK;

    if (irr_nodes_speaker(nodes, paper->node, other) != paper->rank) {
        return IRR_OK;
    }
    for (int k = 0; k < irr_nodes_size(nodes, from) && status == IRR_OK; k++) {
        status = carry_to_node(paper, &end, member(paper, from, k), to);
    }
    return status;
}

/* What a rank of this node reads of what another node sent, of the board of its server. */
static irr_status_t add_off(paper_t *paper, irr_step_kind_t kind, int other, int reader)
{
    const irr_nodes_t *nodes = paper->nodes;
    const int server = irr_nodes_speaker(nodes, paper->node, other);
    end_t end = end_of(kind, kind == IRR_STEP_SEND ? reader : server, OFF, irr_nodes_turn(nodes, other, paper->node));
    irr_status_t status = IRR_OK;

    for (int k = 0; reader != server && k < irr_nodes_size(nodes, other) && status == IRR_OK; k++) {
        status = carry(paper, &end, member(paper, other, k), reader);
    }
    return status;
}

/* ---- the plan of a rank ---- */

/* Both in the steps of a1. */
static irr_status_t add_first(paper_t *paper, irr_step_kind_t kind)
{
    const int ranks = paper->nodes->ranks, me = paper->rank;
    const bool sends = kind == IRR_STEP_SEND;
    irr_status_t status = IRR_OK;

    for (int k = 1; k < ranks && status == IRR_OK; k++) {
        const int peer = (sends ? me + k : me + ranks - k) % ranks;
        const first_t first = { kind, peer, sends ? me : peer, sends ? peer : me, k };

        if (paper->nodes->node[peer] == paper->node) {
            status = add_onto(paper, &first);
        }
        status = status == IRR_OK ? add_direct(paper, &first) : status;
    }
    return status;
}

static irr_status_t add_second(paper_t *paper, irr_step_kind_t kind)
{
    irr_status_t status = IRR_OK;

    for (int i = 0; i < paper->nodes->count - 1 && status == IRR_OK; i++) {
        status = add_between(paper, kind, irr_nodes_after(paper->nodes, paper->node, i));
    }
    return status;
}

static irr_status_t add_third(paper_t *paper, irr_step_kind_t kind)
{
    const irr_nodes_t *nodes = paper->nodes;
    irr_status_t status = IRR_OK;

    for (int i = 0; i < nodes->count - 1 && status == IRR_OK; i++) {
        const int other = irr_nodes_after(nodes, paper->node, i);

        if (kind == IRR_STEP_RECV) {
            status = add_off(paper, kind, other, paper->rank);
            continue;
        }
        for (int k = 0; irr_nodes_speaker(nodes, paper->node, other) == paper->rank && status == IRR_OK &&
                        k < irr_nodes_size(nodes, paper->node); k++) {
            status = add_off(paper, kind, other, member(paper, paper->node, k));
        }
    }
    return status;
}

static irr_status_t build_one(paper_t *paper, int rank, irr_plan_t *plan)
{
    static irr_status_t (*const stages[])(paper_t *paper, irr_step_kind_t kind) = { add_first, add_second, add_third };
    irr_status_t status = IRR_OK;

    paper->plan = plan;
    paper->rank = rank;
    paper->node = paper->nodes->node[rank];
    paper->problem = &paper->problems[rank];
    paper->scratch = 0;
    irr_plan_reset(plan, paper->problem);
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]) && status == IRR_OK; i++) {
        status = stages[i](paper, IRR_STEP_RECV);
        status = status == IRR_OK ? stages[i](paper, IRR_STEP_SEND) : status;
    }
    return status == IRR_OK ? irr_plan_add_self(paper->problem, plan) : status;
}

irr_status_t irr_paper_build(const irr_way_t *way, const irr_nodes_t *nodes, const irr_problem_t *problems,
                                   irr_plan_t *plans)
{
    const size_t pairs = (size_t)nodes->ranks * (size_t)nodes->ranks;
    paper_t paper = { .nodes = nodes, .problems = problems };
    const irr_array_t arrays[] = { IRR_ARRAY(paper.passing, pairs), IRR_ARRAY(paper.boarded, pairs) };
    irr_status_t status = IRR_ALLOC_ARRAYS(arrays);

    for (int r = 0; r < nodes->ranks && status == IRR_OK; r++) {
        decide(way, r, &paper);
    }
    for (int r = 0; r < nodes->ranks && status == IRR_OK; r++) {
        status = build_one(&paper, r, &plans[r]);
    }
    irr_free(paper.passing);   /* and the other array */
    return status;
}

uint64_t irr_paper_header_bytes(const irr_way_t *way, const irr_nodes_t *nodes)
{
    uint64_t bytes = 0;

    for (int from = 0; limit_of(way, nodes) > 0 && from < nodes->count; from++) {
        for (int i = 0; i < nodes->count - 1; i++) {
            bytes += irr_mail_lengths((size_t)irr_nodes_size(nodes, from),
                                      (size_t)irr_nodes_size(nodes, irr_nodes_after(nodes, from, i)));
        }
    }
    return bytes;
}
