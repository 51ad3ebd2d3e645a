/*
 * direct.c - the direct route: every block travels in one message from its source to its destination.
 *
 * One stage, a group of all ranks.  Who has no blocks for another one sends it no message, because both know.  That
 * is also why this route cannot see a message that is there at one end alone, which MPI does not allow.
 *
 * Cost per rank: one message to each rank that it has blocks for, each byte once on the wire, no scratch; the plan
 * takes O(d) time for d blocks.  JPDC 3.1.1 (A1), Ranka 4 (AC).
 */
#include "route/direct.h"

#include "problem/blocks.h"
#include "route/route.h"

irr_status_t irr_direct_add(irr_step_kind_t kind, int peer, int number, irr_blocks_t blocks, size_t skip, size_t length,
                            irr_plan_t *plan)
{
    const irr_buffer_t buffer = kind == IRR_STEP_SEND ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT;
    irr_status_t status = irr_plan_add(plan, &(irr_step_params_t){
        .kind = kind, .peer = peer, .stage = 1, .number = number });

    return status == IRR_OK ? irr_plan_add_part(plan, buffer, blocks, skip, length) : status;
}

/* ---- from the first step on ---- */

/* One side of a problem on its way around the group. */
typedef struct side {
    irr_step_kind_t kind;
    irr_blocks_t    blocks;
    int           (*step)(irr_group_t group, int peer);
    irr_group_t     group;
} side_t;

static int step_at(const side_t *side, size_t i)
{
    return side->step(side->group, side->blocks.list[i].rank);
}

/* Where the message before that of block i begins, or the one after it, around the list. */
static size_t before(irr_blocks_t blocks, size_t i)
{
    i = (i > 0 ? i : blocks.count) - 1;
    while (i > 0 && blocks.list[i - 1].rank == blocks.list[i].rank) {
        i--;
    }
    return i;
}

static size_t after(irr_blocks_t blocks, size_t i)
{
    i += irr_blocks_first(irr_blocks_after(blocks, i)).count;
    return i < blocks.count ? i : 0;
}

/* Where the message of the lowest step begins. */
static size_t lowest(const side_t *side)
{
    size_t low = 0;

    for (size_t i = after(side->blocks, 0); i > 0; i = after(side->blocks, i)) {
        low = step_at(side, i) < step_at(side, low) ? i : low;
    }
    return low;
}

/* The messages of a side, from the lowest step on in the direction in which the steps rise. */
static irr_status_t add_side(const side_t *side, irr_plan_t *plan)
{
    const irr_blocks_t blocks = side->blocks;
    const size_t first = blocks.count > 0 ? lowest(side) : 0;
    irr_status_t status = IRR_OK;
    size_t i = first;
    bool falls;

    if (blocks.count == 0) {
        return IRR_OK;
    }
    falls = step_at(side, before(blocks, first)) < step_at(side, after(blocks, first));
    do {
        const irr_blocks_t message = irr_blocks_first(irr_blocks_after(blocks, i));

        if (message.list[0].rank != side->group.me) {
            status = irr_direct_add(side->kind, message.list[0].rank, step_at(side, i), message, 0, SIZE_MAX, plan);
        }
        i = falls ? before(blocks, i) : after(blocks, i);
    } while (status == IRR_OK && i != first);
    return status;
}

static irr_status_t build(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan)
{
    const irr_group_t group = { problem->ranks, problem->rank };
    const side_t sent = { IRR_STEP_SEND, problem->send, order->send_step, group };
    const side_t received = { IRR_STEP_RECV, problem->recv, order->recv_step, group };
    irr_status_t status = add_side(&received, plan);

    if (status == IRR_OK) {
        status = add_side(&sent, plan);
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
