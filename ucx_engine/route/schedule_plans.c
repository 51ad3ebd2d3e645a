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

#include "core/alloc.h"
#include "problem/blocks.h"
#include "route/direct.h"

/* Blocks that are too short cut what a transmission carries, and the transport will tell. */
static irr_status_t add(irr_step_kind_t kind, const irr_transmission_t *t, const irr_problem_t *problem,
                        irr_plan_t *plan)
{
    const bool sends = kind == IRR_STEP_SEND;
    const int peer = sends ? t->to : t->from;
    const irr_blocks_t blocks = irr_blocks_of(sends ? problem->send : problem->recv, peer);

    return irr_direct_add(kind, peer, irr_schedule_number(kind, t), blocks, (size_t)t->offset, (size_t)t->length, plan);
}

static bool concerns(irr_step_kind_t kind, const irr_transmission_t *t, int rank)
{
    return (kind == IRR_STEP_SEND ? t->from : t->to) == rank;
}

static irr_status_t add_own(irr_step_kind_t kind, const irr_schedule_t *schedule, const irr_problem_t *problem,
                            irr_plan_t *plan)
{
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < schedule->count && status == IRR_OK; i++) {
        if (concerns(kind, &schedule->list[i], problem->rank)) {
            status = add(kind, &schedule->list[i], problem, plan);
        }
    }
    return status;
}

irr_status_t irr_schedule_plan_build(const irr_schedule_t *schedule, const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_status_t status;

    irr_plan_reset(plan, problem);
    status = add_own(IRR_STEP_RECV, schedule, problem, plan);
    if (status == IRR_OK) {
        status = add_own(IRR_STEP_SEND, schedule, problem, plan);
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}

/* How many pieces of at most so many bytes, 0 for any length, a transmission makes. */
static uint64_t pieces_of(const irr_transmission_t *t, uint64_t piece_max)
{
    return piece_max > 0 ? (t->length - 1) / piece_max + 1 : 1;
}

/* Of equal lengths, so that none is a short one that network queues would let overtake. */
static void append_pieces(const irr_transmission_t *t, uint64_t piece_max, irr_schedule_t *own)
{
    uint64_t left = t->length;

    for (uint64_t pieces = pieces_of(t, piece_max); pieces > 0; pieces--) {
        irr_transmission_t piece = *t;

        piece.offset = t->offset + (t->length - left);
        piece.length = (left - 1) / pieces + 1;
        own->list[own->count++] = piece;
        left -= piece.length;
    }
}

irr_status_t irr_schedule_own(const irr_schedule_t *schedule, int rank, uint64_t piece_max, irr_schedule_t *own)
{
    irr_schedule_t made = { .ranks = schedule->ranks, .steps = schedule->steps };
    size_t count = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        count += t->from == rank || t->to == rank ? pieces_of(t, piece_max) : 0;
    }
    made.list = irr_alloc(count, sizeof(*made.list));
    if (made.list == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    made.max = count;
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        if (t->from == rank || t->to == rank) {
            append_pieces(t, piece_max, &made);
        }
    }
    *own = made;
    return IRR_OK;
}

irr_plan_bounds_t irr_schedule_plan_bounds(const irr_schedule_t *own)
{
    return (irr_plan_bounds_t){ .steps = own->count + 1, .pieces = own->count + 2 };
}
