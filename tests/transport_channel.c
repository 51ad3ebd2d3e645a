/*
 * transport_channel.c - part of the conformance suite: channels, abandoned receives, and discarded messages.
 */
#include "transport_suite.h"

#define TAG IRR_NET_TAG

/* Id of a second channel. */
#define OTHER (IRR_NET_ID - 1)

enum { LENGTHS = 4 };

/* Lengths of messages: on every transport some are eager and some are not. */
static const size_t lengths[LENGTHS] = { 8, 100000, 0, 3000 };

/* ---- messages of one length, contiguous ---- */

typedef struct msg {
    irr_list_t list;
    irr_op_t   op;
} msg_t;

static void send(irr_net_t *net, int from, int to, uint16_t tag, size_t bytes, uint64_t seed, msg_t *msg)
{
    msg->op.then = NULL;
    irr_list_open_even(&msg->list, 1, bytes);
    irr_list_fill(&msg->list, seed);
    irr_net_send(net, from, to, tag, &msg->list, IRR_FORM_IOVEC, &msg->op);
}

static void receive(irr_net_t *net, int at, int from, uint16_t tag, size_t bytes, msg_t *msg)
{
    msg->op.then = NULL;
    irr_list_open_even(&msg->list, 1, bytes);
    irr_net_recv(net, at, from, tag, &msg->list, IRR_FORM_IOVEC, &msg->op);
}

/* Waits for the end of an operation, and asserts its status. */
static void end(irr_net_t *net, msg_t *msg, irr_status_t status)
{
    irr_net_wait(net, &msg->op);
    CU_ASSERT_EQUAL(msg->op.status, status);
}

static void end_received(irr_net_t *net, msg_t *msg, uint64_t seed)
{
    end(net, msg, IRR_OK);
    CU_ASSERT_EQUAL(msg->op.request.bytes, msg->list.bytes);
    CU_ASSERT_TRUE(irr_list_holds(&msg->list, seed, msg->list.bytes));
    irr_list_close(&msg->list);
}

static void end_canceled(irr_net_t *net, msg_t *msg)
{
    end(net, msg, IRR_ERR_CANCELED);
    CU_ASSERT_TRUE(irr_list_holds(&msg->list, 0, 0));
    irr_list_close(&msg->list);
}

static void end_sent(irr_net_t *net, msg_t *msg)
{
    end(net, msg, IRR_OK);
    irr_list_close(&msg->list);
}

/* ---- channels ---- */

/* Makes all further sends and receives use these channels. */
static void use(irr_net_t *net, irr_channel_t *const channels[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        net->channels[r] = channels[r];
    }
}

static void open_channels(irr_net_t *net, uint16_t id, irr_channel_t *channels[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_open_channel(net, r, id, &channels[r]);
    }
}

static void close_channels(irr_channel_t *const channels[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_close_channel(channels[r]);
    }
}

/* Two channels of the same ranks. */
typedef struct pair {
    irr_channel_t *channels[2][IRR_NET_RANKS];
} pair_t;

static void open_pair(irr_net_t *net, pair_t *pair)
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        pair->channels[0][r] = net->channels[r];
    }
    open_channels(net, OTHER, pair->channels[1]);
}

static void close_pair(irr_net_t *net, pair_t *pair)
{
    use(net, pair->channels[0]);
    close_channels(pair->channels[1]);
}

/* Exchanges messages of one sender, receiver and tag on two channels. */
static void mix(irr_net_t *net, const pair_t *pair, bool recv_first)
{
    msg_t sent[2][LENGTHS], received[2][LENGTHS];

    for (int c = 0; c < 2 && recv_first; c++) {
        use(net, pair->channels[c]);
        for (int i = 0; i < LENGTHS; i++) {
            receive(net, 1, 0, TAG, lengths[i], &received[c][i]);
        }
    }
    for (int n = 0; n < 2 * LENGTHS; n++) {
        use(net, pair->channels[n % 2]);
        send(net, 0, 1, TAG, lengths[n / 2], (uint64_t)n, &sent[n % 2][n / 2]);
    }
    irr_net_idle(net);
    for (int c = 1; c >= 0 && !recv_first; c--) {
        use(net, pair->channels[c]);
        for (int i = 0; i < LENGTHS; i++) {
            receive(net, 1, 0, TAG, lengths[i], &received[c][i]);
        }
    }
    for (int n = 0; n < 2 * LENGTHS; n++) {
        end_received(net, &received[n % 2][n / 2], (uint64_t)n);
        end_sent(net, &sent[n % 2][n / 2]);
    }
}

void irr_suite_channels(irr_net_t *net)
{
    pair_t pair;

    open_pair(net, &pair);
    mix(net, &pair, true);
    mix(net, &pair, false);
    close_pair(net, &pair);
    irr_net_exchange_bytes(net, 0, 1, 1000, true);
}

/* Two channels may have the ranks in different orders. One of these channels has the ranks in reversed order. */
void irr_suite_ranks(irr_net_t *net)
{
    irr_peer_t *members[IRR_NET_RANKS][IRR_NET_RANKS];
    irr_page_t pages[IRR_NET_RANKS];
    irr_channel_t *reversed[IRR_NET_RANKS], *straight[IRR_NET_RANKS];
    msg_t sent, received;

    for (int r = 0; r < IRR_NET_RANKS; r++) {
        const int rank = IRR_NET_RANKS - 1 - r;
        irr_transport_t *transport = net->transports[r];

        pages[r] = members[r];
        straight[r] = net->channels[r];
        for (int i = 0; i < IRR_NET_RANKS; i++) {
            members[r][i] = net->peers[r][IRR_NET_RANKS - 1 - i];
        }
        CU_ASSERT_EQUAL_FATAL(transport->ops->open_channel(transport, OTHER, IRR_NET_RANKS, rank, &pages[r],
                                                           &reversed[rank]), IRR_OK);
    }
    use(net, reversed);
    receive(net, 2, 0, TAG, 100, &received);
    send(net, 0, 2, TAG, 100, 7, &sent);
    end_received(net, &received, 7);
    end_sent(net, &sent);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, IRR_NET_RANKS - 1), 1);
    use(net, straight);
    close_channels(reversed);
}

/* ---- abandoned receives ---- */

/*
 * The receives of one channel end. The receives of another channel and all sends continue, and the channel can still be
 * used.
 */
void irr_suite_abandon(irr_net_t *net)
{
    msg_t canceled[LENGTHS], kept, sent[2], answer;
    pair_t pair;

    open_pair(net, &pair);
    receive(net, 1, 0, TAG, 100, &kept);
    use(net, pair.channels[1]);
    for (int i = 0; i < LENGTHS; i++) {
        receive(net, 1, i % 2 * 2, TAG, lengths[i], &canceled[i]);
    }
    send(net, 1, 0, TAG, 100000, 1, &answer);
    irr_net_abandon(net, 1);
    for (int i = 0; i < LENGTHS; i++) {
        end_canceled(net, &canceled[i]);
    }
    irr_net_abandon(net, 1);
    /* An abandoned receive must not accept a message. */
    send(net, 0, 1, TAG, 100000, 2, &sent[0]);
    use(net, pair.channels[0]);
    send(net, 0, 1, TAG, 100, 3, &sent[1]);
    end_received(net, &kept, 3);
    use(net, pair.channels[1]);
    receive(net, 1, 0, TAG, 100000, &kept);
    end_received(net, &kept, 2);
    receive(net, 0, 1, TAG, 100000, &kept);
    end_received(net, &kept, 1);
    end_sent(net, &answer);
    end_sent(net, &sent[0]);
    end_sent(net, &sent[1]);
    close_pair(net, &pair);
}

/* The net on which post_again, a `done` callback, posts another receive. */
static irr_net_t *posting;
static msg_t posted;

static void post_again(irr_op_t *op)
{
    CU_ASSERT_EQUAL(op->status, IRR_ERR_CANCELED);
    receive(posting, 1, 0, TAG, 100, &posted);
}

void irr_suite_repost(irr_net_t *net)
{
    msg_t canceled[3], sent;

    posting = net;
    for (int i = 0; i < 3; i++) {
        receive(net, 1, 0, TAG, 100, &canceled[i]);
    }
    canceled[1].op.then = post_again;
    irr_net_abandon(net, 1);
    for (int i = 0; i < 3; i++) {
        end_canceled(net, &canceled[i]);
    }
    CU_ASSERT_EQUAL(posted.op.status, IRR_IN_PROGRESS);
    send(net, 0, 1, TAG, 100, 4, &sent);
    end_received(net, &posted, 4);
    end_sent(net, &sent);
}

/*
 * A channel is closed while receives and sends are pending, and its id is used again. Messages to the old channel are
 * discarded, or arrive at the new channel.
 */
void irr_suite_reuse(irr_net_t *net)
{
    msg_t canceled, sent[LENGTHS], leaving, arriving;
    pair_t pair;

    open_pair(net, &pair);
    use(net, pair.channels[1]);
    receive(net, 1, 2, TAG, 100, &canceled);
    send(net, 1, 0, TAG, 100000, 5, &leaving);
    irr_net_close_channel(pair.channels[1][1]);
    end_canceled(net, &canceled);
    for (int i = 0; i < LENGTHS; i++) {
        send(net, 0, 1, TAG + i, lengths[i], (uint64_t)i, &sent[i]);
    }
    use(net, pair.channels[0]);
    irr_net_exchange_bytes(net, 0, 1, 1000, true);
    CU_ASSERT_EQUAL(irr_net_discard_all(net, 1, OTHER, 0, 0, LENGTHS), LENGTHS);
    for (int i = 0; i < LENGTHS; i++) {
        end_sent(net, &sent[i]);
    }
    irr_net_open_channel(net, 1, OTHER, &pair.channels[1][1]);
    use(net, pair.channels[1]);
    receive(net, 0, 1, TAG, 100000, &arriving);
    end_received(net, &arriving, 5);
    end_sent(net, &leaving);
    for (int i = 0; i < LENGTHS; i++) {
        irr_net_exchange_bytes(net, 0, 1, lengths[i], true);
    }
    close_pair(net, &pair);
}

/* ---- discarded messages ---- */

/*
 * Discards short and long messages of two senders with many tags. There are more messages than a transport discards at
 * a time.
 */
void irr_suite_discard(irr_net_t *net)
{
    enum { TAGS = 16, ROWS = 2 * TAGS };
    msg_t sent[ROWS], received;
    pair_t pair;

    open_pair(net, &pair);
    CU_ASSERT_EQUAL(irr_net_discard(net, 2, IRR_NET_ID, 0, 0), 0);
    for (int i = 0; i < ROWS; i++) {
        send(net, i / TAGS, 2, TAG + i % TAGS, lengths[i % LENGTHS], (uint64_t)i, &sent[i]);
    }
    /*
     * First the messages of one tag from both senders, then the messages with a certain bit of the tag. Another channel
     * has no messages.
     */
    CU_ASSERT_EQUAL(irr_net_discard_all(net, 2, IRR_NET_ID, TAG + 5, IRR_NET_MASK, 2), 2);
    CU_ASSERT_EQUAL(irr_net_discard(net, 2, OTHER, 0, 0), 0);
    CU_ASSERT_EQUAL(irr_net_discard_all(net, 2, IRR_NET_ID, 0xff08, 8, TAGS), TAGS);
    /* A receive accepts its message before the message can be discarded. */
    receive(net, 2, 1, TAG + 6, lengths[6 % LENGTHS], &received);
    end_received(net, &received, TAGS + 6);
    CU_ASSERT_EQUAL(irr_net_discard_all(net, 2, IRR_NET_ID, 0, 0, TAGS - 3), TAGS - 3);
    CU_ASSERT_EQUAL(irr_net_discard(net, 2, IRR_NET_ID, 0, 0), 0);
    for (int i = 0; i < ROWS; i++) {
        end_sent(net, &sent[i]);
    }
    receive(net, 2, 0, TAG, 100, &received);
    send(net, 0, 2, TAG, 100, 9, &sent[0]);
    CU_ASSERT_EQUAL(irr_net_discard(net, 2, IRR_NET_ID, 0, 0), 0);
    end_received(net, &received, 9);
    end_sent(net, &sent[0]);
    close_pair(net, &pair);
}

/*
 * drain() waits for long messages that are being discarded. A transport discards fewer messages at a time.
 * Although the sender of these messages does not progress, the receiver finds out that no other channel has a message.
 */
void irr_suite_discarding(irr_net_t *net)
{
    enum { MESSAGES = 20, LOOKS = 10000 };
    irr_status_t status = IRR_IN_PROGRESS;
    msg_t sent[MESSAGES];
    size_t count = 0, others = 0;

    for (int i = 0; i < MESSAGES; i++) {
        send(net, 0, 1, TAG, 4 << 20, (uint64_t)i, &sent[i]);
    }
    while (count == 0) {
        irr_net_progress(net);
        net->transports[1]->ops->discard(net->transports[1], IRR_NET_ID, TAG, IRR_NET_MASK, &count);
    }
    for (int i = 0; i < LOOKS && status == IRR_IN_PROGRESS; i++) {
        net->transports[1]->ops->progress(net->transports[1]);
        net->transports[1]->ops->discard(net->transports[1], IRR_NET_ID, TAG, IRR_NET_MASK, &count);
        status = net->transports[1]->ops->discard(net->transports[1], OTHER, 0, 0, &others);
    }
    CU_ASSERT_EQUAL(status, IRR_OK);
    CU_ASSERT_EQUAL(others, 0);
    irr_net_discard_all(net, 1, IRR_NET_ID, TAG, IRR_NET_MASK, MESSAGES - count);
    irr_net_drain(net, 1);
    for (int i = 0; i < MESSAGES; i++) {
        end_sent(net, &sent[i]);
    }
}
