/*
 * relay_send.c - appends the sends of a stage to the plan.
 *
 * The layout of a message is the list of its slices. If the peer knows the layout from the previous exchange, one step
 * sends the data. Otherwise the peer has posted receives for the previous layout. This rank first sends empty messages
 * (cancel notices), which end these receives, then a HEADER, which describes the layout (header.h). Short data is in
 * the HEADER, longer data follows in BODY messages. A receiver handles one HEADER at a time. After a cancel notice it
 * waits for the HEADER of this sender. The notice therefore starts only when the window, which limits the messages and
 * bytes in flight, has room for the HEADER as well.
 */
#include "exec/relay.h"

#include "core/alloc.h"

#include <string.h>

static const irr_piece_t nothing = { IRR_BUFFER_SCRATCH, false, 0, 0 };

/* A message to be sent. */
typedef struct outgoing {
    irr_relay_slot_t  *slot;
    const irr_piece_t *pieces;
    const irr_slice_t *slices;
    size_t             npieces;    /* number of pieces; a message without slices has 1, a byte without meaning (the
                                      blank) */
    size_t             bytes;
    irr_header_t       header;
    size_t             length;     /* length of the whole header in bytes */
} outgoing_t;

/* Returns the k-th slot (peer) in the order of the sends, which begins with the slot after this rank's own. */
static int slot_at(const irr_relay_t *relay, int k)
{
    const irr_stage_t *stage = irr_relay_stage(relay);

    return (stage->own + k) % stage->slots;
}

/* Returns the parameters of an empty message to a peer. */
static irr_step_params_t send_to(const irr_relay_t *relay, int slot)
{
    const irr_stage_t *stage = irr_relay_stage(relay);

    return (irr_step_params_t){
        .kind = IRR_STEP_SEND, .peer = stage->peer[slot], .stage = relay->stage, .number = stage->number[slot],
        .pieces = &nothing, .npieces = 1, .repeats = true
    };
}

/* ---- with data ---- */

/* Returns true if the message has the layout of the previous exchange, and the peer knows it. */
static bool as_last(const irr_relay_t *relay, size_t index, const outgoing_t *message)
{
    const irr_grid_plan_t *last = relay->last;
    const size_t step = last->send_steps[index];

    return message->slot->known && !irr_relay_announces(relay) && step != IRR_NO_STEP &&
           irr_grid_plan_count(last, step) == message->header.slices &&
           (message->header.slices == 0 || memcmp(irr_grid_plan_slices(last, step), message->slices,
                                                  message->header.slices * sizeof(*message->slices)) == 0);
}

/*
 * Writes the header, and short data behind it, to slot->header. Sets the pieces of the two HEADER messages; the first
 * one is empty if the header fits in one message.
 */
static irr_status_t write_header(const irr_relay_t *relay, outgoing_t *message, irr_piece_t pieces[2])
{
    const irr_header_t first = { .status = message->header.status, .lost = message->header.lost,
                                 .more = message->length, .messages = 1 };
    const size_t more = message->length > IRR_HEADER_MAX ? irr_header_encode(&first, NULL, NULL) : 0;
    const size_t behind = message->header.inside ? message->bytes : 0;
    irr_relay_slot_t *slot = message->slot;
    irr_status_t status = IRR_GROW(slot->header, slot->header_max, more + message->length + behind);
    unsigned char *at;

    if (status != IRR_OK) {
        return status;
    }
    if (more > 0) {
        irr_header_encode(&first, NULL, slot->header);
    }
    at = slot->header + more;
    irr_header_encode(&message->header, message->slices, at);
    at += message->length;
    for (size_t i = 0; message->header.inside && i < message->header.slices; i++) {
        memcpy(at, irr_relay_address(relay, &message->pieces[i]), message->pieces[i].length);
        at += message->pieces[i].length;
        relay->exec.env.counters->bytes_staged += message->pieces[i].length;
    }
    pieces[0] = (irr_piece_t){ IRR_BUFFER_SCRATCH, false, (ptrdiff_t)(uintptr_t)slot->header, more };
    pieces[1] = (irr_piece_t){ IRR_BUFFER_SCRATCH, false, (ptrdiff_t)(uintptr_t)(slot->header + more),
                               (size_t)(at - slot->header) - more };
    return IRR_OK;
}

/* Appends the messages to a peer that does not know the layout. */
static irr_status_t describe(irr_relay_t *relay, int slot, outgoing_t *message)
{
    irr_step_params_t empty = send_to(relay, slot), header = empty, body = empty;
    irr_plan_mark_t mark = irr_plan_mark(relay->run);
    irr_piece_t pieces[2];
    irr_status_t status = write_header(relay, message, pieces);

    if (status == IRR_OK) {
        const size_t ahead = pieces[0].length + pieces[1].length;

        empty.ahead = ahead < UINT32_MAX ? (uint32_t)ahead : UINT32_MAX;
    }
    for (size_t i = 0; i < message->slot->messages && status == IRR_OK; i++) {
        status = irr_plan_add(relay->run, &empty);
    }
    for (int i = pieces[0].length > 0 ? 0 : 1; i < 2 && status == IRR_OK; i++) {
        header.content = IRR_CONTENT_HEADER;
        header.pieces = &pieces[i];
        header.described = i == 0 ? pieces[0].length : message->length;
        status = irr_plan_add(relay->run, &header);
    }
    if (status == IRR_OK && !message->header.inside) {
        body.content = IRR_CONTENT_BODY;
        body.pieces = message->pieces;
        body.npieces = message->npieces;
        status = irr_plan_add(relay->run, &body);
    }
    return irr_relay_commit(relay, &mark, status);
}

/* Sets *message to the new plan's message to a slot. */
static void take_up(const irr_relay_t *relay, int slot, outgoing_t *message)
{
    const size_t index = relay->slot_base + (size_t)slot, step = relay->plan->send_steps[index];
    const irr_plan_t *plan = &relay->plan->plan;

    *message = (outgoing_t){
        .slot = &relay->slots[index], .pieces = &plan->pieces[plan->steps[step].first_piece],
        .slices = irr_grid_plan_slices(relay->plan, step), .npieces = plan->steps[step].pieces,
        .bytes = plan->steps[step].bytes,
        .header = { .status = relay->status, .lost = relay->lost, .slices = irr_grid_plan_count(relay->plan, step) }
    };
    message->header.messages = irr_relay_messages(relay, irr_relay_stage(relay)->peer[slot], message->pieces,
                                               message->npieces, message->bytes);
    message->header.inside = true;
    message->length = irr_header_encode(&message->header, message->slices, NULL);
    message->header.inside = message->header.slices == 0 || (message->length <= IRR_HEADER_MAX &&
                                                             message->bytes <= IRR_HEADER_MAX - message->length);
}

static irr_status_t send_slot(irr_relay_t *relay, int slot)
{
    irr_step_params_t params = send_to(relay, slot);
    outgoing_t message;
    irr_status_t status;

    take_up(relay, slot, &message);
    if (as_last(relay, relay->slot_base + (size_t)slot, &message)) {
        params.pieces = message.pieces;
        params.npieces = message.npieces;
        return irr_relay_add(relay, &params);
    }
    status = describe(relay, slot, &message);
    if (status == IRR_OK) {
        message.slot->messages = message.header.messages;
        /* after an error the peer may not have stored the layout */
        message.slot->known = relay->status == IRR_OK;
    }
    return status;
}

void irr_relay_send_stage(irr_relay_t *relay)
{
    const irr_stage_t *stage = irr_relay_stage(relay);
    int k = 1;

    if (!relay->broken) {
        irr_relay_break(relay, irr_grid_plan_sends(relay->plan, relay->stage));
    }
    for (; k < stage->slots && !relay->broken; k++) {
        irr_status_t status = send_slot(relay, slot_at(relay, k));

        irr_relay_break(relay, status);
        k -= status != IRR_OK;
    }
    relay->outbox.next = k;
    relay->outbox.cancelled = 0;
}

/* ---- without data: the messages of a broken rank, one at a time ---- */

/* Sends the next message to a peer: a cancel notice, or after the last notice a HEADER with the error. */
static void send_status(irr_relay_t *relay, int index)
{
    irr_outbox_t *outbox = &relay->outbox;
    irr_relay_slot_t *slot = &relay->slots[relay->slot_base + (size_t)index];
    irr_step_params_t params = send_to(relay, index);
    const irr_header_t header = { .status = relay->status, .lost = relay->lost, .messages = 1, .inside = true };
    irr_piece_t piece = { IRR_BUFFER_SCRATCH, false, (ptrdiff_t)(uintptr_t)outbox->header, 0 };

    outbox->busy = true;
    if (outbox->cancelled < slot->messages) {
        outbox->cancelled++;
    } else {
        piece.length = irr_header_encode(&header, NULL, outbox->header);
        params.content = IRR_CONTENT_HEADER;
        params.described = piece.length;
        params.pieces = &piece;
        slot->messages = 1;
        slot->known = false;
        outbox->cancelled = 0;
        outbox->next++;
    }
    irr_own_plan_clear(&outbox->moves);
    irr_own_plan_add(&outbox->moves, &params);
    irr_own_plan_start(&outbox->moves, &relay->exec.env);
}

bool irr_outbox_progress(irr_relay_t *relay)
{
    irr_outbox_t *outbox = &relay->outbox;

    if (outbox->busy) {
        irr_status_t status = irr_exec_progress(&outbox->moves.exec);

        if (status == IRR_IN_PROGRESS) {
            return false;
        }
        irr_relay_keep(relay, status);
        outbox->busy = false;
    }
    if (outbox->next >= irr_relay_stage(relay)->slots) {
        return false;
    }
    send_status(relay, slot_at(relay, outbox->next));
    return true;
}
