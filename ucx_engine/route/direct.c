/*
 * direct.c - the direct route: every block travels in one message from its source to its destination.
 *
 * One stage, a group of all ranks.  Empty blocks make no message, because both ends know their length.  That
 * is also why this route cannot see a block that is empty at one end alone, which MPI does not allow.
 *
 * Cost per rank: at most P - 1 messages sent and received, each byte once on the wire, no scratch; the
 * plan takes O(P) time.  JPDC 3.1.1 (A1), Ranka 4 (AC).
 */
#include "route/direct.h"

#include "route/route.h"

irr_status_t irr_direct_add(irr_step_kind_t kind, int peer, int number, irr_block_t block, irr_plan_t *plan)
{
    irr_piece_t piece = {
        .buffer = kind == IRR_STEP_SEND ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT,
        .offset = block.offset,
        .length = block.length
    };
    irr_step_params_t params = {
        .kind = kind, .peer = peer, .stage = 1, .number = number, .pieces = &piece, .npieces = 1
    };

    return irr_plan_add(plan, &params);
}

static irr_status_t build(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan)
{
    irr_group_t group = { problem->ranks, problem->rank };
    int steps = order->steps(group);
    irr_status_t status = IRR_OK;
    int to, from;

    for (int k = 1; status == IRR_OK && k <= steps; k++) {
        order->peers(group, k, &to, &from);
        if (from != IRR_NOBODY && problem->recv[from].length > 0) {
            status = irr_direct_add(IRR_STEP_RECV, from, k, problem->recv[from], plan);
        }
    }
    for (int k = 1; status == IRR_OK && k <= steps; k++) {
        order->peers(group, k, &to, &from);
        if (to != IRR_NOBODY && problem->send[to].length > 0) {
            status = irr_direct_add(IRR_STEP_SEND, to, k, problem->send[to], plan);
        }
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}

static irr_plan_bounds_t bounds(int ranks)
{
    size_t messages = 2 * ((size_t)ranks - 1);

    return (irr_plan_bounds_t){ .steps = messages + 1, .pieces = messages + 2, .deps = 0 };
}

const irr_route_t irr_route_direct = {
    .name = "direct",
    .build = build,
    .bounds = bounds
};
