/*
 * test_ofi_fragments.c - libfabric with a provider that accepts only short messages, so that longer messages are sent
 * in fragments. The tests are the conformance suite, and errors that only fragments can cause. All tests run over tcp
 * on the loopback.
 */
#include "transport_suite.h"

#include "transport/ofi/ofi.h"

#define TAG IRR_NET_TAG

/* Length of a fragment in bytes. libfabric sends a small fragment eagerly, and a large fragment by rendezvous. */
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

static irr_status_t limit_fragments(irr_transport_t *transports[IRR_NET_RANKS], size_t bytes)
{
    limit = bytes;
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_ofi_t *ofi = irr_ofi_of(transports[r]);

        ofi->fragment_max = bytes;
        given = ofi->ep->tagged;
        limited = *given;
        limited.sendmsg = send_limited;
        ofi->ep->tagged = &limited;
    }
    return IRR_OK;
}

static irr_status_t limit_small(irr_transport_t *transports[IRR_NET_RANKS])
{
    return limit_fragments(transports, SMALL);
}

static irr_status_t limit_large(irr_transport_t *transports[IRR_NET_RANKS])
{
    return limit_fragments(transports, LARGE);
}

#define TCP { .transport = "ofi", .ofi_provider = "tcp;ofi_rxm", .one_node = true }

static const irr_opener_t small = { .config = TCP, .wrap = limit_small };
static const irr_opener_t large = { .config = TCP, .wrap = limit_large };

IRR_TRANSPORT_SUITE(small)
IRR_TRANSPORT_SUITE(large)

/* ---- lengths ---- */

/* Asserts that no byte of a message is left, however much of it the receive accepted. */
static void expect_empty(irr_net_t *net)
{
    CU_ASSERT_EQUAL(irr_net_discard(net, 1, IRR_NET_ID, 0, 0), 0);
    irr_net_exchange_bytes(net, 0, 1, 100, true);
}

static void meet(irr_net_t *net, size_t sent, size_t room, bool recv_first)
{
    irr_msg_t msg;

    irr_msg_open(&msg, 0, 1, TAG, sent, sent, room);
    if (recv_first) {
        irr_msg_recv(net, &msg);
    }
    irr_msg_send(net, &msg);
    if (!recv_first) {
        irr_net_idle(net);
        irr_msg_recv(net, &msg);
    }
    irr_msg_finish(net, &msg);
    CU_ASSERT_EQUAL(msg.send.status, IRR_OK);
    expect_empty(net);
}

/* Checks all pairs of lengths close to multiples of the length of a fragment. */
static void check_lengths(irr_net_t *net, size_t max)
{
    const size_t lengths[] = { 0, 10, max - 1, max, max + 1, 2 * max - 1, 2 * max, 3 * max + 7 };
    const size_t count = IRR_TEST_COUNT(lengths);

    for (size_t i = 0; i < count * count; i++) {
        meet(net, lengths[i / count], lengths[i % count], true);
        meet(net, lengths[i / count], lengths[i % count], false);
    }
}

IRR_NET_TEST(test_small_lengths, &small, "lengths close to multiples of a small fragment")
{
    check_lengths(net, SMALL);
}

IRR_NET_TEST(test_large_lengths, &large, "lengths close to multiples of a large fragment")
{
    check_lengths(net, LARGE);
}

IRR_NET_TEST(test_lists, &small, "lists whose pieces end before, at and after the ends of fragments")
{
    const size_t cuts[][4] = {
        { SMALL, SMALL, SMALL, 5 }, { 1, 3 * SMALL, 0, 4 }, { SMALL - 1, 2, SMALL + 3, SMALL + 1 },
        { 7, 0, 0, SMALL - 7 }
    };

    for (size_t n = 0; n < 4 * 4 * 4; n++) {
        const size_t pieces = n & 2 ? 4 : 1;
        irr_list_t from, to;

        irr_list_open(&from, cuts[n / 16], n & 1 ? 4 : 2);
        irr_list_open_even(&to, pieces, from.bytes / pieces + 1);
        irr_net_exchange(net, 0, &from, IRR_FORM_GATHER, 1, &to, IRR_FORM_GATHER, (n & 4) != 0);
        irr_list_close(&to);
        irr_list_close(&from);
    }
    expect_empty(net);
}

/* ---- messages of one tag, one behind the other ---- */

enum { ROW = 6 };

/* Posts all messages at once. Messages that are too long are truncated, and all other messages are complete. */
static void meet_in_row(irr_net_t *net, const size_t sent[ROW], const size_t room[ROW], bool recv_first)
{
    irr_msg_t msgs[ROW];

    for (int i = 0; i < ROW; i++) {
        irr_msg_open(&msgs[i], 0, 1, TAG, (uint64_t)i, sent[i], room[i]);
    }
    for (int i = 0; i < 2 * ROW; i++) {
        ((i < ROW) == recv_first ? irr_msg_recv : irr_msg_send)(net, &msgs[i % ROW]);
    }
    for (int i = 0; i < ROW; i++) {
        irr_msg_finish(net, &msgs[i]);
        CU_ASSERT_EQUAL(msgs[i].send.status, IRR_OK);
    }
    expect_empty(net);
}

IRR_NET_TEST(test_row, &small, "several messages with one tag, truncated by their receives")
{
    static const size_t sent[][ROW] = {
        { 3 * SMALL, 100, 2 * SMALL, SMALL, 5 * SMALL + 1, 8 }, { SMALL, SMALL, SMALL, SMALL, SMALL, SMALL },
        { 10, 2 * SMALL, 3 * SMALL + 3, 0, SMALL, 4 * SMALL }
    };
    static const size_t room[][ROW] = {
        { 7, 100, SMALL - 1, SMALL, 0, 8 }, { 1, SMALL, 0, SMALL, 2 * SMALL, 3 }, { 10, SMALL, 9, 1, SMALL, 4 * SMALL }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(sent); i++) {
        meet_in_row(net, sent[i], room[i], true);
        meet_in_row(net, sent[i], room[i], false);
    }
}

/* ---- discarding ---- */

/* The second fragment of a message, for which no receive is posted yet, must not be discarded. */
IRR_NET_TEST(test_discard, &small, "fragments of a message without a posted receive are not discarded")
{
    size_t count = 0;
    irr_msg_t msg;

    irr_msg_open(&msg, 0, 1, TAG, 3, 100 * SMALL, 100 * SMALL);
    irr_msg_post(net, &msg, true);
    while (msg.recv.status == IRR_IN_PROGRESS || msg.send.status == IRR_IN_PROGRESS) {
        irr_net_progress(net);
        net->transports[1]->ops->discard(net->transports[1], IRR_NET_ID, TAG, 1, &count);
    }
    CU_ASSERT_EQUAL(count, 0);
    irr_msg_finish(net, &msg);
    expect_empty(net);
}

/* ---- a provider that progresses by itself ---- */

static struct fi_ops_cq *given_queue, moving;
static bool asleep;   /* true: libfabric progresses, but hides completions */

static ssize_t read_moving(struct fid_cq *queue, void *entries, size_t count)
{
    return asleep ? (given_queue->read(queue, entries, 0), -FI_EAGAIN) : given_queue->read(queue, entries, count);
}

/*
 * A receive has the first fragment of a message, but the transport has not seen its completion. The rest of the message
 * is not discarded.
 */
IRR_NET_TEST(test_unseen, &small, "later fragments are kept until the completion of the first fragment is seen")
{
    static const size_t rooms[] = { 0, 100, SMALL, 2 * SMALL };
    struct fid_cq *queue;
    size_t count = 0;

    queue = irr_ofi_of(net->transports[1])->cq;
    given_queue = queue->ops;
    moving = *given_queue;
    moving.read = read_moving;
    queue->ops = &moving;
    for (size_t i = 0; i < IRR_TEST_COUNT(rooms); i++) {
        irr_op_t lost = { .then = NULL };
        irr_msg_t msg;

        irr_msg_open(&msg, 0, 1, TAG, i, SMALL + 10, rooms[i]);
        irr_net_send(net, 0, 1, TAG + 1, &msg.source, IRR_FORM_IOVEC, &lost);
        CU_ASSERT_EQUAL(irr_net_discard_all(net, 1, IRR_NET_ID, TAG + 1, IRR_NET_MASK, 1), 1);
        irr_net_wait(net, &lost);
        irr_msg_post(net, &msg, true);
        asleep = true;
        irr_net_idle(net);
        for (int k = 0; k < 3; k++) {
            net->transports[1]->ops->discard(net->transports[1], IRR_NET_ID, TAG, IRR_NET_MASK, &count);
            irr_net_idle(net);
        }
        asleep = false;
        irr_msg_finish(net, &msg);
        CU_ASSERT_EQUAL(count, 0);
    }
    expect_empty(net);
}

/* ---- receives that are abandoned ---- */

/* Abandons receives after some steps; the rest of the message is discarded. */
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

IRR_NET_TEST(test_abandon, &small, "receives that are abandoned between two fragments")
{
    for (int steps = 0; steps < 40; steps++) {
        abandon_after(net, steps);
    }
}

IRR_TEST_MAIN("ofi_fragments", 600)
