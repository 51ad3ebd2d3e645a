/*
 * exec_message.c - the messages of a step; see exec.h.
 *
 * A step of one piece is one message.  A step of several pieces may be several messages (exec/compose.h).  Tells and
 * awaits are empty messages of kind IRR_TAG_SYNC: those of one rank for another in a stage are alike, so both ranks
 * have them in one order.  Sends count when they start, receives when they are over.
 */
#include "exec/exec.h"

_Static_assert((int)IRR_CONTENT_HEADER == (int)IRR_TAG_HEADER && (int)IRR_CONTENT_PART == (int)IRR_TAG_PART,
               "tag_of takes a content for the kind of its tag");

static inline uint16_t tag_of(const irr_exec_t *exec, const irr_step_t *step)
{
    const irr_tag_kind_t kind = irr_exec_is_own(exec, step)         ? IRR_TAG_SYNC
                                : step->content == IRR_CONTENT_DATA ? exec->env.tag_kind
                                                                    : (irr_tag_kind_t)step->content;

    return irr_tag(exec->env.tag_base, kind, step->stage);
}

/* ---- one message ---- */

static inline void end_message(irr_exec_step_t *state, const irr_request_t *request, bool gathers, irr_status_t status)
{
    irr_exec_t *exec = state->exec;
    const irr_step_t *step = &exec->plan->steps[state->index];
    irr_counters_t *counters = exec->env.counters;

    if (status != IRR_OK) {
        irr_exec_keep(&state->status, status);
    } else if (!irr_step_goes_out(step)) {
        counters->messages_received++;
        state->received += request->bytes;
        if (step->content != IRR_CONTENT_HEADER && !irr_exec_is_own(exec, step)) {
            counters->bytes_received += request->bytes;
        }
        counters->bytes_gathered += gathers ? request->bytes : 0;
    }
    if (--state->pending == 0) {
        irr_exec_end_step(state, step);
    }
}

void irr_exec_on_done(irr_request_t *request, irr_status_t status)
{
    end_message((irr_exec_step_t *)request, request, false, status);
}

_Static_assert(offsetof(irr_exec_step_t, request) == 0, "irr_exec_on_done takes a request for its step");

static void on_part_done(irr_request_t *request, irr_status_t status)
{
    irr_part_t *part = (irr_part_t *)request;

    end_message(part->step, request, part->gathers, status);
}

_Static_assert(offsetof(irr_part_t, request) == 0, "on_part_done takes a request for its part");

/* Hands one to the transport, with so many bytes of a send. */
static inline irr_status_t hand_over(irr_exec_t *exec, const irr_step_t *step, const irr_iov_t *iov, size_t count,
                                     size_t bytes, irr_form_t form, irr_request_t *request)
{
    irr_channel_t *lane = irr_channel_lane(exec->env.channel, step->peer);
    irr_counters_t *counters = exec->env.counters;
    const uint16_t tag = tag_of(exec, step);

    if (!irr_step_goes_out(step)) {
        return lane->transport->ops->recv(lane, step->peer, tag, iov, count, form, request);
    }
    counters->messages_sent++;
    counters->bytes_sent += bytes - step->described;
    counters->header_bytes += step->described;
    counters->largest_message = bytes > counters->largest_message ? bytes : counters->largest_message;
    return lane->transport->ops->send(lane, step->peer, tag, iov, count, form, request);
}

/* ---- several pieces ---- */

/* Writes the addresses of the non-empty ones of so many pieces. */
static size_t resolve(const irr_exec_t *exec, const irr_piece_t *pieces, size_t count, irr_iov_t *iov)
{
    size_t filled = 0;

    for (size_t i = 0; i < count; i++) {
        if (pieces[i].length > 0) {
            iov[filled++] = (irr_iov_t){ .base = irr_exec_address(exec, &pieces[i]), .length = pieces[i].length };
        }
    }
    return filled;
}

/* The pieces of the part that the first of so many is in, and its bytes. */
static size_t part_of(const irr_piece_t *pieces, size_t count, size_t *bytes_p)
{
    size_t i = 0;

    *bytes_p = 0;
    do {
        *bytes_p += pieces[i++].length;
    } while (i < count && pieces[i].joined);
    return i;
}

/* A header is one message. */
static irr_composition_t compose(const irr_exec_t *exec, const irr_step_t *step)
{
    const irr_transport_caps_t *caps = &irr_channel_lane(exec->env.channel, step->peer)->transport->caps;
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];
    irr_composition_t composition;
    size_t joined = 0;

    if (step->content == IRR_CONTENT_HEADER) {
        return (irr_composition_t){ .form = IRR_FORM_GATHER, .apart_min = SIZE_MAX };
    }
    for (size_t i = 1; i < step->pieces; i++) {
        joined += pieces[i].joined;
    }
    composition = irr_compose(exec->env.compose, caps, step->pieces - joined, step->bytes);
    if (joined > 0) {
        composition.form = irr_compose(exec->env.compose, caps, step->pieces, step->bytes).form;
    }
    return composition;
}

/* One of the messages of a step. */
static void start_part(irr_exec_step_t *state, const irr_step_t *step, irr_part_t *part, const irr_iov_t *iov,
                       size_t count, irr_form_t form)
{
    const size_t bytes = irr_iov_bytes(iov, count);
    irr_exec_t *exec = state->exec;
    irr_status_t status;

    part->request.done = on_part_done;
    part->step = state;
    part->gathers = form == IRR_FORM_GATHER && count > 1;
    state->pending++;
    exec->env.counters->bytes_gathered += part->gathers && irr_step_goes_out(step) ? bytes : 0;
    status = hand_over(exec, step, iov, count, bytes, form, &part->request);
    if (status != IRR_IN_PROGRESS) {
        on_part_done(&part->request, status);
    }
}

/*
 * One message for all parts that are shorter than apart_min, then one for each of the others.  `pending` is one too
 * many until all have started.
 */
static void start_parts(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step)
{
    const irr_exec_room_t *room = irr_exec_room_of(exec, state->index);
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];
    const irr_composition_t composition = compose(exec, step);
    irr_iov_t *iov = &room->iov[step->first_piece - room->first_piece];
    irr_part_t *parts = &room->parts[step->first_piece - room->first_piece];
    size_t together = 0, bytes, part;

    for (size_t i = 0; i < step->pieces; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        together += bytes < composition.apart_min ? resolve(exec, &pieces[i], part, iov + together) : 0;
    }
    if (together > 0 || step->bytes == 0) {   /* an empty message is a message too */
        start_part(state, step, parts, iov, together, composition.form);
        iov += together;
        parts += together;
    }
    for (size_t i = 0; i < step->pieces && composition.apart_min != SIZE_MAX; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        if (bytes > 0 && bytes >= composition.apart_min) {
            const size_t count = resolve(exec, &pieces[i], part, iov);

            start_part(state, step, parts, iov, count, count > 1 ? composition.form : IRR_FORM_IOVEC);
            iov += count;
            parts += count;
        }
    }
    if (--state->pending == 0) {
        irr_exec_end_step(state, step);
    }
}

/* ---- a step ---- */

void irr_exec_start_message(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step)
{
    const irr_piece_t *piece = &exec->plan->pieces[step->first_piece];
    irr_status_t status;

    state->pending = 1;
    state->received = 0;
    state->status = IRR_OK;
    if (step->kind == IRR_STEP_SEND) {
        irr_window_begin(&exec->window, step->bytes);
    }
    if (step->pieces > 1) {
        start_parts(exec, state, step);
        return;
    }
    state->iov = (irr_iov_t){ irr_exec_address(exec, piece), piece->length };
    status = hand_over(exec, step, &state->iov, piece->length > 0, piece->length, IRR_FORM_IOVEC, &state->request);
    if (status != IRR_IN_PROGRESS) {
        end_message(state, &state->request, false, status);
    }
}
