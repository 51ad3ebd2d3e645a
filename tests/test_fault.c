/*
 * test_fault.c - the conformance suite on the loopback transport, and on the fault transport, which delays sends at
 * random, over loopback and over UCX. Other tests check the properties of both beyond transport.h.
 */
#include "transport_suite.h"

#define TAG IRR_NET_TAG

enum { EAGER_MAX = 1024, LARGE = 5000 };

/* ---- the suite ---- */

/* Wraps all transports, each with a seed of its own. */
static irr_status_t wrap(irr_transport_t *transports[IRR_NET_RANKS], irr_fault_t plan)
{
    irr_status_t status = IRR_OK;

    for (int r = 0; status == IRR_OK && r < IRR_NET_RANKS; r++, plan.seed++) {
        status = irr_fault_open(transports[r], &plan, &transports[r]);
    }
    return status;
}

/* Holds sends so long that some are still held when irr_net_idle ends, and when a case closes. */
static irr_fault_t random_plan(unsigned percent)
{
    return (irr_fault_t){ .seed = irr_test_seed(), .hold_percent = percent, .hold_rounds = 50 };
}

static irr_status_t hold_all(irr_transport_t *transports[IRR_NET_RANKS])
{
    return wrap(transports, random_plan(100));
}

static irr_status_t hold_some(irr_transport_t *transports[IRR_NET_RANKS])
{
    return wrap(transports, random_plan(20));
}

static const irr_opener_t all_held = { .loopback = true, .wrap = hold_all };
static const irr_opener_t shuffled = { .loopback = true, .shuffled = true, .eager_max = EAGER_MAX, .wrap = hold_some };
static const irr_opener_t ucx = { .config = { .one_node = true }, .wrap = hold_some };

IRR_TRANSPORT_SUITE(all_held)
IRR_TRANSPORT_SUITE(shuffled)
IRR_TRANSPORT_SUITE(ucx)

/* ---- plans ---- */

/* The fault of rank 0 in the next net. The other ranks have no fault, and messages are delivered in order. */
static irr_fault_t plan;

static irr_status_t wrap_first(irr_transport_t *transports[IRR_NET_RANKS])
{
    return irr_fault_open(transports[0], &plan, &transports[0]);
}

static const irr_opener_t planned = { .loopback = true, .eager_max = EAGER_MAX, .wrap = wrap_first };
static const irr_opener_t ucx_planned = { .config = { .one_node = true }, .wrap = wrap_first };

/* Posts a message of rank 0 and its receive. */
static void post(irr_net_t *net, irr_msg_t *msg, uint64_t seed, int to, uint16_t tag, size_t bytes)
{
    irr_msg_open(msg, 0, to, tag, seed, bytes, bytes);
    irr_msg_post(net, msg, true);
}

static bool arrived(const irr_msg_t *msg)
{
    return msg->send.status == IRR_OK && msg->recv.status == IRR_OK &&
           irr_list_holds(&msg->target, msg->seed, msg->source.bytes);
}

static void close_all(irr_msg_t *msgs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        irr_msg_close(&msgs[i]);
    }
}

/* The second send is delayed. Of the later sends, only the send with the same peer and tag waits for it. */
IRR_TEST(test_delay, "a delayed send delays later sends with the same peer and tag")
{
    enum { COUNT = 6, LATE = 1, BEHIND = 4, ROUNDS = 7 };
    static const struct { int to, tag; size_t bytes; } sends[COUNT] = {
        { 1, 0, 8 }, { 1, 0, 16 }, { 2, 0, 24 }, { 1, 1, 32 }, { 1, 0, LARGE }, { 0, 0, LARGE }
    };
    irr_msg_t msgs[COUNT];
    irr_net_t net;

    plan = (irr_fault_t){ .delay_send = LATE + 1, .delay_rounds = ROUNDS };
    if (!irr_net_open(&net, &planned)) {
        return;
    }
    for (int i = 0; i < COUNT; i++) {
        post(&net, &msgs[i], (uint64_t)i, sends[i].to, TAG + sends[i].tag, sends[i].bytes);
    }
    for (int round = 1; round <= ROUNDS; round++) {
        CU_ASSERT_EQUAL(msgs[LATE].send.status, IRR_IN_PROGRESS);
        irr_net_progress(&net);
        irr_net_progress_one(&net, 1);
        for (int i = 0; i < COUNT && round == ROUNDS - 1; i++) {
            bool waits = i == LATE || i == BEHIND;

            CU_ASSERT_EQUAL(arrived(&msgs[i]), !waits);
            CU_ASSERT_EQUAL(msgs[i].send.status, waits ? IRR_IN_PROGRESS : IRR_OK);
        }
    }
    CU_ASSERT_TRUE(arrived(&msgs[LATE]));
    irr_net_wait(&net, &msgs[BEHIND].send);
    CU_ASSERT_TRUE(arrived(&msgs[BEHIND]));
    close_all(msgs, COUNT);
    irr_net_close(&net);
}

/* A send that is held without limit is sent when the transport closes, and ends before the transport is drained. */
IRR_TEST(test_until_close, "a send that is delayed until close()")
{
    irr_transport_t *sender;
    irr_msg_t msgs[3];
    irr_net_t net;

    plan = (irr_fault_t){ .hold_percent = 100, .hold_rounds = 1, .delay_send = 1, .delay_rounds = SIZE_MAX };
    if (!irr_net_open(&net, &planned)) {
        return;
    }
    sender = net.transports[0];
    for (int i = 0; i < 3; i++) {
        post(&net, &msgs[i], (uint64_t)i, 1, TAG, 8);
    }
    irr_net_idle(&net);
    CU_ASSERT_EQUAL(sender->ops->progress(sender), 1);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(msgs[i].send.status, IRR_IN_PROGRESS);
        CU_ASSERT_EQUAL(msgs[i].recv.status, IRR_IN_PROGRESS);
    }
    sender->ops->close(sender);
    net.closed[0] = true;
    CU_ASSERT_EQUAL(msgs[0].send.status, IRR_IN_PROGRESS);
    irr_net_progress_one(&net, 1);
    CU_ASSERT_EQUAL(msgs[2].recv.status, IRR_OK);
    CU_ASSERT_EQUAL(sender->ops->drain(sender), IRR_IN_PROGRESS);
    irr_net_progress_one(&net, 0);
    CU_ASSERT_EQUAL(sender->ops->drain(sender), IRR_OK);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(arrived(&msgs[i]));
    }
    irr_net_send(&net, 0, 1, TAG, &msgs[0].source, IRR_FORM_IOVEC, &msgs[0].send);
    CU_ASSERT_EQUAL(msgs[0].send.status, IRR_ERR_CANCELED);
    close_all(msgs, 3);
    irr_net_close(&net);
}

/* The second of three sends fails; the receive for its message takes the third message. */
static void fail_second(size_t rounds)
{
    irr_msg_t msgs[3];
    irr_net_t net;

    plan = (irr_fault_t){ .fail_send = 2, .failure = IRR_ERR_UNREACHABLE,
                          .delay_send = rounds > 0 ? 2 : 0, .delay_rounds = rounds };
    if (!irr_net_open(&net, &planned)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        post(&net, &msgs[i], (uint64_t)i, 1, i == 0 ? TAG + 1 : TAG, 8);
    }
    CU_ASSERT_EQUAL(msgs[0].send.status, IRR_OK);
    CU_ASSERT_EQUAL(msgs[1].send.status, rounds > 0 ? IRR_IN_PROGRESS : IRR_ERR_UNREACHABLE);
    CU_ASSERT_EQUAL(msgs[2].send.status, rounds > 0 ? IRR_IN_PROGRESS : IRR_OK);
    irr_net_idle(&net);
    CU_ASSERT_TRUE(arrived(&msgs[0]));
    CU_ASSERT_EQUAL(msgs[1].send.status, IRR_ERR_UNREACHABLE);
    CU_ASSERT_EQUAL(msgs[2].send.status, IRR_OK);
    CU_ASSERT_TRUE(irr_list_holds(&msgs[1].target, 2, 8));
    CU_ASSERT_EQUAL(msgs[2].recv.status, IRR_IN_PROGRESS);
    irr_net_abandon(&net, 1);
    irr_net_wait(&net, &msgs[2].recv);
    close_all(msgs, 3);
    irr_net_close(&net);
}

/* The send fails at once. A delayed send fails through `done`, and the next send follows. */
IRR_TEST(test_fail_send, "a send that fails")
{
    fail_second(0);
    fail_second(3);
}

/* ---- refused plans, memory, sleep ---- */

IRR_TEST(test_open, "if irr_fault_open() fails, the caller keeps the inner transport")
{
    static const irr_fault_t bad[] = {
        { .hold_percent = 101, .hold_rounds = 1 },
        { .hold_percent = 1 },
        { .delay_send = 1 },
        { .fail_send = 1 },
        { .fail_recv = 1, .failure = IRR_IN_PROGRESS }
    }, good = { .seed = 0 };
    static const irr_opener_t opener = { .loopback = true };
    irr_transport_t *transports[IRR_NET_RANKS], *fault = NULL;
    irr_fabric_t *fabric;

    CU_ASSERT_EQUAL_FATAL(irr_net_open_with(&opener, transports, &fabric), IRR_OK);
    for (size_t i = 0; i < IRR_TEST_COUNT(bad); i++) {
        CU_ASSERT_EQUAL(irr_fault_open(transports[0], &bad[i], &fault), IRR_ERR_BAD_PARAM);
    }
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_fault_open(transports[0], &good, &fault), IRR_ERR_NO_MEMORY);
    CU_ASSERT_PTR_NULL(fault);
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        transports[r]->ops->free(transports[r]);
    }
    irr_fabric_destroy(fabric);
}

IRR_TEST(test_no_sleep, "arm() does not let a rank sleep while the rank delays a send")
{
    irr_transport_t *sender;
    irr_status_t status;
    irr_msg_t msg;
    irr_net_t net;
    int fd;

    plan = (irr_fault_t){ .delay_send = 1, .delay_rounds = 1000 };
    if (!irr_net_open(&net, &ucx_planned)) {
        return;
    }
    sender = net.transports[0];
    post(&net, &msg, 1, 0, TAG, 8);
    while (sender->caps.wakes && (status = sender->ops->arm(sender, &fd)) == IRR_IN_PROGRESS) {
        irr_net_progress_one(&net, 0);
    }
    CU_ASSERT(!sender->caps.wakes || (status == IRR_OK && arrived(&msg)));
    irr_net_wait(&net, &msg.recv);
    close_all(&msg, 1);
    irr_net_close(&net);
}

/* ---- loopback without faults ---- */

/* Makes transports that accept no lists. */
static irr_status_t make_narrow(irr_transport_t *transports[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        transports[r]->caps.pieces_max[IRR_FORM_IOVEC] = 1;
        transports[r]->caps.pieces_max[IRR_FORM_GATHER] = 1;
    }
    return IRR_OK;
}

static const irr_opener_t eager = { .loopback = true, .eager_max = SIZE_MAX };
static const irr_opener_t mixed = { .loopback = true, .shuffled = true, .eager_max = 1024 };
static const irr_opener_t narrow = { .loopback = true, .wrap = make_narrow };   /* rendezvous only */

IRR_TRANSPORT_SUITE(eager)
IRR_TRANSPORT_SUITE(mixed)
IRR_TRANSPORT_SUITE(narrow)

IRR_TEST(test_parameters, "invalid parameters of the loopback transport")
{
    irr_transport_t *transports[IRR_NET_RANKS], *other;
    const void *address;
    irr_fabric_t *single, *fabric;
    irr_peer_t *peer;
    size_t length;

    CU_ASSERT_EQUAL(irr_fabric_create(0, 0, 0, &single), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL_FATAL(irr_fabric_create(1, 0, 0, &single), IRR_OK);
    CU_ASSERT_EQUAL(irr_loopback_open(single, -1, &other), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_loopback_open(single, 1, &other), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL_FATAL(irr_loopback_open(single, 0, &other), IRR_OK);
    CU_ASSERT_EQUAL(irr_loopback_open(single, 0, &transports[0]), IRR_ERR_BAD_PARAM);

    CU_ASSERT_EQUAL_FATAL(irr_net_open_with(&eager, transports, &fabric), IRR_OK);
    CU_ASSERT_EQUAL(transports[0]->ops->address(transports[0], &address, &length), IRR_OK);
    CU_ASSERT_EQUAL(other->ops->connect(other, address, length, &peer), IRR_ERR_UNREACHABLE);
    CU_ASSERT_EQUAL(other->ops->connect(other, address, length - 1, &peer), IRR_ERR_BAD_PARAM);
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        transports[r]->ops->free(transports[r]);
    }
    irr_fabric_destroy(fabric);

    other->ops->free(other);
    CU_ASSERT_EQUAL_FATAL(irr_loopback_open(single, 0, &other), IRR_OK);
    other->ops->free(other);
    irr_fabric_destroy(single);
    irr_fabric_destroy(NULL);
}

IRR_TEST(test_refusals, "an invalid operation is refused at once, and none is left pending")
{
    irr_iov_t endless[2] = { { NULL, SIZE_MAX }, { NULL, 1 } };
    irr_list_t list, wrong = { .iov = endless, .count = 2 };
    irr_op_t op = { .then = NULL };
    irr_transport_t *receiver;
    irr_net_t net;

    if (!irr_net_open(&net, &eager)) {
        return;
    }
    receiver = net.transports[1];
    irr_list_open_even(&list, 1, 8);
    irr_net_send(&net, 0, 1, TAG, &wrong, IRR_FORM_IOVEC, &op);
    CU_ASSERT_EQUAL(op.status, IRR_ERR_BAD_PARAM);
    irr_net_drain(&net, 0);
    irr_net_send(&net, 0, 1, TAG, &list, IRR_FORM_IOVEC, &op);
    CU_ASSERT_EQUAL(op.status, IRR_ERR_CANCELED);
    CU_ASSERT_EQUAL(receiver->ops->progress(receiver), 0);
    irr_list_close(&list);
    irr_net_close(&net);
}

/* ---- the order of deliveries ---- */

static bool record_loopback(uint64_t seed, int order[IRR_SUITE_ARRIVALS])
{
    const irr_opener_t seeded = { .loopback = true, .seed = seed, .eager_max = SIZE_MAX };

    return irr_suite_arrivals(&seeded, 2, order);
}

IRR_TEST(test_order_of_deliveries, "the order of deliveries depends on the seed")
{
    int order[IRR_SUITE_ARRIVALS];

    CU_ASSERT_FALSE(record_loopback(0, order));
    irr_suite_seeded(record_loopback);
}

IRR_TEST_MAIN("fault", 240)
