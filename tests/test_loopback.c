/*
 * test_loopback.c - the conformance suite on the loopback transport, and the properties of loopback beyond transport.h.
 */
#include "irr_memory.h"
#include "transport_suite.h"

#define TAG IRR_NET_TAG

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
static const irr_opener_t rendezvous = { .loopback = true };
static const irr_opener_t shuffled = { .loopback = true, .shuffled = true, .eager_max = 1024 };
static const irr_opener_t narrow = { .loopback = true, .shuffled = true, .eager_max = 1024, .wrap = make_narrow };

IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, eager)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, rendezvous)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, shuffled)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, narrow)

static void test_parameters(void)
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

/* A wrong operation is refused at once, and no operation is pending. */
static void test_refusals(void)
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

/* Messages move only in the progress of the receiver. A rendezvous ends only in the progress of the sender. */
static void test_when_things_happen(void)
{
    irr_op_t send = { .then = NULL }, recv = { .then = NULL };
    irr_list_t from, to;
    irr_net_t net;

    if (!irr_net_open(&net, &rendezvous)) {
        return;
    }
    irr_list_open_even(&from, 1, 8);
    irr_list_open_even(&to, 1, 8);
    irr_list_fill(&from, 1);
    irr_net_send(&net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    CU_ASSERT_EQUAL(send.status, IRR_IN_PROGRESS);
    irr_net_recv(&net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &recv);
    CU_ASSERT_EQUAL(recv.status, IRR_IN_PROGRESS);
    irr_net_progress_one(&net, 0);
    CU_ASSERT_EQUAL(recv.status, IRR_IN_PROGRESS);
    irr_net_progress_one(&net, 1);
    CU_ASSERT_EQUAL(recv.status, IRR_OK);
    CU_ASSERT_EQUAL(send.status, IRR_IN_PROGRESS);
    irr_net_progress_one(&net, 0);
    CU_ASSERT_EQUAL(send.status, IRR_OK);

    /* An unexpected message completes its receive at once. */
    irr_net_send(&net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    irr_net_progress_one(&net, 1);
    irr_net_recv(&net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &recv);
    CU_ASSERT_EQUAL(recv.status, IRR_OK);
    CU_ASSERT_TRUE(irr_list_holds(&to, 1, 8));
    net.transports[0]->ops->close(net.transports[0]);
    net.closed[0] = true;
    CU_ASSERT_EQUAL(net.transports[0]->ops->drain(net.transports[0]), IRR_IN_PROGRESS);
    irr_net_progress_one(&net, 0);
    CU_ASSERT_EQUAL(send.status, IRR_OK);
    CU_ASSERT_EQUAL(net.transports[0]->ops->drain(net.transports[0]), IRR_OK);
    irr_list_close(&to);
    irr_list_close(&from);
    irr_net_close(&net);
}

/* ---- the order of deliveries ---- */

static bool record_order(uint64_t seed, int order[IRR_SUITE_ARRIVALS])
{
    const irr_opener_t seeded = { .loopback = true, .seed = seed, .eager_max = SIZE_MAX };

    return irr_suite_arrivals(&seeded, 2, order);
}

static void test_order_of_deliveries(void)
{
    int order[IRR_SUITE_ARRIVALS];

    CU_ASSERT_FALSE(record_order(0, order));
    irr_suite_seeded(record_order);
}

/* ---- memory ---- */

/* One message is received, one message stays unexpected, and one message is in flight. All messages are freed. */
static void test_left_behind(void)
{
    irr_op_t op = { .then = NULL };
    irr_list_t list;
    irr_net_t net;

    if (!irr_net_open(&net, &eager)) {
        return;
    }
    irr_list_open_even(&list, 1, 100);
    irr_list_fill(&list, 0);
    irr_net_send(&net, 0, 1, TAG, &list, IRR_FORM_IOVEC, &op);
    irr_net_send(&net, 0, 1, TAG, &list, IRR_FORM_IOVEC, &op);
    irr_net_idle(&net);
    irr_net_recv(&net, 1, 0, TAG, &list, IRR_FORM_IOVEC, &op);
    CU_ASSERT_EQUAL(op.status, IRR_OK);
    irr_net_send(&net, 0, 1, TAG, &list, IRR_FORM_IOVEC, &op);
    net.transports[0]->ops->close(net.transports[0]);
    CU_ASSERT_EQUAL(net.transports[0]->ops->drain(net.transports[0]), IRR_OK);
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_close_channel(net.channels[r]);
        net.transports[r]->ops->free(net.transports[r]);
    }
    irr_fabric_destroy(net.fabric);
    irr_list_close(&list);
}

/* Creates a fabric and sends a message.  Whatever fails, nothing leaks. */
static irr_status_t send_one(size_t eager_max)
{
    unsigned char byte = 1;
    irr_iov_t iov = { &byte, 1 };
    irr_request_t request = { .done = NULL };
    irr_transport_t *transport;
    irr_channel_t *channel;
    irr_fabric_t *single;
    const void *address;
    irr_peer_t *peer;
    size_t length;
    irr_status_t status = irr_fabric_create(1, 0, eager_max, &single);

    if (status != IRR_OK) {
        return status;
    }
    status = irr_loopback_open(single, 0, &transport);
    if (status != IRR_OK) {
        goto destroy;
    }
    CU_ASSERT_EQUAL(transport->ops->address(transport, &address, &length), IRR_OK);
    status = transport->ops->connect(transport, address, length, &peer);
    if (status == IRR_OK) {
        status = transport->ops->open_channel(transport, 0, 1, 0, &peer, &channel);
    }
    if (status == IRR_OK) {
        irr_request_set(&request, 0, TAG, &iov, 1, IRR_FORM_IOVEC);
        status = irr_channel_send(channel, &request);
        CU_ASSERT_EQUAL(transport->ops->progress(transport), status == IRR_ERR_NO_MEMORY ? 0 : 1);
        transport->ops->close_channel(channel);
    }
    transport->ops->free(transport);
destroy:
    irr_fabric_destroy(single);
    return status;
}

static void test_no_memory(void)
{
    for (size_t eager_max = 0; eager_max <= 1; eager_max++) {
        irr_status_t status = IRR_ERR_NO_MEMORY;
        size_t n = 0;

        while (status == IRR_ERR_NO_MEMORY) {
            irr_memory_fail(++n, NULL);
            status = send_one(eager_max);
        }
        CU_ASSERT_EQUAL(status, eager_max == 1 ? IRR_OK : IRR_IN_PROGRESS);
        CU_ASSERT_EQUAL(n, 6);  /* fabric, transport, peer, channel and message failed, then no allocation failed */
    }
}

IRR_TEST_MAIN("loopback", 120,
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, eager)
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, rendezvous)
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, shuffled)
    IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, narrow)
    { "parameters", test_parameters },
    { "refusals", test_refusals },
    { "when things happen", test_when_things_happen },
    { "order of deliveries", test_order_of_deliveries },
    { "messages left behind", test_left_behind },
    { "no memory", test_no_memory })
