/*
 * relay_send.c - the messages of a stage: one lead a slot, in the order of the schedule, and what goes apart.
 */
#include "exec/relay.h"

#include <string.h>

/* A message that is to be sent. */
typedef struct outgoing {
    size_t             slot;     /* over all stages */
    const irr_step_t  *step;     /* NULL: it is empty */
    const irr_slice_t *slices;
    irr_header_t       header;
    bool               known;    /* laid out as last time: no header */
    irr_composition_t  composition;
} outgoing_t;

static void over(irr_transfer_t *transfer)
{
    irr_flight_t *flight = (irr_flight_t *)transfer;
    irr_relay_t *relay = flight->relay;

    relay->open_sends--;
    relay->earlier_sends -= flight->stage < relay->stage;
    irr_window_end(&relay->window, flight->bytes);
    irr_relay_land(flight);
}

static void start(irr_relay_t *relay, irr_flight_t *flight, size_t bytes)
{
    flight->bytes = bytes;
    relay->open_sends++;
    irr_window_begin(&relay->window, bytes);
    irr_relay_take_off(relay, flight, over);
}

/* ---- without contents ---- */

static void send_status(irr_relay_t *relay, int slot)
{
    irr_spare_t *spare = &relay->spares[slot];
    irr_header_t header = { .status = relay->status, .lost = relay->lost };
    size_t length = irr_header_encode(&header, NULL, spare->header);

    spare->flight.spare = true;
    spare->iov[0] = (irr_iov_t){ spare->header, length };
    start(relay, &spare->flight, 0);
    irr_transfer_send(&spare->flight.transfer, &spare->part, irr_relay_stage(relay)->peer[slot],
                      irr_tag(relay->env.tag_base, IRR_TAG_HEADER, relay->stage), spare->iov, 1, IRR_FORM_IOVEC,
                      length);
    irr_transfer_end(&spare->flight.transfer);
}

/* ---- with contents ---- */

static size_t count_apart(const outgoing_t *message, size_t apart_min)
{
    size_t apart = 0;

    for (size_t i = 0; i < message->header.slices; i++) {
        apart += message->slices[i].length >= apart_min;
    }
    return apart;
}

static bool as_last(const irr_relay_t *relay, const outgoing_t *message)
{
    size_t step = relay->last->send_steps[message->slot], slices;

    if (!relay->sent_known[message->slot] || irr_relay_tells(relay) || irr_relay_following(relay)) {
        return relay->sent_known[message->slot] && !irr_relay_tells(relay);
    }
    slices = step != IRR_NO_STEP ? relay->last->plan.steps[step].pieces : 0;
    return slices == message->header.slices &&
           (slices == 0 || memcmp(irr_grid_plan_slices(relay->last, step), message->slices,
                                  slices * sizeof(*message->slices)) == 0);
}

static void describe(const irr_relay_t *relay, int slot, outgoing_t *message)
{
    const irr_transport_caps_t *caps = &relay->env.channel->transport->caps;
    size_t step, bytes;

    message->slot = relay->slot_base + (size_t)slot;
    step = relay->plan->send_steps[message->slot];
    message->step = step != IRR_NO_STEP ? &relay->plan->plan.steps[step] : NULL;
    message->slices = message->step != NULL ? irr_grid_plan_slices(relay->plan, step) : NULL;
    message->header = (irr_header_t){
        .status = relay->status, .lost = relay->lost,
        .slices = message->step != NULL ? message->step->pieces : 0
    };
    bytes = message->step != NULL ? message->step->bytes : 0;
    message->composition = irr_compose(relay->env.compose, caps, message->header.slices, bytes);
    message->known = as_last(relay, message) && (message->header.slices < 2 ||
                                                 count_apart(message, message->composition.apart_min) == 0);
    if (message->known) {
        message->composition.apart_min = SIZE_MAX;
    } else {
        message->composition = irr_compose(relay->env.compose, caps, message->header.slices + 1, bytes);
        message->header.parts = count_apart(message, message->composition.apart_min);
    }
}

/* Lists the header and the pieces that go together, then those that go apart; returns how many go together. */
static size_t list(const irr_relay_t *relay, const outgoing_t *message, size_t header, irr_flight_t *flight)
{
    const irr_piece_t *pieces =
        message->step != NULL ? &relay->plan->plan.pieces[message->step->first_piece] : NULL;
    size_t together = 0, apart = message->header.slices - message->header.parts + (header > 0);

    if (header > 0) {
        irr_header_encode(&message->header, message->slices, flight->header);
        flight->iov[together++] = (irr_iov_t){ flight->header, header };
    }
    for (size_t i = 0; i < message->header.slices; i++) {
        size_t *at = pieces[i].length >= message->composition.apart_min ? &apart : &together;

        flight->iov[(*at)++] = (irr_iov_t){ irr_relay_address(relay, &pieces[i]), pieces[i].length };
    }
    return together;
}

static void send_contents(irr_relay_t *relay, int slot, const outgoing_t *message, irr_flight_t *flight,
                          size_t header)
{
    const int peer = irr_relay_stage(relay)->peer[slot];
    irr_tag_kind_t kind = message->known ? IRR_TAG_DATA : IRR_TAG_HEADER;
    size_t together = list(relay, message, header, flight);

    start(relay, flight, message->step != NULL ? message->step->bytes : 0);
    irr_transfer_send(&flight->transfer, &flight->parts[0], peer,
                      irr_tag(relay->env.tag_base, kind, relay->stage), flight->iov, together,
                      message->composition.form, header);
    for (size_t i = 0; i < message->header.parts; i++) {
        irr_transfer_send(&flight->transfer, &flight->parts[i + 1], peer,
                          irr_tag(relay->env.tag_base, IRR_TAG_PART, relay->stage), &flight->iov[together + i], 1,
                          IRR_FORM_IOVEC, 0);
    }
    irr_transfer_end(&flight->transfer);
}

/* Which slot is next: from the one after the own one on, as the schedule has it. */
static int next_slot(const irr_relay_t *relay)
{
    const irr_stage_t *stage = irr_relay_stage(relay);

    return (stage->own + relay->next) % stage->slots;
}

static size_t bytes_of(const irr_relay_t *relay, int slot)
{
    size_t step = relay->broken ? IRR_NO_STEP : relay->plan->send_steps[relay->slot_base + (size_t)slot];

    return step != IRR_NO_STEP ? relay->plan->plan.steps[step].bytes : 0;
}

static void send_slot(irr_relay_t *relay, int slot)
{
    irr_flight_t *flight = NULL;
    outgoing_t message;
    size_t header = 0;

    if (!relay->broken) {
        describe(relay, slot, &message);
        header = message.known ? 0 : irr_header_encode(&message.header, message.slices, NULL);
        flight = irr_relay_flight(relay, message.header.slices, header);
        irr_relay_break(relay, flight == NULL ? IRR_ERR_NO_MEMORY : IRR_OK);
    }
    /* In an exchange that has failed, the peer may be one that throws away what it is told. */
    relay->sent_known[relay->slot_base + (size_t)slot] = flight != NULL && relay->status == IRR_OK;
    if (flight != NULL) {
        send_contents(relay, slot, &message, flight, header);
    } else {
        send_status(relay, slot);
    }
}

bool irr_relay_send(irr_relay_t *relay)
{
    const irr_stage_t *stage = irr_relay_stage(relay);
    bool sent = false;

    while (relay->next < stage->slots) {
        int slot = next_slot(relay);

        if (!irr_window_admits(&relay->window, bytes_of(relay, slot))) {
            break;
        }
        send_slot(relay, slot);
        relay->next++;
        sent = true;
    }
    return sent;
}
