/*
 * exec_room.c - storage for the states of the steps of a plan, which may grow; see exec.h.
 *
 * Appended steps that do not fit the first storage get additional storage. The next irr_exec_reserve, which runs while
 * no plan is running, merges all storage.
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

static void free_arrays(irr_exec_room_t *room)
{
    irr_free(room->steps);
    irr_free(room->parts);
    irr_free(room->iov);
}

/* Allocates storage for `steps` steps and `pieces` pieces. The first of these steps is first_step. */
static irr_status_t make_arrays(irr_exec_t *exec, size_t first_step, size_t steps, size_t pieces, irr_exec_room_t *room)
{
    irr_exec_room_t made = {
        .first_step = first_step, .steps_max = steps, .pieces_max = pieces,
        .iov = irr_alloc(pieces, sizeof(*made.iov)), .parts = irr_alloc_zero(pieces, sizeof(*made.parts)),
        .steps = irr_alloc_zero(steps, sizeof(*made.steps))
    };

    if (first_step + steps > UINT32_MAX || pieces > UINT32_MAX || made.iov == NULL || made.parts == NULL ||
        made.steps == NULL) {
        free_arrays(&made);
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < steps; i++) {
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
        free_arrays(room);
        irr_free(room);
    }
    exec->last = &exec->room;
}

void irr_exec_fini(irr_exec_t *exec)
{
    free_grown(exec);
    free_arrays(&exec->room);
    irr_exec_init(exec);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Additional storage is up to twice as long as the plan. The merged storage has a quarter to spare for longer plans. */
static size_t with_spare(size_t used)
{
    return used + used / 4;
}

irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_room_t bounds)
{
    const bool grew = exec->last != NULL && exec->last != &exec->room;
    const size_t used_steps = grew ? with_spare(exec->nsteps) : 0, used_pieces = grew ? with_spare(exec->npieces) : 0;
    const size_t steps = larger(larger(bounds.steps, exec->room.steps_max), used_steps);
    const size_t pieces = larger(larger(bounds.pieces, exec->room.pieces_max), used_pieces);
    irr_exec_room_t room;
    irr_status_t status = IRR_OK;

    free_grown(exec);
    if (steps > exec->room.steps_max || pieces > exec->room.pieces_max) {
        status = make_arrays(exec, 0, steps, pieces, &room);
        if (status == IRR_OK) {
            free_arrays(&exec->room);
            exec->room = room;
            exec->edition = 0;
        }
    }
    return status;
}

/* ---- steps ---- */

/* Sets the requests of a step, or the two addresses of a local step. */
static void prepare(const irr_exec_t *exec, const irr_exec_room_t *room, const irr_step_t *step,
                    irr_exec_step_t *state)
{
    irr_iov_t *iov = &room->iov[step->first_piece - room->first_piece];
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];

    state->kind = (uint8_t)step->kind;
    state->comes = step->kind == IRR_STEP_RECV || step->kind == IRR_STEP_WAIT;
    state->tag = irr_exec_tag(exec, step);
    if (step->pieces > 1 && !irr_step_is_local(step->kind)) {
        irr_exec_set_parts(exec, room, step, state);
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
    const irr_exec_room_t *room = irr_exec_room_of(exec, exec->nsteps);   /* holds all new steps */

    for (; exec->nsteps < plan->nsteps; exec->nsteps++) {
        irr_exec_step_t *state = &room->steps[exec->nsteps - room->first_step];

        assert(state->exec == exec && state->index == exec->nsteps);
        prepare(exec, room, &plan->steps[exec->nsteps], state);
    }
    exec->npieces = plan->npieces;
}

void irr_exec_open(irr_exec_t *exec, size_t first)
{
    const irr_exec_room_t *room = irr_exec_room_of(exec, first);   /* holds all steps from `first` on */

    for (size_t i = first; i < exec->nsteps; i++) {
        room->steps[i - room->first_step].pending = IRR_EXEC_NOT_STARTED;
    }
}

/* ---- growth ---- */

irr_status_t irr_exec_grow(irr_exec_t *exec)
{
    const irr_plan_t *plan = exec->plan;
    const size_t first = exec->nsteps;
    const irr_exec_room_t *last = exec->last;
    irr_exec_room_t *room;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (plan->nsteps - last->first_step > last->steps_max || plan->npieces - last->first_piece > last->pieces_max) {
        room = irr_alloc(1, sizeof(*room));
        if (room != NULL) {
            status = make_arrays(exec, first, plan->nsteps, plan->npieces, room);
        }
        if (status != IRR_OK) {
            irr_free(room);
            return status;
        }
        room->first_piece = first < plan->nsteps ? plan->steps[first].first_piece : plan->npieces;
        room->next = exec->last;
        exec->last = room;
    }
    irr_exec_take_in(exec);
    irr_exec_open(exec, first);
    exec->news = true;
    exec->unstarted += exec->nsteps - first;
    exec->open_steps += exec->nsteps - first;
    return IRR_OK;
}

/* ---- calls of the source of a plan ---- */

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
