/*
 * exec.c - the executor; see exec.h for what it promises.
 *
 * Two cursors walk the steps of the plan, one for receives and one for sends and copies, so that a send held back
 * by its pace never holds back a receive.  A step is a few messages (its parts, see compose.c), which the pace
 * counts as one; it is complete when all of them are.  Two more cursors know the first receive and the first send
 * that are not over, for the paces that ask; what a pace needs of messages is in exec/grant.c.
 *
 * Cost: O(1) a step and piece over the whole run, plus the dependencies of each step once a look.
 */
#include "exec/exec.h"

#include "core/alloc.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/* Values of `pending` that are not a number of messages. */
#define NOT_STARTED SIZE_MAX
#define COMPLETE    0

void irr_exec_init(irr_exec_t *exec)
{
    memset(exec, 0, sizeof(*exec));
}

void irr_exec_fini(irr_exec_t *exec)
{
    irr_sync_run_fini(&exec->sync);
    irr_grants_fini(&exec->grants);
    irr_free(exec->steps);
    irr_free(exec->parts);
    irr_free(exec->iov);
    irr_exec_init(exec);
}

static irr_status_t grow(irr_exec_t *exec, irr_plan_bounds_t bounds)
{
    irr_iov_t *iov = irr_alloc(bounds.pieces, sizeof(*iov));
    irr_part_t *parts = irr_alloc_zero(bounds.pieces, sizeof(*parts));
    irr_exec_step_t *steps = irr_alloc(bounds.steps, sizeof(*steps));

    if (iov == NULL || parts == NULL || steps == NULL) {
        irr_free(steps);
        irr_free(parts);
        irr_free(iov);
        return IRR_ERR_NO_MEMORY;
    }
    irr_free(exec->steps);
    irr_free(exec->parts);
    irr_free(exec->iov);
    exec->iov = iov;
    exec->parts = parts;
    exec->steps = steps;
    exec->pieces_max = bounds.pieces;
    exec->steps_max = bounds.steps;
    return IRR_OK;
}

irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_bounds_t bounds, const irr_pace_t *pace)
{
    const bool fits = bounds.steps <= exec->steps_max && bounds.pieces <= exec->pieces_max;
    irr_status_t status;

    bounds.steps = bounds.steps > exec->steps_max ? bounds.steps : exec->steps_max;
    bounds.pieces = bounds.pieces > exec->pieces_max ? bounds.pieces : exec->pieces_max;
    status = fits ? IRR_OK : grow(exec, bounds);
    if (status == IRR_OK && pace->grants) {
        status = irr_grants_reserve(&exec->grants, bounds.steps);
    }
    return status == IRR_OK && pace->syncs ? irr_sync_run_reserve(&exec->sync, bounds.syncs) : status;
}

/* Is one of the pieces of a step in this buffer? */
static bool touches(const irr_exec_t *exec, const irr_step_t *step, irr_buffer_t buffer)
{
    for (size_t i = step->first_piece; i < step->first_piece + step->pieces; i++) {
        if (exec->plan->pieces[i].buffer == buffer && exec->plan->pieces[i].length > 0) {
            return true;
        }
    }
    return false;
}

/* Is this rank without what the message is made of, or without a place for it? */
static bool lacks(const irr_exec_t *exec, const irr_step_t *step)
{
    const unsigned lacks = exec->env.lacks;

    if (step->kind == IRR_STEP_SEND) {
        return ((lacks & IRR_LACKS_INPUT) != 0 && touches(exec, step, IRR_BUFFER_INPUT)) ||
               (exec->spoiled && touches(exec, step, IRR_BUFFER_SCRATCH));
    }
    return (lacks & IRR_LACKS_OUTPUT) != 0 && touches(exec, step, IRR_BUFFER_OUTPUT);
}

/* The message of a step is over, well or not. */
static void end_step(irr_transfer_t *transfer)
{
    irr_exec_step_t *state = (irr_exec_step_t *)transfer;
    irr_exec_t *exec = state->exec;
    size_t index = (size_t)(state - exec->steps);
    const irr_step_t *step = &exec->plan->steps[index];

    irr_exec_keep(&exec->result, transfer->status);
    exec->open_steps--;
    if (step->kind == IRR_STEP_SEND) {
        irr_pace_end(&exec->pace, step->bytes);
    } else {
        exec->spoiled = exec->spoiled || (transfer->status != IRR_OK && touches(exec, step, IRR_BUFFER_SCRATCH));
        irr_grants_close(&exec->grants, index);
    }
}

_Static_assert(offsetof(irr_exec_step_t, transfer) == 0, "end_step takes a transfer for its step");

static const irr_iov_t sink = { NULL, IRR_SINK_BYTES };

/* Hands one message of a step to the transport; without contents, if this rank lacks them. */
static void start_part(irr_exec_t *exec, size_t index, size_t first_iov, size_t count, irr_form_t form)
{
    const irr_exec_env_t *env = &exec->env;
    const irr_step_t *step = &exec->plan->steps[index];
    const uint16_t tag = irr_tag(env->tag_base, env->tag_kind, step->stage);
    const irr_iov_t *iov = &exec->iov[first_iov];
    irr_transfer_t *transfer = &exec->steps[index].transfer;
    irr_part_t *part = &exec->parts[first_iov];

    if (lacks(exec, step)) {
        count = step->kind == IRR_STEP_SEND ? 0 : 1;
        iov = &sink;
        form = step->kind == IRR_STEP_SEND ? IRR_FORM_IOVEC : IRR_FORM_GATHER;
    }
    if (step->kind == IRR_STEP_SEND) {
        irr_transfer_send(transfer, part, step->peer, tag, iov, count, form, 0);
    } else {
        irr_transfer_receive(transfer, part, step->peer, tag, iov, count, form);
    }
}

/* Added as numbers: a buffer may be NULL, with absolute offsets, or because this rank lacks it. */
static void *address_of(const irr_exec_t *exec, const irr_piece_t *piece)
{
    const void *base = NULL;

    switch (piece->buffer) {
    case IRR_BUFFER_INPUT:   base = exec->env.input; break;
    case IRR_BUFFER_OUTPUT:  base = exec->env.output; break;
    case IRR_BUFFER_SCRATCH: base = exec->env.scratch; break;
    }
    return (void *)((uintptr_t)base + (uintptr_t)piece->offset);
}

/* Appends to the step's addresses the non-empty pieces that go together, or those that go apart. */
static size_t resolve(irr_exec_t *exec, const irr_step_t *step, size_t filled, size_t apart_min, bool apart)
{
    for (size_t i = step->first_piece; i < step->first_piece + step->pieces; i++) {
        const irr_piece_t *piece = &exec->plan->pieces[i];

        if (piece->length > 0 && (piece->length >= apart_min) == apart) {
            exec->iov[step->first_piece + filled++] =
                (irr_iov_t){ .base = address_of(exec, piece), .length = piece->length };
        }
    }
    return filled;
}

static void start_message(irr_exec_t *exec, size_t index)
{
    const irr_step_t *step = &exec->plan->steps[index];
    irr_composition_t composition =
        irr_compose(exec->env.compose, &exec->env.channel->transport->caps, step->pieces, step->bytes);
    size_t together = resolve(exec, step, 0, composition.apart_min, false);
    size_t total = composition.apart_min == SIZE_MAX ? together
                                                     : resolve(exec, step, together, composition.apart_min, true);
    bool one_together = together > 0 || total == 0;   /* an empty message is a message too */

    exec->steps[index].exec = exec;
    irr_transfer_begin(&exec->steps[index].transfer, exec->env.channel, exec->env.counters, end_step);
    if (step->kind == IRR_STEP_SEND) {
        irr_pace_begin(&exec->pace, step->bytes);
    }
    if (one_together) {
        start_part(exec, index, step->first_piece, together, composition.form);
    }
    for (size_t i = together; i < total; i++) {
        start_part(exec, index, step->first_piece + i, 1, IRR_FORM_IOVEC);
    }
    irr_transfer_end(&exec->steps[index].transfer);
}

static void run_copy(irr_exec_t *exec, size_t index)
{
    const irr_piece_t *from = &exec->plan->pieces[exec->plan->steps[index].first_piece], *to = from + 1;
    size_t bytes = from->length < to->length ? from->length : to->length;

    bytes = exec->env.lacks == 0 ? bytes : 0;
    if (bytes > 0) {
        memmove(address_of(exec, to), address_of(exec, from), bytes);
    }
    exec->env.counters->bytes_staged += bytes;
    irr_exec_keep(&exec->result, from->length > to->length ? IRR_ERR_TRUNCATE : IRR_OK);
    exec->steps[index].transfer.pending = COMPLETE;
    exec->open_steps--;
}

static bool deps_complete(const irr_exec_t *exec, const irr_step_t *step)
{
    for (size_t i = 0; i < step->deps; i++) {
        if (exec->steps[exec->plan->deps[step->first_dep + i]].transfer.pending != COMPLETE) {
            return false;
        }
    }
    return true;
}

static void advance_receives(irr_exec_t *exec)
{
    for (; exec->next_recv < exec->plan->nsteps; exec->next_recv++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_recv];

        if (step->kind != IRR_STEP_RECV) {
            continue;
        }
        if (!deps_complete(exec, step)) {
            return;
        }
        start_message(exec, exec->next_recv);
    }
}

/* The lowest number of a step of this kind and stage that is not over, INT_MAX if all are; moves the cursor on. */
static int first_open(const irr_exec_t *exec, irr_step_kind_t kind, int stage, size_t *cursor)
{
    const irr_step_t *steps = exec->plan->steps;

    while (*cursor < exec->plan->nsteps && (steps[*cursor].kind != kind || steps[*cursor].stage < stage ||
                                            exec->steps[*cursor].transfer.pending == COMPLETE)) {
        ++*cursor;
    }
    return *cursor < exec->plan->nsteps && steps[*cursor].stage == stage ? steps[*cursor].number : INT_MAX;
}

static bool admits(irr_exec_t *exec, size_t index)
{
    const irr_step_t *step = &exec->plan->steps[index];
    irr_pace_send_t send = {
        .bytes = step->bytes, .number = step->number,
        .granted = irr_grants_here(&exec->grants, index) && irr_sync_run_here(&exec->sync, index)
    };
    int recv_number = first_open(exec, IRR_STEP_RECV, step->stage, &exec->open_recv);
    int send_number = first_open(exec, IRR_STEP_SEND, step->stage, &exec->open_send);

    exec->pace.first_send = send_number;
    exec->pace.first_open = recv_number < send_number ? recv_number : send_number;
    return irr_pace_admits(exec->env.pace, &exec->pace, &send);
}

static void advance_sends(irr_exec_t *exec)
{
    for (; exec->next_send < exec->plan->nsteps; exec->next_send++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_send];

        if (step->kind == IRR_STEP_RECV) {
            continue;
        }
        if (!deps_complete(exec, step)) {
            return;
        }
        if (step->kind == IRR_STEP_COPY) {
            run_copy(exec, exec->next_send);
        } else if (admits(exec, exec->next_send)) {
            start_message(exec, exec->next_send);
        } else {
            return;
        }
    }
}

/* The first step that is a receive of the last stage and not over. */
static size_t received(irr_exec_t *exec)
{
    (void)first_open(exec, IRR_STEP_RECV, exec->plan->stages, &exec->received);
    return exec->received;
}

static void advance(irr_exec_t *exec)
{
    advance_receives(exec);
    irr_grants_advance(&exec->grants, exec->next_recv);
    if (exec->env.pace->syncs) {
        irr_sync_run_advance(&exec->sync, received(exec));
    }
    advance_sends(exec);
}

void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan, const irr_exec_env_t *env)
{
    assert(exec->plan == NULL);
    assert(plan->nsteps <= exec->steps_max && plan->npieces <= exec->pieces_max);
    assert(!env->pace->grants || plan->nsteps <= exec->grants.list_max);
    assert(!env->pace->syncs || plan->ntells + plan->nawaits <= exec->sync.signals.list_max);
    exec->plan = plan;
    exec->env = *env;
    exec->pace = (irr_pace_state_t){
        .window_messages = env->window_messages, .window_bytes = env->window_bytes,
        .grants = env->grants > 0 ? env->grants : IRR_GRANTS_DEFAULT
    };
    exec->next_recv = 0;
    exec->next_send = 0;
    exec->open_recv = 0;
    exec->received = 0;
    exec->open_send = 0;
    exec->open_steps = plan->nsteps;
    exec->spoiled = false;
    exec->result = env->lacks != 0 ? IRR_ERR_NO_MEMORY : IRR_OK;
    for (size_t i = 0; i < plan->nsteps; i++) {
        exec->steps[i].transfer.pending = NOT_STARTED;
    }
    if (env->pace->grants) {
        irr_grants_start(&exec->grants, plan, &exec->env, exec->pace.grants, &exec->result);
    }
    if (env->pace->syncs) {
        irr_sync_run_start(&exec->sync, plan, &exec->env, &exec->result);
    }
    advance(exec);
}

irr_status_t irr_exec_progress(irr_exec_t *exec)
{
    advance(exec);
    if (exec->open_steps > 0 || !irr_grants_end(&exec->grants) || !irr_sync_run_end(&exec->sync)) {
        return IRR_IN_PROGRESS;
    }
    assert(exec->pace.messages == 0 && exec->pace.bytes == 0);
    exec->plan = NULL;
    return exec->result;
}

/* ---- what is awaited ---- */

static bool is_open(const irr_exec_t *exec, size_t index, irr_step_kind_t kind)
{
    return exec->plan->steps[index].kind == kind && exec->steps[index].transfer.pending != COMPLETE;
}

/* The peer of the first step of a kind that is not over; -1: all are. */
static int first_peer(const irr_exec_t *exec, irr_step_kind_t kind)
{
    for (size_t i = 0; exec->plan != NULL && i < exec->plan->nsteps; i++) {
        if (is_open(exec, i, kind)) {
            return exec->plan->steps[i].peer;
        }
    }
    return -1;
}

bool irr_exec_receives(const irr_exec_t *exec)
{
    return first_peer(exec, IRR_STEP_RECV) >= 0;
}

int irr_exec_awaited(const irr_exec_t *exec)
{
    return irr_exec_receives(exec) ? first_peer(exec, IRR_STEP_RECV) : first_peer(exec, IRR_STEP_SEND);
}

bool irr_exec_listens(const irr_exec_t *exec)
{
    return exec->plan == NULL || exec->next_recv == exec->plan->nsteps;
}
