/*
 * test_fault.c - the conformance suite on the fault transport, which delays sends at random, over loopback and over
 * UCX. Other tests check the delays and failures of a plan.
 */
#include "irr_memory.h"
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

static irr_status_t hold_half(irr_transport_t *transports[IRR_NET_RANKS])
{
    return wrap(transports, random_plan(50));
}

static irr_status_t hold_all(irr_transport_t *transports[IRR_NET_RANKS])
{
    return wrap(transports, random_plan(100));
}

static irr_status_t hold_some(irr_transport_t *transports[IRR_NET_RANKS])
{
    return wrap(transports, random_plan(20));
}

static const irr_opener_t eager = { .loopback = true, .eager_max = SIZE_MAX, .wrap = hold_half };
static const irr_opener_t all_held = { .loopback = true, .wrap = hold_all };
static const irr_opener_t shuffled = { .loopback = true, .shuffled = true, .eager_max = EAGER_MAX, .wrap = hold_some };
static const irr_opener_t ucx = { .config = { .one_node = true }, .wrap = hold_some };

IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, eager)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, all_held)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, shuffled)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, ucx)

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

/* Without a fault, a send that completes at once in the inner transport also completes at once in the wrapper. */
static void test_no_fault(void)
{
    irr_msg_t msg;
    irr_net_t net;

    plan = (irr_fault_t){ .seed = 1 };
    if (!irr_net_open(&net, &planned)) {
        return;
    }
    post(&net, &msg, 1, 1, TAG, 8);
    CU_ASSERT_EQUAL(msg.send.status, IRR_OK);
    irr_net_progress_one(&net, 1);
    CU_ASSERT_TRUE(arrived(&msg));
    CU_ASSERT_EQUAL(net.transports[0]->ops->progress(net.transports[0]), 0);
    close_all(&msg, 1);
    irr_net_close(&net);
}

/* The second send is late. Of the later sends, only the send with the same peer and tag waits behind it. */
static void test_delay(void)
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
static void test_until_close(void)
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

/* The send fails at once. A held send fails through `done`, and the next send follows. */
static void test_fail_send(void)
{
    fail_second(0);
    fail_second(3);
}

/* A receive that fails leaves its message to the next receive. */
static void test_fail_recv(void)
{
    irr_op_t send = { .then = NULL }, recv[2] = { { .then = NULL } };
    irr_list_t from, to;
    irr_net_t net;

    plan = (irr_fault_t){ .fail_recv = 1, .failure = IRR_ERR_TRANSPORT };
    if (!irr_net_open(&net, &planned)) {
        return;
    }
    irr_list_open_even(&from, 1, LARGE);
    irr_list_open_even(&to, 1, LARGE);
    irr_list_fill(&from, 1);
    irr_net_recv(&net, 0, 1, TAG, &to, IRR_FORM_IOVEC, &recv[0]);
    CU_ASSERT_EQUAL(recv[0].status, IRR_ERR_TRANSPORT);
    irr_net_send(&net, 1, 0, TAG, &from, IRR_FORM_IOVEC, &send);
    irr_net_recv(&net, 0, 1, TAG, &to, IRR_FORM_IOVEC, &recv[1]);
    irr_net_wait(&net, &recv[1]);
    irr_net_wait(&net, &send);
    CU_ASSERT_TRUE(irr_list_holds(&to, 1, LARGE));
    irr_list_close(&to);
    irr_list_close(&from);
    irr_net_close(&net);
}

/* ---- the seed ---- */

static bool record_order(uint64_t seed, int order[IRR_SUITE_ARRIVALS])
{
    plan = (irr_fault_t){ .seed = seed, .hold_percent = 50, .hold_rounds = 10 };
    return irr_suite_arrivals(&planned, IRR_SUITE_ARRIVALS, order);
}

static void test_seed(void)
{
    irr_suite_seeded(record_order);
}

/* ---- refused plans, memory, sleep ---- */

/* If a plan is refused, or memory is missing, the caller keeps the inner transport. */
static void test_open(void)
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

/* Holding a send allocates nothing.  If the send fails later, `done` has the error. */
static void test_no_memory(void)
{
    irr_msg_t msg;
    irr_net_t net;

    plan = (irr_fault_t){ .delay_send = 1, .delay_rounds = 2 };
    if (irr_net_open(&net, &planned)) {
        irr_memory_fail(1, NULL);
        post(&net, &msg, 1, 1, TAG, 8);
        CU_ASSERT_EQUAL(msg.send.status, IRR_IN_PROGRESS);
        CU_ASSERT_FALSE(irr_memory_failed());
        irr_net_wait(&net, &msg.send);
        CU_ASSERT_EQUAL(msg.send.status, IRR_ERR_NO_MEMORY);
        irr_net_abandon(&net, 1);
        irr_net_wait(&net, &msg.recv);
        close_all(&msg, 1);
        irr_net_close(&net);
    }
}

/* A rank must not sleep while it holds a send, which only its own progress can pass on. */
static void test_no_sleep(void)
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

IRR_TEST_MAIN("fault", 240,
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, eager)
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, all_held)
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, shuffled)
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, ucx)
    { "no fault", test_no_fault },
    { "a send that is late, and what waits behind it", test_delay },
    { "a send that is held until close", test_until_close },
    { "a send that fails", test_fail_send },
    { "a receive that fails", test_fail_recv },
    { "order by seed", test_seed },
    { "open", test_open },
    { "no memory", test_no_memory },
    { "no sleep on a held send", test_no_sleep })
