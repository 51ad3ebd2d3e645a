/*
 * exec.c - the executor; see exec.h for what it promises.
 *
 * Three cursors walk the steps of the plan: one for receives and awaits, one for sends, copies and reductions, and one
 * for tells, so that a send held back never holds back a receive or a tell.  A step is a few messages (its parts, see
 * compose.c), which the window counts as one; it is complete when all of them are.  Tells and awaits are messages as
 * others, of kind IRR_TAG_SYNC: those of one rank for another in a stage are alike, so both have them in one order.
 *
 * Cost: O(1) a step and piece over the whole run, plus the dependencies of each step once a look.
 */
#include "exec/exec.h"

#include <assert.h>
#include <string.h>

#define NOT_STARTED IRR_EXEC_NOT_STARTED
#define COMPLETE    0

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
               (exec->spoiled && !exec->env.sourced && touches(exec, step, IRR_BUFFER_SCRATCH));
    }
    return (lacks & IRR_LACKS_OUTPUT) != 0 && touches(exec, step, IRR_BUFFER_OUTPUT);
}

/* Did just the bytes come that the step is for? */
static bool is_whole(const irr_step_t *step, const irr_transfer_t *transfer)
{
    return transfer->status == IRR_OK && transfer->received == step->bytes;
}

/* Is the message the engine's own, and no data of the user? */
static bool is_own(const irr_exec_t *exec, const irr_step_t *step)
{
    return exec->env.tag_kind == IRR_TAG_SYNC || step->kind == IRR_STEP_TELL || step->kind == IRR_STEP_AWAIT;
}

/* A tell was not sent, and is to be later.  What its peer sends may wait for it, so no other tell waits for that. */
static void take_back(irr_exec_t *exec, size_t index)
{
    const irr_step_t *steps = exec->plan->steps;

    irr_exec_step_of(exec, index)->transfer.pending = NOT_STARTED;
    exec->failed_tell = index < exec->failed_tell ? index : exec->failed_tell;
    for (size_t i = 0; i < exec->nsteps; i++) {
        irr_exec_step_of(exec, i)->excused |= steps[i].kind == IRR_STEP_RECV && steps[i].peer == steps[index].peer;
    }
}

/* The message of a step is over, well or not. */
static void end_step(irr_transfer_t *transfer)
{
    irr_exec_step_t *state = (irr_exec_step_t *)transfer;
    irr_exec_t *exec = state->exec;
    const irr_step_t *step = &exec->plan->steps[state->index];
    irr_status_t status = transfer->status;

    if (transfer->refused && step->kind != IRR_STEP_TELL && exec->env.refused != NULL) {
        irr_exec_keep(exec->env.refused, status);
    }
    if (step->replaceable && !is_whole(step, transfer)) {
        transfer->pending = IRR_EXEC_PENDING_HELD;
        exec->held++;
        return;
    }
    if (is_own(exec, step) && !irr_step_goes_out(step) && !is_whole(step, transfer) &&
        (status == IRR_OK || status == IRR_ERR_TRUNCATE)) {
        status = IRR_ERR_PROTOCOL;   /* its length does not depend on counts of the user */
    }
    irr_exec_keep(&exec->result, status);
    if (step->kind == IRR_STEP_TELL && status != IRR_OK) {
        take_back(exec, state->index);
        return;
    }
    exec->open_steps--;
    if (step->kind == IRR_STEP_SEND) {
        irr_window_end(&exec->window, step->bytes);
    } else {
        exec->amiss = exec->amiss || (step->kind == IRR_STEP_RECV && status == IRR_OK && !is_whole(step, transfer));
        exec->spoiled = exec->spoiled || ((status != IRR_OK || lacks(exec, step)) &&
                                          touches(exec, step, IRR_BUFFER_SCRATCH));
    }
}

_Static_assert(offsetof(irr_exec_step_t, transfer) == 0, "end_step takes a transfer for its step");

static const irr_iov_t sink = { NULL, IRR_SINK_BYTES };

static irr_tag_kind_t tag_kind(const irr_exec_t *exec, const irr_step_t *step)
{
    if (is_own(exec, step)) {
        return IRR_TAG_SYNC;
    }
    switch (step->content) {
    case IRR_CONTENT_HEADER: return IRR_TAG_HEADER;
    case IRR_CONTENT_PART:   return IRR_TAG_PART;
    case IRR_CONTENT_DATA:   break;
    }
    return exec->env.tag_kind;
}

/* Hands one message of a step to the transport; without contents, if this rank lacks them. */
static void start_part(const irr_exec_t *exec, const irr_step_t *step, irr_transfer_t *transfer, irr_part_t *part,
                       const irr_iov_t *iov, size_t count, irr_form_t form)
{
    const uint16_t tag = irr_tag(exec->env.tag_base, tag_kind(exec, step), step->stage);

    if (lacks(exec, step)) {
        count = step->kind == IRR_STEP_SEND ? 0 : 1;
        iov = &sink;
        form = step->kind == IRR_STEP_SEND ? IRR_FORM_IOVEC : IRR_FORM_GATHER;
    }
    if (irr_step_goes_out(step)) {
        irr_transfer_send(transfer, part, step->peer, tag, iov, count, form, step->described);
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
    case IRR_BUFFER_NOWHERE: break;
    }
    return (void *)((uintptr_t)base + (uintptr_t)piece->offset);
}

/* Appends to the addresses the non-empty ones of so many pieces. */
static size_t resolve(const irr_exec_t *exec, const irr_piece_t *pieces, size_t count, irr_iov_t *iov, size_t filled)
{
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].length > 0) {
            iov[filled++] = (irr_iov_t){ .base = address_of(exec, &pieces[i]), .length = pieces[i].length };
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

/* Appends to the addresses those of the parts that go together. */
static size_t resolve_together(const irr_exec_t *exec, const irr_step_t *step, size_t apart_min, irr_iov_t *iov)
{
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];
    size_t filled = 0, bytes, part;

    if (apart_min == SIZE_MAX) {
        return resolve(exec, pieces, step->pieces, iov, 0);
    }
    for (size_t i = 0; i < step->pieces; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        filled = bytes < apart_min ? resolve(exec, &pieces[i], part, iov, filled) : filled;
    }
    return filled;
}

/*
 * How many messages a step is follows from its parts, which both ends have alike; in which form they go, from its
 * pieces.  A header is one message, and so is what is thrown away.
 */
static irr_composition_t compose(const irr_exec_t *exec, const irr_step_t *step)
{
    const irr_transport_caps_t *caps = &irr_channel_lane(exec->env.channel, step->peer)->transport->caps;
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];
    irr_composition_t composition;
    size_t joined = 0;

    if (step->pieces == 1 && pieces[0].buffer != IRR_BUFFER_NOWHERE) {
        return (irr_composition_t){ .form = IRR_FORM_IOVEC, .apart_min = SIZE_MAX };
    }
    if (step->content == IRR_CONTENT_HEADER || pieces[step->pieces - 1].buffer == IRR_BUFFER_NOWHERE) {
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

/* Starts a message for each part that goes apart, behind the addresses that are in use. */
static void start_apart(irr_exec_t *exec, const irr_step_t *step, irr_exec_step_t *state, irr_composition_t composition,
                        irr_iov_t *iov, irr_part_t *parts)
{
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];
    size_t bytes, part;

    for (size_t i = 0; i < step->pieces && composition.apart_min != SIZE_MAX; i += part) {
        part = part_of(&pieces[i], step->pieces - i, &bytes);
        if (bytes > 0 && bytes >= composition.apart_min) {
            const size_t count = resolve(exec, &pieces[i], part, iov, 0);

            start_part(exec, step, &state->transfer, parts, iov, count, count > 1 ? composition.form : IRR_FORM_IOVEC);
            iov += count;
            parts += count;
        }
    }
}

static void start_message(irr_exec_t *exec, size_t index)
{
    const irr_step_t *step = &exec->plan->steps[index];
    const irr_exec_room_t *room = irr_exec_room_of(exec, index);
    irr_exec_step_t *state = &room->steps[index - room->first_step];
    irr_iov_t *iov = &room->iov[step->first_piece - room->first_piece];
    irr_part_t *parts = &room->parts[step->first_piece - room->first_piece];
    const irr_composition_t composition = compose(exec, step);
    const size_t together = resolve_together(exec, step, composition.apart_min, iov);

    state->exec = exec;
    state->index = index;
    irr_transfer_begin(&state->transfer, exec->env.channel, exec->env.counters, end_step);
    state->transfer.describes = step->content == IRR_CONTENT_HEADER || is_own(exec, step);
    if (step->kind == IRR_STEP_SEND) {
        irr_window_begin(&exec->window, step->bytes);
    }
    if (together > 0 || step->bytes == 0) {   /* an empty message is a message too */
        start_part(exec, step, &state->transfer, parts, iov, together, composition.form);
    }
    start_apart(exec, step, state, composition, iov + together, parts + together);
    irr_transfer_end(&state->transfer);
}

static void copy(irr_exec_t *exec, const irr_piece_t *from, const irr_piece_t *to)
{
    size_t bytes = from->length < to->length ? from->length : to->length;

    bytes = exec->env.lacks == 0 ? bytes : 0;
    if (bytes > 0) {
        memmove(address_of(exec, to), address_of(exec, from), bytes);
    }
    exec->env.counters->bytes_staged += bytes;
    irr_exec_keep(&exec->result, from->length > to->length ? IRR_ERR_TRUNCATE : IRR_OK);
}

static void reduce(const irr_exec_t *exec, const irr_piece_t *from, const irr_piece_t *into)
{
    const uint64_t *words = address_of(exec, from);
    uint64_t *most = address_of(exec, into);

    for (size_t i = 0; i < into->length / sizeof(*most); i++) {
        most[i] = words[i] > most[i] ? words[i] : most[i];
    }
}

static void run_local(irr_exec_t *exec, size_t index)
{
    const irr_step_t *step = &exec->plan->steps[index];
    const irr_piece_t *pieces = &exec->plan->pieces[step->first_piece];

    if (step->kind == IRR_STEP_COPY) {
        copy(exec, &pieces[0], &pieces[1]);
    } else {
        reduce(exec, &pieces[0], &pieces[1]);
    }
    irr_exec_step_of(exec, index)->transfer.pending = COMPLETE;
    exec->open_steps--;
}

/*
 * What the rank owns may be sent at any time, so such a send waits for its turn alone.  If a message was shorter than
 * it should be, the ranks have different plans of the exchange, and turns may wait for each other in a circle
 * (route/pairs.h).  Does it go without, then?
 */
static bool goes_at_once(const irr_exec_t *exec, const irr_step_t *step)
{
    return exec->amiss && step->kind == IRR_STEP_SEND && !exec->env.sourced && !touches(exec, step, IRR_BUFFER_SCRATCH);
}

/* Need a step not wait for an earlier one any more? */
static bool is_let_go(const irr_exec_t *exec, const irr_step_t *step, size_t dep)
{
    if (step->kind == IRR_STEP_TELL) {
        return irr_exec_step_of(exec, dep)->excused;
    }
    return exec->plan->steps[dep].kind != IRR_STEP_AWAIT && goes_at_once(exec, step);
}

static bool deps_complete(const irr_exec_t *exec, const irr_step_t *step)
{
    for (size_t i = 0; i < step->deps; i++) {
        const size_t dep = exec->plan->deps[step->first_dep + i];

        if (irr_exec_step_of(exec, dep)->transfer.pending != COMPLETE && !is_let_go(exec, step, dep)) {
            return false;
        }
    }
    return true;
}

static bool is_dropped(const irr_exec_t *exec, size_t step)
{
    return exec->drops && irr_exec_step_of(exec, step)->transfer.pending == COMPLETE;
}

static void advance_receives(irr_exec_t *exec)
{
    for (; exec->next_recv < exec->nsteps; exec->next_recv++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_recv];

        if ((step->kind != IRR_STEP_RECV && step->kind != IRR_STEP_AWAIT) || is_dropped(exec, exec->next_recv)) {
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
    for (; exec->next_tell < exec->nsteps; exec->next_tell++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_tell];

        if (step->kind != IRR_STEP_TELL || irr_exec_step_of(exec, exec->next_tell)->transfer.pending != NOT_STARTED) {
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
    for (; exec->next_send < exec->nsteps; exec->next_send++) {
        const irr_step_t *step = &exec->plan->steps[exec->next_send];

        if ((step->kind != IRR_STEP_SEND && !irr_step_is_local(step->kind)) || is_dropped(exec, exec->next_send)) {
            continue;
        }
        if (!deps_complete(exec, step)) {
            return;
        }
        if (irr_step_is_local(step->kind)) {
            run_local(exec, exec->next_send);
        } else if (irr_window_admits(&exec->window, step->bytes + step->ahead) || goes_at_once(exec, step)) {
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
    assert(plan->nsteps <= exec->room.steps_max && plan->npieces <= exec->room.pieces_max && exec->grown == NULL);
    exec->plan = plan;
    exec->env = *env;
    exec->window = (irr_window_t){ .messages_max = env->window_messages, .bytes_max = env->window_bytes };
    exec->next_recv = 0;
    exec->next_send = 0;
    exec->next_tell = plan->ntells > 0 ? 0 : SIZE_MAX;
    exec->failed_tell = SIZE_MAX;
    exec->nsteps = 0;
    exec->open_steps = 0;
    exec->held = 0;
    exec->more = false;
    exec->drops = false;
    exec->spoiled = exec->amiss = false;
    exec->result = env->lacks != 0 ? IRR_ERR_NO_MEMORY : IRR_OK;
    irr_exec_take_in(exec);
    advance(exec);
}

irr_status_t irr_exec_progress(irr_exec_t *exec)
{
    if (exec->open_steps > 0) {
        advance(exec);
    }
    if (exec->open_steps > 0 || exec->more) {
        return IRR_IN_PROGRESS;
    }
    assert(exec->window.messages == 0 && exec->window.bytes == 0);
    exec->plan = NULL;
    return exec->result;
}

/* ---- what is awaited ---- */

static bool is_open(const irr_exec_t *exec, size_t index, irr_step_kind_t kind)
{
    return exec->plan->steps[index].kind == kind && irr_exec_step_of(exec, index)->transfer.pending != COMPLETE;
}

/* The peer of the first step of a kind that is not over; -1: all are. */
static int first_peer(const irr_exec_t *exec, irr_step_kind_t kind)
{
    for (size_t i = 0; exec->plan != NULL && i < exec->nsteps; i++) {
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
    return exec->plan == NULL || exec->next_recv == exec->nsteps;
}
