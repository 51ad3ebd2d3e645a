/*
 * direct.c - the direct route: every block travels in one message from its source to its destination.
 *
 * The plan has one stage, in which all ranks form one group.  Two ranks without blocks for each other exchange no
 * message.  This code cannot detect that a rank sends a block to a rank that expects none, which MPI forbids.
 *
 * Cost for a rank: one message to each rank for which it has blocks, and no scratch; the plan takes O(d) time for d
 * blocks.  Liu, Wang, Prasanna 3.1.1 (A1); Ranka, Wang, Kumar 4 (AC).
 *
 * A schedule may split a message into transmissions.  Each transmission is a send in the plan of one rank and a receive
 * in the plan of another rank.  The messages of a plan are sorted by step, like the list of a schedule.  Both ranks
 * therefore have the transmissions of a split message in the same order, and match them by this order.  The steps only
 * define an order; the pacing adds dependencies between messages.  O(n) time for n transmissions.  Ranka, Wang and
 * Kumar, section 3.
 */
#include "route/direct.h"

#include "problem/blocks.h"
#include "route/route.h"

/* Appends a step for `length` bytes, from byte `skip` on, of the message that the blocks form. */
static irr_status_t add(const irr_step_params_t *params, irr_blocks_t blocks, size_t skip, size_t length,
                        irr_plan_t *plan)
{
    const irr_buffer_t buffer = params->kind == IRR_STEP_SEND ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT;
    irr_status_t status = irr_plan_add(plan, params);

    return status == IRR_OK ? irr_plan_add_part(plan, buffer, blocks, skip, length) : status;
}

/* ---- the steps of an order that a rank computes alone ---- */

/* The sends or the receives of a problem, and the step of each. */
typedef struct side {
    const irr_direct_side_t *which;
    irr_blocks_t    blocks;
    int           (*step)(irr_group_t group, int peer);
    irr_group_t     group;
} side_t;

static int step_at(const side_t *side, size_t i)
{
    return side->step(side->group, side->blocks.list[i].rank);
}

/*
 * Block i is the first block of a message, which is all blocks of one rank.  before() and after() return the index of
 * the first block of the previous and of the next message; the list of blocks counts as a ring.
 */
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

/* Returns the index of the first block of the message with the lowest step. */
static size_t lowest(const side_t *side)
{
    size_t low = 0;

    for (size_t i = after(side->blocks, 0); i > 0; i = after(side->blocks, i)) {
        low = step_at(side, i) < step_at(side, low) ? i : low;
    }
    return low;
}

static bool is_wanted(const side_t *side, irr_blocks_t message)
{
    const irr_direct_side_t *which = side->which;
    const int peer = message.list[0].rank;

    return peer != side->group.me && (which->but == NULL || !which->but[peer]) &&
           (which->least == 0 || irr_blocks_bytes(message) >= which->least);
}

static irr_status_t add_message(const side_t *side, irr_blocks_t message, irr_plan_t *plan)
{
    const irr_step_params_t params = {
        .kind = side->which->kind, .peer = message.list[0].rank, .stage = side->which->stage,
        .number = side->step(side->group, message.list[0].rank)
    };

    return is_wanted(side, message) ? add(&params, message, 0, SIZE_MAX, plan) : IRR_OK;
}

/* Appends the messages of a side in the order of their steps, which rise in one direction of the ring. */
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
        status = add_message(side, irr_blocks_first(irr_blocks_after(blocks, i)), plan);
        i = falls ? before(blocks, i) : after(blocks, i);
    } while (status == IRR_OK && i != first);
    return status;
}

irr_status_t irr_direct_add_side(const irr_problem_t *problem, const irr_order_t *order, const irr_direct_side_t *side,
                                 irr_plan_t *plan)
{
    const bool sends = side->kind == IRR_STEP_SEND;

    return add_side(&(side_t){
        .which = side, .blocks = sends ? problem->send : problem->recv,
        .step = sends ? order->send_step : order->recv_step, .group = { problem->ranks, problem->rank } }, plan);
}

static irr_status_t build(const irr_problem_t *problem, const irr_order_t *order, irr_plan_t *plan)
{
    const irr_direct_side_t received = { .kind = IRR_STEP_RECV, .stage = 1 };
    const irr_direct_side_t sent = { .kind = IRR_STEP_SEND, .stage = 1 };
    irr_status_t status = irr_direct_add_side(problem, order, &received, plan);

    if (status == IRR_OK) {
        status = irr_direct_add_side(problem, order, &sent, plan);
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}

const irr_route_t irr_route_direct = {
    .name = "direct", .build = build
};

/* ---- in the steps of a schedule ---- */

/*
 * Appends the rank's sends or receives.  The transport detects blocks that are too short for a received transmission.
 */
static irr_status_t add_own(irr_step_kind_t kind, const irr_schedule_t *schedule, const irr_problem_t *problem,
                            irr_plan_t *plan)
{
    const bool sends = kind == IRR_STEP_SEND;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < schedule->count && status == IRR_OK; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        const irr_step_params_t params = {
            .kind = kind, .peer = sends ? t->to : t->from, .stage = 1, .number = irr_direct_number(kind, t)
        };

        if ((sends ? t->from : t->to) == problem->rank) {
            status = add(&params, irr_blocks_of(sends ? problem->send : problem->recv, params.peer), (size_t)t->offset,
                         (size_t)t->length, plan);
        }
    }
    return status;
}

irr_status_t irr_direct_plan_build(const irr_schedule_t *schedule, const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_status_t status;

    irr_plan_reset(plan, problem);
    status = add_own(IRR_STEP_RECV, schedule, problem, plan);
    if (status == IRR_OK) {
        status = add_own(IRR_STEP_SEND, schedule, problem, plan);
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}
