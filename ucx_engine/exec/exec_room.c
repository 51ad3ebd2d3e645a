/*
 * exec_room.c - memory of the executor for the states of the steps of a plan, which may grow while it runs; see exec.h.
 *
 * The memory ("room") must not move while a plan runs, because the transport has addresses in it. Appended steps that
 * do not fit get additional room. The next irr_exec_reserve, when no plan is running, merges all room into one.
 */
#include "exec/exec_message.h"

#include "core/alloc.h"

#include <assert.h>
#include <string.h>

void irr_exec_init(irr_exec_t *exec)
{
    memset(exec, 0, sizeof(*exec));
}

/* ---- room ---- */

/* Allocates room for bounds.steps steps, the first of which is step first_step of the plan. */
static irr_status_t make_arrays(irr_exec_t *exec, size_t first_step, irr_plan_room_t bounds, irr_exec_room_t *room)
{
    irr_exec_room_t made = {
        .first_step = first_step, .steps_max = bounds.steps, .pieces_max = bounds.pieces, .parts_max = bounds.parts
    };
    const irr_array_t arrays[] = {
        IRR_ARRAY(made.steps, bounds.steps), IRR_ARRAY(made.iov, bounds.pieces), IRR_ARRAY(made.parts, bounds.parts)
    };

    if (first_step + bounds.steps > UINT32_MAX || IRR_ALLOC_ARRAYS(arrays) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < bounds.steps; i++) {
        made.steps[i].request.done = irr_exec_on_done;
        made.steps[i].exec = exec;
        made.steps[i].index = (uint32_t)(first_step + i);
    }
    *room = made;
    return IRR_OK;
}

static void free_grown(irr_exec_t *exec)
{
    while (exec->last != NULL && exec->last != &exec->room) {
        irr_exec_room_t *room = exec->last;

        exec->last = room->next;
        irr_free(room->steps);
        irr_free(room);
    }
    exec->last = &exec->room;
}

void irr_exec_fini(irr_exec_t *exec)
{
    free_grown(exec);
    irr_free(exec->room.steps);
    irr_exec_init(exec);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Returns the size of merged room: a quarter more than the last plan used, because the next plan may be longer. */
static size_t with_spare(size_t used)
{
    return used + used / 4;
}

static bool fits(const irr_exec_room_t *room, irr_plan_room_t bounds)
{
    return bounds.steps <= room->steps_max && bounds.pieces <= room->pieces_max && bounds.parts <= room->parts_max;
}

/* Replaces the room by new room. The states of the last plan are lost. */
static irr_status_t replace(irr_exec_t *exec, irr_plan_room_t bounds)
{
    irr_exec_room_t room;
    const irr_status_t status = make_arrays(exec, 0, bounds, &room);

    if (status == IRR_OK) {
        irr_free(exec->room.steps);
        exec->room = room;
        exec->edition = 0;
    }
    return status;
}

irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_room_t bounds)
{
    const irr_exec_room_t *room = &exec->room;

    if (exec->last != NULL && exec->last != room) {
        bounds.steps = larger(bounds.steps, with_spare(exec->nsteps));
        bounds.pieces = larger(bounds.pieces, with_spare(exec->npieces));
        bounds.parts = larger(bounds.parts, with_spare(exec->nparts));
    }
    free_grown(exec);
    bounds.steps = larger(bounds.steps, room->steps_max);
    bounds.pieces = larger(bounds.pieces, room->pieces_max);
    bounds.parts = larger(bounds.parts, room->parts_max);
    return fits(room, bounds) ? IRR_OK : replace(exec, bounds);
}

irr_status_t irr_exec_fit(irr_exec_t *exec, irr_plan_room_t bounds)
{
    const irr_exec_room_t *room = &exec->room;
    const bool exact = bounds.steps == room->steps_max && bounds.pieces == room->pieces_max &&
                       bounds.parts == room->parts_max;

    free_grown(exec);
    return exact || replace(exec, bounds) == IRR_OK || fits(room, bounds) ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* ---- steps ---- */

/* Sets the messages of a step; for a copy or a reduction, its two addresses. */
static void prepare(irr_exec_t *exec, const irr_exec_room_t *room, const irr_step_t *step, irr_exec_step_t *state)
{
    irr_iov_t *iov = &room->iov[step->first_piece - room->first_piece];
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];

    state->kind = (uint8_t)step->kind;
    state->comes = step->kind == IRR_STEP_RECV || step->kind == IRR_STEP_WAIT;
    state->tag = irr_exec_tag(exec, step);
    if (irr_step_parts(step) > 0) {
        exec->nparts += irr_exec_set_parts(exec, step, iov, room->parts + (exec->nparts - room->first_part), state);
        assert(exec->nparts - room->first_part <= room->parts_max);
    } else {
        for (size_t i = 0; i < step->pieces; i++) {
            iov[i] = irr_exec_address(exec, &pieces[i]);
        }
        irr_request_set(&state->request, step->peer, 0, iov, iov->length > 0,
                        irr_compose_whole(exec->compose));
    }
}

void irr_exec_take_in(irr_exec_t *exec)
{
    const irr_plan_t *plan = exec->plan;
    const irr_exec_room_t *room = irr_exec_room_of(exec, exec->nsteps);   /* has all new steps */

    for (; exec->nsteps < plan->nsteps; exec->nsteps++) {
        irr_exec_step_t *state = &room->steps[exec->nsteps - room->first_step];

        assert(state->exec == exec && state->index == exec->nsteps);
        prepare(exec, room, &plan->steps[exec->nsteps], state);
    }
    exec->npieces = plan->npieces;
}

void irr_exec_open(irr_exec_t *exec, size_t first)
{
    const irr_exec_room_t *room = irr_exec_room_of(exec, first);   /* has all steps from `first` on */

    for (size_t i = first; i < exec->nsteps; i++) {
        room->steps[i - room->first_step].pending = IRR_EXEC_NOT_STARTED;
    }
}

/* ---- growth ---- */

/* Adds room for all steps from `first` on. */
static irr_status_t add_room(irr_exec_t *exec, size_t first, irr_plan_room_t bounds)
{
    const irr_plan_t *plan = exec->plan;
    irr_exec_room_t *room = irr_alloc(1, sizeof(*room));
    const irr_status_t status = room != NULL ? make_arrays(exec, first, bounds, room) : IRR_ERR_NO_MEMORY;

    if (status != IRR_OK) {
        irr_free(room);
        return status;
    }
    room->first_piece = first < plan->nsteps ? plan->steps[first].first_piece : plan->npieces;
    room->first_part = exec->nparts;
    room->next = exec->last;
    exec->last = room;
    return IRR_OK;
}

irr_status_t irr_exec_grow(irr_exec_t *exec)
{
    const irr_plan_t *plan = exec->plan;
    const size_t first = exec->nsteps;
    const irr_exec_room_t *last = exec->last;
    irr_plan_room_t size = { .steps = plan->nsteps, .pieces = plan->npieces, .parts = exec->nparts };
    irr_status_t status = IRR_OK;

    for (size_t i = first; i < plan->nsteps; i++) {
        size.parts += irr_exec_parts(&exec->env, plan, &plan->steps[i]);
    }
    if (size.steps - last->first_step > last->steps_max || size.pieces - last->first_piece > last->pieces_max ||
        size.parts - last->first_part > last->parts_max) {
        status = add_room(exec, first, size);
    }
    if (status != IRR_OK) {
        return status;
    }
    irr_exec_take_in(exec);
    irr_exec_open(exec, first);
    exec->news = true;
    exec->unstarted += exec->nsteps - first;
    exec->open_steps += exec->nsteps - first;
    return IRR_OK;
}

/* ---- functions for the code that appends steps ---- */

irr_exec_state_t irr_exec_state(const irr_exec_t *exec, size_t step)
{
    switch (irr_exec_step_of(exec, step)->pending) {
    case IRR_EXEC_DONE:         return IRR_EXEC_COMPLETE;
    case IRR_EXEC_PENDING_HELD: return IRR_EXEC_HELD;
    default:                    return IRR_EXEC_OPEN;
    }
}

void irr_exec_settle(irr_exec_t *exec, size_t step)
{
    irr_exec_step_of(exec, step)->pending = IRR_EXEC_DONE;
    exec->held--;
    exec->open_steps--;
    exec->news = true;
}

void irr_exec_drop_sends(irr_exec_t *exec, int stage)
{
    for (size_t i = exec->next_send; i < exec->nsteps; i++) {
        irr_exec_step_t *state = irr_exec_step_of(exec, i);

        if (exec->plan->steps[i].kind == IRR_STEP_SEND && exec->plan->steps[i].stage > stage) {
            assert(state->pending == IRR_EXEC_NOT_STARTED);
            state->pending = IRR_EXEC_DONE;
            exec->unstarted--;
            exec->open_steps--;
            exec->news = true;
        }
    }
}

bool irr_exec_sent(const irr_exec_t *exec, size_t end)
{
    for (size_t i = 0; i < end; i++) {
        if (exec->plan->steps[i].kind == IRR_STEP_SEND && irr_exec_state(exec, i) != IRR_EXEC_COMPLETE) {
            return false;
        }
    }
    return true;
}
