/*
 * test_ofi_parts.c - libfabric where a provider takes short messages only, so that longer ones go in parts: the
 * conformance suite, and what parts alone can get wrong.  All over tcp on the loopback.
 */
#include "transport_suite.h"

#include "transport/ofi/ofi.h"

#define TAG IRR_NET_TAG

/* Bytes of a part: libfabric sends the one at once, and asks the receiver for the other. */
enum { SMALL = 4096, LARGE = 65536 };

static struct fi_ops_tagged *given, limited;
static size_t limit;

static ssize_t send_limited(struct fid_ep *ep, const struct fi_msg_tagged *message, uint64_t flags)
{
    size_t bytes = 0;

    for (size_t i = 0; i < message->iov_count; i++) {
        bytes += message->msg_iov[i].iov_len;
    }
    CU_ASSERT(bytes <= limit);
    return given->sendmsg(ep, message, flags);
}

static irr_status_t open_limited(size_t bytes, irr_transport_t *transports[IRR_NET_RANKS])
{
    const irr_engine_config_t tcp = { .transport = "ofi", .ofi_provider = "tcp;ofi_rxm", .one_node = true };
    irr_status_t status = irr_net_open_transports(tcp, transports);

    limit = bytes;
    for (int r = 0; status == IRR_OK && r < IRR_NET_RANKS; r++) {
        irr_ofi_t *ofi = irr_ofi_of(transports[r]);

        ofi->part_max = bytes;
        given = ofi->ep->tagged;
        limited = *given;
        limited.sendmsg = send_limited;
        ofi->ep->tagged = &limited;
    }
    return status;
}

static irr_status_t open_small(irr_transport_t *transports[IRR_NET_RANKS])
{
    return open_limited(SMALL, transports);
}

static irr_status_t open_large(irr_transport_t *transports[IRR_NET_RANKS])
{
    return open_limited(LARGE, transports);
}

static const irr_opener_t small = { .open = open_small };
static const irr_opener_t large = { .open = open_large };

IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, small)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, large)

/* ---- lengths ---- */

/* Nothing may be left of a message, whatever its receive took of it. */
static void expect_empty(irr_net_t *net)
{
    CU_ASSERT_EQUAL(irr_net_discard(net, 1, IRR_NET_ID, 0, 0), 0);
    irr_net_exchange_bytes(net, 0, 1, 100, true);
}

static void meet(irr_net_t *net, size_t sent, size_t room, bool recv_first)
{
    irr_op_t send = { .then = NULL }, recv = { .then = NULL };
    irr_list_t from, to;

    irr_list_open_even(&from, 1, sent);
    irr_list_open_even(&to, 1, room);
    irr_list_fill(&from, sent);
    if (recv_first) {
        irr_net_recv(net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &recv);
    }
    irr_net_send(net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    if (!recv_first) {
        irr_net_idle(net);
        irr_net_recv(net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &recv);
    }
    irr_net_wait(net, &recv);
    irr_net_wait(net, &send);
    CU_ASSERT_EQUAL(send.status, IRR_OK);
    CU_ASSERT_EQUAL(recv.status, sent <= room ? IRR_OK : IRR_ERR_TRUNCATE);
    CU_ASSERT_TRUE(sent <= room ? irr_list_holds(&to, sent, sent) : irr_list_guarded(&to));
    CU_ASSERT(sent > room || recv.request.bytes == sent);
    irr_list_close(&to);
    irr_list_close(&from);
    expect_empty(net);
}

/* All pairs of lengths around those of a part. */
static void test_lengths(const irr_opener_t *with, size_t part)
{
    const size_t lengths[] = { 0, 10, part - 1, part, part + 1, 2 * part - 1, 2 * part, 3 * part + 7 };
    const size_t count = IRR_TEST_COUNT(lengths);
    irr_net_t net;

    if (!irr_net_open(&net, with)) {
        return;
    }
    for (size_t i = 0; i < count * count; i++) {
        meet(&net, lengths[i / count], lengths[i % count], true);
        meet(&net, lengths[i / count], lengths[i % count], false);
    }
    irr_net_close(&net);
}

static void test_small_lengths(void)
{
    test_lengths(&small, SMALL);
}

static void test_large_lengths(void)
{
    test_lengths(&large, LARGE);
}

/* Lists whose pieces end before, at and behind the ends of parts. */
static void test_lists(void)
{
    const size_t cuts[][4] = {
        { SMALL, SMALL, SMALL, 5 }, { 1, 3 * SMALL, 0, 4 }, { SMALL - 1, 2, SMALL + 3, SMALL + 1 },
        { 7, 0, 0, SMALL - 7 }
    };
    irr_net_t net;

    if (!irr_net_open(&net, &small)) {
        return;
    }
    for (size_t n = 0; n < 4 * 4 * 4; n++) {
        const size_t pieces = n & 2 ? 4 : 1;
        irr_list_t from, to;

        irr_list_open(&from, cuts[n / 16], n & 1 ? 4 : 2);
        irr_list_open_even(&to, pieces, from.bytes / pieces + 1);
        irr_net_exchange(&net, 0, &from, IRR_FORM_GATHER, 1, &to, IRR_FORM_GATHER, (n & 4) != 0);
        irr_list_close(&to);
        irr_list_close(&from);
    }
    expect_empty(&net);
    irr_net_close(&net);
}

/* ---- messages of one tag, one behind the other ---- */

enum { ROW = 6 };

/* Posted all at once; those that are too long are cut short, and the others are whole. */
static void meet_in_row(irr_net_t *net, const size_t sent[ROW], const size_t room[ROW], bool recv_first)
{
    irr_op_t send[ROW] = { { .then = NULL } }, recv[ROW] = { { .then = NULL } };
    irr_list_t from[ROW], to[ROW];

    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < ROW; i++) {
            if ((half == 0) == recv_first) {
                irr_list_open_even(&to[i], 1, room[i]);
                irr_net_recv(net, 1, 0, TAG, &to[i], IRR_FORM_IOVEC, &recv[i]);
            } else {
                irr_list_open_even(&from[i], 1, sent[i]);
                irr_list_fill(&from[i], (uint64_t)i);
                irr_net_send(net, 0, 1, TAG, &from[i], IRR_FORM_IOVEC, &send[i]);
            }
        }
    }
    for (int i = 0; i < ROW; i++) {
        const bool fits = sent[i] <= room[i];

        irr_net_wait(net, &recv[i]);
        irr_net_wait(net, &send[i]);
        CU_ASSERT_EQUAL(send[i].status, IRR_OK);
        CU_ASSERT_EQUAL(recv[i].status, fits ? IRR_OK : IRR_ERR_TRUNCATE);
        CU_ASSERT_TRUE(fits ? irr_list_holds(&to[i], (uint64_t)i, sent[i]) : irr_list_guarded(&to[i]));
        irr_list_close(&to[i]);
        irr_list_close(&from[i]);
    }
    expect_empty(net);
}

static void test_row(void)
{
    static const size_t sent[][ROW] = {
        { 3 * SMALL, 100, 2 * SMALL, SMALL, 5 * SMALL + 1, 8 }, { SMALL, SMALL, SMALL, SMALL, SMALL, SMALL },
        { 10, 2 * SMALL, 3 * SMALL + 3, 0, SMALL, 4 * SMALL }
    };
    static const size_t room[][ROW] = {
        { 7, 100, SMALL - 1, SMALL, 0, 8 }, { 1, SMALL, 0, SMALL, 2 * SMALL, 3 }, { 10, SMALL, 9, 1, SMALL, 4 * SMALL }
    };
    irr_net_t net;

    if (!irr_net_open(&net, &small)) {
        return;
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(sent); i++) {
        meet_in_row(&net, sent[i], room[i], true);
        meet_in_row(&net, sent[i], room[i], false);
    }
    irr_net_close(&net);
}

/* ---- what looks at messages that nobody receives ---- */

/* Between two parts nobody receives the second one yet; it must not be thrown away. */
static void test_discard(void)
{
    irr_op_t send = { .then = NULL }, recv = { .then = NULL };
    size_t count = 0;
    irr_list_t from, to;
    irr_net_t net;

    if (!irr_net_open(&net, &small)) {
        return;
    }
    irr_list_open_even(&from, 1, 100 * SMALL);
    irr_list_open_even(&to, 1, 100 * SMALL);
    irr_list_fill(&from, 3);
    irr_net_recv(&net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &recv);
    irr_net_send(&net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    while (recv.status == IRR_IN_PROGRESS || send.status == IRR_IN_PROGRESS) {
        irr_net_progress(&net);
        net.transports[1]->ops->discard(net.transports[1], IRR_NET_ID, TAG, 1, &count);
    }
    CU_ASSERT_EQUAL(count, 0);
    CU_ASSERT_EQUAL(recv.status, IRR_OK);
    CU_ASSERT_TRUE(irr_list_holds(&to, 3, from.bytes));
    irr_list_close(&to);
    irr_list_close(&from);
    expect_empty(&net);
    irr_net_close(&net);
}

/* ---- a provider that moves messages by itself ---- */

static struct fi_ops_cq *given_queue, moving;
static bool asleep;   /* we see no completion, and libfabric goes on */

static ssize_t read_moving(struct fid_cq *queue, void *entries, size_t count)
{
    return asleep ? (given_queue->read(queue, entries, 0), -FI_EAGAIN) : given_queue->read(queue, entries, count);
}

/* The rest of a message whose first part we have not seen yet, though a receive has it, is not thrown away either. */
static void test_unseen(void)
{
    static const size_t rooms[] = { 0, 100, SMALL, 2 * SMALL };
    struct fid_cq *queue;
    size_t count = 0;
    irr_net_t net;

    if (!irr_net_open(&net, &small)) {
        return;
    }
    queue = irr_ofi_of(net.transports[1])->cq;
    given_queue = queue->ops;
    moving = *given_queue;
    moving.read = read_moving;
    queue->ops = &moving;
    for (size_t i = 0; i < IRR_TEST_COUNT(rooms); i++) {
        irr_op_t lost = { .then = NULL }, send = { .then = NULL }, recv = { .then = NULL };
        irr_list_t from, to;

        irr_list_open_even(&from, 1, SMALL + 10);
        irr_list_open_even(&to, 1, rooms[i]);
        irr_list_fill(&from, i);
        irr_net_send(&net, 0, 1, TAG + 1, &from, IRR_FORM_IOVEC, &lost);
        CU_ASSERT_EQUAL(irr_net_discard_all(&net, 1, IRR_NET_ID, TAG + 1, IRR_NET_MASK, 1), 1);
        irr_net_wait(&net, &lost);
        irr_net_recv(&net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &recv);
        irr_net_send(&net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
        asleep = true;
        irr_net_idle(&net);
        for (int k = 0; k < 3; k++) {
            net.transports[1]->ops->discard(net.transports[1], IRR_NET_ID, TAG, IRR_NET_MASK, &count);
            irr_net_idle(&net);
        }
        asleep = false;
        irr_net_wait(&net, &recv);
        irr_net_wait(&net, &send);
        CU_ASSERT_EQUAL(count, 0);
        CU_ASSERT_EQUAL(recv.status, rooms[i] < from.bytes ? IRR_ERR_TRUNCATE : IRR_OK);
        CU_ASSERT_TRUE(rooms[i] < from.bytes ? irr_list_guarded(&to) : irr_list_holds(&to, i, from.bytes));
        irr_list_close(&to);
        irr_list_close(&from);
    }
    expect_empty(&net);
    irr_net_close(&net);
}

/* ---- receives that are abandoned ---- */

/* After any number of steps; what is left of the message is thrown away. */
static void abandon_after(irr_net_t *net, int steps)
{
    irr_op_t send = { .then = NULL }, recv[2] = { { .then = NULL }, { .then = NULL } };
    irr_list_t from, to[2];

    irr_list_open_even(&from, 1, 20 * SMALL);
    irr_list_fill(&from, 5);
    for (int i = 0; i < 2; i++) {
        irr_list_open_even(&to[i], 1, 20 * SMALL);
        irr_net_recv(net, 1, 0, TAG, &to[i], IRR_FORM_IOVEC, &recv[i]);
    }
    irr_net_send(net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    for (int i = 0; i < steps; i++) {
        irr_net_progress(net);
    }
    irr_net_abandon(net, 1);
    for (int i = 0; i < 2; i++) {
        irr_net_wait(net, &recv[i]);
        CU_ASSERT(recv[i].status == IRR_ERR_CANCELED || (recv[i].status == IRR_OK && i == 0));
        CU_ASSERT_TRUE(irr_list_guarded(&to[i]));
        irr_list_close(&to[i]);
    }
    while (send.status == IRR_IN_PROGRESS) {
        irr_net_discard(net, 1, IRR_NET_ID, 0, 0);
    }
    irr_net_discard(net, 1, IRR_NET_ID, 0, 0);
    irr_list_close(&from);
    expect_empty(net);
}

static void test_abandon(void)
{
    irr_net_t net;

    if (!irr_net_open(&net, &small)) {
        return;
    }
    for (int steps = 0; steps < 40; steps++) {
        abandon_after(&net, steps);
    }
    irr_net_close(&net);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, small)
        IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, large)
        { "lengths around those of small parts", test_small_lengths },
        { "lengths around those of large parts", test_large_lengths },
        { "lists whose pieces cross the ends of parts", test_lists },
        { "messages of one tag that are cut short", test_row },
        { "parts of a message are no messages that nobody receives", test_discard },
        { "a part that libfabric has before we have seen the first one", test_unseen },
        { "receives that are abandoned between parts", test_abandon },
        { NULL, NULL }
    };

    return irr_test_main("ofi_parts", cases, 600);
}
