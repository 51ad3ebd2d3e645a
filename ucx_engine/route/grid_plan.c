/*
 * grid_plan.c - builds the plan of a grid route, in which ranks forward slices of blocks; see grid_plan.h.
 *
 * A slice (range of a block) for this rank is received in OUTPUT, the user's memory.  If it belongs to several blocks,
 * it is received in SCRATCH, and copied at the end.  All other slices are received in SCRATCH, where a send of a later
 * stage reads them.  Scratch that the sends of a stage have read is reused from the next stage on, by receives that
 * depend on all earlier sends.  A rank therefore holds at most the data that it received in two stages, which theorem 1
 * of Liu, Wang and Prasanna bounds.  In addition it holds the slices to copy at the end.
 *
 * The parameter `overlap` adds dependencies between stages.  With `dual` a send depends on all receives of the previous
 * stage.  With `single` it also depends on all sends of the previous stage.  With `blocking` a barrier follows each
 * stage, and each send also depends on the previous send.  `pipelined` adds no dependency.
 *
 * The receives of direct messages are first in the plan, because they wait for nothing.  The direct sends follow the
 * sends of the first stage, because the messages of the first stage are short, and other ranks wait for them.
 *
 * Cost: at most one send for each slot and one receive for each sender of a stage; O(n log n) time for n slices of a
 * stage.  Liu, Wang, Prasanna 3.1.2, 3.1.3, 3.2 and 5; overlap: 3.3.
 */
#include "route/grid_plan.h"

#include "core/alloc.h"
#include "problem/blocks.h"
#include "route/reduction.h"
#include "route/direct.h"

#include <string.h>

static void forget_steps(irr_grid_plan_t *build)
{
    for (int i = 0; i < build->stages->slots; i++) {
        build->send_steps[i] = IRR_NO_STEP;
    }
    for (int i = 0; i < build->stages->senders; i++) {
        build->recv_steps[i] = IRR_NO_STEP;
    }
}

irr_status_t irr_grid_plan_init(irr_grid_plan_t *build, const irr_stages_t *stages)
{
    memset(build, 0, sizeof(*build));
    build->stages = stages;
    irr_plan_init(&build->plan);
    build->send_steps = irr_alloc((size_t)stages->slots, sizeof(*build->send_steps));
    build->recv_steps = irr_alloc((size_t)stages->senders, sizeof(*build->recv_steps));
    if (stages->grid.direct_from > 0) {
        build->came = irr_alloc_zero((size_t)stages->ranks, sizeof(*build->came));
    }
    if (build->send_steps == NULL || build->recv_steps == NULL ||
        (build->came == NULL && stages->grid.direct_from > 0)) {
        irr_grid_plan_fini(build);
        return IRR_ERR_NO_MEMORY;
    }
    forget_steps(build);
    return IRR_OK;
}

void irr_grid_plan_trim(irr_grid_plan_t *build)
{
    (void)IRR_TRIM(build->slices, build->slices_max, build->plan.npieces);
    (void)IRR_TRIM(build->deps, build->deps_max, 0);
    (void)IRR_TRIM(build->marked, build->marked_max, 0);
    (void)IRR_TRIM(build->pieces, build->pieces_max, 0);
    irr_extents_fini(&build->scratch);
    irr_distribution_fini(&build->distribution);
    irr_items_fini(&build->held);
    (void)irr_plan_trim(&build->plan);
}

void irr_grid_plan_clear(irr_grid_plan_t *build, const irr_problem_t *problem)
{
    irr_plan_reset(&build->plan, problem);
    forget_steps(build);
    irr_items_fini(&build->landed);
    irr_grid_plan_trim(build);
}

void irr_grid_plan_fini(irr_grid_plan_t *build)
{
    irr_free(build->deps);
    irr_free(build->marked);
    irr_free(build->pieces);
    irr_extents_fini(&build->scratch);
    irr_distribution_fini(&build->distribution);
    irr_items_fini(&build->landed);
    irr_items_fini(&build->held);
    irr_free(build->came);
    irr_free(build->recv_steps);
    irr_free(build->send_steps);
    irr_free(build->slices);
    irr_plan_fini(&build->plan);
    memset(build, 0, sizeof(*build));
}

/* Adds a message of this rank to the held items: a slice for each block. */
static irr_status_t hold(irr_grid_plan_t *build, irr_blocks_t message)
{
    size_t offset = 0;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < message.count && status == IRR_OK; i++) {
        const irr_block_t *block = &message.list[i];

        status = irr_items_add(&build->held, (irr_item_t){
            .slice = { .source = build->problem->rank, .destination = block->rank, .offset = offset,
                       .length = block->length },
            .at = (uintptr_t)block->offset, .owner = IRR_NO_STEP });
        offset += block->length;
    }
    return status;
}

static bool is_forwarded(const irr_grid_plan_t *build, irr_blocks_t message)
{
    const irr_grid_t *grid = &build->stages->grid;

    return message.list[0].rank != build->problem->rank &&
           (grid->direct_from == 0 || !irr_grid_goes_directly(grid, irr_blocks_bytes(message)));
}

/* Appends the direct sends or the direct receives, according to kind. */
static irr_status_t add_direct(irr_grid_plan_t *build, irr_step_kind_t kind)
{
    const irr_grid_t *grid = &build->stages->grid;
    const irr_direct_side_t side = { .kind = kind, .stage = irr_grid_direct_stage(grid), .least = grid->direct_from };

    return grid->direct_from == 0 || build->placed
               ? IRR_OK : irr_direct_add_side(build->problem, &irr_order_rotate, &side, &build->plan);
}

irr_status_t irr_grid_plan_begin(irr_grid_plan_t *build, const irr_problem_t *problem, size_t slice_min,
                                 irr_overlap_t overlap)
{
    irr_status_t status = IRR_OK;

    build->problem = problem;
    build->slice_min = slice_min;
    build->overlap = overlap;
    build->truncated = false;
    build->slot_base = 0;
    build->sender_base = 0;
    build->barrier = IRR_NO_STEP;
    build->held.count = 0;
    build->landed.count = 0;
    irr_extents_reset(&build->scratch);
    irr_plan_reset(&build->plan, problem);
    forget_steps(build);
    if (build->came != NULL) {
        memset(build->came, 0, (size_t)problem->ranks * sizeof(*build->came));
    }
    for (irr_blocks_t left = problem->send; left.count > 0 && status == IRR_OK;) {
        const irr_blocks_t message = irr_blocks_first(left);

        status = is_forwarded(build, message) ? hold(build, message) : IRR_OK;
        left = irr_blocks_after(left, message.count);
    }
    return status == IRR_OK ? add_direct(build, IRR_STEP_RECV) : status;
}

/* ---- dependencies ---- */

static size_t append_one(size_t *deps, size_t count, size_t step)
{
    if (step != IRR_NO_STEP) {
        deps[count++] = step;
    }
    return count;
}

static size_t append(size_t *deps, size_t count, const uint32_t *steps, int nsteps)
{
    for (int i = 0; i < nsteps; i++) {
        count = append_one(deps, count, steps[i]);
    }
    return count;
}

/* Sorts the first `count` dependencies and removes duplicates; returns their number. */
static size_t unique(irr_grid_plan_t *build, size_t count)
{
    size_t kept = 0, least = build->plan.nsteps, end = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t step = build->deps[i];

        build->marked[step] = true;
        least = step < least ? step : least;
        end = step < end ? end : step + 1;
    }
    for (size_t step = least; step < end; step++) {
        if (build->marked[step]) {
            build->marked[step] = false;
            build->deps[kept++] = step;
        }
    }
    return kept;
}

/*
 * Appends all receives of the previous stage and, unless the overlap is `dual`, its sends.  If this rank sends nothing
 * in that stage, also appends the steps of the stage before it, and so on.  Older stages are not needed: sends start in
 * order, so the sends of a stage have already waited for all stages before it.
 */
static size_t append_stages_before(const irr_grid_plan_t *build, int stage, size_t count)
{
    size_t senders = build->sender_base, slots = build->slot_base, *deps = build->deps;
    bool sends = false;

    for (int number = stage - 1; number > 0 && !sends; number--) {
        const irr_stage_t *before = &build->stages->stage[number - 1];
        const size_t had = count;

        slots -= (size_t)before->slots;
        senders -= (size_t)before->senders;
        count = append(deps, count, build->send_steps + slots, before->slots);
        sends = count > had;
        count = build->overlap == IRR_OVERLAP_DUAL ? had : count;
        count = append(deps, count, build->recv_steps + senders, before->senders);
    }
    return count;
}

/* Lists in build->deps the receives of the data of a send, and the steps for which it waits because of the overlap. */
static size_t send_deps(irr_grid_plan_t *build, int stage, const irr_items_t *items, size_t before)
{
    size_t *deps = build->deps, count = 0;

    for (size_t i = 0; i < items->count; i++) {
        count = append_one(deps, count, items->array[i].owner);
    }
    if (build->overlap != IRR_OVERLAP_PIPELINED) {
        count = append_stages_before(build, stage, count);
    }
    if (build->overlap == IRR_OVERLAP_BLOCKING) {
        count = append_one(deps, count, build->barrier);
        count = append_one(deps, count, before);
    }
    return unique(build, count);
}

/* Returns whether a slice fits in the blocks for the message from its source. */
static bool fits(const irr_grid_plan_t *build, const irr_slice_t *slice)
{
    const size_t bytes = irr_blocks_bytes(irr_blocks_of(build->problem->recv, slice->source));

    return slice->offset <= bytes && slice->length <= bytes - slice->offset;
}

bool irr_grid_plan_arrives(const irr_grid_plan_t *build, const irr_slice_t *slice, irr_piece_t *piece)
{
    irr_blocks_cursor_t cursor;
    irr_block_t range;

    if (slice->destination != build->problem->rank || !fits(build, slice)) {
        return false;
    }
    cursor = irr_blocks_at(irr_blocks_of(build->problem->recv, slice->source), slice->offset);
    range = irr_blocks_next(&cursor, slice->length);
    *piece = (irr_piece_t){ .buffer = IRR_BUFFER_OUTPUT, .offset = range.offset, .length = range.length };
    return range.length == slice->length;
}

/* ---- steps ---- */

static irr_status_t make_room(irr_grid_plan_t *build, size_t count)
{
    size_t steps = (size_t)build->stages->slots + (size_t)build->stages->senders, marks = build->marked_max;
    irr_status_t status = IRR_GROW(build->pieces, build->pieces_max, count);

    if (status == IRR_OK) {
        status = IRR_GROW(build->deps, build->deps_max, count + steps + 2);
    }
    if (status == IRR_OK) {
        status = IRR_GROW(build->slices, build->slices_max, build->plan.npieces + count);
    }
    if (status == IRR_OK) {
        status = IRR_GROW(build->marked, build->marked_max, build->plan.nsteps + 1);
    }
    if (build->marked_max > marks) {
        memset(build->marked + marks, 0, (build->marked_max - marks) * sizeof(*build->marked));
    }
    return status;
}

/* Makes the blank, a byte that belongs to no slice, the only piece of the next step.  Returns the number of pieces. */
static size_t put_blank(irr_grid_plan_t *build)
{
    build->slices[build->plan.npieces] = (irr_slice_t){ .length = 0 };
    build->pieces[0] = (irr_piece_t){ .buffer = IRR_BUFFER_SCRATCH, .offset = (ptrdiff_t)build->blank, .length = 1 };
    return 1;
}

static irr_status_t add_send(irr_grid_plan_t *build, int number, int slot, size_t *before)
{
    const irr_stage_t *stage = &build->stages->stage[number - 1];
    const irr_items_t *items = &build->distribution.slots[slot];
    irr_step_params_t params = {
        .kind = IRR_STEP_SEND, .peer = stage->peer[slot], .stage = number, .number = stage->number[slot]
    };
    irr_status_t status = make_room(build, items->count + 1);

    if (status != IRR_OK) {
        return status;
    }
    params.repeats = items->count == 0;
    params.npieces = items->count > 0 ? items->count : put_blank(build);
    for (size_t i = 0; i < items->count; i++) {
        const irr_item_t *item = &items->array[i];

        build->slices[build->plan.npieces + i] = item->slice;
        build->pieces[i] = (irr_piece_t){
            .buffer = item->owner == IRR_NO_STEP ? IRR_BUFFER_INPUT : IRR_BUFFER_SCRATCH,
            .offset = (ptrdiff_t)item->at, .length = item->slice.length
        };
    }
    params.ndeps = send_deps(build, number, items, *before);
    params.pieces = build->pieces;
    params.deps = build->deps;
    status = irr_plan_add(&build->plan, &params);
    if (status == IRR_OK) {
        *before = build->plan.nsteps - 1;
        build->send_steps[build->slot_base + (size_t)slot] = (uint32_t)*before;
    }
    return status;
}

/* Begins with the slot after `own`, because from there on the step numbers of the slots mostly rise. */
irr_status_t irr_grid_plan_sends(irr_grid_plan_t *build, int number)
{
    const irr_stage_t *stage = &build->stages->stage[number - 1];
    irr_status_t status = irr_distribute(&build->distribution, stage, build->slice_min, &build->held);
    size_t before = IRR_NO_STEP;
    irr_items_t own;

    for (int k = 1; k < stage->slots && status == IRR_OK; k++) {
        int slot = (stage->own + k) % stage->slots;

        if (build->distribution.slots[slot].count > 0 || build->placed) {
            status = add_send(build, number, slot, &before);
        }
    }
    if (status == IRR_OK) {
        own = build->distribution.slots[stage->own];
        build->distribution.slots[stage->own] = build->held;
        build->held = own;
    }
    return status == IRR_OK && number == 1 ? add_direct(build, IRR_STEP_SEND) : status;
}

/* Returns where an arriving slice is received.  Sets *used to true if scratch is reused. */
static irr_piece_t target(irr_grid_plan_t *build, const irr_slice_t *slice, bool *used)
{
    irr_piece_t piece;
    bool again;

    if (irr_grid_plan_arrives(build, slice, &piece)) {
        return piece;
    }
    piece = (irr_piece_t){
        .buffer = IRR_BUFFER_SCRATCH, .offset = (ptrdiff_t)irr_extents_take(&build->scratch, slice->length, &again),
        .length = slice->length
    };
    *used = *used || again;
    return piece;
}

/* Records that a message came through the grid although its blocks here are long enough for a direct message. */
static void note_arrival(irr_grid_plan_t *build, const irr_slice_t *slice)
{
    if (build->came != NULL && slice->destination == build->problem->rank) {
        build->came[slice->source] = irr_grid_goes_directly(
            &build->stages->grid, irr_blocks_bytes(irr_blocks_of(build->problem->recv, slice->source)));
    }
}

irr_status_t irr_grid_plan_receive(irr_grid_plan_t *build, int number, int i, const irr_slice_t *slices,
                                   const irr_piece_t *targets, size_t count)
{
    const irr_stage_t *stage = &build->stages->stage[number - 1];
    irr_step_params_t params = {
        .kind = IRR_STEP_RECV, .peer = stage->sender[i], .stage = number, .number = stage->sender_number[i],
        .replaceable = build->placed
    };
    irr_status_t status = make_room(build, count + 1);
    bool used = false;

    if (status != IRR_OK) {
        return status;
    }
    params.repeats = count == 0;
    params.npieces = count > 0 ? count : put_blank(build);
    for (size_t k = 0; k < count && status == IRR_OK; k++) {
        build->slices[build->plan.npieces + k] = slices[k];
        note_arrival(build, &slices[k]);
        build->pieces[k] = build->placed ? targets[k] : target(build, &slices[k], &used);
        if (build->pieces[k].buffer != IRR_BUFFER_OUTPUT) {
            const bool arrived = slices[k].destination == build->problem->rank;

            build->truncated = build->truncated || (arrived && !fits(build, &slices[k]));
            status = irr_items_add(arrived ? &build->landed : &build->held, (irr_item_t){
                .slice = slices[k], .at = (uintptr_t)build->pieces[k].offset, .owner = build->plan.nsteps });
        }
    }
    if (status != IRR_OK) {
        return status;
    }
    if (used) {
        params.ndeps = unique(build, append(build->deps, 0, build->send_steps, (int)build->slot_base));
    }
    params.pieces = build->pieces;
    params.deps = build->deps;
    status = irr_plan_add(&build->plan, &params);
    if (status == IRR_OK) {
        build->recv_steps[build->sender_base + (size_t)i] = (uint32_t)build->plan.nsteps - 1;
    }
    return status;
}

/* ---- the end of a stage ---- */

/* Frees the scratch that the sends of the stage have read: all scratch except that of the items in held and landed. */
static irr_status_t free_sent(irr_grid_plan_t *build)
{
    const irr_items_t *const kept[] = { &build->held, &build->landed };
    irr_status_t status = IRR_OK;

    irr_extents_free(&build->scratch);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < kept[k]->count && status == IRR_OK; i++) {
            const irr_item_t *item = &kept[k]->array[i];

            status = item->owner == IRR_NO_STEP ? IRR_OK
                                                : irr_extents_keep(&build->scratch, item->at, item->slice.length);
        }
    }
    return status == IRR_OK ? irr_extents_settle(&build->scratch) : status;
}

static irr_status_t add_barrier(irr_grid_plan_t *build, int number, const irr_stage_t *stage)
{
    irr_status_t status = make_room(build, (size_t)build->stages->ranks);
    size_t count;

    if (status != IRR_OK) {
        return status;
    }
    count = append(build->deps, 0, build->recv_steps + build->sender_base, stage->senders);
    count = append(build->deps, count, build->send_steps + build->slot_base, stage->slots);
    count = append_one(build->deps, count, build->barrier);
    return irr_reduction_add(&build->plan, &(irr_reduction_t){
        .stage = number, .number = stage->slots + 1, .deps = build->deps, .ndeps = unique(build, count)
    }, &build->barrier);
}

irr_status_t irr_grid_plan_end_stage(irr_grid_plan_t *build, int number)
{
    const irr_stage_t *stage = &build->stages->stage[number - 1];
    irr_status_t status = build->placed ? IRR_OK : free_sent(build);

    if (status == IRR_OK && build->overlap == IRR_OVERLAP_BLOCKING) {
        status = add_barrier(build, number, stage);
    }
    build->slot_base += (size_t)stage->slots;
    build->sender_base += (size_t)stage->senders;
    return status;
}

/* Copies a slice from scratch to its blocks. */
static irr_status_t add_landed(irr_grid_plan_t *build, const irr_item_t *item)
{
    const irr_block_t range = { .offset = (ptrdiff_t)item->at, .length = item->slice.length };
    irr_blocks_cursor_t from = irr_blocks_at((irr_blocks_t){ .list = &range, .count = 1 }, 0);
    irr_blocks_cursor_t to = irr_blocks_at(irr_blocks_of(build->problem->recv, item->slice.source), item->slice.offset);
    irr_block_t source, target;
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && irr_blocks_pair(&from, &to, &source, &target)) {
        const irr_piece_t pieces[2] = {
            { .buffer = IRR_BUFFER_SCRATCH, .offset = source.offset, .length = source.length },
            { .buffer = IRR_BUFFER_OUTPUT, .offset = target.offset, .length = target.length }
        };

        status = irr_plan_add(&build->plan, &(irr_step_params_t){
            .kind = IRR_STEP_COPY, .peer = build->problem->rank, .stage = 1, .pieces = pieces, .npieces = 2,
            .deps = &item->owner, .ndeps = 1 });
    }
    return status;
}

irr_status_t irr_grid_plan_finish(irr_grid_plan_t *build)
{
    irr_status_t status = irr_plan_add_self(build->problem, &build->plan);

    for (size_t i = 0; i < build->landed.count && status == IRR_OK; i++) {
        status = add_landed(build, &build->landed.array[i]);
    }
    return status;
}
