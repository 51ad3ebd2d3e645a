/*
 * forward_plan.c - the plan of one rank that forwards for its host; see forward.h.
 *
 * Receives of stage 1, its sends, receives of stage 2, its sends: the receives of stage 1 come first, in the order of
 * the rotation, and a send of stage 2 depends on those that bring what is in it.
 *
 * Both ends of a message list one part for each slice in it, which is what one rank has for another, or a range of
 * that.  A message of stage 2 is what the ranks of a node have for its destination, in the order of their places.  A
 * transmission is a range of that, so its first and its last slice may be parts.
 */
#include "route/forward.h"

#include "problem/blocks.h"

typedef struct builder {
    const irr_forward_t *forward;
    const irr_problem_t *problem;
    irr_plan_t          *plan;
    const int           *members;    /* ranks of this node */
    int                  mates, place;
    size_t               nparts, ndeps;
    bool                 short_block;   /* of what comes */
} builder_t;

/* A range of a message: so many bytes are before it, so many are in it. */
typedef struct range {
    size_t before, left;
} range_t;

static void add_part(builder_t *b, irr_buffer_t buffer, irr_blocks_t blocks, size_t skip, size_t length)
{
    if (length > 0) {
        b->forward->parts[b->nparts++] = (irr_forward_part_t){ buffer, blocks, skip, length };
    }
}

/* Of SCRATCH. */
static void add_scratch(builder_t *b, size_t offset, size_t length)
{
    add_part(b, IRR_BUFFER_SCRATCH, (irr_blocks_t){ .list = NULL }, offset, length);
}

/* How much of the next `length` bytes of the message is in the range; in *skip_p, how much of them is before it. */
static size_t cut(range_t *range, size_t length, size_t *skip_p)
{
    const size_t skip = length < range->before ? length : range->before;
    const size_t take = length - skip < range->left ? length - skip : range->left;

    range->before -= skip;
    range->left -= take;
    *skip_p = skip;
    return take;
}

static irr_status_t append(const irr_forward_part_t *part, irr_plan_t *plan)
{
    const irr_block_t place = { .offset = (ptrdiff_t)part->skip, .length = part->length };

    return part->buffer == IRR_BUFFER_SCRATCH
               ? irr_plan_add_part(plan, part->buffer, (irr_blocks_t){ &place, 1 }, 0, part->length)
               : irr_plan_add_part(plan, part->buffer, part->blocks, part->skip, part->length);
}

/* Ends a step that has the parts and deps; one without a byte is none. */
static irr_status_t add_step(builder_t *b, irr_step_kind_t kind, int peer, int stage, int number)
{
    const irr_step_params_t params = {
        .kind = kind, .peer = peer, .stage = stage, .number = number, .deps = b->forward->deps, .ndeps = b->ndeps
    };
    irr_status_t status = b->nparts > 0 ? irr_plan_add(b->plan, &params) : IRR_OK;

    for (size_t i = 0; i < b->nparts && status == IRR_OK; i++) {
        status = append(&b->forward->parts[i], b->plan);
    }
    b->nparts = 0;
    b->ndeps = 0;
    return status;
}

/* ---- what a rank receives ---- */

/* Bytes that a rank has for this one, from `skip` on; blocks without room for all have none for any. */
static void add_output(builder_t *b, int from, size_t skip, size_t length)
{
    const irr_forward_t *forward = b->forward;
    const irr_blocks_t blocks = irr_blocks_of(b->problem->recv, from);

    if (irr_blocks_bytes(blocks) < forward->expected[from]) {
        b->short_block = true;
        add_scratch(b, irr_forward_scratch(forward) - forward->spill, length);
    } else {
        add_part(b, IRR_BUFFER_OUTPUT, blocks, skip, length);
    }
}

static int count_served(const builder_t *b)
{
    return b->forward->first[b->place + 1] - b->forward->first[b->place];
}

/* Where in SCRATCH what a mate has for those whom this rank serves is, one by one, and where it ends. */
static const size_t *shelf(const builder_t *b, int mate)
{
    return &b->forward->at[(size_t)mate * (size_t)count_served(b)];
}

static irr_status_t receive_inside(builder_t *b, int number)
{
    const int mate = (b->place - number + b->mates) % b->mates, from = b->members[mate];
    const size_t *at = shelf(b, mate);

    for (int i = 0; i < count_served(b); i++) {
        add_scratch(b, at[i], at[i + 1] - at[i]);
    }
    add_output(b, from, 0, b->forward->expected[from]);
    return add_step(b, IRR_STEP_RECV, from, 1, number);
}

static irr_status_t receive_outside(builder_t *b, const irr_transmission_t *t)
{
    const irr_nodes_t *nodes = b->forward->nodes;
    const int node = nodes->node[t->from];
    range_t range = { (size_t)t->offset, (size_t)t->length };

    for (int i = nodes->first[node]; i < nodes->first[node + 1]; i++) {
        const int from = nodes->members[i];
        size_t skip, take = cut(&range, b->forward->expected[from], &skip);

        add_output(b, from, skip, take);
    }
    return add_step(b, IRR_STEP_RECV, t->from, 2, irr_schedule_number(IRR_STEP_RECV, t));
}

/* ---- what it sends ---- */

/* All that this rank has for another one. */
static void add_input(builder_t *b, int to)
{
    const irr_blocks_t blocks = irr_blocks_of(b->problem->send, to);

    add_part(b, IRR_BUFFER_INPUT, blocks, 0, irr_blocks_bytes(blocks));
}

static irr_status_t send_inside(builder_t *b, int number)
{
    const int mate = (b->place + number) % b->mates, to = b->members[mate];

    for (int i = b->forward->first[mate]; i < b->forward->first[mate + 1]; i++) {
        add_input(b, b->forward->served[i]);
    }
    add_input(b, to);
    return add_step(b, IRR_STEP_SEND, to, 1, number);
}

/* Which one of those whom this rank serves. */
static size_t index_of(const builder_t *b, int to)
{
    int low = b->forward->first[b->place], high = b->forward->first[b->place + 1] - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (b->forward->served[middle] < to) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (size_t)(low - b->forward->first[b->place]);
}

/* The step that receives what a mate sends inside the node: those before it are the first of the plan, in turn. */
static size_t step_from(const builder_t *b, int mate)
{
    size_t step = 0;

    while (b->plan->steps[step].peer != b->members[mate]) {
        step++;
    }
    return step;
}

static irr_status_t send_outside(builder_t *b, const irr_transmission_t *t)
{
    const irr_forward_t *forward = b->forward;
    const irr_blocks_t own = irr_blocks_of(b->problem->send, t->to);
    const size_t served = index_of(b, t->to);
    range_t range = { (size_t)t->offset, (size_t)t->length };

    for (int mate = 0; mate < b->mates; mate++) {
        const size_t *at = shelf(b, mate) + served;
        size_t skip, take = cut(&range, mate == b->place ? irr_blocks_bytes(own) : at[1] - at[0], &skip);

        if (mate == b->place) {
            add_part(b, IRR_BUFFER_INPUT, own, skip, take);
        } else if (take > 0) {
            add_scratch(b, at[0] + skip, take);
            forward->deps[b->ndeps++] = step_from(b, mate);
        }
    }
    return add_step(b, IRR_STEP_SEND, t->to, 2, t->step);
}

/* ---- the plan ---- */

static irr_status_t add_inside(builder_t *b)
{
    irr_status_t status = IRR_OK;

    for (int number = 1; number < b->mates && status == IRR_OK; number++) {
        status = receive_inside(b, number);
    }
    for (int number = 1; number < b->mates && status == IRR_OK; number++) {
        status = send_inside(b, number);
    }
    return status;
}

static irr_status_t add_outside(builder_t *b, irr_step_kind_t kind, const irr_schedule_t *own)
{
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < own->count && status == IRR_OK; i++) {
        const irr_transmission_t *t = &own->list[i];

        if (kind == IRR_STEP_SEND && t->from == b->problem->rank) {
            status = send_outside(b, t);
        } else if (kind == IRR_STEP_RECV && t->to == b->problem->rank) {
            status = receive_outside(b, t);
        }
    }
    return status;
}

/* Copies no byte, but tells: what there is does not fit. */
static irr_status_t add_truncation(const builder_t *b)
{
    static const irr_piece_t pieces[2] = {
        { .buffer = IRR_BUFFER_SCRATCH, .length = 1 }, { .buffer = IRR_BUFFER_OUTPUT, .length = 0 }
    };
    const irr_step_params_t params = {
        .kind = IRR_STEP_COPY, .peer = b->problem->rank, .stage = 1, .pieces = pieces, .npieces = 2
    };

    return b->short_block ? irr_plan_add(b->plan, &params) : IRR_OK;
}

irr_status_t irr_forward_plan_build(const irr_forward_t *forward, const irr_schedule_t *own,
                                    const irr_problem_t *problem, irr_plan_t *plan)
{
    const irr_nodes_t *nodes = forward->nodes;
    const int node = nodes->node[forward->rank];
    builder_t b = {
        .forward = forward, .problem = problem, .plan = plan, .members = &nodes->members[nodes->first[node]],
        .mates = irr_nodes_size(nodes, node), .place = nodes->place[forward->rank]
    };
    irr_status_t status;

    irr_plan_reset(plan, problem);
    status = add_inside(&b);
    if (status == IRR_OK) {
        status = add_outside(&b, IRR_STEP_RECV, own);
    }
    if (status == IRR_OK) {
        status = add_outside(&b, IRR_STEP_SEND, own);
    }
    if (status == IRR_OK) {
        status = add_truncation(&b);
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}

irr_plan_bounds_t irr_forward_plan_bounds(const irr_forward_t *forward, const irr_schedule_t *own)
{
    const irr_nodes_t *nodes = forward->nodes;
    const size_t ranks = (size_t)nodes->ranks, mates = (size_t)irr_nodes_size(nodes, nodes->node[forward->rank]);
    const int place = nodes->place[forward->rank];
    const size_t served = (size_t)(forward->first[place + 1] - forward->first[place]);

    /* A transmission has a slice of each rank that it carries something of, and the two at its ends are parts. */
    return (irr_plan_bounds_t){
        .steps = own->count + 2 * mates + 2,
        .pieces = 2 * (own->count + ranks + mates * served + mates) + 4,
        .deps = 2 * own->count + mates * served
    };
}
