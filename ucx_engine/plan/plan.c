/*
 * plan.c - storage of plans (a plan is the list of steps of one rank): growing arrays of steps, pieces and
 * dependencies, and the steps that pacings add.
 *
 * Appending a step takes amortised O(1) time.  A plan that is built in the memory of an earlier plan of at least the
 * same size allocates nothing.
 */
#include "plan/plan.h"

#include "core/alloc.h"
#include "problem/blocks.h"

#include <stdatomic.h>
#include <string.h>

void irr_plan_init(irr_plan_t *plan)
{
    memset(plan, 0, sizeof(*plan));
}

void irr_plan_fini(irr_plan_t *plan)
{
    irr_free(plan->deps);
    irr_free(plan->pieces);
    irr_free(plan->steps);
    irr_plan_init(plan);
}

/* Sets a new edition, because a plan with the old edition would count as equal to the plan before the change. */
static void renew_edition(irr_plan_t *plan)
{
    static _Atomic uint64_t last;

    plan->edition = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void irr_plan_reset(irr_plan_t *plan, const irr_problem_t *problem)
{
    renew_edition(plan);
    plan->ranks = problem->ranks;
    plan->rank = problem->rank;
    plan->stages = 0;
    plan->scratch_bytes = 0;
    plan->nsteps = 0;
    plan->nsends = 0;
    plan->nsignals = 0;
    plan->nrecvs = 0;
    plan->nlocals = 0;
    plan->npieces = 0;
    plan->ndeps = 0;
}

irr_status_t irr_plan_reserve(irr_plan_t *plan, irr_plan_room_t room)
{
    const bool indexed = room.steps < UINT32_MAX && room.pieces <= UINT32_MAX && room.deps <= UINT32_MAX;
    irr_status_t status = indexed ? IRR_GROW(plan->steps, plan->steps_max, room.steps) : IRR_ERR_NO_MEMORY;

    if (status == IRR_OK) {
        status = IRR_GROW(plan->pieces, plan->pieces_max, room.pieces);
    }
    if (status == IRR_OK) {
        status = IRR_GROW(plan->deps, plan->deps_max, room.deps);
    }
    return status;
}

irr_status_t irr_plan_trim(irr_plan_t *plan)
{
    irr_status_t status = IRR_TRIM(plan->steps, plan->steps_max, plan->nsteps);

    if (status == IRR_OK) {
        status = IRR_TRIM(plan->pieces, plan->pieces_max, plan->npieces);
    }
    return status == IRR_OK ? IRR_TRIM(plan->deps, plan->deps_max, plan->ndeps) : status;
}

irr_plan_room_t irr_plan_size(const irr_plan_t *plan)
{
    irr_plan_room_t size = { .steps = plan->nsteps, .pieces = plan->npieces, .deps = plan->ndeps };

    for (size_t i = 0; i < plan->nsteps; i++) {
        size.parts += irr_step_parts(&plan->steps[i]);
    }
    return size;
}

/* Appends a piece to the last step; there must be room for it. */
static void add_piece(irr_plan_t *plan, const irr_piece_t *piece)
{
    irr_step_t *step = &plan->steps[plan->nsteps - 1];

    if (!irr_step_is_local(step->kind) || step->pieces == 0) {
        step->bytes += piece->length;
    }
    if (piece->buffer == IRR_BUFFER_SCRATCH && (size_t)piece->offset + piece->length > plan->scratch_bytes) {
        plan->scratch_bytes = (size_t)piece->offset + piece->length;
    }
    plan->pieces[plan->npieces++] = *piece;
    step->pieces++;
}

/* Returns whether the last step has the dependencies of a new step. */
static bool has_deps(const irr_plan_t *plan, const irr_step_params_t *params)
{
    const irr_step_t *last = plan->nsteps > 0 ? &plan->steps[plan->nsteps - 1] : NULL;

    return last != NULL && params->ndeps > 0 && last->deps == params->ndeps &&
           memcmp(&plan->deps[last->first_dep], params->deps, params->ndeps * sizeof(*plan->deps)) == 0;
}

/* Returns whether a new step can use the piece of the last step. */
static bool has_piece(const irr_plan_t *plan, const irr_step_params_t *params)
{
    const irr_piece_t *last = plan->npieces > 0 ? &plan->pieces[plan->npieces - 1] : NULL;

    return last != NULL && params->repeats && params->npieces == 1 && last->buffer == params->pieces->buffer &&
           last->offset == params->pieces->offset && last->length == params->pieces->length &&
           plan->steps[plan->nsteps - 1].pieces == 1;
}

irr_status_t irr_plan_add(irr_plan_t *plan, const irr_step_params_t *params)
{
    const bool shares_deps = has_deps(plan, params), shares_piece = has_piece(plan, params);
    const irr_plan_room_t bounds = {
        .steps  = plan->nsteps + 1,
        .pieces = plan->npieces + params->npieces - shares_piece,
        .deps   = plan->ndeps + (shares_deps ? 0 : params->ndeps)
    };
    irr_status_t status = irr_plan_reserve(plan, bounds);

    if (status != IRR_OK) {
        return status;
    }
    plan->npieces -= shares_piece;
    plan->steps[plan->nsteps] = (irr_step_t){
        .kind = params->kind, .peer = params->peer, .stage = (int16_t)params->stage, .number = params->number,
        .first_piece = (uint32_t)plan->npieces, .deps = (uint32_t)params->ndeps,
        .first_dep = shares_deps ? plan->steps[plan->nsteps - 1].first_dep : (uint32_t)plan->ndeps,
        .content = params->content, .described = params->described, .ahead = params->ahead,
        .replaceable = params->replaceable
    };
    plan->nsteps++;
    plan->nsends += params->kind == IRR_STEP_SEND;
    plan->nrecvs += params->kind == IRR_STEP_RECV;
    plan->nsignals += params->kind == IRR_STEP_SIGNAL;
    plan->nlocals += irr_step_is_local(params->kind);
    for (size_t i = 0; i < params->npieces; i++) {
        add_piece(plan, &params->pieces[i]);
    }
    if (params->ndeps > 0 && !shares_deps) {
        memcpy(plan->deps + plan->ndeps, params->deps, params->ndeps * sizeof(*plan->deps));
        plan->ndeps += params->ndeps;
    }
    plan->stages = params->stage > plan->stages ? params->stage : plan->stages;
    return IRR_OK;
}

irr_plan_mark_t irr_plan_mark(const irr_plan_t *plan)
{
    return (irr_plan_mark_t){
        plan->nsteps, plan->nsends, plan->nrecvs, plan->nlocals, plan->npieces, plan->ndeps, plan->stages
    };
}

void irr_plan_cut(irr_plan_t *plan, const irr_plan_mark_t *mark)
{
    if (plan->nsteps != mark->nsteps) {
        renew_edition(plan);
    }
    plan->nsteps = mark->nsteps;
    plan->nsends = mark->nsends;
    plan->nrecvs = mark->nrecvs;
    plan->nlocals = mark->nlocals;
    plan->npieces = mark->npieces;
    plan->ndeps = mark->ndeps;
    plan->stages = mark->stages;
}

irr_status_t irr_plan_add_part(irr_plan_t *plan, irr_buffer_t buffer, irr_blocks_t blocks, size_t skip, size_t length)
{
    irr_blocks_cursor_t cursor = irr_blocks_at(blocks, skip);
    irr_block_t range = irr_blocks_next(&cursor, length);
    bool joined = false;
    irr_status_t status;

    do {
        status = irr_plan_reserve(plan, (irr_plan_room_t){ .pieces = plan->npieces + 1 });
        if (status != IRR_OK) {
            return status;
        }
        add_piece(plan, &(irr_piece_t){
            .buffer = buffer, .joined = joined, .offset = range.offset, .length = range.length });
        length -= range.length;
        joined = true;
        range = irr_blocks_next(&cursor, length);
    } while (range.length > 0);
    return IRR_OK;
}

irr_status_t irr_plan_add_self(const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_blocks_cursor_t from = irr_blocks_at(irr_blocks_of(problem->send, problem->rank), 0);
    irr_blocks_cursor_t to = irr_blocks_at(irr_blocks_of(problem->recv, problem->rank), 0);
    irr_block_t source, target;
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && irr_blocks_pair(&from, &to, &source, &target)) {
        const irr_piece_t pieces[2] = {
            { .buffer = IRR_BUFFER_INPUT, .offset = source.offset, .length = source.length },
            { .buffer = IRR_BUFFER_OUTPUT, .offset = target.offset, .length = target.length }
        };

        status = irr_plan_add(plan, &(irr_step_params_t){
            .kind = IRR_STEP_COPY, .peer = problem->rank, .stage = 1, .pieces = pieces, .npieces = 2 });
    }
    return status;
}

/* ---- steps of pacings ---- */

static const irr_piece_t nothing = { .buffer = IRR_BUFFER_INPUT };

irr_status_t irr_plan_signal(irr_plan_t *plan, int peer, int stage)
{
    const irr_step_params_t params = {
        .kind = IRR_STEP_SIGNAL, .peer = peer, .stage = stage, .pieces = &nothing, .npieces = 1
    };

    return irr_plan_add(plan, &params);
}

irr_status_t irr_plan_insert_waits(irr_plan_t *plan, size_t at, size_t count, int stage)
{
    irr_plan_room_t bounds = { .steps = plan->nsteps + count, .pieces = plan->npieces + count };
    irr_status_t status = irr_plan_reserve(plan, bounds);

    if (status != IRR_OK || count == 0) {
        return status;
    }
    memmove(&plan->steps[at + count], &plan->steps[at], (plan->nsteps - at) * sizeof(*plan->steps));
    plan->nsteps += count;
    for (size_t i = 0; i < plan->ndeps; i++) {
        plan->deps[i] += plan->deps[i] >= at ? count : 0;
    }
    for (size_t i = at; i < at + count; i++) {
        plan->steps[i] = (irr_step_t){
            .kind = IRR_STEP_WAIT, .stage = stage, .first_piece = (uint32_t)plan->npieces, .pieces = 1
        };
        plan->pieces[plan->npieces++] = nothing;
    }
    return IRR_OK;
}

irr_status_t irr_plan_depend(irr_plan_t *plan, size_t step, size_t on)
{
    irr_step_t *at = &plan->steps[step];
    const bool moves = at->first_dep + at->deps != plan->ndeps;
    irr_plan_room_t bounds = { .deps = plan->ndeps + (moves ? at->deps : 0) + 1 };
    irr_status_t status = irr_plan_reserve(plan, bounds);

    if (status != IRR_OK) {
        return status;
    }
    if (moves) {
        memcpy(plan->deps + plan->ndeps, plan->deps + at->first_dep, at->deps * sizeof(*plan->deps));
        at->first_dep = (uint32_t)plan->ndeps;
        plan->ndeps += at->deps;
    }
    plan->deps[plan->ndeps++] = on;
    at->deps++;
    return IRR_OK;
}
