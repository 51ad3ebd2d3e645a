/* reduction.c - a reduction over all ranks to the maxima of words, as steps of a plan; see reduction.h. */
#include "route/reduction.h"

#define NONE SIZE_MAX

typedef struct builder {
    irr_plan_t            *plan;
    const irr_reduction_t *reduction;
    size_t                 bytes;     /* number of bytes of the words */
    ptrdiff_t              offset;    /* offset in SCRATCH of the next receive */
    int                    number;
    size_t                 last;      /* the latest step that changes the words, or NONE */
    size_t                 reading;   /* the latest send that reads the words after step `last`, or NONE */
} builder_t;

static irr_status_t add_message(builder_t *builder, irr_step_kind_t kind, int peer, ptrdiff_t offset,
                                const size_t *deps, size_t ndeps)
{
    const bool empty = builder->bytes == 0;
    const irr_piece_t piece = { empty ? IRR_BUFFER_INPUT : IRR_BUFFER_SCRATCH, false, offset, builder->bytes };

    return irr_plan_add(builder->plan, &(irr_step_params_t){
        .kind = kind, .peer = peer, .stage = builder->reduction->stage, .number = builder->number, .pieces = &piece,
        .npieces = 1, .deps = deps, .ndeps = ndeps, .described = kind == IRR_STEP_SEND ? builder->bytes : 0 });
}

static irr_status_t add_send(builder_t *builder, int peer)
{
    const irr_reduction_t *reduction = builder->reduction;

    builder->reading = builder->plan->nsteps;
    return builder->last == NONE ? add_message(builder, IRR_STEP_SEND, peer, 0, reduction->deps, reduction->ndeps)
                                 : add_message(builder, IRR_STEP_SEND, peer, 0, &builder->last, 1);
}

/* Appends a step that replaces each word by the maximum of it and of the same word that step `received` receives. */
static irr_status_t add_reduce(builder_t *builder, size_t received)
{
    const irr_piece_t pieces[2] = {
        { IRR_BUFFER_SCRATCH, false, builder->offset, builder->bytes }, { IRR_BUFFER_SCRATCH, false, 0, builder->bytes }
    };
    size_t deps[3] = { received }, ndeps = 1;

    if (builder->last != NONE) {
        deps[ndeps++] = builder->last;
    }
    if (builder->reading != NONE) {
        deps[ndeps++] = builder->reading;
    }
    builder->offset += (ptrdiff_t)builder->bytes;
    builder->last = builder->plan->nsteps;
    builder->reading = NONE;
    return irr_plan_add(builder->plan, &(irr_step_params_t){
        .kind = IRR_STEP_REDUCE, .peer = builder->plan->rank, .stage = builder->reduction->stage, .pieces = pieces,
        .npieces = 2, .deps = deps, .ndeps = ndeps });
}

/* Each receive has its own range of SCRATCH, so it depends on no step and is posted at the start. */
static irr_status_t add_receive(builder_t *builder, int peer)
{
    const size_t received = builder->plan->nsteps;
    irr_status_t status = add_message(builder, IRR_STEP_RECV, peer, builder->offset, NULL, 0);

    if (status == IRR_OK && builder->bytes > 0) {
        return add_reduce(builder, received);
    }
    builder->last = received;
    builder->reading = NONE;
    return status;
}

/* ---- the ranks of a node ---- */

static int member(const builder_t *builder, int node, int index)
{
    return irr_nodes_member(builder->reduction->nodes, node, index);
}

/* Returns whether, in a node of `size` ranks, index + distance is a child of `index`.  distance: a power of two. */
static bool is_child(int index, int size, int distance)
{
    return distance < size - index && (index == 0 || distance < (index & -index));
}

static irr_status_t add_up(builder_t *builder, int node, int size, int index)
{
    irr_status_t status = IRR_OK;

    for (int d = 1; is_child(index, size, d) && status == IRR_OK; d *= 2) {
        status = add_receive(builder, member(builder, node, index + d));
        builder->number++;
    }
    return status == IRR_OK && index > 0 ? add_send(builder, member(builder, node, index & (index - 1))) : status;
}

/* The farthest child is first, because it has the most ranks below it. */
static irr_status_t add_down(builder_t *builder, int node, int size, int index)
{
    irr_status_t status = index > 0 ? add_receive(builder, member(builder, node, index & (index - 1))) : IRR_OK;
    int d = 1;

    while (is_child(index, size, d)) {
        d *= 2;
    }
    for (d /= 2; d > 0 && status == IRR_OK; d /= 2) {
        builder->number++;
        status = add_send(builder, member(builder, node, index + d));
    }
    return status;
}

/* ---- the leaders, or all ranks ---- */

static int leader_of(const irr_nodes_t *nodes, int node)
{
    return nodes != NULL ? irr_nodes_member(nodes, node, 0) : node;
}

static irr_status_t add_rounds(builder_t *builder, int count, int self)
{
    const irr_nodes_t *nodes = builder->reduction->nodes;
    irr_status_t status = IRR_OK;

    for (int d = 1; d < count && status == IRR_OK; d *= 2) {
        status = add_send(builder, leader_of(nodes, (self + d) % count));
        if (status == IRR_OK) {
            status = add_receive(builder, leader_of(nodes, (self - d + count) % count));
        }
        builder->number++;
    }
    return status;
}

static irr_status_t add_with_nodes(builder_t *builder, const irr_nodes_t *nodes)
{
    const int rank = builder->plan->rank, node = irr_nodes_of(nodes, rank), index = irr_nodes_index(nodes, rank);
    const int size = irr_nodes_size(nodes, node);
    irr_status_t status = add_up(builder, node, size, index);

    if (status == IRR_OK && index == 0) {
        status = add_rounds(builder, nodes->count, node);
    }
    return status == IRR_OK ? add_down(builder, node, size, index) : status;
}

irr_status_t irr_reduction_add(irr_plan_t *plan, const irr_reduction_t *reduction, size_t *done)
{
    builder_t builder = {
        .plan = plan, .reduction = reduction, .bytes = reduction->words * sizeof(uint64_t),
        .offset = (ptrdiff_t)(reduction->words * sizeof(uint64_t)), .number = reduction->number, .last = NONE,
        .reading = NONE };
    const irr_status_t status = reduction->nodes != NULL ? add_with_nodes(&builder, reduction->nodes)
                                                         : add_rounds(&builder, plan->ranks, plan->rank);

    if (status == IRR_OK && builder.last != NONE) {
        *done = builder.last;
    }
    return status;
}
