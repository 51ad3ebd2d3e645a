/*
 * exec.c - the executor; see exec.h for what it promises.
 *
 * Three cursors walk the steps of the plan: one for receives and awaits, one for sends and copies, and one for tells,
 * so that a send held back never holds back a receive or a tell.  A step is a few messages (its parts, see compose.c),
 * which the window counts as one; it is complete when all of them are.  Tells and awaits are messages as others, of
 * kind IRR_TAG_SYNC: those of one rank for another in a stage are alike, so both have them in one order.
 *
 * Cost: O(1) a step and piece over the whole run, plus the dependencies of each step once a look.
 */
#include "exec/exec.h"

#include "core/alloc.h"

#include <assert.h>
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

irr_status_t irr_exec_reserve(irr_exec_t *exec, irr_plan_bounds_t bounds)
{
    const bool fits = bounds.steps <= exec->steps_max && bounds.pieces <= exec->pieces_max;

    bounds.steps = bounds.steps > exec->steps_max ? bounds.steps : exec->steps_max;
    bounds.pieces = bounds.pieces > exec->pieces_max ? bounds.pieces : exec->pieces_max;
    return fits ? IRR_OK : grow(exec, bounds);
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

/* A tell was not sent, and is to be later.  What its peer sends may wait for it, so no other tell waits for that. */
static void take_back(irr_exec_t *exec, size_t index)
{
    const irr_step_t *steps = exec->plan->steps;

    exec->steps[index].transfer.pending = NOT_STARTED;
    exec->failed_tell = index < exec->failed_tell ? index : exec->failed_tell;
    for (size_t i = 0; i < exec->plan->nsteps; i++) {
        exec->steps[i].excused |= steps[i].kind == IRR_STEP_RECV && steps[i].peer == steps[index].peer;
    }
}

/* The message of a step is over, well or not. */
static void end_step(irr_transfer_t *transfer)
{
    irr_exec_step_t *state = (irr_exec_step_t *)transfer;
    irr_exec_t *exec = state->exec;
    size_t index = (size_t)(state - exec->steps);
    const irr_step_t *step = &exec->plan->steps[index];
    irr_status_t status = transfer->status;

    if (step->kind == IRR_STEP_AWAIT && status == IRR_ERR_TRUNCATE) {
        status = IRR_ERR_PROTOCOL;   /* no user has a block that a tell could be too long for */
    }
    irr_exec_keep(&exec->result, status);
    if (step->kind == IRR_STEP_TELL && status != IRR_OK) {
        take_back(exec, index);
        return;
    }
    exec->open_steps--;
    if (step->kind == IRR_STEP_SEND) {
        irr_window_end(&exec->window, step->bytes);
    } else {
        exec->spoiled = exec->spoiled || (status != IRR_OK && touches(exec, step, IRR_BUFFER_SCRATCH));
    }
}

_Static_assert(offsetof(irr_exec_step_t, transfer) == 0, "end_step takes a transfer for its step");

static const irr_iov_t sink = { NULL, IRR_SINK_BYTES };

static irr_tag_kind_t tag_kind(const irr_exec_t *exec, const irr_step_t *step)
{
    return step->kind == IRR_STEP_TELL || step->kind == IRR_STEP_AWAIT ? IRR_TAG_SYNC : exec->env.tag_kind;
}

/* Hands one message of a step to the transport; without contents, if this rank lacks them. */
static void start_part(irr_exec_t *exec, size_t index, size_t first_iov, size_t count, irr_form_t form)
{
    const irr_exec_env_t *env = &exec->env;
    const irr_step_t *step = &exec->plan->steps[index];
    const uint16_t tag = irr_tag(env->tag_base, tag_kind(exec, step), step->stage);
    const irr_iov_t *iov = &exec->iov[first_iov];
    irr_transfer_t *transfer = &exec->steps[index].transfer;
    irr_part_t *part = &exec->parts[first_iov];

    if (lacks(exec, step)) {
        count = step->kind == IRR_STEP_SEND ? 0 : 1;
        iov = &sink;
        form = step->kind == IRR_STEP_SEND ? IRR_FORM_IOVEC : IRR_FORM_GATHER;
    }
    if (irr_step_goes_out(step)) {
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
        irr_window_begin(&exec->window, step->bytes);
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
        const irr_exec_step_t *state = &exec->steps[exec->plan->deps[step->first_dep + i]];

        if (state->transfer.pending != COMPLETE && !(state->excused && step->kind == IRR_STEP_TELL)) {
            return false;
        }
    }
    return true;
}

static void advance_receives(irr_exec_t *exec)
{
    for (; exec->next_recv < exec->plan->nsteps; exec->next_recv++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_recv];

        if (step->kind != IRR_STEP_RECV && step->kind != IRR_STEP_AWAIT) {
            continue;
        }
        if (!deps_complete(exec, step)) {
            return;
        }
        start_message(exec, exec->next_recv);
    }
}

/* One that has failed goes once more, because it may fail again at once. */
static void advance_tells(irr_exec_t *exec)
{
    if (exec->failed_tell < exec->next_tell) {
        exec->next_tell = exec->failed_tell;
    }
    exec->failed_tell = SIZE_MAX;
    for (; exec->next_tell < exec->plan->nsteps; exec->next_tell++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_tell];

        if (step->kind != IRR_STEP_TELL || exec->steps[exec->next_tell].transfer.pending != NOT_STARTED) {
            continue;
        }
        if (!deps_complete(exec, step)) {
            return;
        }
        start_message(exec, exec->next_tell);
    }
}

static void advance_sends(irr_exec_t *exec)
{
    for (; exec->next_send < exec->plan->nsteps; exec->next_send++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_send];

        if (step->kind != IRR_STEP_SEND && step->kind != IRR_STEP_COPY) {
            continue;
        }
        if (!deps_complete(exec, step)) {
            return;
        }
        if (step->kind == IRR_STEP_COPY) {
            run_copy(exec, exec->next_send);
        } else if (irr_window_admits(&exec->window, step->bytes)) {
            start_message(exec, exec->next_send);
        } else {
            return;
        }
    }
}

static void advance(irr_exec_t *exec)
{
    advance_receives(exec);
    advance_tells(exec);
    advance_sends(exec);
}

void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan, const irr_exec_env_t *env)
{
    assert(exec->plan == NULL);
    assert(plan->nsteps <= exec->steps_max && plan->npieces <= exec->pieces_max);
    exec->plan = plan;
    exec->env = *env;
    exec->window = (irr_window_t){ .messages_max = env->window_messages, .bytes_max = env->window_bytes };
    exec->next_recv = 0;
    exec->next_send = 0;
    exec->next_tell = plan->ntells > 0 ? 0 : plan->nsteps;
    exec->failed_tell = SIZE_MAX;
    exec->open_steps = plan->nsteps;
    exec->spoiled = false;
    exec->result = env->lacks != 0 ? IRR_ERR_NO_MEMORY : IRR_OK;
    for (size_t i = 0; i < plan->nsteps; i++) {
        exec->steps[i].transfer.pending = NOT_STARTED;
        exec->steps[i].excused = false;
    }
    advance(exec);
}

irr_status_t irr_exec_progress(irr_exec_t *exec)
{
    advance(exec);
    if (exec->open_steps > 0) {
        return IRR_IN_PROGRESS;
    }
    assert(exec->window.messages == 0 && exec->window.bytes == 0);
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
