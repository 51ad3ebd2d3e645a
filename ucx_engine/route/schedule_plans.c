/*
 * schedule_plans.c - a transmission of the schedule is a send of one rank and a receive of another.
 *
 * The list goes by steps, so the messages of a rank do, and those between two ranks are in the same order at both
 * ends, which is all that tells the parts of a split message apart.  No message depends on another: the steps are
 * an order, and the pace says how far a rank may run ahead.
 *
 * Cost: O(P + n) time for n transmissions; two steps of a plan each.  Ranka, Wang and Kumar, section 3.
 */
#include "route/schedule_plans.h"

#include "route/direct.h"

/* The part of a block that a transmission carries. */
static irr_block_t part_of(const irr_block_t *block, const irr_transmission_t *transmission)
{
    return (irr_block_t){
        .offset = block->offset + (ptrdiff_t)transmission->offset, .length = (size_t)transmission->length
    };
}

static irr_status_t add_all(irr_step_kind_t kind, const irr_schedule_t *schedule, const irr_problem_t *problems,
                            irr_plan_t *plans)
{
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < schedule->count && status == IRR_OK; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        int rank = kind == IRR_STEP_SEND ? t->from : t->to, peer = kind == IRR_STEP_SEND ? t->to : t->from;
        const irr_block_t *blocks = kind == IRR_STEP_SEND ? problems[rank].send : problems[rank].recv;

        status = irr_direct_add(kind, peer, t->step, part_of(&blocks[peer], t), &plans[rank]);
    }
    return status;
}

irr_status_t irr_schedule_plans_build(const irr_schedule_t *schedule, const irr_problem_t *problems,
                                      irr_plan_t *plans)
{
    irr_status_t status;

    for (int r = 0; r < schedule->ranks; r++) {
        irr_plan_reset(&plans[r], &problems[r]);
    }
    status = add_all(IRR_STEP_RECV, schedule, problems, plans);
    if (status == IRR_OK) {
        status = add_all(IRR_STEP_SEND, schedule, problems, plans);
    }
    for (int r = 0; r < schedule->ranks && status == IRR_OK; r++) {
        status = irr_plan_add_self(&problems[r], &plans[r]);
    }
    return status;
}
