/*
 * relay_header.c - receives messages that describe data (HEADERs, see header.h), one at a time, and the data that they
 * describe.
 *
 * After a HEADER is checked, data in the HEADER is copied to its target, and data in BODY messages is received there.
 * If this rank is broken (it lacks memory or has received an invalid message), all data is discarded. A predicted
 * receive is a receive that was posted for the layout of the previous exchange; a HEADER follows if the layout has
 * changed (relay.h).
 *
 * All fields of a HEADER are checked: exec/header.c checks the ranks, the order and the ranges of the slices, and
 * fits() checks that this rank may receive them, and that numbers and lengths match.
 */
#include "exec/relay.h"

#include "core/alloc.h"

#include <string.h>

/* ---- the inbox ---- */

irr_status_t irr_inbox_init(irr_relay_t *relay)
{
    const irr_plan_room_t message = { .steps = 1, .pieces = 2, .parts = 2 };
    irr_inbox_t *inbox = &relay->inbox;

    inbox->bytes = irr_alloc(IRR_HEADER_MAX, 1);
    inbox->bytes_max = IRR_HEADER_MAX;
    return inbox->bytes == NULL ? IRR_ERR_NO_MEMORY
                                : irr_own_plan_init(&inbox->moves, relay->stages.ranks, relay->stages.rank, message);
}

void irr_inbox_fini(irr_inbox_t *inbox)
{
    irr_own_plan_fini(&inbox->moves);
    irr_free(inbox->pieces);
    irr_free(inbox->slices);
    irr_free(inbox->bytes);
}

/* Returns the index of the present sender in relay->senders. */
static size_t sender_of(const irr_relay_t *relay)
{
    return relay->sender_base + (size_t)relay->inbox.sender;
}

/*
 * Starts to receive a message of the present sender, of up to `bytes` bytes, into inbox->bytes. sinks: a message may be
 * longer, and the rest is discarded.
 */
static void receive(irr_relay_t *relay, irr_content_t content, size_t bytes, bool sinks)
{
    irr_inbox_t *inbox = &relay->inbox;
    const irr_piece_t pieces[2] = {
        { IRR_BUFFER_SCRATCH, false, (ptrdiff_t)(uintptr_t)inbox->bytes, bytes },
        { IRR_BUFFER_NOWHERE, false, 0, sinks ? IRR_SINK_BYTES : 0 }
    };
    const irr_step_params_t params = {
        .kind = IRR_STEP_RECV, .peer = irr_relay_stage(relay)->sender[inbox->sender], .stage = relay->stage,
        .content = content, .pieces = pieces, .npieces = 2
    };

    irr_own_plan_clear(&inbox->moves);
    irr_own_plan_add(&inbox->moves, &params);
    irr_own_plan_start(&inbox->moves, &relay->exec.env);
}

/*
 * Discards the next message of a predicted layout. After the last message, waits for a HEADER if all were empty,
 * because they were cancel notices.
 */
static void drain(irr_relay_t *relay)
{
    irr_inbox_t *inbox = &relay->inbox;

    if (inbox->left > 0) {
        inbox->state = IRR_INBOX_DATA;
        receive(relay, IRR_CONTENT_DATA, 0, true);
    } else if (inbox->bytes_discarded == 0) {
        irr_inbox_open(relay, inbox->sender);
    } else {
        inbox->state = IRR_INBOX_FREE;
        irr_relay_receive_discarded(relay, inbox->sender, inbox->bytes_discarded);
    }
}

void irr_inbox_open(irr_relay_t *relay, int sender)
{
    relay->received[sender] = true;   /* the inbox receives it now */
    relay->inbox.sender = sender;
    relay->inbox.state = IRR_INBOX_HEADER;
    relay->inbox.cut = false;
    receive(relay, IRR_CONTENT_HEADER, IRR_HEADER_MAX, false);
}

void irr_inbox_drain(irr_relay_t *relay, int sender, size_t bytes)
{
    irr_inbox_t *inbox = &relay->inbox;

    relay->received[sender] = true;   /* the inbox receives it now */
    inbox->sender = sender;
    inbox->bytes_discarded = bytes;
    inbox->left = relay->senders[sender_of(relay)].messages - 1;
    drain(relay);
}

/* Marks the message of the present sender as received. known: this rank has stored its layout. */
static void end(irr_relay_t *relay, bool known)
{
    relay->inbox.state = IRR_INBOX_FREE;
    irr_relay_received(relay, relay->inbox.sender, known);
}

/* Makes the rank broken unless status is IRR_OK, and starts to discard BODY messages. */
static void sink(irr_relay_t *relay, irr_status_t status, size_t messages)
{
    irr_relay_break(relay, status);
    relay->inbox.left = messages;
    if (messages == 0) {
        end(relay, false);
        return;
    }
    relay->inbox.state = IRR_INBOX_SINK;
    receive(relay, IRR_CONTENT_BODY, 0, true);
}

/* ---- adding to the plan ---- */

static size_t sum(const irr_slice_t *slices, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes = slices[i].length > SIZE_MAX - bytes ? SIZE_MAX : bytes + slices[i].length;
    }
    return bytes;
}

/*
 * Returns true if this rank may receive the slices in this stage, and they match the announced number of messages.
 * behind: number of bytes behind the header in its message.
 */
static bool fits(const irr_relay_t *relay, const irr_header_t *header, size_t behind)
{
    const irr_inbox_t *inbox = &relay->inbox;
    const int sender = irr_relay_stage(relay)->sender[inbox->sender];
    const size_t bytes = sum(inbox->slices, header->slices);

    if (header->slices == 0) {
        return behind == 0 && header->inside && header->messages == 1;
    }
    for (size_t i = 0; i < header->slices; i++) {
        if (!irr_stage_accepts(irr_relay_stage(relay), inbox->slices[i].destination)) {
            return false;
        }
    }
    return behind == (header->inside ? bytes : 0) && bytes <= PTRDIFF_MAX &&
           header->messages == irr_relay_messages(relay, sender, inbox->pieces, header->slices, bytes);
}

/* Copies the data in a HEADER message to its target. */
static void unpack(irr_relay_t *relay, const irr_header_t *header, const unsigned char *bytes)
{
    const irr_inbox_t *inbox = &relay->inbox;

    for (size_t i = 0; i < header->slices; i++) {
        const irr_piece_t *piece = &inbox->pieces[i];
        const uintptr_t base = piece->buffer == IRR_BUFFER_OUTPUT ? (uintptr_t)relay->exec.env.output : 0;

        memcpy((void *)(base + (uintptr_t)piece->offset), bytes, piece->length);
        bytes += piece->length;
        relay->exec.env.counters->bytes_staged += piece->length;
        relay->exec.env.counters->bytes_received += piece->length;
    }
}

static irr_status_t receive_body(irr_relay_t *relay, const irr_header_t *header)
{
    const irr_inbox_t *inbox = &relay->inbox;
    const irr_stage_t *stage = irr_relay_stage(relay);
    const irr_step_params_t params = {
        .kind = IRR_STEP_RECV, .peer = stage->sender[inbox->sender], .stage = relay->stage,
        .number = stage->sender_number[inbox->sender], .content = IRR_CONTENT_BODY, .pieces = inbox->pieces,
        .npieces = header->slices
    };

    return irr_relay_add(relay, &params);
}

static irr_status_t make_room(irr_inbox_t *inbox, size_t count)
{
    irr_status_t status = IRR_GROW(inbox->slices, inbox->slices_max, count);

    if (status == IRR_OK) {
        status = IRR_GROW(inbox->pieces, inbox->pieces_max, count);
    }
    return status;
}

/* Reads and checks the slices behind the prefix of a header. */
static irr_status_t check(irr_relay_t *relay, const irr_header_t *header, irr_reader_t *reader)
{
    irr_inbox_t *inbox = &relay->inbox;
    irr_status_t status = make_room(inbox, header->slices);

    if (status == IRR_OK) {
        status = irr_header_read_slices(reader, header, relay->stages.ranks, inbox->slices);
    }
    for (size_t i = 0; i < header->slices && status == IRR_OK; i++) {
        inbox->pieces[i].length = inbox->slices[i].length;
    }
    if (status != IRR_OK) {
        return status;
    }
    return fits(relay, header, reader->length - reader->at) ? IRR_OK : IRR_ERR_PROTOCOL;
}

/* Adds the message to the plan, and receives its data. behind: the bytes behind the header. */
static irr_status_t take(irr_relay_t *relay, const irr_header_t *header, const unsigned char *behind)
{
    irr_inbox_t *inbox = &relay->inbox;
    irr_status_t status = irr_relay_put(relay, &relay->senders[sender_of(relay)], inbox->slices, header->slices,
                                        inbox->pieces);

    if (status == IRR_OK) {
        status = irr_grid_plan_receive(relay->plan, relay->stage, inbox->sender, inbox->slices, inbox->pieces,
                                       header->slices);
    }
    if (status == IRR_OK && !header->inside) {
        return receive_body(relay, header);
    }
    if (status == IRR_OK) {
        unpack(relay, header, behind);
    }
    return status;
}

/* ---- received messages ---- */

/*
 * Handles a complete header. A broken rank checks the header, too, because it must know the number of messages in the
 * next exchange. A rank that has discarded the end of the header uses the number unchecked.
 */
static void read_whole(irr_relay_t *relay, const irr_header_t *header, irr_reader_t *reader)
{
    irr_relay_sender_t *from = &relay->senders[sender_of(relay)];
    irr_status_t status = relay->inbox.cut ? IRR_OK : check(relay, header, reader);

    from->messages = status != IRR_ERR_PROTOCOL ? header->messages : 1;
    from->changed = true;
    if (status == IRR_OK) {
        status = relay->broken ? relay->status : take(relay, header, reader->in + reader->at);
    }
    if (status != IRR_OK) {
        sink(relay, status, header->inside ? 0 : header->messages);
    } else {
        end(relay, true);
    }
}

/*
 * Starts to receive the second HEADER, whose length the first one has announced. If memory is missing, discards the end
 * of this HEADER.
 */
static void receive_more(irr_relay_t *relay, size_t bytes)
{
    irr_inbox_t *inbox = &relay->inbox;
    irr_status_t status = relay->broken ? relay->status : IRR_GROW(inbox->bytes, inbox->bytes_max, bytes);

    irr_relay_break(relay, status);
    inbox->state = IRR_INBOX_MORE;
    inbox->cut = status != IRR_OK;
    receive(relay, IRR_CONTENT_HEADER, inbox->cut ? IRR_HEADER_MAX : bytes, inbox->cut);
}

/* Handles a HEADER message of `length` bytes. */
static void read_header(irr_relay_t *relay, size_t length)
{
    const bool first = relay->inbox.state == IRR_INBOX_HEADER;
    const size_t kept = relay->inbox.cut && length > IRR_HEADER_MAX ? IRR_HEADER_MAX : length;
    irr_reader_t reader = { .in = relay->inbox.bytes, .length = kept };
    irr_header_t header;

    if (irr_header_read(&reader, &header) != IRR_OK || (header.more > 0 && !first)) {
        sink(relay, IRR_ERR_PROTOCOL, 0);
        return;
    }
    irr_relay_keep(relay, header.status);
    relay->lost = relay->lost || header.lost;
    if (header.more > 0) {
        receive_more(relay, header.more);
    } else {
        read_whole(relay, &header, &reader);
    }
}

bool irr_inbox_progress(irr_relay_t *relay)
{
    irr_inbox_t *inbox = &relay->inbox;
    size_t received;
    irr_status_t status;

    if (inbox->state == IRR_INBOX_FREE) {
        return false;
    }
    status = irr_exec_progress(&inbox->moves.exec);
    if (status == IRR_IN_PROGRESS) {
        return false;
    }
    received = irr_exec_step_of(&inbox->moves.exec, 0)->request.bytes;
    if (inbox->state == IRR_INBOX_SINK) {
        sink(relay, status, inbox->left - 1);
    } else if (inbox->state == IRR_INBOX_DATA) {
        irr_relay_break(relay, status);
        inbox->bytes_discarded += received;
        inbox->left--;
        drain(relay);
    } else if (status != IRR_OK) {
        sink(relay, status == IRR_ERR_TRUNCATE || status == IRR_ERR_PEER ? IRR_ERR_PROTOCOL : status, 0);
    } else {
        read_header(relay, received);
    }
    return true;
}
