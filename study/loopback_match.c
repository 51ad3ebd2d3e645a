/*
 * loopback_match.c - queues of the loopback transport, and matching of messages and receives.
 *
 * A key is a number made of channel, tag and rank.  When a rank makes progress, messages leave the wire to this rank,
 * in the order in which they were sent.  A message goes to the first posted receive with its key.  If there is none, it
 * becomes an unexpected message, which a later receive finds.  A fabric that shuffles draws a message of the wire at
 * random.  Then the oldest message with the same sender and key leaves the wire, because such messages must not
 * overtake each other.
 *
 * Cost: O(1) expected for a match.  A shuffled delivery is linear in the messages on the wire.  A discard is linear in
 * the unexpected messages.
 */
#include "study/loopback.h"

#include "core/alloc.h"
#include "core/random.h"
#include "transport/key.h"

#include <string.h>

void irr_loopback_queue_init(irr_loopback_queue_t *queue)
{
    queue->head = NULL;
    queue->tail = &queue->head;
    queue->length = 0;
}

void irr_loopback_queue_push(irr_loopback_queue_t *queue, irr_loopback_item_t *item)
{
    item->next = NULL;
    *queue->tail = item;
    queue->tail = &item->next;
    queue->length++;
}

irr_loopback_item_t *irr_loopback_queue_unlink(irr_loopback_queue_t *queue, irr_loopback_item_t **link)
{
    irr_loopback_item_t *item = *link;

    *link = item->next;
    if (queue->tail == &item->next) {
        queue->tail = link;
    }
    queue->length--;
    return item;
}

irr_loopback_item_t *irr_loopback_queue_pop(irr_loopback_queue_t *queue)
{
    return queue->head != NULL ? irr_loopback_queue_unlink(queue, &queue->head) : NULL;
}

irr_loopback_item_t **irr_loopback_queue_find(irr_loopback_queue_t *queue, uint64_t key, uint64_t mask)
{
    for (irr_loopback_item_t **link = &queue->head; *link != NULL; link = &(*link)->next) {
        if ((((*link)->key ^ key) & mask) == 0) {
            return link;
        }
    }
    return NULL;
}

irr_loopback_item_t *irr_loopback_queue_take(irr_loopback_queue_t *queue, uint64_t key)
{
    irr_loopback_item_t **link = irr_loopback_queue_find(queue, key, UINT64_MAX);

    return link != NULL ? irr_loopback_queue_unlink(queue, link) : NULL;
}

irr_loopback_queue_t *irr_loopback_bucket(irr_loopback_queue_t *buckets, uint64_t key)
{
    /* keys differ in their fields; the upper bits of the product depend on all bits */
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);

    return &buckets[(hash >> 32) % IRR_LOOPBACK_BUCKETS];
}

size_t irr_loopback_move(const irr_iov_t *to, size_t to_count, const irr_iov_t *from, size_t from_count,
                         size_t *discarded)
{
    size_t moved = 0, written = 0, read = 0;  /* total; in the first piece of `to`; in that of `from` */

    while (to_count > 0 && from_count > 0) {
        size_t room = to->length - written, left = from->length - read;
        size_t bytes = room < left ? room : left;

        if (discarded != NULL && to->base == NULL) {
            *discarded += bytes;
        } else if (bytes > 0) {
            memcpy((char *)to->base + written, (const char *)from->base + read, bytes);
        }
        moved += bytes;
        written += bytes;
        read += bytes;
        if (written == to->length) {
            written = 0;
            to++;
            to_count--;
        }
        if (read == from->length) {
            read = 0;
            from++;
            from_count--;
        }
    }
    return moved;
}

irr_loopback_message_t *irr_loopback_take_any(irr_loopback_t *loopback, uint64_t key, uint64_t mask)
{
    for (int i = 0; i < IRR_LOOPBACK_BUCKETS; i++) {
        irr_loopback_item_t **link = irr_loopback_queue_find(&loopback->unexpected[i], key, mask);

        if (link != NULL) {
            return (irr_loopback_message_t *)irr_loopback_queue_unlink(&loopback->unexpected[i], link);
        }
    }
    return NULL;
}

static void set_finished(irr_loopback_t *loopback, irr_loopback_slot_t *slot, irr_status_t status)
{
    slot->status = status;
    irr_loopback_queue_push(&loopback->finished, &slot->item);
}

irr_status_t irr_loopback_consume(irr_loopback_t *loopback, irr_loopback_message_t *message, irr_request_t *request)
{
    const size_t count = request->count;
    const bool gather = request->form == IRR_FORM_GATHER, sinks = gather || count == 1;
    size_t discarded = 0;
    size_t moved = irr_loopback_move(request->iov, count, message->iov, message->count, sinks ? &discarded : NULL);
    irr_status_t status = moved == message->bytes ? IRR_OK : IRR_ERR_TRUNCATE;

    if (gather && count > 1) {
        loopback->bytes_gathered += moved - discarded;
    }
    request->bytes = message->bytes;
    if (message->request != NULL) {
        if (message->form == IRR_FORM_GATHER && message->count > 1) {
            message->sender->bytes_gathered += moved;
        }
        set_finished(message->sender, irr_loopback_slot_of(message->request), IRR_OK);
    }
    irr_free(message);
    return status;
}

void irr_loopback_withdraw(irr_loopback_t *loopback, uint16_t id)
{
    const uint64_t key = irr_key(id, 0, 0), mask = irr_key_mask(0);

    for (int i = 0; i < IRR_LOOPBACK_BUCKETS; i++) {
        irr_loopback_item_t **link;

        while ((link = irr_loopback_queue_find(&loopback->posted[i], key, mask)) != NULL) {
            irr_loopback_item_t *item = irr_loopback_queue_unlink(&loopback->posted[i], link);

            set_finished(loopback, (irr_loopback_slot_t *)item, IRR_ERR_CANCELED);
        }
    }
}

unsigned irr_loopback_finish(irr_loopback_t *loopback)
{
    unsigned events = 0;

    /*
     * Requests that finish in a callback wait for the next call; otherwise two requests that restart each other would
     * keep this loop running.
     */
    for (size_t due = loopback->finished.length; due > 0 && loopback->finished.length > 0; due--) {
        irr_loopback_slot_t *slot = (irr_loopback_slot_t *)irr_loopback_queue_pop(&loopback->finished);
        irr_request_t *request = irr_request_of(slot);

        loopback->sends -= slot->send ? 1 : 0;
        request->done(request, slot->status);
        events++;
    }
    return events;
}

static bool may_not_overtake(const irr_loopback_item_t *a, const irr_loopback_item_t *b)
{
    return a->key == b->key &&
           ((const irr_loopback_message_t *)a)->source == ((const irr_loopback_message_t *)b)->source;
}

/* Removes a message from a wire that is not empty. */
static irr_loopback_message_t *leave_wire(irr_fabric_t *fabric, irr_loopback_queue_t *wire)
{
    irr_loopback_item_t *drawn = wire->head, **link = &wire->head;

    for (size_t i = fabric->shuffles ? irr_random_below(&fabric->random, wire->length) : 0; i > 0; i--) {
        drawn = drawn->next;
    }
    while (!may_not_overtake(*link, drawn)) {
        link = &(*link)->next;
    }
    return (irr_loopback_message_t *)irr_loopback_queue_unlink(wire, link);
}

static void arrive(irr_loopback_t *loopback, irr_loopback_message_t *message)
{
    uint64_t key = message->item.key;
    irr_loopback_item_t *item = irr_loopback_queue_take(irr_loopback_bucket(loopback->posted, key), key);
    irr_loopback_slot_t *slot = (irr_loopback_slot_t *)item;
    irr_request_t *request;
    irr_status_t status;

    if (item == NULL) {
        irr_loopback_queue_push(irr_loopback_bucket(loopback->unexpected, key), &message->item);
        return;
    }
    request = irr_request_of(slot);
    status = irr_loopback_consume(loopback, message, request);
    request->done(request, status);
}

unsigned irr_loopback_deliver(irr_loopback_t *loopback)
{
    irr_fabric_t *fabric = loopback->fabric;
    irr_loopback_queue_t *wire = &fabric->ports[loopback->address.rank].wire;
    size_t due = wire->length;
    unsigned events = 0;

    /* A shuffling fabric delivers only some of the messages, so that later messages may overtake the rest. */
    if (due > 1 && fabric->shuffles) {
        due = 1 + irr_random_below(&fabric->random, due);
    }
    for (; due > 0 && wire->length > 0; due--) {
        arrive(loopback, leave_wire(fabric, wire));
        events++;
    }
    return events;
}

void irr_loopback_free_all(irr_loopback_queue_t *queue)
{
    irr_loopback_item_t *item;

    while ((item = irr_loopback_queue_pop(queue)) != NULL) {
        irr_free(item);
    }
}
