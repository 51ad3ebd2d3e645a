/*
 * forward.c - builds the plan of an exchange in which leaders of nodes forward messages, and which has a schedule.  It
 * describes the arriving messages to the builder of grid plans (grid_plan.h), and divides the messages of the resulting
 * plan into the transmissions of the schedule; see forward.h.
 *
 * list_slices() lists the data that may arrive, without its lengths.  It needs no count matrix.  Rank 0 has the matrix,
 * and sends each rank its lengths in the order of the list; the rank computes the list again.  The list begins with the
 * data from the other ranks of the node that this rank forwards or keeps.  Then follows, for each leader on another
 * node, the data of all ranks of that node for this rank.
 *
 * A message of stage 2 has the data of all ranks of a node for one destination, in the order of the ranks.  A
 * transmission is a range of such a message.  Its first and its last piece may therefore be ranges of slices, and the
 * transmission waits only for the data of ranks in its range.
 */
#include "route/forward.h"

#include "core/alloc.h"
#include "order/messages.h"
#include "problem/blocks.h"
#include "route/route.h"

#include <string.h>

enum { INSIDE = 1, OUTSIDE = 2 };   /* stages */

const irr_route_t irr_route_node = { .name = "node" };

irr_status_t irr_forward_matrix(const irr_nodes_t *nodes, const irr_matrix_t *matrix, irr_matrix_t *forwarded)
{
    irr_matrix_t made;
    irr_status_t status;
    irr_messages_sum_t sum;

    if (matrix->ranks != nodes->ranks || irr_messages_sum(matrix, &sum) != IRR_OK) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_matrix_init(&made, matrix->ranks);
    if (status != IRR_OK) {
        return status;
    }
    for (int from = 0; from < matrix->ranks; from++) {
        for (int to = 0; to < matrix->ranks; to++) {
            const int node = irr_nodes_of(nodes, from);

            if (node != irr_nodes_of(nodes, to)) {
                const int leader = irr_nodes_member(nodes, node, irr_nodes_rank_leader(nodes, node, to));

                *irr_matrix_at(&made, leader, to) += *irr_matrix_at(matrix, from, to);
            }
        }
    }
    *forwarded = made;
    return IRR_OK;
}

/* ---- arriving messages ---- */

size_t irr_forward_count(const irr_nodes_t *nodes, int rank)
{
    const int node = irr_nodes_of(nodes, rank), mates = irr_nodes_size(nodes, node);
    size_t passing = 1;

    for (int to = 0; to < nodes->ranks; to++) {
        passing += irr_nodes_of(nodes, to) != node &&
                   irr_nodes_rank_leader(nodes, node, to) == irr_nodes_index(nodes, rank);
    }
    return (size_t)(mates - 1) * passing + (size_t)(nodes->ranks - mates);
}

/*
 * Lists the slices (ranges of blocks), without lengths, that a sender may send in a stage, in the order of its message.
 * Returns their number.
 */
static size_t list_slices(const irr_stages_t *stages, int number, int sender, irr_slice_t *slices)
{
    const irr_nodes_t *nodes = stages->grid.nodes;
    const int node = irr_nodes_of(nodes, sender);
    size_t count = 0;

    for (int to = 0; number == INSIDE && to < nodes->ranks; to++) {
        if (irr_stage_accepts(&stages->stage[INSIDE - 1], to)) {
            slices[count++] = (irr_slice_t){ .source = sender, .destination = to };
        }
    }
    for (int i = 0; number == OUTSIDE && i < irr_nodes_size(nodes, node); i++) {
        slices[count++] = (irr_slice_t){ .source = irr_nodes_member(nodes, node, i), .destination = stages->rank };
    }
    return count;
}

/*
 * Initialises the stages, which borrow the nodes, and allocates one slice for each rank.  May return IRR_ERR_NO_MEMORY.
 */
static irr_status_t open_stages(const irr_nodes_t *nodes, int rank, irr_stages_t *stages, irr_slice_t **slices)
{
    const irr_grid_t grid = { .levels = OUTSIDE, .nodes = nodes };

    *stages = (irr_stages_t){ .count = 0 };
    *slices = irr_alloc((size_t)nodes->ranks, sizeof(**slices));
    return *slices != NULL ? irr_stages_init(stages, &grid, nodes->ranks, rank) : IRR_ERR_NO_MEMORY;
}

irr_status_t irr_forward_lengths(const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank, uint64_t *lengths)
{
    irr_slice_t *slices;
    irr_stages_t stages;
    irr_status_t status = open_stages(nodes, rank, &stages, &slices);

    for (int number = INSIDE; number <= OUTSIDE && status == IRR_OK; number++) {
        const irr_stage_t *stage = &stages.stage[number - 1];

        for (int i = 0; i < stage->senders; i++) {
            const size_t count = list_slices(&stages, number, stage->sender[i], slices);

            for (size_t k = 0; k < count; k++) {
                *lengths++ = *irr_matrix_at(matrix, slices[k].source, slices[k].destination);
            }
        }
    }
    irr_stages_fini(&stages);
    irr_free(slices);
    return status;
}

/* ---- the plan of whole messages ---- */

/* Adds a stage to the plan, and advances *lengths past the lengths of the slices of the stage. */
static irr_status_t build_stage(irr_grid_plan_t *build, int number, const uint64_t **lengths, irr_slice_t *slices)
{
    const irr_stage_t *stage = &build->stages->stage[number - 1];
    irr_status_t status = irr_grid_plan_sends(build, number);

    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        const size_t listed = list_slices(build->stages, number, stage->sender[i], slices);
        size_t count = 0;

        for (size_t k = 0; k < listed; k++) {
            slices[count] = slices[k];
            slices[count].length = (size_t)*(*lengths)++;
            count += slices[count].length > 0;
        }
        if (count > 0) {
            status = irr_grid_plan_receive(build, number, i, slices, NULL, count);
        }
    }
    return status == IRR_OK ? irr_grid_plan_end_stage(build, number) : status;
}

/*
 * Returns the problem for the builder, which uses only the lengths of blocks: all blocks to send begin at byte 0, and
 * the blocks to receive have room for messages of any length.
 */
static irr_problem_t state_problem(const irr_stages_t *stages, irr_blocks_t sent, irr_block_t *blocks)
{
    irr_problem_t problem = { .ranks = stages->ranks, .rank = stages->rank, .send.list = blocks };

    while (sent.count > 0) {
        const irr_blocks_t message = irr_blocks_first(sent);

        blocks[problem.send.count++] = (irr_block_t){
            .rank = message.list[0].rank, .length = irr_blocks_bytes(message)
        };
        sent = irr_blocks_after(sent, message.count);
    }
    problem.recv = (irr_blocks_t){ .list = blocks + stages->ranks, .count = (size_t)stages->ranks };
    for (int r = 0; r < stages->ranks; r++) {
        blocks[stages->ranks + r] = (irr_block_t){ .rank = r, .length = PTRDIFF_MAX };
    }
    return problem;
}

static irr_status_t build_all(irr_grid_plan_t *build, const irr_stages_t *stages, irr_blocks_t sent,
                              const uint64_t *lengths, irr_slice_t *slices)
{
    irr_block_t *blocks = irr_alloc(2 * (size_t)stages->ranks, sizeof(*blocks));
    irr_problem_t problem;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (blocks != NULL) {
        problem = state_problem(stages, sent, blocks);
        status = irr_grid_plan_init(build, stages);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_begin(build, &problem, 0, IRR_OVERLAP_PIPELINED);
    }
    for (int number = INSIDE; number <= OUTSIDE && status == IRR_OK; number++) {
        status = build_stage(build, number, &lengths, slices);
    }
    irr_distribution_fini(&build->distribution);
    irr_items_fini(&build->held);
    build->stages = NULL;
    build->problem = NULL;
    irr_free(blocks);
    return status;
}

/* Returns the address of the entry of forward->step for the message to or from a rank. */
static size_t *step_at(const irr_forward_t *forward, irr_step_kind_t kind, int peer)
{
    return &forward->step[(kind == IRR_STEP_SEND ? 0 : forward->build.plan.ranks) + peer];
}

static irr_status_t find_steps(irr_forward_t *forward)
{
    const irr_plan_t *plan = &forward->build.plan;
    const size_t count = 2 * (size_t)plan->ranks;

    forward->step = irr_alloc(count, sizeof(*forward->step));
    for (size_t i = 0; forward->step != NULL && i < count; i++) {
        forward->step[i] = IRR_NO_STEP;
    }
    for (size_t i = 0; forward->step != NULL && i < plan->nsteps; i++) {
        if (plan->steps[i].stage == OUTSIDE) {
            *step_at(forward, plan->steps[i].kind, plan->steps[i].peer) = i;
        }
    }
    for (size_t i = 0; i < plan->npieces; i++) {
        if (plan->pieces[i].buffer == IRR_BUFFER_OUTPUT && plan->pieces[i].length > forward->spill) {
            forward->spill = plan->pieces[i].length;
        }
    }
    return forward->step != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

irr_status_t irr_forward_init_with(irr_forward_t *forward, const irr_nodes_t *nodes, irr_blocks_t sent,
                                   const uint64_t *lengths, int rank)
{
    irr_forward_t made = { .step = NULL };
    irr_slice_t *slices;
    irr_stages_t stages;
    irr_status_t status = open_stages(nodes, rank, &stages, &slices);

    if (status == IRR_OK) {
        status = build_all(&made.build, &stages, sent, lengths, slices);
    }
    if (status == IRR_OK) {
        status = find_steps(&made);
    }
    irr_stages_fini(&stages);
    irr_free(slices);
    if (status != IRR_OK) {
        irr_forward_fini(&made);
        return status;
    }
    *forward = made;
    return IRR_OK;
}

irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix,
                              irr_blocks_t sent, int rank)
{
    uint64_t *lengths = irr_alloc(irr_forward_count(nodes, rank), sizeof(*lengths));
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (lengths != NULL) {
        status = irr_forward_lengths(nodes, matrix, rank, lengths);
    }
    if (status == IRR_OK) {
        status = irr_forward_init_with(forward, nodes, sent, lengths, rank);
    }
    irr_free(lengths);
    return status;
}

void irr_forward_fini(irr_forward_t *forward)
{
    irr_free(forward->step);
    irr_grid_plan_fini(&forward->build);
    memset(forward, 0, sizeof(*forward));
}

size_t irr_forward_bytes(const irr_forward_t *forward)
{
    const irr_plan_t *plan = &forward->build.plan;

    return 2 * (size_t)plan->ranks * sizeof(*forward->step) + plan->steps_max * sizeof(*plan->steps) +
           plan->pieces_max * sizeof(*plan->pieces) + plan->deps_max * sizeof(*plan->deps) +
           forward->build.slices_max * sizeof(*forward->build.slices);
}

size_t irr_forward_scratch(const irr_forward_t *forward)
{
    return forward->build.plan.scratch_bytes + forward->spill;
}

/* ---- the plan of an exchange ---- */

typedef struct writer {
    const irr_forward_t *forward;
    const irr_problem_t *problem;
    irr_plan_t          *plan;
    size_t               sends;         /* number of sends of stage 1, which the builder appends before the receives */
    bool                 short_block;   /* true if the blocks for a message are too short */
} writer_t;

/* A position in a message: skip `before` more bytes, and then take `left` more bytes. */
typedef struct range {
    size_t before, left;
} range_t;

/* Advances by `length` bytes.  Returns the number of taken bytes, and sets *skip_p to the number of skipped ones. */
static size_t cut(range_t *range, size_t length, size_t *skip_p)
{
    const size_t skip = length < range->before ? length : range->before;
    const size_t take = length - skip < range->left ? length - skip : range->left;

    range->before -= skip;
    range->left -= take;
    *skip_p = skip;
    return take;
}

/*
 * Appends `take` bytes of a slice, from byte `skip` on.  If the blocks are too short, the bytes go to SCRATCH instead.
 */
static irr_status_t write_bytes(writer_t *w, const irr_slice_t *slice, const irr_piece_t *piece, size_t skip,
                               size_t take)
{
    const irr_plan_t *whole = &w->forward->build.plan;
    irr_block_t range = { .offset = piece->offset + (ptrdiff_t)skip, .length = take };
    irr_blocks_t blocks = { .list = NULL };

    if (piece->buffer == IRR_BUFFER_INPUT) {
        blocks = irr_blocks_of(w->problem->send, slice->destination);
    } else if (piece->buffer == IRR_BUFFER_OUTPUT) {
        blocks = irr_blocks_of(w->problem->recv, slice->source);
        if (irr_blocks_bytes(blocks) < slice->length) {
            w->short_block = true;
            range.offset = (ptrdiff_t)whole->scratch_bytes;
            blocks.list = NULL;
        }
    }
    return blocks.list != NULL
               ? irr_plan_add_part(w->plan, piece->buffer, blocks, skip, take)
               : irr_plan_add_part(w->plan, IRR_BUFFER_SCRATCH, (irr_blocks_t){ .list = &range, .count = 1 }, 0, take);
}

/*
 * Lists in build->deps the steps that receive the data of a range of a message, and returns their number.  The slices
 * of a message come from consecutive ranks, and each slice in SCRATCH was received from its source.  The steps are
 * therefore the receives from the ranks from the source of the first slice of the range to that of the last slice.
 */
static size_t depend(const writer_t *w, const irr_step_t *step, const irr_slice_t *slices, range_t range)
{
    const irr_grid_plan_t *build = &w->forward->build;
    int first = -1, last = -1;
    size_t count = 0;

    for (size_t i = 0; i < step->pieces && step->deps > 0; i++) {
        size_t skip;

        if (cut(&range, slices[i].length, &skip) > 0) {
            first = first < 0 ? slices[i].source : first;
            last = slices[i].source;
        }
    }
    for (size_t i = 0; i < step->deps; i++) {
        const size_t on = build->plan.deps[step->first_dep + i];

        if (build->plan.steps[on].peer >= first && build->plan.steps[on].peer <= last) {
            build->deps[count++] = on - w->sends;
        }
    }
    return count;
}

/* Appends a range of a message as a step, unless the range is empty. */
static irr_status_t write_range(writer_t *w, size_t index, range_t range, int number)
{
    const irr_grid_plan_t *build = &w->forward->build;
    const irr_step_t *step = &build->plan.steps[index];
    const irr_slice_t *slices = irr_grid_plan_slices(build, index);
    const irr_step_params_t params = {
        .kind = step->kind, .peer = step->peer, .stage = step->stage, .number = number, .deps = build->deps,
        .ndeps = depend(w, step, slices, range)
    };
    irr_status_t status = range.before < step->bytes && range.left > 0 ? irr_plan_add(w->plan, &params) : IRR_OK;

    for (size_t i = 0; i < step->pieces && status == IRR_OK; i++) {
        size_t skip, take = cut(&range, slices[i].length, &skip);

        if (take > 0) {
            status = write_bytes(w, &slices[i], &build->plan.pieces[step->first_piece + i], skip, take);
        }
    }
    return status;
}

static irr_status_t write_inside(writer_t *w, irr_step_kind_t kind)
{
    const irr_plan_t *plan = &w->forward->build.plan;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < plan->nsteps && plan->steps[i].stage == INSIDE && status == IRR_OK; i++) {
        if (plan->steps[i].kind == kind) {
            status = write_range(w, i, (range_t){ 0, SIZE_MAX }, plan->steps[i].number);
        }
    }
    return status;
}

/* Returns the step that sends or receives the message of a transmission; IRR_NO_STEP: none on this rank. */
static size_t step_of(const irr_forward_t *forward, const irr_transmission_t *t, irr_step_kind_t kind, int rank)
{
    const bool sends = kind == IRR_STEP_SEND;

    return (sends ? t->from : t->to) == rank ? *step_at(forward, kind, sends ? t->to : t->from) : IRR_NO_STEP;
}

static irr_status_t write_outside(writer_t *w, irr_step_kind_t kind, const irr_schedule_t *own)
{
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < own->count && status == IRR_OK; i++) {
        const irr_transmission_t *t = &own->list[i];
        const size_t step = step_of(w->forward, t, kind, w->problem->rank);

        if (step != IRR_NO_STEP) {
            status = write_range(w, step, (range_t){ (size_t)t->offset, (size_t)t->length },
                                 irr_direct_number(kind, t));
        }
    }
    return status;
}

/*
 * If blocks were too short, appends a copy of one byte to a piece of length 0, so that the exchange returns
 * IRR_ERR_TRUNCATE.
 */
static irr_status_t write_truncation(const writer_t *w)
{
    static const irr_piece_t pieces[2] = {
        { .buffer = IRR_BUFFER_SCRATCH, .length = 1 }, { .buffer = IRR_BUFFER_OUTPUT, .length = 0 }
    };
    const irr_step_params_t params = {
        .kind = IRR_STEP_COPY, .peer = w->problem->rank, .stage = INSIDE, .pieces = pieces, .npieces = 2
    };

    return w->short_block ? irr_plan_add(w->plan, &params) : IRR_OK;
}

irr_status_t irr_forward_plan_build(const irr_forward_t *forward, const irr_schedule_t *own,
                                    const irr_problem_t *problem, irr_plan_t *plan)
{
    static const irr_step_kind_t kinds[] = { IRR_STEP_RECV, IRR_STEP_SEND };
    writer_t w = { .forward = forward, .problem = problem, .plan = plan };
    const irr_plan_t *whole = &forward->build.plan;
    irr_status_t status = IRR_OK;

    while (w.sends < whole->nsteps && whole->steps[w.sends].stage == INSIDE &&
           whole->steps[w.sends].kind == IRR_STEP_SEND) {
        w.sends++;
    }
    irr_plan_reset(plan, problem);
    for (int k = 0; k < 2 && status == IRR_OK; k++) {
        status = write_inside(&w, kinds[k]);
    }
    for (int k = 0; k < 2 && status == IRR_OK; k++) {
        status = write_outside(&w, kinds[k], own);
    }
    if (status == IRR_OK) {
        status = write_truncation(&w);
    }
    return status == IRR_OK ? irr_plan_add_self(problem, plan) : status;
}

bool irr_forward_fits(const irr_forward_t *forward, const irr_schedule_t *own)
{
    const int rank = forward->build.plan.rank;
    bool good = true;

    for (size_t i = 0; i < own->count && good; i++) {
        const irr_step_kind_t kind = own->list[i].from == rank ? IRR_STEP_SEND : IRR_STEP_RECV;

        good = step_of(forward, &own->list[i], kind, rank) != IRR_NO_STEP;
    }
    return good;
}
