/*
 * transport_load.c - part of the conformance suite: many operations at once, callbacks that post, closing, and random
 * traffic.
 */
#include "transport_suite.h"

#include <poll.h>

#define TAG IRR_NET_TAG

enum { LONG = 1000000 };

void irr_suite_self(irr_net_t *net)
{
    static const size_t sizes[] = { 0, 1, 3000, 300000 };

    for (size_t i = 0; i < IRR_TEST_COUNT(sizes); i++) {
        irr_net_exchange_bytes(net, 0, 0, sizes[i], true);
        irr_net_exchange_bytes(net, 0, 0, sizes[i], false);
    }
}

/*
 * Posts all sends before all receives, then all receives before all sends, from two ranks to the third rank and back.
 */
void irr_suite_flood(irr_net_t *net)
{
    enum { COUNT = 1000, LARGE = 50000 };
    irr_msg_t *msgs = irr_test_array(COUNT, sizeof(*msgs));

    for (int recv_first = 0; recv_first <= 1; recv_first++) {
        for (int i = 0; i < COUNT; i++) {
            const size_t bytes = i % 20 == 0 ? LARGE : (size_t)i % 128;

            irr_msg_open(&msgs[i], i % 2, i % 3 == 0 ? 0 : 2, (uint16_t)(TAG + i), (uint64_t)i, bytes, bytes);
        }
        for (int i = 0; i < 2 * COUNT; i++) {
            ((i < COUNT) == (recv_first != 0) ? irr_msg_recv : irr_msg_send)(net, &msgs[i % COUNT]);
        }
        for (int i = 0; i < COUNT; i++) {
            irr_msg_finish(net, &msgs[i]);
        }
    }
    free(msgs);
}

/* ---- operations posted by done ---- */

enum { HOPS = 200 };

/* One end of a hop, which is a message between ranks 0 and 1. Its own `done` frees it. */
typedef struct hop {
    irr_op_t   op;
    irr_net_t *net;
    int        number;
    irr_list_t list;
} hop_t;

static int hops_open, hops_done;

static hop_t *create_hop(irr_net_t *net, int number, void (*then)(irr_op_t *op))
{
    hop_t *hop = calloc(1, sizeof(*hop));

    hop->op.then = then;
    hop->net = net;
    hop->number = number;
    irr_list_open_even(&hop->list, 1, number % 4 == 3 ? 100000 : (size_t)number);
    irr_list_fill(&hop->list, (uint64_t)number);
    hops_open++;
    return hop;
}

static void destroy_hop(irr_op_t *op)
{
    hop_t *hop = (hop_t *)op;

    CU_ASSERT_EQUAL(op->status, IRR_OK);
    irr_list_close(&hop->list);
    free(hop);
    hops_open--;
}

static void start_hop(irr_net_t *net, int number);

static void next_hop(irr_op_t *op)
{
    hop_t *hop = (hop_t *)op;
    irr_net_t *net = hop->net;
    int number = hop->number;

    CU_ASSERT_TRUE(irr_list_holds(&hop->list, (uint64_t)number, hop->list.bytes));
    destroy_hop(op);
    hops_done++;
    if (number < HOPS) {
        start_hop(net, number + 1);
    }
}

/* Posts both ends of a message between ranks 0 and 1. Its receive starts the next message, in the other direction. */
static void start_hop(irr_net_t *net, int number)
{
    hop_t *recv = create_hop(net, number, next_hop), *send = create_hop(net, number, destroy_hop);

    for (size_t i = 0; i < recv->list.bytes; i++) {
        ((unsigned char *)recv->list.iov[0].base)[i] = 0;
    }
    irr_net_recv(net, number % 2, 1 - number % 2, TAG, &recv->list, IRR_FORM_IOVEC, &recv->op);
    CU_ASSERT_EQUAL(recv->op.status, IRR_IN_PROGRESS);
    irr_net_send(net, 1 - number % 2, number % 2, TAG, &send->list, IRR_FORM_IOVEC, &send->op);
    if (send->op.status != IRR_IN_PROGRESS) {
        destroy_hop(&send->op);
    }
}

void irr_suite_chain(irr_net_t *net)
{
    hops_open = hops_done = 0;
    start_hop(net, 1);
    while (hops_open > 0) {
        irr_net_progress(net);
    }
    CU_ASSERT_EQUAL(hops_done, HOPS);
}

/* ---- closing ---- */

/*
 * The sender closes while a small and a large message are in flight. Both messages arrive before all transports are
 * drained.
 */
void irr_suite_drain(irr_net_t *net)
{
    irr_msg_t small, large;

    irr_msg_open(&small, 0, 1, TAG + 1, 1, 8, 8);
    irr_msg_open(&large, 0, 1, TAG + 2, 2, LONG, LONG);
    irr_msg_send(net, &small);
    irr_msg_send(net, &large);
    irr_net_idle(net);
    irr_msg_recv(net, &small);
    irr_msg_recv(net, &large);
    irr_net_drain(net, 0);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, 0), 0);
    irr_net_drain(net, 1);
    irr_msg_finish(net, &small);
    irr_msg_finish(net, &large);
}

/*
 * When the transport is closed, the endpoint to rank 1 is open and still has a message to send. The endpoint to rank 2
 * is not open.
 */
void irr_suite_closed(irr_net_t *net)
{
    irr_msg_t msg;

    irr_msg_open(&msg, 0, 1, TAG + 1, 1, LONG, LONG);
    irr_msg_send(net, &msg);
    net->transports[0]->ops->close(net->transports[0]);
    net->closed[0] = true;
    for (int to = 1; to < IRR_NET_RANKS; to++) {
        irr_op_t late = { .then = NULL };
        irr_list_t list;

        irr_list_open_even(&list, 1, 8);
        irr_net_send(net, 0, to, TAG | 2, &list, IRR_FORM_IOVEC, &late);
        CU_ASSERT_EQUAL(late.status, IRR_ERR_CANCELED);
        irr_list_close(&list);
    }
    irr_msg_recv(net, &msg);
    irr_net_drain(net, 0);
    irr_msg_finish(net, &msg);
}

void irr_suite_gathered(irr_net_t *net)
{
    enum { PIECES = 40 };
    static const size_t lengths[] = { 10, 5000 };

    irr_net_exchange_bytes(net, 0, 1, 100000, true);
    for (size_t i = 0; i < 2 && irr_net_takes(net, IRR_FORM_IOVEC, PIECES) &&
                       irr_net_takes(net, IRR_FORM_GATHER, PIECES); i++) {
        uint64_t sent = irr_net_gathered(net, 0), received = irr_net_gathered(net, 1);
        irr_list_t from, to;

        CU_ASSERT_EQUAL(i == 0 ? sent + received : 0, 0);
        irr_list_open_even(&from, PIECES, lengths[i]);
        irr_list_open_even(&to, PIECES, lengths[i]);
        irr_net_exchange(net, 0, &from, IRR_FORM_GATHER, 1, &to, IRR_FORM_IOVEC, true);
        CU_ASSERT_EQUAL(irr_net_gathered(net, 0) - sent, PIECES * lengths[i]);
        CU_ASSERT_EQUAL(irr_net_gathered(net, 1) - received, 0);
        irr_list_close(&to);
        irr_list_open_even(&to, PIECES, lengths[i]);
        irr_net_exchange(net, 0, &from, IRR_FORM_IOVEC, 1, &to, IRR_FORM_GATHER, true);
        CU_ASSERT_EQUAL(irr_net_gathered(net, 0) - sent, PIECES * lengths[i]);
        CU_ASSERT_EQUAL(irr_net_gathered(net, 1) - received, PIECES * lengths[i]);
        irr_list_close(&to);
        irr_list_close(&from);
    }
}

/* The sleeper itself does nothing until its event fires; only the sender makes progress. */
void irr_suite_wake(irr_net_t *net)
{
    struct pollfd event = { .fd = -1, .events = POLLIN };
    irr_transport_t *sleeper;
    irr_status_t status;
    irr_msg_t msg;

    sleeper = net->transports[1];
    status = sleeper->ops->arm(sleeper, &event.fd);
    CU_ASSERT_EQUAL(status == IRR_ERR_NOT_SUPPORTED, !sleeper->caps.wakes);
    for (size_t bytes = 8; status != IRR_ERR_NOT_SUPPORTED && bytes <= 800000; bytes *= 100) {
        irr_msg_open(&msg, 0, 1, TAG, bytes, bytes, bytes);
        irr_msg_recv(net, &msg);
        while ((status = sleeper->ops->arm(sleeper, &event.fd)) == IRR_IN_PROGRESS) {
            irr_net_progress(net);
        }
        CU_ASSERT_EQUAL(status, IRR_OK);
        irr_msg_send(net, &msg);
        do {
            irr_net_progress_one(net, 0);
        } while (poll(&event, 1, 1) == 0);
        CU_ASSERT_EQUAL(event.revents, POLLIN);
        irr_msg_finish(net, &msg);
    }
}

/* ---- random traffic ---- */

enum { SOAK_MESSAGES = 400, SOAK_PIECES = 20, SOAK_LOG_BYTES = 18 };

/* Makes a list of `bytes` bytes in random pieces. Some pieces are empty. */
static void open_random(irr_list_t *list, size_t bytes, bool lists, uint64_t *random)
{
    size_t lengths[SOAK_PIECES] = { 0 }, count = lists ? 1 + irr_test_below(random, SOAK_PIECES) : 1;

    for (size_t i = 0; i + 1 < count; i++) {
        lengths[i] = irr_test_below(random, 3) == 0 ? 0 : irr_test_below(random, bytes / count + 1);
        bytes -= lengths[i];
    }
    lengths[count - 1] = bytes;
    irr_list_open(list, lengths, count);
}

/* Draws a message. The receive usually has exactly the room for the message, sometimes more room, and seldom less. */
static void draw_msg(const irr_net_t *net, irr_msg_t *msg, uint64_t seed, uint64_t *random)
{
    size_t bytes = irr_test_below(random, (uint64_t)1 << irr_test_below(random, SOAK_LOG_BYTES + 1)), room = bytes;

    switch (irr_test_below(random, 10)) {
    case 0: room += irr_test_below(random, 1000); break;
    case 1: room -= irr_test_below(random, room + 1); break;
    default: break;
    }
    *msg = (irr_msg_t){ .from = (int)irr_test_below(random, IRR_NET_RANKS),
                      .to = (int)irr_test_below(random, IRR_NET_RANKS), .seed = seed,
                      .form = irr_test_below(random, 2) == 0 ? IRR_FORM_IOVEC : IRR_FORM_GATHER };
    msg->tag = (uint16_t)(TAG + irr_test_below(random, 4));
    open_random(&msg->source, bytes, irr_net_takes(net, msg->form, SOAK_PIECES), random);
    open_random(&msg->target, room, irr_net_takes(net, msg->form, SOAK_PIECES), random);
}

/*
 * Posts sends and receives in the drawn order, so the k-th receive of a sender and tag is for the k-th message of this
 * sender and tag. Whether the send or the receive of a message is posted first is random.
 */
void irr_suite_soak(irr_net_t *net)
{
    uint64_t random = irr_test_seed();
    irr_msg_t *msgs = irr_test_array(SOAK_MESSAGES, sizeof(*msgs));
    size_t sent = 0, received = 0;

    for (size_t i = 0; i < SOAK_MESSAGES; i++) {
        draw_msg(net, &msgs[i], i, &random);
    }
    while (sent + received < 2 * SOAK_MESSAGES) {
        uint64_t next = irr_test_below(&random, 3);

        if (next == 0 && sent < SOAK_MESSAGES) {
            irr_msg_send(net, &msgs[sent++]);
        } else if (next == 1 && received < SOAK_MESSAGES) {
            irr_msg_recv(net, &msgs[received++]);
        } else {
            irr_net_progress(net);
        }
    }
    for (size_t i = 0; i < SOAK_MESSAGES; i++) {
        irr_msg_finish(net, &msgs[i]);
    }
    free(msgs);
}

/* ---- the order of arrivals ---- */

static int arrived[IRR_SUITE_ARRIVALS], arrivals;

static void note_arrival(irr_op_t *op)
{
    arrived[arrivals++] = (int)((irr_msg_t *)((char *)op - offsetof(irr_msg_t, recv)))->seed;
}

bool irr_suite_arrivals(const irr_opener_t *opener, int tags, int order[IRR_SUITE_ARRIVALS])
{
    irr_msg_t msgs[IRR_SUITE_ARRIVALS];
    irr_net_t net;
    bool mixed = false;

    arrivals = 0;
    if (!irr_net_open(&net, opener)) {
        return true;
    }
    for (int i = 0; i < IRR_SUITE_ARRIVALS; i++) {
        const uint16_t tag = (uint16_t)(IRR_NET_TAG + i % (IRR_NET_RANKS * tags));

        irr_msg_open(&msgs[i], i % IRR_NET_RANKS, 0, tag, (uint64_t)i, 8, 8);
        msgs[i].recv.then = note_arrival;
        irr_msg_post(&net, &msgs[i], true);
    }
    for (int i = 0; i < IRR_SUITE_ARRIVALS; i++) {
        irr_msg_finish(&net, &msgs[i]);
        mixed = mixed || arrived[i] != i;
    }
    CU_ASSERT_EQUAL(arrivals, IRR_SUITE_ARRIVALS);
    memcpy(order, arrived, sizeof(arrived));
    irr_net_close(&net);
    return mixed;
}

void irr_suite_seeded(bool (*record)(uint64_t seed, int order[IRR_SUITE_ARRIVALS]))
{
    int first[IRR_SUITE_ARRIVALS], again[IRR_SUITE_ARRIVALS], other[IRR_SUITE_ARRIVALS];

    CU_ASSERT_TRUE(record(1, first) && record(1, again) && record(2, other));
    CU_ASSERT_EQUAL(memcmp(first, again, sizeof(first)), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first, other, sizeof(first)), 0);
}
