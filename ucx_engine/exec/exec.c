/*
 * exec.c - the executor, which runs plans; exec.h explains the terms.
 *
 * Three cursors walk through the steps of the plan: one starts receives and waits, one sends, copies and reductions,
 * and one signals. A delayed send therefore never delays a receive or a signal. A step has one or more messages
 * (exec_parts.c), and is complete when all of them are. The window counts a step as one message.
 *
 * If no step waits for another step and each message has one piece, the plan is a straight line, and runs without
 * cursors.
 *
 * Cost: O(1) time per step and piece; each call of irr_exec_progress also checks the dependencies of the steps at the
 * three cursors.
 */
#include "exec/exec_message.h"

#include <assert.h>
#include <string.h>

/* ---- the end of a step ---- */

/* Returns true if a piece of the step lies in this buffer. */
static bool touches(const irr_exec_t *exec, const irr_step_t *step, irr_buffer_t buffer)
{
    for (size_t i = step->first_piece; i < step->first_piece + step->pieces; i++) {
        if (exec->plan->pieces[i].buffer == buffer && exec->plan->pieces[i].length > 0) {
            return true;
        }
    }
    return false;
}

/*
 * For a receive or wait whose message failed or has another length than expected: returns the error, or IRR_OK if the
 * length is permitted.
 */
static irr_status_t judge(const irr_exec_t *exec, const irr_step_t *step, const irr_exec_step_t *state)
{
    const bool wrong = irr_exec_is_own(exec, step) && state->status == IRR_OK;

    if (wrong || (state->status == IRR_ERR_TRUNCATE &&
                  (irr_exec_is_own(exec, step) || touches(exec, step, IRR_BUFFER_SCRATCH)))) {
        return IRR_ERR_PROTOCOL;
    }
    if (state->status == IRR_OK && !exec->env.sourced && touches(exec, step, IRR_BUFFER_SCRATCH)) {
        return IRR_ERR_PEER;   /* this rank has to forward more data than it has received */
    }
    return state->status;
}

/* Stores an error as the result, unless another message has failed before. */
static void fail(irr_exec_t *exec, const irr_step_t *step, irr_status_t status)
{
    exec->result = exec->failed ? exec->result : status;
    exec->failed = exec->failed || !exec->env.sourced || !irr_step_goes_out(step);
    if (exec->env.failure != NULL && exec->env.failure->status == IRR_OK) {
        *exec->env.failure = (irr_failure_t){ status, step->peer };
    }
}

void irr_exec_end_odd(irr_exec_step_t *state)
{
    irr_exec_t *exec = state->exec;
    const irr_step_t *step = &exec->plan->steps[state->index];
    const bool judged = step->kind == IRR_STEP_WAIT || (step->kind == IRR_STEP_RECV && !step->replaceable);
    const irr_status_t status = judged ? judge(exec, step, state) : state->status;
    const bool fails = status != IRR_OK && status != IRR_ERR_TRUNCATE;

    if (fails) {
        fail(exec, step, status);
    }
    if (step->replaceable || (fails && !exec->env.sourced)) {
        state->pending = IRR_EXEC_PENDING_HELD;
        exec->held++;
        return;
    }
    irr_exec_keep(&exec->result, status);
    exec->at_odds = exec->at_odds || (status == IRR_OK && !exec->env.sourced);
    irr_exec_complete(exec, state, step->bytes);
}

/* Ends a step of one message. */
static inline void end_message(irr_exec_step_t *state, irr_status_t status)
{
    irr_request_t *request = &state->request;

    state->status = status;
    state->pending = IRR_EXEC_DONE;
    if (status != IRR_OK) {
        request->bytes = 0;
    } else if (state->comes) {
        irr_exec_count_received(state, 1, request->bytes);
        irr_exec_count_gathered(state, request, request->bytes);
    }
    irr_exec_end_step(state, status, request->length);
}

void irr_exec_on_done(irr_request_t *request, irr_status_t status)
{
    end_message((irr_exec_step_t *)request, status);
}

_Static_assert(offsetof(irr_exec_step_t, request) == 0, "irr_exec_on_done casts a request to its step");

/* ---- the start of a step ---- */

/* Starts a receive of one message, and returns its status. lane: the connection to its sender. */
static inline irr_status_t post(const irr_exec_t *exec, irr_channel_t *lane, irr_exec_step_t *state)
{
    state->request.tag = exec->env.tag_base | state->tag;
    state->pending = 1;
    return lane->transport->ops->recv(lane, &state->request);
}

/* Starts a send or a signal of one message, which the caller has counted already. */
static inline void start_send(irr_exec_t *exec, irr_exec_step_t *state)
{
    irr_status_t status;

    state->request.tag = exec->env.tag_base | state->tag;
    status = irr_channel_send(exec->env.channel, &state->request);
    if (status == IRR_OK) {
        state->pending = IRR_EXEC_DONE;
        exec->open_steps--;
        exec->news = true;
        return;
    }
    state->pending = 1;
    if (state->kind == IRR_STEP_SEND) {
        irr_window_begin(&exec->window, state->request.length);
    }
    if (status != IRR_IN_PROGRESS) {
        end_message(state, status);
    }
}

static void copy(irr_exec_t *exec, const irr_iov_t *from, const irr_iov_t *to)
{
    const size_t bytes = from->length < to->length ? from->length : to->length;

    if (bytes > 0) {
        memmove(to->base, from->base, bytes);
    }
    exec->env.counters->bytes_staged += bytes;
    irr_exec_keep(&exec->result, from->length > to->length ? IRR_ERR_TRUNCATE : IRR_OK);
}

static void reduce(const irr_iov_t *from, const irr_iov_t *into)
{
    const uint64_t *words = from->base;
    uint64_t *most = into->base;

    for (size_t i = 0; i < into->length / sizeof(*most); i++) {
        most[i] = words[i] > most[i] ? words[i] : most[i];
    }
}

static void run_local(irr_exec_t *exec, irr_exec_step_t *state)
{
    const irr_iov_t *pieces = state->request.iov;

    if (state->kind == IRR_STEP_COPY) {
        copy(exec, &pieces[0], &pieces[1]);
    } else {
        reduce(&pieces[0], &pieces[1]);
    }
    state->pending = IRR_EXEC_DONE;
    exec->open_steps--;
    exec->news = true;
}

static inline void start(irr_exec_t *exec, irr_exec_step_t *state, const irr_step_t *step)
{
    if (irr_step_is_local(step->kind)) {
        run_local(exec, state);
    } else if (state->request.iov == NULL) {
        irr_exec_start_parts(exec, state, step);
    } else if (state->comes) {
        const irr_status_t status = post(exec, irr_channel_lane(exec->env.channel, step->peer), state);

        if (status != IRR_IN_PROGRESS) {
            end_message(state, status);
        }
    } else {
        irr_exec_count_sent(exec, step->described, 1, step->bytes, step->bytes);
        irr_exec_count_gathered(state, &state->request, step->bytes);
        start_send(exec, state);
    }
}

static bool deps_complete(const irr_exec_t *exec, const irr_step_t *step)
{
    for (size_t i = 0; i < step->deps; i++) {
        if (irr_exec_step_of(exec, exec->plan->deps[step->first_dep + i])->pending != IRR_EXEC_DONE) {
            return false;
        }
    }
    return true;
}

/* Returns true if a step may start. After a short message (at_odds), a send from INPUT may always start (exec.h). */
static inline bool may_start(const irr_exec_t *exec, const irr_step_t *step)
{
    const bool sends = step->kind == IRR_STEP_SEND;

    return ((step->deps == 0 || deps_complete(exec, step)) &&
            (!sends || irr_window_admits(&exec->window, step->bytes + step->ahead))) ||
           (exec->at_odds && sends && !touches(exec, step, IRR_BUFFER_SCRATCH));
}

/* Advances a cursor: starts the steps whose kinds are in the bit mask `kinds`, up to the first one that has to wait. */
static void advance(irr_exec_t *exec, size_t *next, unsigned kinds)
{
    const irr_step_t *step = &exec->plan->steps[*next];
    size_t i = *next;

    for (; i < exec->nsteps; i++, step++) {
        irr_exec_step_t *state;

        if ((kinds >> step->kind & 1) == 0) {
            continue;
        }
        state = irr_exec_step_of(exec, i);
        if (state->pending != IRR_EXEC_NOT_STARTED) {
            continue;   /* irr_exec_drop_sends has marked the step as complete */
        }
        if (!may_start(exec, step)) {
            break;
        }
        exec->unstarted--;
        start(exec, state, step);
    }
    *next = i;
}

static void advance_all(irr_exec_t *exec)
{
    exec->news = false;
    if (exec->next_recv < exec->nsteps) {
        advance(exec, &exec->next_recv, 1u << IRR_STEP_RECV | 1u << IRR_STEP_WAIT);
    }
    if (exec->plan->nsignals > 0) {
        advance(exec, &exec->next_signal, 1u << IRR_STEP_SIGNAL);
    }
    advance(exec, &exec->next_send, 1u << IRR_STEP_SEND | 1u << IRR_STEP_COPY | 1u << IRR_STEP_REDUCE);
}

/* ---- straight lines: the common case ---- */

/* Returns true if no step depends on another step, each message is one piece, and all receives come first. */
static bool is_line(const irr_plan_t *plan)
{
    const size_t messages = plan->nsends + plan->nrecvs;
    bool line = plan->ndeps == 0 && messages + plan->nlocals == plan->nsteps &&
                messages + 2 * plan->nlocals == plan->npieces;   /* local steps have two pieces */

    for (size_t i = 0; line && i < plan->nsteps; i++) {
        line = (plan->steps[i].kind == IRR_STEP_RECV) == (i < plan->nrecvs) && plan->steps[i].described == 0;
    }
    return line;
}

/* Sets exec->line, which is the same in all runs of the plan. */
static void take_line(irr_exec_t *exec)
{
    const irr_plan_t *plan = exec->plan;
    irr_line_t *line = &exec->line;

    *line = (irr_line_t){ .is = is_line(plan), .looks = true };
    for (size_t i = 0; line->is && i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        if (step->kind == IRR_STEP_RECV) {
            line->looks = line->looks && irr_channel_lane(exec->env.channel, step->peer)->looks;
        } else if (step->kind == IRR_STEP_SEND) {
            line->bytes += step->bytes;
            line->longest = step->bytes > line->longest ? step->bytes : line->longest;
        }
    }
}

/*
 * Starts the receives on all lanes (connections to other ranks) with this value of `looks`. If it is true, the receive
 * of a message that has already arrived completes at once, with IRR_OK.
 */
__attribute__((always_inline))
static inline void start_receives(irr_exec_t *exec, bool looks)
{
    irr_exec_step_t *state = exec->room.steps;
    size_t messages = 0, bytes = 0;

    for (const irr_exec_step_t *end = state + exec->plan->nrecvs; state < end; state++) {
        irr_channel_t *lane = irr_channel_lane(exec->env.channel, state->request.peer);
        const irr_status_t status = lane->looks == looks ? post(exec, lane, state) : IRR_IN_PROGRESS;

        if (status == IRR_OK && state->request.bytes == state->request.length) {
            state->pending = IRR_EXEC_DONE;
            messages++;
            bytes += state->request.bytes;
        } else if (status != IRR_IN_PROGRESS) {
            end_message(state, status);
        }
    }
    if (messages > 0) {
        irr_exec_count_received(exec->room.steps, messages, bytes);
        exec->open_steps -= messages;
        exec->news = true;
    }
}

/*
 * Starts all steps of a straight line. Receives on lanes with `looks` start after the sends, because by then most of
 * their messages have arrived.
 */
static void start_line(irr_exec_t *exec)
{
    const irr_plan_t *plan = exec->plan;
    irr_exec_step_t *state = exec->room.steps + plan->nrecvs;

    exec->unstarted = 0;
    exec->next_recv = exec->next_send = exec->next_signal = exec->nsteps;
    irr_exec_count_sent(exec, 0, plan->nsends, exec->line.bytes, exec->line.longest);
    if (!exec->line.looks) {
        start_receives(exec, false);
    }
    for (const irr_exec_step_t *end = exec->room.steps + exec->nsteps; state < end; state++) {
        if (state->kind == IRR_STEP_SEND) {
            start_send(exec, state);
        } else {
            run_local(exec, state);
        }
    }
    start_receives(exec, true);
}

/* ---- the run ---- */

/* Returns true if the requests of this plan are already prepared for these buffers, this channel and these settings. */
static inline bool is_prepared(const irr_exec_t *exec, const irr_plan_t *plan)
{
    const irr_exec_env_t *env = &exec->env;

    return exec->edition == plan->edition && plan->edition != 0 && exec->nsteps == plan->nsteps &&
           exec->base[IRR_BUFFER_INPUT] == (uintptr_t)env->input &&
           exec->base[IRR_BUFFER_OUTPUT] == (uintptr_t)env->output &&
           exec->base[IRR_BUFFER_SCRATCH] == (uintptr_t)env->scratch &&
           exec->channel == env->channel && exec->tag_kind == env->tag_kind && exec->compose == env->compose;
}

/* Prepares the requests of a plan. Not inline, because most exchanges repeat a plan. */
__attribute__((noinline))
static void prepare(irr_exec_t *exec)
{
    const irr_exec_env_t *env = &exec->env;
    const irr_plan_t *plan = exec->plan;

    assert(plan->nsteps <= exec->room.steps_max && plan->npieces <= exec->room.pieces_max);
    assert(exec->last == &exec->room);
    exec->base[IRR_BUFFER_INPUT] = (uintptr_t)env->input;
    exec->base[IRR_BUFFER_OUTPUT] = (uintptr_t)env->output;
    exec->base[IRR_BUFFER_SCRATCH] = (uintptr_t)env->scratch;
    exec->edition = plan->edition;
    exec->channel = env->channel;
    exec->tag_kind = env->tag_kind;
    exec->compose = env->compose;
    take_line(exec);
    exec->nsteps = 0;
    exec->nparts = 0;
    irr_exec_take_in(exec);
}

void irr_exec_start(irr_exec_t *exec, const irr_plan_t *plan)
{
    const irr_exec_env_t *env = &exec->env;

    assert(exec->plan == NULL);
    exec->plan = plan;
    if (!is_prepared(exec, plan)) {
        prepare(exec);
    }
    exec->window = (irr_window_t){ .messages_max = env->window_messages, .bytes_max = env->window_bytes };
    exec->held = 0;
    exec->more = exec->failed = exec->at_odds = false;
    exec->result = IRR_OK;
    exec->open_steps = exec->unstarted = exec->nsteps;
    if (exec->line.is && !env->sourced && (env->window_messages | env->window_bytes) == 0) {
        start_line(exec);
    } else {
        exec->next_recv = exec->next_send = exec->next_signal = 0;
        irr_exec_open(exec, 0);
        advance_all(exec);
    }
}

irr_status_t irr_exec_progress(irr_exec_t *exec)
{
    if (exec->failed && !exec->env.sourced) {
        return exec->result;
    }
    if (exec->news && exec->unstarted > 0) {
        advance_all(exec);
    }
    if (exec->failed && !exec->env.sourced) {
        return exec->result;
    }
    if (!irr_exec_is_complete(exec)) {
        return IRR_IN_PROGRESS;
    }
    assert(exec->window.messages == 0 && exec->window.bytes == 0);
    exec->plan = NULL;
    return exec->result;
}

/* ---- what the run waits for ---- */

/* Returns the peer of the first incomplete step of a kind, or -1. */
static int first_peer(const irr_exec_t *exec, irr_step_kind_t kind)
{
    for (size_t i = 0; exec->plan != NULL && i < exec->nsteps; i++) {
        if (exec->plan->steps[i].kind == kind && irr_exec_step_of(exec, i)->pending != IRR_EXEC_DONE) {
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
