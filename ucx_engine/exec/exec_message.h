/*
 * exec_message.h - private to exec/exec*.c: one message of a step, from the start to the end.
 *
 * Tells and awaits are empty messages of kind IRR_TAG_SYNC: those of one rank for another in a stage are alike, so both
 * ranks have them in one order.  Sends count when they start, receives when they are over.
 *
 * Each message of a short exchange passes here, so these functions are inline.
 */
#ifndef IRR_EXEC_MESSAGE_H
#define IRR_EXEC_MESSAGE_H

#include "exec/exec.h"

_Static_assert((int)IRR_CONTENT_HEADER == (int)IRR_TAG_HEADER && (int)IRR_CONTENT_PART == (int)IRR_TAG_PART,
               "irr_exec_tag takes a content for the kind of its tag");

static inline uint16_t irr_exec_tag(const irr_exec_t *exec, const irr_step_t *step, irr_step_kind_t kind)
{
    const bool signals = kind == IRR_STEP_TELL || kind == IRR_STEP_AWAIT;
    const irr_tag_kind_t data = signals ? IRR_TAG_SYNC : exec->env.tag_kind;

    return irr_tag(exec->env.tag_base, step->content == IRR_CONTENT_DATA ? data : (irr_tag_kind_t)step->content,
                   step->stage);
}

/* Hands a message of a step of this kind to the transport. */
static inline irr_status_t irr_exec_recv(irr_exec_t *exec, const irr_step_t *step, irr_step_kind_t kind,
                                         const irr_iov_t *iov, size_t count, irr_form_t form, irr_request_t *request)
{
    irr_channel_t *lane = irr_channel_lane(exec->env.channel, step->peer);

    return lane->transport->ops->recv(lane, step->peer, irr_exec_tag(exec, step, kind), iov, count, form, request);
}

static inline irr_status_t irr_exec_send(irr_exec_t *exec, const irr_step_t *step, irr_step_kind_t kind,
                                         const irr_iov_t *iov, size_t count, size_t bytes, irr_form_t form,
                                         irr_request_t *request)
{
    irr_channel_t *lane = irr_channel_lane(exec->env.channel, step->peer);
    irr_counters_t *counters = exec->env.counters;

    counters->messages_sent++;
    counters->bytes_sent += bytes;
    if (step->described > 0) {
        counters->bytes_sent -= step->described;
        counters->header_bytes += step->described;
    }
    if (bytes > counters->largest_message) {
        counters->largest_message = bytes;
    }
    return lane->transport->ops->send(lane, step->peer, irr_exec_tag(exec, step, kind), iov, count, form, request);
}

/* Counts a message that has come. */
static inline void irr_exec_count_received(irr_exec_step_t *state, const irr_step_t *step, size_t bytes)
{
    irr_counters_t *counters = state->exec->env.counters;

    counters->messages_received++;
    state->received += bytes;
    if (step->content != IRR_CONTENT_HEADER && !irr_exec_is_own(state->exec, step)) {
        counters->bytes_received += bytes;
    }
}

static inline void irr_exec_complete(irr_exec_t *exec, const irr_step_t *step)
{
    exec->open_steps--;
    if (step->kind == IRR_STEP_SEND) {
        irr_window_end(&exec->window, step->bytes);
    }
}

/* The messages of a step have ended. */
static inline void irr_exec_end_step(irr_exec_step_t *state, const irr_step_t *step)
{
    if (state->status != IRR_OK || (step->kind == IRR_STEP_RECV && state->received != step->bytes)) {
        irr_exec_end_odd(state->exec, state, step);
    } else {
        irr_exec_complete(state->exec, step);
    }
}

#endif
