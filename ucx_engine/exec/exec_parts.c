/*
 * exec_parts.c - a step of a plan whose data is in several pieces of memory, sent or received as one or more messages.
 *
 * A part is one piece, or several pieces that always stay in one message (`joined`). Sender and receiver have the same
 * parts, but may divide a part into different pieces. exec/compose.h decides which parts become messages of their own:
 * those of at least apart_min bytes. All shorter parts are one message.
 */
#include "exec/exec_message.h"

static void on_part_done(irr_request_t *request, irr_status_t status)
{
    irr_part_t *part = (irr_part_t *)request;
    irr_exec_step_t *state = part->step;

    if (status == IRR_OK && state->comes) {
        irr_exec_count_received(state, 1, request->bytes);
        state->request.bytes += request->bytes;
        irr_exec_count_gathered(state, request, request->bytes);
    }
    irr_exec_keep(&state->status, status);
    if (--state->pending == 0) {
        irr_exec_end_step(state, state->status, state->exec->plan->steps[state->index].bytes);
    }
}

_Static_assert(offsetof(irr_part_t, request) == 0, "on_part_done casts a request to its part");

/* Writes the addresses of the non-empty pieces among `count` pieces to iov, and returns their number. */
static size_t resolve(const irr_exec_t *exec, const irr_piece_t *pieces, size_t count, irr_iov_t *iov)
{
    size_t filled = 0;

    for (size_t i = 0; i < count; i++) {
        if (pieces[i].length > 0) {
            iov[filled++] = irr_exec_address(exec, &pieces[i]);
        }
    }
    return filled;
}

/* Returns the number of pieces of the part that begins with pieces[0]. Sets *bytes_p to its length in bytes. */
static size_t part_of(const irr_piece_t *pieces, size_t count, size_t *bytes_p)
{
    size_t i = 0;

    *bytes_p = 0;
    do {
        *bytes_p += pieces[i++].length;
    } while (i < count && pieces[i].joined);
    return i;
}

/* Returns how the messages of a step are sent. A header, which describes data, is always one message. */
static irr_composition_t compose(const irr_exec_env_t *env, const irr_step_t *step, const irr_piece_t *pieces)
{
    const irr_transport_caps_t *caps = &irr_channel_lane(env->channel, step->peer)->transport->caps;
    irr_composition_t composition;
    size_t joined = 0;

    if (step->content == IRR_CONTENT_HEADER) {
        return (irr_composition_t){ .form = IRR_FORM_GATHER, .apart_min = SIZE_MAX };
    }
    for (size_t i = 1; i < step->pieces; i++) {
        joined += pieces[i].joined;
    }
    composition = irr_compose(env->compose, caps, step->pieces - joined, step->bytes);
    if (joined > 0) {
        composition.form = irr_compose(env->compose, caps, step->pieces, step->bytes).form;
    }
    return composition;
}

static size_t count_messages(const irr_composition_t *composition, const irr_step_t *step, const irr_piece_t *pieces)
{
    size_t apart = 0, together = 0, bytes, part;

    if (step->bytes < composition->apart_min) {
        return 1;
    }
    for (size_t i = 0; i < step->pieces; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        apart += bytes > 0 && bytes >= composition->apart_min;
        together += bytes > 0 && bytes < composition->apart_min;
    }
    return apart + (together > 0 || apart == 0);   /* a step without data is one empty message */
}

size_t irr_exec_parts(const irr_exec_env_t *env, const irr_plan_t *plan, const irr_step_t *step)
{
    const irr_piece_t *pieces = &plan->pieces[step->first_piece];
    irr_composition_t composition;
    size_t messages;

    if (irr_step_parts(step) == 0) {
        return 0;
    }
    composition = compose(env, step, pieces);
    messages = count_messages(&composition, step, pieces);
    return messages > 1 ? messages : 0;
}

irr_plan_room_t irr_exec_size(const irr_exec_env_t *env, const irr_plan_t *plan)
{
    irr_plan_room_t size = { .steps = plan->nsteps, .pieces = plan->npieces, .deps = plan->ndeps };

    for (size_t i = 0; i < plan->nsteps; i++) {
        size.parts += irr_exec_parts(env, plan, &plan->steps[i]);
    }
    return size;
}

static void set_whole(const irr_exec_t *exec, const irr_step_t *step, const irr_composition_t *composition,
                      irr_iov_t *iov, irr_exec_step_t *state)
{
    const size_t count = resolve(exec, &exec->plan->pieces[step->first_piece], step->pieces, iov);
    const bool contiguous = count == 1 && step->bytes >= composition->apart_min;

    irr_request_set(&state->request, step->peer, 0, iov, count, contiguous ? IRR_FORM_IOVEC : composition->form);
}

/* Sets one of several messages of a step. */
static void set_message(irr_exec_step_t *state, int peer, irr_part_t *part, const irr_iov_t *iov, size_t count,
                        irr_form_t form)
{
    part->request.done = on_part_done;
    part->step = state;
    irr_request_set(&part->request, peer, 0, iov, count, form);
}

size_t irr_exec_set_parts(const irr_exec_t *exec, const irr_step_t *step, irr_iov_t *iov, irr_part_t *parts,
                          irr_exec_step_t *state)
{
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];
    const irr_composition_t composition = compose(&exec->env, step, pieces);
    const size_t messages = count_messages(&composition, step, pieces);
    irr_part_t *next = parts;
    size_t together = 0, bytes, part;

    if (messages == 1) {
        set_whole(exec, step, &composition, iov, state);
        return 0;
    }
    for (size_t i = 0; i < step->pieces; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        together += bytes < composition.apart_min ? resolve(exec, &pieces[i], part, iov + together) : 0;
    }
    if (together > 0) {
        set_message(state, step->peer, next++, iov, together, composition.form);
        iov += together;
    }
    for (size_t i = 0; i < step->pieces; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        if (bytes > 0 && bytes >= composition.apart_min) {
            const size_t count = resolve(exec, &pieces[i], part, iov);

            set_message(state, step->peer, next++, iov, count, count > 1 ? composition.form : IRR_FORM_IOVEC);
            iov += count;
        }
    }
    irr_request_set(&state->request, step->peer, 0, NULL, 0, IRR_FORM_IOVEC);
    state->request.count = messages;
    state->request.reserved[0] = (uintptr_t)parts;
    return messages;
}

static void start_part(irr_exec_t *exec, const irr_exec_step_t *state, const irr_step_t *step, irr_part_t *part)
{
    irr_status_t status;

    part->request.tag = exec->env.tag_base | state->tag;
    if (state->comes) {
        status = irr_channel_recv(exec->env.channel, &part->request);
    } else {
        irr_exec_count_sent(exec, step->described, 1, part->request.length, part->request.length);
        irr_exec_count_gathered(state, &part->request, part->request.length);
        status = irr_channel_send(exec->env.channel, &part->request);
    }
    if (status != IRR_IN_PROGRESS) {
        on_part_done(&part->request, status);
    }
}

/*
 * Starts the messages of a step. Until all have started, `pending` counts one message too many, so that a message that
 * is complete at once does not end the step.
 */
void irr_exec_start_parts(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step)
{
    irr_part_t *parts = (irr_part_t *)state->request.reserved[0];
    const size_t messages = state->request.count;

    state->request.bytes = 0;
    state->status = IRR_OK;
    state->pending = (uint32_t)messages + 1;
    if (step->kind == IRR_STEP_SEND) {
        irr_window_begin(&exec->window, step->bytes);
    }
    for (size_t i = 0; i < messages; i++) {
        start_part(exec, state, step, &parts[i]);
    }
    if (--state->pending == 0) {
        irr_exec_end_step(state, state->status, step->bytes);
    }
}
