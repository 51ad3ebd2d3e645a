/*
 * paper.c - what an exchange with boards does (board/board.h), as plans; see paper.h.
 *
 * The messages are those of a1.  A message between ranks of a node is marked if irr_board_kind says that it goes over
 * the board of its sender.
 *
 * Cost: O(P) time for each rank, O(P^2) memory.
 */
#include "study/paper.h"

#include "core/alloc.h"
#include "problem/blocks.h"
#include "route/boarded.h"
#include "route/direct.h"

typedef struct paper {
    const irr_nodes_t   *nodes;
    const irr_problem_t *problems;
    bool                *boarded;   /* by source and destination */
} paper_t;

static bool *is_boarded(const paper_t *paper, int from, int to)
{
    return &paper->boarded[(size_t)from * (size_t)paper->nodes->ranks + (size_t)to];
}

/* In the order in which a board is written. */
static void decide(const irr_way_t *way, int rank, const paper_t *paper)
{
    const irr_nodes_t *nodes = paper->nodes;
    const int node = nodes->node[rank], size = irr_nodes_size(nodes, node);
    size_t left = irr_board_room(way->board_bytes);

    for (int k = 1; k < size; k++) {
        const int to = irr_nodes_member(nodes, node, (nodes->place[rank] + k) % size);
        const size_t bytes = irr_blocks_bytes(irr_blocks_of(paper->problems[rank].send, to));

        *is_boarded(paper, rank, to) =
            irr_board_kind(bytes, way->board_block, way->lends, &left) != IRR_BOARD_DIRECT;
    }
}

/* The messages of one side, in the steps of a1. */
static irr_status_t add_side(const paper_t *paper, irr_step_kind_t kind, const irr_problem_t *problem, irr_plan_t *plan)
{
    const bool sends = kind == IRR_STEP_SEND;
    const int ranks = problem->ranks, me = problem->rank;
    irr_status_t status = IRR_OK;

    for (int k = 1; k < ranks && status == IRR_OK; k++) {
        const int peer = (sends ? me + k : me + ranks - k) % ranks;
        const irr_blocks_t message = irr_blocks_of(sends ? problem->send : problem->recv, peer);

        if (irr_blocks_bytes(message) > 0) {
            status = irr_direct_add(kind, peer, k, message, 0, SIZE_MAX, plan);
        }
        if (irr_blocks_bytes(message) > 0 && status == IRR_OK) {
            plan->steps[plan->nsteps - 1].boarded =
                *(sends ? is_boarded(paper, me, peer) : is_boarded(paper, peer, me));
        }
    }
    return status;
}

static irr_status_t build_one(const paper_t *paper, const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_status_t status;

    irr_plan_reset(plan, problem);
    status = add_side(paper, IRR_STEP_RECV, problem, plan);
    if (status == IRR_OK) {
        status = add_side(paper, IRR_STEP_SEND, problem, plan);
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}

irr_status_t irr_paper_build(const irr_way_t *way, const irr_nodes_t *nodes, const irr_problem_t *problems,
                             irr_plan_t *plans)
{
    const size_t ranks = (size_t)nodes->ranks;
    paper_t paper = { .nodes = nodes, .problems = problems, .boarded = irr_alloc_zero(ranks * ranks, sizeof(bool)) };
    irr_status_t status = paper.boarded != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    for (int r = 0; r < nodes->ranks && status == IRR_OK; r++) {
        decide(way, r, &paper);
    }
    for (int r = 0; r < nodes->ranks && status == IRR_OK; r++) {
        status = build_one(&paper, &problems[r], &plans[r]);
    }
    irr_free(paper.boarded);
    return status;
}
