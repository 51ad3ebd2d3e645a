/*
 * relay_receive.c - leads as they come, and their parts.
 *
 * A lead whose layout is known is received straight into its places.  Any other one comes into the inbox first: its
 * header is read and checked, its small pieces are copied to their places, and its parts are received there.  A lead
 * that cannot be used is thrown away from the inbox, and so are its parts.
 *
 * Trusted of a header is only what was checked: ranks, order and ranges of slices (exec/header.c), that a slice may be
 * here at all, and that number and length of the pieces are those of the message.
 */
#include "exec/relay.h"

#include "core/alloc.h"

#include <string.h>

/* ---- the inbox ---- */

static void inbox_over(irr_transfer_t *transfer)
{
    irr_flight_t *flight = (irr_flight_t *)transfer;
    irr_inbox_t *inbox = &flight->relay->inbox;

    inbox->state = inbox->next;
    if (transfer->status != IRR_OK) {
        inbox->length = 0;
        inbox->state = inbox->next == IRR_INBOX_HEADER ? IRR_INBOX_FREE : inbox->next;
    }
    irr_relay_break(flight->relay, transfer->status);
    irr_relay_land(flight);
}

/* What comes next is received by the inbox into its two addresses. */
static irr_spare_t *open_inbox(irr_relay_t *relay, irr_inbox_state_t next, irr_iov_t first, irr_iov_t second)
{
    irr_inbox_t *inbox = &relay->inbox;

    inbox->state = IRR_INBOX_BUSY;
    inbox->next = next;
    inbox->spare.flight.spare = true;
    inbox->spare.iov[0] = first;
    inbox->spare.iov[1] = second;
    irr_relay_take_off(relay, &inbox->spare.flight, inbox_over);
    return &inbox->spare;
}

static const irr_iov_t sink = { NULL, IRR_SINK_BYTES };

/* Throws a lead away, but for what tells how many parts it has; of one that nobody should send none is awaited. */
static void sink_lead(irr_relay_t *relay, const irr_message_t *message, bool expected)
{
    irr_spare_t *spare = &relay->inbox.spare;
    bool described = expected && irr_tag_kind(message->tag) == IRR_TAG_HEADER;

    relay->inbox.parts = 0;
    relay->inbox.length = message->bytes;   /* of all: the number of slices is checked against it */
    open_inbox(relay, described ? IRR_INBOX_SINK : IRR_INBOX_FREE, (irr_iov_t){ spare->header, sizeof(spare->header) },
               sink);
    irr_transfer_take(&spare->flight.transfer, &spare->part, message, spare->iov, 2, IRR_FORM_GATHER);
    irr_transfer_end(&spare->flight.transfer);
}

static void sink_part(irr_relay_t *relay)
{
    irr_spare_t *spare = open_inbox(relay, IRR_INBOX_SINK, sink, sink);
    const int from = irr_relay_stage(relay)->sender[relay->inbox.sender];
    const uint16_t tag = irr_tag(relay->env.tag_base, IRR_TAG_PART, relay->stage);

    relay->inbox.parts--;
    irr_transfer_receive(&spare->flight.transfer, &spare->part, from, tag, spare->iov, 1, IRR_FORM_GATHER);
    irr_transfer_end(&spare->flight.transfer);
}

/* ---- into the plan ---- */

static void receive_over(irr_transfer_t *transfer)
{
    irr_flight_t *flight = (irr_flight_t *)transfer;

    flight->relay->open_receives--;
    irr_relay_break(flight->relay, transfer->status);
    irr_relay_land(flight);
}

/* Does the sender send what it did the last time? */
static bool is_last(const irr_relay_t *relay, int sender, const irr_slice_t *slices, size_t count)
{
    size_t index = relay->last->recv_steps[relay->sender_base + (size_t)sender];

    return index != IRR_NO_STEP && relay->last->plan.steps[index].pieces == count &&
           memcmp(irr_grid_plan_slices(relay->last, index), slices, count * sizeof(*slices)) == 0;
}

/* The step of a message in the plan; the layout is known from now on.  NULL: no memory. */
static const irr_step_t *place(irr_relay_t *relay, int sender, const irr_slice_t *slices, size_t count)
{
    size_t index = relay->sender_base + (size_t)sender;
    irr_status_t status = IRR_OK;

    if (irr_relay_following(relay) && !is_last(relay, sender, slices, count)) {
        status = irr_relay_leave(relay, sender);
    }
    if (status == IRR_OK && !irr_relay_following(relay)) {
        status = irr_grid_plan_receive(relay->plan, relay->stage, sender, slices, NULL, count);
    }
    irr_relay_break(relay, status);
    if (status != IRR_OK) {
        return NULL;
    }
    relay->received_known[index] = true;
    return &relay->plan->plan.steps[relay->plan->recv_steps[index]];
}

/* Lists the places of the pieces that came together or apart. */
static size_t list(const irr_relay_t *relay, const irr_step_t *step, size_t apart_min, bool apart, irr_iov_t *iov)
{
    const irr_piece_t *pieces = &relay->plan->plan.pieces[step->first_piece];
    size_t count = 0;

    for (size_t i = 0; i < step->pieces; i++) {
        if ((pieces[i].length >= apart_min) == apart) {
            iov[count++] = (irr_iov_t){ irr_relay_address(relay, &pieces[i]), pieces[i].length };
        }
    }
    return count;
}

/* Receives a lead that is laid out as the last one; false if it is not, or there is no memory. */
static bool take_known(irr_relay_t *relay, int sender, const irr_message_t *message)
{
    size_t index = relay->last->recv_steps[relay->sender_base + (size_t)sender];
    const irr_step_t *last = &relay->last->plan.steps[index], *step;
    irr_composition_t composition;
    irr_flight_t *flight;

    if (message->bytes != last->bytes) {
        irr_relay_break(relay, IRR_ERR_PROTOCOL);
        return false;
    }
    flight = irr_relay_flight(relay, last->pieces, 0);
    step = flight != NULL ? place(relay, sender, irr_grid_plan_slices(relay->last, index), last->pieces) : NULL;
    if (step == NULL) {
        irr_relay_break(relay, IRR_ERR_NO_MEMORY);
        irr_free(flight);
        return false;
    }
    composition = irr_compose(relay->env.compose, &relay->env.channel->transport->caps, step->pieces, step->bytes);
    list(relay, step, SIZE_MAX, false, flight->iov);
    relay->open_receives++;
    irr_relay_take_off(relay, flight, receive_over);
    irr_transfer_take(&flight->transfer, &flight->parts[0], message, flight->iov, step->pieces, composition.form);
    irr_transfer_end(&flight->transfer);
    return true;
}

/* ---- headers ---- */

/* Do these slices make up the message, and may they be here? */
static bool fits(const irr_relay_t *relay, const irr_header_t *header, size_t used, size_t apart_min)
{
    const irr_inbox_t *inbox = &relay->inbox;
    size_t left = inbox->length - used, parts = 0;

    for (size_t i = 0; i < header->slices; i++) {
        const irr_slice_t *slice = &inbox->slices[i];
        bool apart = slice->length >= apart_min;

        if (!irr_stage_accepts(irr_relay_stage(relay), slice->destination) || (!apart && slice->length > left)) {
            return false;
        }
        parts += apart;
        left -= apart ? 0 : slice->length;
    }
    return left == 0 && parts == header->parts;
}

static size_t sum(const irr_slice_t *slices, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes = slices[i].length > SIZE_MAX - bytes ? SIZE_MAX : bytes + slices[i].length;
    }
    return bytes;
}

/* Copies what came together to its places, and asks for what comes apart. */
static void unpack(irr_relay_t *relay, const irr_step_t *step, size_t apart_min, size_t at, irr_flight_t *flight)
{
    irr_inbox_t *inbox = &relay->inbox;
    size_t count = list(relay, step, apart_min, false, flight->iov);
    const uint16_t tag = irr_tag(relay->env.tag_base, IRR_TAG_PART, relay->stage);

    for (size_t i = 0; i < count; i++) {
        memcpy(flight->iov[i].base, inbox->bytes + at, flight->iov[i].length);
        relay->env.counters->bytes_staged += flight->iov[i].length;
        at += flight->iov[i].length;
    }
    count = list(relay, step, apart_min, true, flight->iov);
    relay->open_receives++;
    irr_relay_take_off(relay, flight, receive_over);
    for (size_t i = 0; i < count; i++) {
        irr_transfer_receive(&flight->transfer, &flight->parts[i], step->peer, tag, &flight->iov[i], 1,
                             IRR_FORM_IOVEC);
    }
    irr_transfer_end(&flight->transfer);
}

/* Reads the slices behind a header into the inbox and finds their places; not IRR_OK: nothing of it is used. */
static irr_status_t read_slices(irr_relay_t *relay, const irr_header_t *header, size_t used)
{
    irr_inbox_t *inbox = &relay->inbox;
    void *slices = inbox->slices;
    irr_status_t status = irr_grow(&slices, &inbox->slices_max, header->slices, sizeof(*inbox->slices));
    const irr_step_t *step = NULL;
    irr_composition_t composition;
    irr_flight_t *flight;
    size_t more;

    inbox->slices = slices;
    if (status == IRR_OK) {
        status = irr_header_decode_slices(inbox->bytes + used, inbox->length - used, header, relay->stages.ranks,
                                          inbox->slices, &more);
    }
    if (status != IRR_OK) {
        return status;
    }
    used += more;
    composition = irr_compose(relay->env.compose, &relay->env.channel->transport->caps, header->slices + 1,
                              sum(inbox->slices, header->slices));
    if (!fits(relay, header, used, composition.apart_min)) {
        return IRR_ERR_PROTOCOL;
    }
    flight = irr_relay_flight(relay, header->slices, 0);
    step = flight != NULL ? place(relay, inbox->sender, inbox->slices, header->slices) : NULL;
    if (step == NULL) {
        irr_free(flight);
        return IRR_ERR_NO_MEMORY;
    }
    unpack(relay, step, composition.apart_min, used, flight);
    return IRR_OK;
}

/* A header without slices, where there may have been some the last time. */
static void read_empty(irr_relay_t *relay)
{
    size_t index = relay->sender_base + (size_t)relay->inbox.sender;

    if (!relay->broken && irr_relay_following(relay) && relay->last->recv_steps[index] != IRR_NO_STEP) {
        irr_relay_break(relay, irr_relay_leave(relay, relay->inbox.sender));
    }
    relay->received_known[index] = relay->plan->recv_steps[index] == IRR_NO_STEP;
}

/* What the sender says of the exchange. */
static void hear(irr_relay_t *relay, const irr_header_t *header)
{
    irr_relay_keep(relay, header->status);
    relay->lost = relay->lost || header->lost;
}

static void read_header(irr_relay_t *relay)
{
    irr_inbox_t *inbox = &relay->inbox;
    irr_header_t header;
    size_t used;
    irr_status_t status = irr_header_decode(inbox->bytes, inbox->length, &header, &used);

    inbox->state = IRR_INBOX_FREE;
    if (status != IRR_OK) {
        irr_relay_break(relay, status);
        return;
    }
    hear(relay, &header);
    if (header.slices == 0) {
        irr_relay_break(relay, used == inbox->length ? IRR_OK : IRR_ERR_PROTOCOL);
        read_empty(relay);
        return;
    }
    status = relay->broken ? relay->status : read_slices(relay, &header, used);
    if (status != IRR_OK) {
        irr_relay_break(relay, status);
        inbox->parts = header.parts;
        inbox->state = header.parts > 0 ? IRR_INBOX_SINK : IRR_INBOX_FREE;
    }
}

/* A lead was thrown away: the parts that it announced follow. */
static void read_sunk(irr_relay_t *relay)
{
    irr_inbox_t *inbox = &relay->inbox;
    irr_header_t header;
    size_t used;

    if (inbox->parts == 0 && inbox->length > 0) {
        if (irr_header_decode(inbox->spare.header, inbox->length, &header, &used) == IRR_OK) {
            hear(relay, &header);
            inbox->parts = header.parts;
        } else {
            irr_relay_keep(relay, IRR_ERR_PROTOCOL);
        }
    }
    inbox->length = 0;
    if (inbox->parts > 0) {
        sink_part(relay);
    } else {
        inbox->state = IRR_INBOX_FREE;
    }
}

/* ---- leads ---- */

static void receive_header(irr_relay_t *relay, const irr_message_t *message)
{
    irr_inbox_t *inbox = &relay->inbox;
    void *bytes = inbox->bytes;
    irr_status_t status = irr_grow(&bytes, &inbox->bytes_max, message->bytes, 1);
    irr_spare_t *spare;

    inbox->bytes = bytes;
    if (status != IRR_OK) {
        irr_relay_break(relay, status);
        sink_lead(relay, message, true);
        return;
    }
    inbox->length = message->bytes;
    spare = open_inbox(relay, IRR_INBOX_HEADER, (irr_iov_t){ inbox->bytes, message->bytes }, (irr_iov_t){ NULL, 0 });
    irr_transfer_take(&spare->flight.transfer, &spare->part, message, spare->iov, 1, IRR_FORM_IOVEC);
    irr_transfer_end(&spare->flight.transfer);
}

static void receive_empty(irr_relay_t *relay, const irr_message_t *message)
{
    irr_spare_t *spare = open_inbox(relay, IRR_INBOX_FREE, sink, sink);

    irr_transfer_take(&spare->flight.transfer, &spare->part, message, spare->iov, 0, IRR_FORM_IOVEC);
    irr_transfer_end(&spare->flight.transfer);
}

static void receive_data(irr_relay_t *relay, const irr_message_t *message, bool known)
{
    size_t index = relay->sender_base + (size_t)relay->inbox.sender;
    bool empty = known && relay->last->recv_steps[index] == IRR_NO_STEP;

    if (empty) {
        relay->received_known[index] = true;
        receive_empty(relay, message);
    } else if (relay->broken || !known || !take_known(relay, relay->inbox.sender, message)) {
        /* The layout was told when there was no memory for it. */
        irr_relay_break(relay, known ? IRR_OK : IRR_ERR_NO_MEMORY);
        /* Contents are thrown away, but not the layout, where the plan that has it stays. */
        relay->received_known[index] = known && irr_relay_following(relay);
        sink_lead(relay, message, true);
    }
}

static void receive_lead(irr_relay_t *relay, const irr_message_t *message)
{
    int rank = message->from, sender = rank < relay->stages.ranks ? relay->sender_number[rank] : -1;
    bool known;

    if (sender < 0) {
        irr_relay_break(relay, IRR_ERR_PROTOCOL);
        sink_lead(relay, message, false);
        return;
    }
    relay->sender_number[rank] = -1;
    relay->heard++;
    relay->inbox.sender = sender;
    known = relay->received_known[relay->sender_base + (size_t)sender];
    relay->received_known[relay->sender_base + (size_t)sender] = false;
    if (irr_tag_kind(message->tag) == IRR_TAG_DATA) {
        receive_data(relay, message, known);
    } else if (relay->broken) {
        sink_lead(relay, message, true);
    } else {
        receive_header(relay, message);
    }
}

static bool next_lead(irr_relay_t *relay)
{
    irr_channel_t *channel = relay->env.channel;
    irr_message_t message;

    if (relay->heard == irr_relay_stage(relay)->senders || relay->earlier_sends > 0 ||
        channel->transport->ops->probe(channel, IRR_ANY_RANK,
                                       irr_tag(relay->env.tag_base, IRR_TAG_DATA, relay->stage),
                                       irr_tag_lead_mask(), &message) != IRR_OK) {
        return false;
    }
    receive_lead(relay, &message);
    return true;
}

bool irr_relay_receive(irr_relay_t *relay)
{
    switch (relay->inbox.state) {
    case IRR_INBOX_FREE:
        return next_lead(relay);
    case IRR_INBOX_BUSY:
        return false;
    case IRR_INBOX_HEADER:
        read_header(relay);
        break;
    case IRR_INBOX_SINK:
        read_sunk(relay);
        break;
    }
    return true;
}
