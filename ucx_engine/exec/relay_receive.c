/*
 * relay_receive.c - predicted receives: receives for the layouts (lists of slices) of the previous exchange.
 *
 * A predicted receive is posted for each sender and stage when an exchange starts. If its message has the expected
 * length, the layout is unchanged. An empty message cancels the receive, and a HEADER with the new layout follows
 * (relay_header.c). A message of any other length is an error: this rank becomes broken, that is, it sends no more data
 * (relay.h). A receive without a known layout discards its message.
 */
#include "exec/relay.h"

#include "core/alloc.h"

/* ---- senders ---- */

static irr_status_t make_memory(irr_relay_t *relay, irr_relay_sender_t *from, size_t bytes)
{
    unsigned char *memory;

    if (bytes <= from->memory_max) {
        return IRR_OK;
    }
    bytes = bytes < SIZE_MAX / 2 && bytes < 2 * from->memory_max ? 2 * from->memory_max : bytes;
    memory = irr_alloc(bytes, 1);
    if (memory == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_free(from->memory);
    relay->scratch_bytes += bytes - from->memory_max;
    from->memory = memory;
    from->memory_max = bytes;
    return IRR_OK;
}

irr_status_t irr_relay_put(irr_relay_t *relay, irr_relay_sender_t *from, const irr_slice_t *slices, size_t count,
                           irr_piece_t *pieces)
{
    size_t bytes = 0;
    irr_status_t status;

    for (size_t i = 0; i < count; i++) {
        if (irr_grid_plan_arrives(relay->plan, &slices[i], &pieces[i])) {
            continue;
        }
        if (slices[i].length > SIZE_MAX - bytes) {
            return IRR_ERR_NO_MEMORY;
        }
        pieces[i] = (irr_piece_t){ IRR_BUFFER_SCRATCH, false, (ptrdiff_t)bytes, slices[i].length };
        bytes += slices[i].length;
    }
    status = make_memory(relay, from, bytes);
    for (size_t i = 0; i < count && status == IRR_OK; i++) {
        if (pieces[i].buffer == IRR_BUFFER_SCRATCH) {
            pieces[i].offset += (ptrdiff_t)(uintptr_t)from->memory;
        }
    }
    return status;
}

/* ---- posting ---- */

/* Posts a receive for the previous layout, at the addresses of this exchange. Returns false if memory is missing. */
static bool post_known(irr_relay_t *relay, irr_relay_sender_t *from, size_t last_step, irr_step_params_t *params)
{
    const irr_grid_plan_t *last = relay->last;
    const irr_step_t *step = &last->plan.steps[last_step];
    irr_inbox_t *inbox = &relay->inbox;
    irr_status_t status = IRR_GROW(inbox->pieces, inbox->pieces_max, step->pieces);

    if (status == IRR_OK && irr_grid_plan_count(last, last_step) > 0) {
        status = irr_relay_put(relay, from, irr_grid_plan_slices(last, last_step), step->pieces, inbox->pieces);
    } else if (status == IRR_OK) {
        inbox->pieces[0] = last->plan.pieces[step->first_piece];
        params->repeats = true;
    }
    params->pieces = inbox->pieces;
    params->npieces = step->pieces;
    return status == IRR_OK && irr_relay_add(relay, params) == IRR_OK;
}

/* Posts a receive that discards one message of any length. Its room is reserved. */
static void post_sink(irr_relay_t *relay, irr_relay_sender_t *from, irr_step_params_t *params)
{
    static const irr_piece_t nowhere = { IRR_BUFFER_NOWHERE, false, 0, IRR_SINK_BYTES };

    from->discarded = true;
    params->pieces = &nowhere;
    params->npieces = 1;
    params->repeats = true;
    irr_relay_break(relay, irr_relay_add(relay, params));
}

void irr_relay_reserve_predicted(irr_relay_t *relay)
{
    const irr_grid_plan_t *last = relay->last;
    const size_t senders = (size_t)relay->stages.senders;
    irr_plan_room_t bounds = { .steps = senders, .pieces = senders };

    for (size_t i = 0; i < senders; i++) {
        relay->senders[i].known = relay->senders[i].known && last->recv_steps[i] != IRR_NO_STEP;
        if (relay->senders[i].known && !relay->broken) {
            const irr_step_t *step = &last->plan.steps[last->recv_steps[i]];

            bounds.pieces += step->pieces - 1;
            bounds.parts += irr_exec_parts(&relay->exec.env, &last->plan, step);
        }
    }
    /* irr_exec_reserve also merges the executor's additional room of the previous exchange (exec_room.c) */
    irr_relay_break(relay, irr_exec_reserve(&relay->exec, bounds));
    irr_relay_break(relay, irr_plan_reserve(relay->run, bounds));
}

void irr_relay_post_predicted(irr_relay_t *relay)
{
    irr_relay_sender_t *from = relay->senders;

    for (int s = 0; s < relay->stages.count; s++) {
        const irr_stage_t *stage = &relay->stages.stage[s];

        for (int i = 0; i < stage->senders; i++, from++) {
            const size_t last_step = relay->last->recv_steps[from - relay->senders];
            irr_step_params_t params = {
                .kind = IRR_STEP_RECV, .peer = stage->sender[i], .stage = s + 1, .number = stage->sender_number[i],
                .replaceable = true
            };

            from->predicted = relay->run->nsteps;
            from->discarded = false;
            from->changed = false;
            if (relay->broken || !from->known || !post_known(relay, from, last_step, &params)) {
                irr_relay_break(relay, from->known ? IRR_ERR_NO_MEMORY : IRR_OK);
                post_sink(relay, from, &params);
            }
        }
    }
}

/* ---- checking ---- */

void irr_relay_received(irr_relay_t *relay, int sender, bool known)
{
    relay->senders[relay->sender_base + (size_t)sender].known = known;
    relay->received[sender] = true;
    relay->not_received--;
}

/* Handles a predicted receive whose message has the layout of the previous exchange. */
static void receive_same(irr_relay_t *relay, int sender)
{
    const size_t index = relay->sender_base + (size_t)sender, last_step = relay->last->recv_steps[index];
    const irr_step_t *predicted = &relay->run->steps[relay->senders[index].predicted];
    irr_status_t status = IRR_OK;

    if (!irr_relay_following(relay)) {
        status = irr_grid_plan_receive(relay->plan, relay->stage, sender, irr_grid_plan_slices(relay->last, last_step),
                                       &relay->run->pieces[predicted->first_piece],
                                       irr_grid_plan_count(relay->last, last_step));
    }
    irr_relay_break(relay, status);
    irr_relay_received(relay, sender, true);
}

static size_t last_bytes(const irr_relay_t *relay, int sender)
{
    return relay->last->plan.steps[relay->last->recv_steps[relay->sender_base + (size_t)sender]].bytes;
}

/*
 * If the discarded data has the length of the known layout, the layout is unchanged. If no layout is known, it was lost
 * in an earlier exchange for lack of memory.
 */
void irr_relay_receive_discarded(irr_relay_t *relay, int sender, size_t bytes)
{
    const irr_relay_sender_t *from = &relay->senders[relay->sender_base + (size_t)sender];
    const bool same = from->known && bytes == last_bytes(relay, sender);

    irr_relay_break(relay, same ? IRR_OK : from->known ? IRR_ERR_PROTOCOL : IRR_ERR_NO_MEMORY);
    irr_relay_received(relay, sender, same);
}

/* Handles a predicted receive that failed, was cancelled, or has discarded its message. */
static void receive_other(irr_relay_t *relay, int sender, const irr_exec_step_t *predicted)
{
    const irr_relay_sender_t *from = &relay->senders[relay->sender_base + (size_t)sender];
    const bool failed = predicted->status != IRR_OK && predicted->status != IRR_ERR_PEER;

    if (failed || (!from->discarded && predicted->request.bytes > 0)) {
        irr_relay_break(relay, failed && predicted->status != IRR_ERR_TRUNCATE ? predicted->status : IRR_ERR_PROTOCOL);
        irr_relay_received(relay, sender, false);
    } else if (from->discarded) {
        irr_inbox_drain(relay, sender, predicted->request.bytes);
    } else {
        irr_inbox_open(relay, sender);
    }
}

/* Handles the predicted receive of a sender, and returns true, if the receive has ended. */
static bool receive(irr_relay_t *relay, int sender)
{
    const irr_relay_sender_t *from = &relay->senders[relay->sender_base + (size_t)sender];
    const irr_exec_state_t state = irr_exec_state(&relay->exec, from->predicted);

    if (state == IRR_EXEC_COMPLETE) {
        receive_same(relay, sender);
        return true;
    }
    if (state == IRR_EXEC_OPEN || relay->inbox.state != IRR_INBOX_FREE) {
        return false;
    }
    irr_exec_settle(&relay->exec, from->predicted);
    receive_other(relay, sender, irr_exec_step_of(&relay->exec, from->predicted));
    return true;
}

bool irr_relay_receive(irr_relay_t *relay)
{
    bool moved = false;

    for (int i = 0; relay->not_received > 0 && i < irr_relay_stage(relay)->senders; i++) {
        moved = (!relay->received[i] && receive(relay, i)) || moved;
    }
    return moved;
}
