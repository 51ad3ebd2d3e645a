/*
 * exec_message.h - private to exec/exec*.c: the tag, the counters and the end of the messages of a step of a plan.
 *
 * A signal is an empty message of kind IRR_TAG_SYNC, and a wait is its receive. All signals from one rank to another in
 * a stage have the same tag, so the receiver gets them in the order in which they are sent. A send is counted when it
 * starts, a receive when it ends.
 *
 * The functions are inline because every message of a short exchange runs them.
 */
#ifndef IRR_EXEC_MESSAGE_H
#define IRR_EXEC_MESSAGE_H

#include "exec/exec.h"

_Static_assert((int)IRR_CONTENT_HEADER == (int)IRR_TAG_HEADER && (int)IRR_CONTENT_BODY == (int)IRR_TAG_BODY,
               "irr_exec_tag converts a content to a kind of tag");

/* Returns the tag of the messages of a step, without the sequence number of the exchange (exec/tag.h). */
static inline uint16_t irr_exec_tag(const irr_exec_t *exec, const irr_step_t *step)
{
    const bool signals = step->kind == IRR_STEP_SIGNAL || step->kind == IRR_STEP_WAIT;
    const irr_tag_kind_t data = signals ? IRR_TAG_SYNC : exec->env.tag_kind;

    return irr_tag(0, step->content == IRR_CONTENT_DATA ? data : (irr_tag_kind_t)step->content, step->stage);
}

/*
 * Counts sent messages and their bytes. described: how many of the bytes describe data instead of being data. longest:
 * length of the longest message in bytes.
 */
static inline void irr_exec_count_sent(const irr_exec_t *exec, size_t described, size_t messages, size_t bytes,
                                       size_t longest)
{
    irr_counters_t *counters = exec->env.counters;

    counters->messages_sent += messages;
    counters->bytes_sent += bytes - described;
    counters->header_bytes += described;
    if (longest > counters->largest_message) {
        counters->largest_message = longest;
    }
}

/* Counts the bytes of a message if its pieces are copied to or from memory of the transport. */
static inline void irr_exec_count_gathered(const irr_exec_step_t *state, const irr_request_t *request, size_t bytes)
{
    if (irr_request_gathers(request)) {
        state->exec->env.counters->bytes_gathered += bytes;
    }
}

/* Counts received messages of a step. */
static inline void irr_exec_count_received(const irr_exec_step_t *state, size_t messages, size_t bytes)
{
    irr_counters_t *counters = state->exec->env.counters;

    counters->messages_received += messages;
    if (irr_tag_is_data(state->tag)) {
        counters->bytes_received += bytes;
    }
}

/* Marks a step of `bytes` bytes as complete for the cursors and the window (exec.c). */
static inline void irr_exec_complete(irr_exec_t *exec, const irr_exec_step_t *state, size_t bytes)
{
    exec->open_steps--;
    exec->news = true;
    if (!state->comes && state->kind == IRR_STEP_SEND) {
        irr_window_end(&exec->window, bytes);
    }
}

/* Ends a step whose messages have all ended. bytes: the expected length of the step. */
static inline void irr_exec_end_step(irr_exec_step_t *state, irr_status_t status, size_t bytes)
{
    if (status != IRR_OK || (state->comes && state->request.bytes != bytes)) {
        irr_exec_end_odd(state);
    } else {
        irr_exec_complete(state->exec, state, bytes);
    }
}

#endif
