/*
 * whole.c - list scheduling: computes a schedule in which each message is sent whole.
 *
 * A port is the send side or the receive side of a rank.  The load of a port is the number of bytes of its messages
 * that have not begun.  Whenever a message ends, ports without a message begin other messages; the port with the
 * largest load chooses first.
 *
 * The schedule takes at most twice as long as the busiest port needs for its bytes; for matrices of applications, 1.00
 * to 1.02 times as long.  It has a third to two thirds of the transmissions of the shortest schedule, which splits
 * messages (optimal.c).  A step lasts from the end of one message to the end of the next message; a message may last
 * several steps.
 *
 * At each end of a message, all ranks are visited, and the row of each free sender is searched.  In practice this takes
 * O(m P) time for m messages of P ranks.  Memory: O(P).
 */
#include "order/whole.h"

#include "core/alloc.h"
#include "core/deadline.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING SIZE_MAX

typedef struct shop {
    const irr_messages_t *messages;
    irr_message_t        *list;       /* row by row; in each row, the messages that have not begun come first */
    int                  *left;       /* number of messages of each row that have not begun */
    uint64_t             *send_left, *recv_left;   /* load of each sender and each receiver */
    size_t               *sending;    /* by sender: index of the transmission that it sends, or NOTHING */
    uint64_t             *until;      /* by sender: end of this transmission */
    bool                 *receives;   /* by receiver: true if a message to it is running */
    uint64_t              now;
} shop_t;

static irr_status_t shop_init(shop_t *shop, const irr_messages_t *messages)
{
    const size_t n = (size_t)messages->ranks;
    const irr_array_t arrays[] = {
        IRR_ARRAY(shop->list, messages->count), IRR_ARRAY(shop->left, n), IRR_ARRAY(shop->send_left, n),
        IRR_ARRAY(shop->recv_left, n), IRR_ARRAY(shop->sending, n), IRR_ARRAY(shop->until, n),
        IRR_ARRAY(shop->receives, n)
    };

    *shop = (shop_t){ .messages = messages };
    if (IRR_ALLOC_ARRAYS(arrays) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        const irr_message_t *row = irr_messages_row(messages, (int)i);

        shop->left[i] = messages->left[i];
        shop->sending[i] = NOTHING;
        for (int k = 0; k < messages->left[i]; k++) {
            shop->list[messages->first[i] + (size_t)k] = row[k];
            shop->send_left[i] += row[k].length;
            shop->recv_left[row[k].to] += row[k].length;
        }
    }
    return IRR_OK;
}

/* Returns the free receiver with the largest load of a sender's row, as an index of the row, or NOTHING. */
static size_t find(const shop_t *shop, int from)
{
    const irr_message_t *row = &shop->list[shop->messages->first[from]];
    size_t best = NOTHING;

    for (int k = 0; k < shop->left[from]; k++) {
        if (!shop->receives[row[k].to] &&
            (best == NOTHING || shop->recv_left[row[k].to] > shop->recv_left[row[best].to])) {
            best = (size_t)k;
        }
    }
    return best;
}

/* Returns the larger of the loads of the two ports of message k. */
static uint64_t weight(const shop_t *shop, int from, size_t k)
{
    const uint64_t received = shop->recv_left[shop->list[shop->messages->first[from] + k].to];

    return shop->send_left[from] > received ? shop->send_left[from] : received;
}

static irr_status_t begin(shop_t *shop, int from, size_t k, int step, irr_schedule_t *schedule)
{
    irr_message_t *row = &shop->list[shop->messages->first[from]];
    const irr_message_t message = row[k];

    row[k] = row[--shop->left[from]];
    shop->send_left[from] -= message.length;
    shop->recv_left[message.to] -= message.length;
    shop->receives[message.to] = true;
    shop->until[from] = shop->now + message.length;
    shop->sending[from] = schedule->count;
    return irr_schedule_add(schedule, (irr_transmission_t){
        .step = step, .from = from, .to = message.to, .offset = message.offset, .length = message.length });
}

/* Begins messages between free ports, beginning with the port of the largest load, until none can begin. */
static irr_status_t begin_all(shop_t *shop, int step, irr_schedule_t *schedule)
{
    irr_status_t status = IRR_OK;

    for (int from = 0; status == IRR_OK && from >= 0;) {
        uint64_t most = 0;
        size_t best = NOTHING;

        from = -1;
        for (int i = 0; i < shop->messages->ranks; i++) {
            const size_t k = shop->sending[i] == NOTHING ? find(shop, i) : NOTHING;

            if (k != NOTHING && weight(shop, i, k) > most) {
                from = i;
                best = k;
                most = weight(shop, i, k);
            }
        }
        if (from >= 0) {
            status = begin(shop, from, best, step, schedule);
        }
    }
    return status;
}

/* Advances the time to the next end of a message, which ends this step.  Returns false if no message is running. */
static bool end_some(shop_t *shop, int step, irr_schedule_t *schedule)
{
    uint64_t next = UINT64_MAX;

    for (int i = 0; i < shop->messages->ranks; i++) {
        next = shop->sending[i] != NOTHING && shop->until[i] < next ? shop->until[i] : next;
    }
    for (int i = 0; i < shop->messages->ranks && next < UINT64_MAX; i++) {
        if (shop->sending[i] != NOTHING && shop->until[i] == next) {
            irr_transmission_t *t = &schedule->list[shop->sending[i]];

            t->more = step - t->step;
            shop->receives[t->to] = false;
            shop->sending[i] = NOTHING;
        }
    }
    shop->now = next < UINT64_MAX ? next : shop->now;
    return next < UINT64_MAX;
}

irr_status_t irr_whole(const irr_messages_t *messages, uint64_t limit, int max_steps, const irr_deadline_t *deadline,
                       irr_schedule_t *schedule, bool *fits)
{
    shop_t shop;
    irr_status_t status = shop_init(&shop, messages);
    int step = 0;
    bool more = true;

    if (status != IRR_OK) {
        return status;
    }
    schedule->count = 0;
    schedule->steps = 0;
    while (status == IRR_OK && more && shop.now <= limit && step <= max_steps) {
        status = irr_deadline_passed(deadline) ? IRR_ERR_TIMEOUT : begin_all(&shop, ++step, schedule);
        more = status == IRR_OK && end_some(&shop, step, schedule);
    }
    *fits = !more && shop.now <= limit && step - 1 <= max_steps;
    schedule->steps = step - 1;
    schedule->merged = shop.now;
    irr_free(shop.list);   /* frees the other arrays too */
    if (status == IRR_OK && *fits) {
        irr_schedule_sort(schedule);
    }
    return status;
}
