/*
 * transport_suite.c - the conformance suite; see transport_suite.h.
 *
 * The cases use more bits of a tag than the executor does. No case depends on timing: if an expected event does not
 * happen, the time limit of the program ends the case.
 */
#include "transport_suite.h"

#define TAG IRR_NET_TAG
#define KIB ((size_t)1024)

static const irr_form_t forms[] = { IRR_FORM_IOVEC, IRR_FORM_GATHER };

static void suite_lazy(irr_net_t *net)
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        CU_ASSERT_EQUAL(irr_net_endpoints(net, r), 0);
    }
    irr_net_exchange_bytes(net, 0, 1, 8, true);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, 0), 1);
    irr_net_exchange_bytes(net, 0, 1, 8, true);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, 0), 1);
    irr_net_exchange_bytes(net, 0, 2, 8, true);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, 0), 2);
    CU_ASSERT_EQUAL(net->transports[1]->ops->reach(net->transports[1], net->peers[1][2]), IRR_OK);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, 1), 1);
    irr_net_exchange_bytes(net, 1, 2, 8, true);
    CU_ASSERT_EQUAL(irr_net_endpoints(net, 1), 1);
}

/*
 * Sends the longest list of a form, but at most ENOUGH pieces. If the limit is lower, also asserts that a list
 * with one more piece fails.
 */
static void send_longest(irr_net_t *net, irr_form_t form)
{
    enum { ENOUGH = 5000 };
    const size_t most = net->transports[0]->caps.pieces_max[form], count = most < ENOUGH ? most : ENOUGH;
    irr_op_t op = { .then = NULL };
    irr_list_t from, to;

    CU_ASSERT_FATAL(most >= 1);
    irr_list_open_even(&from, count, 3);
    irr_list_open_even(&to, count, 3);
    irr_net_exchange(net, 0, &from, form, 1, &to, form, true);
    irr_list_close(&to);
    irr_list_close(&from);
    if (count == most) {
        irr_list_open_even(&from, count + 1, 3);
        irr_net_send(net, 0, 1, TAG, &from, form, &op);
        CU_ASSERT_EQUAL(op.status, IRR_ERR_NOT_SUPPORTED);
        irr_net_recv(net, 1, 0, TAG, &from, form, &op);
        CU_ASSERT_EQUAL(op.status, IRR_ERR_NOT_SUPPORTED);
        irr_list_close(&from);
    }
}

static void suite_caps(irr_net_t *net)
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        const irr_transport_caps_t *caps = &net->transports[r]->caps;

        CU_ASSERT_STRING_EQUAL(caps->name, net->transports[0]->caps.name);
        CU_ASSERT(caps->iov_wire_max >= 1);
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(forms); i++) {
        send_longest(net, forms[i]);
    }
}

static void suite_sizes(irr_net_t *net)
{
    static const size_t sizes[] = {
        0, 1, 7, 8, 63, 64, 255, 1000, 4 * KIB - 1, 4 * KIB, 8 * KIB + 1, 60000, 64 * KIB, 100000, 256 * KIB,
        1000003, 4096 * KIB
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(sizes); i++) {
        for (int recv_first = 0; recv_first <= 1; recv_first++) {
            irr_net_exchange_bytes(net, 0, 1, sizes[i], recv_first != 0);
        }
    }
}

/* ---- lists of pieces ---- */

/*
 * Makes a list of 16000 bytes in one of several cuts. The last cut has pieces of different lengths, and some are empty.
 */
static void open_cut(irr_list_t *list, size_t cut)
{
    static const size_t counts[] = { 1, 2, 64, 1000 };
    static const size_t mixed[] = { 0, 1, 0, 0, 7999, 500, 0, 7000, 3, 17, 480, 0 };

    if (cut < IRR_TEST_COUNT(counts)) {
        irr_list_open_even(list, counts[cut], 16000 / counts[cut]);
    } else {
        irr_list_open(list, mixed, IRR_TEST_COUNT(mixed));
    }
}

static void suite_pieces(irr_net_t *net)
{
    enum { CUTS = 5, MODES = 8 };

    for (size_t n = 0; n < CUTS * CUTS * MODES; n++) {
        irr_list_t from, to;

        open_cut(&from, n / MODES / CUTS);
        open_cut(&to, n / MODES % CUTS);
        if (irr_net_takes(net, forms[n & 1], from.count) && irr_net_takes(net, forms[n >> 1 & 1], to.count)) {
            irr_net_exchange(net, 0, &from, forms[n & 1], 1, &to, forms[n >> 1 & 1], (n & 4) != 0);
        }
        irr_list_close(&to);
        irr_list_close(&from);
    }
}

static void suite_large(irr_net_t *net)
{
    static const size_t shapes[][2] = { { 1, 16 }, { 3, 5 }, { 64, 16 }, { 16, 16 * KIB }, { 64, 64 * KIB } };

    for (size_t i = 0; i < IRR_TEST_COUNT(shapes); i++) {
        for (size_t mode = 0; mode < 4 && irr_net_takes(net, forms[mode & 1], shapes[i][0]); mode++) {
            irr_list_t list, whole;

            irr_list_open_even(&list, shapes[i][0], shapes[i][1]);
            irr_list_open_even(&whole, 1, list.bytes);
            irr_net_exchange(net, 0, &list, forms[mode & 1], 1, &whole, IRR_FORM_IOVEC, (mode & 2) != 0);
            irr_list_close(&list);
            irr_list_open_even(&list, shapes[i][0], shapes[i][1]);
            irr_net_exchange(net, 0, &whole, IRR_FORM_IOVEC, 1, &list, forms[mode & 1], (mode & 2) != 0);
            irr_list_close(&whole);
            irr_list_close(&list);
        }
    }
}

/* ---- matching ---- */

enum { BATCH = 2 * IRR_CHANNEL_TAG_BITS };

/* Opens the messages of a case from rank 0 to rank 1. On every transport some lengths are eager and some are not. */
static void open_batch(irr_msg_t batch[BATCH])
{
    static const size_t lengths[] = { 8, 100000, 0, 3000 };

    for (size_t i = 0; i < BATCH; i++) {
        irr_msg_open(&batch[i], 0, 1, TAG, i, lengths[i % 4] + i, lengths[i % 4] + i);
    }
}

static void finish_batch(irr_net_t *net, irr_msg_t batch[BATCH])
{
    for (size_t i = 0; i < BATCH; i++) {
        irr_msg_finish(net, &batch[i]);
    }
}

static void suite_tags(irr_net_t *net)
{
    enum { BITS = IRR_CHANNEL_TAG_BITS };
    irr_list_t list;
    irr_op_t other = { .then = NULL };
    irr_msg_t batch[BATCH];

    open_batch(batch);
    irr_list_open_even(&list, 1, 64);
    irr_net_recv(net, 1, 0, 0, &list, IRR_FORM_IOVEC, &other);
    /*
     * Each tag has one bit set, so it differs in one bit from tag 0, for which a receive waits. Ranks 0 and 2 send
     * half of the messages each.
     */
    for (int i = 0; i < BATCH; i++) {
        batch[i].from = i / BITS * 2;
        batch[i].tag = (uint16_t)(TAG >> i % BITS);
        irr_msg_send(net, &batch[i]);
    }
    for (int i = 0; i < BATCH; i++) {
        irr_msg_recv(net, &batch[i]);
    }
    finish_batch(net, batch);
    CU_ASSERT_EQUAL(other.status, IRR_IN_PROGRESS);
    irr_net_abandon(net, 1);
    irr_net_wait(net, &other);
    CU_ASSERT_EQUAL(other.status, IRR_ERR_CANCELED);
    CU_ASSERT_TRUE(irr_list_holds(&list, 0, 0));
    irr_list_close(&list);
}

static void suite_order(irr_net_t *net)
{
    /* None, half or all of the receives are posted before the sends. */
    for (int early = 0; early <= BATCH; early += BATCH / 2) {
        irr_msg_t batch[BATCH];

        open_batch(batch);
        for (int i = 0; i < early; i++) {
            irr_msg_recv(net, &batch[i]);
        }
        for (int i = 0; i < BATCH; i++) {
            irr_msg_send(net, &batch[i]);
        }
        irr_net_idle(net);
        for (int i = early; i < BATCH; i++) {
            irr_msg_recv(net, &batch[i]);
        }
        finish_batch(net, batch);
    }
}

static void suite_overtake(irr_net_t *net)
{
    irr_msg_t batch[BATCH];

    open_batch(batch);
    for (int i = 0; i < BATCH; i++) {
        batch[i].from = i % 2;
        batch[i].to = 2;
        batch[i].tag = (uint16_t)(TAG + i);
        irr_msg_send(net, &batch[i]);
    }
    for (int i = BATCH - 1; i >= 0; i--) {
        irr_msg_recv(net, &batch[i]);
        irr_net_progress(net);
    }
    finish_batch(net, batch);
}

/* ---- lengths that differ ---- */

enum { SENT_PIECES = 4, MODES = 8 };

/*
 * Sends a message of `sent` bytes to a receive of `count` pieces of `length` bytes. A correct message follows. The bits
 * of mode select the form, the end that is posted first, and the pieces of the send.
 */
static void meet(irr_net_t *net, size_t sent, size_t count, size_t length, int mode)
{
    const bool recv_first = (mode & 2) != 0;
    const size_t cuts[SENT_PIECES] = { sent / 4, sent / 2, 0, sent - sent / 4 - sent / 2 };
    irr_msg_t msg = { .from = 0, .to = 1, .tag = TAG, .form = forms[mode & 1], .seed = sent };

    if ((mode & 4) != 0 && irr_net_takes(net, msg.form, SENT_PIECES)) {
        irr_list_open(&msg.source, cuts, SENT_PIECES);
    } else {
        irr_list_open_even(&msg.source, 1, sent);
    }
    irr_list_open_even(&msg.target, count, length);
    if (recv_first) {
        irr_msg_recv(net, &msg);
    }
    irr_msg_send(net, &msg);
    irr_net_idle(net);
    if (!recv_first) {
        irr_msg_recv(net, &msg);
    }
    irr_msg_finish(net, &msg);
    irr_net_exchange_bytes(net, 0, 1, 1000, true);
}

/* Calls meet() for all rows of a table of { sent, count, length }, in all modes. */
static void meet_all(irr_net_t *net, const size_t (*table)[3], size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        for (int mode = 0; mode < MODES; mode++) {
            if (irr_net_takes(net, forms[mode & 1], table[i][1])) {
                meet(net, table[i][0], table[i][1], table[i][2], mode);
            }
        }
    }
}

static void suite_truncate(irr_net_t *net)
{
    static const size_t table[][3] = {
        { 1, 1, 0 }, { 1, 0, 0 }, { 8, 1, 7 }, { 3000, 1, 2999 }, { 3000, 10, 200 }, { 300000, 1, 299999 },
        { 300000, 1, 8 }, { 300000, 10, 100 }, { 300000, 3, 99999 }
    };

    meet_all(net, table, IRR_TEST_COUNT(table));
}

static void suite_shorter(irr_net_t *net)
{
    static const size_t table[][3] = {
        { 0, 1, 8 }, { 0, 3, 8 }, { 7, 1, 8 }, { 100, 10, 64 }, { 3000, 1, 300000 }, { 300000, 1, 400000 },
        { 300000, 10, 40000 }, { 100, 3, 100000 }
    };

    meet_all(net, table, IRR_TEST_COUNT(table));
}

/* ---- the table ---- */

static const struct suite_row {
    void      (*run)(irr_net_t *net);
    const char *text;
} rows[] = {
    { suite_lazy, "a rank opens an endpoint for a peer when it first sends to the peer or calls reach()" },
    { suite_caps, "lists with as many pieces as the capabilities allow" },
    { suite_sizes, "contiguous messages from 0 to 4 MiB" },
    { suite_pieces, "lists whose pieces differ at sender and receiver" },
    { suite_large, "lists of small and large pieces, with one piece at the other end" },
    { suite_tags, "a receive matches only messages with its tag" },
    { suite_order, "messages with one tag keep their order" },
    { suite_overtake, "receives posted in any order of tags" },
    { suite_truncate, "a message longer than its receive is truncated and overwrites no other memory" },
    { suite_shorter, "a message shorter than its receive leaves the rest of the receive unchanged" },
    { irr_suite_sink, "pieces without a base discard their bytes" },
    { irr_suite_channels, "a message arrives only on the channel on which it was sent" },
    { irr_suite_ranks, "channels with different orders of ranks" },
    { irr_suite_abandon, "after abandon(), the pending receives of a channel are canceled and match no message" },
    { irr_suite_repost, "abandon() does not cancel an operation that is posted by a callback of abandon()" },
    { irr_suite_reuse, "a new channel with the id of a closed channel" },
    { irr_suite_discard, "discard() finds all messages that match its mask, from all senders" },
    { irr_suite_discarding, "drain() waits for messages that are being discarded" },
    { irr_suite_self, "messages of a rank to itself" },
    { irr_suite_flood, "a thousand messages in flight" },
    { irr_suite_chain, "a callback posts the next operations and frees its request" },
    { irr_suite_drain, "sends in flight arrive during close() and drain()" },
    { irr_suite_closed, "a send after close is canceled" },
    { irr_suite_gathered, "the statistics count the bytes that are copied in the form IRR_FORM_GATHER" },
    { irr_suite_wake, "a message wakes a process that has called arm() and sleeps" },
    { irr_suite_soak, "random messages; each byte is checked" },
    { irr_suite_visits, "a new process takes the place of a process that has left" }
};

enum { ROWS = IRR_TEST_COUNT(rows), SUITES_MAX = 16, NAME_MAX = 120 };

/* A case of the suite, with its opener. */
typedef struct suite_case {
    irr_test_case_t         super;
    const struct suite_row *row;
    char                    name[NAME_MAX];
} suite_case_t;

static void run_case(const irr_test_case_t *self)
{
    irr_net_run(self->context, ((const suite_case_t *)self)->row->run);
}

void irr_suite_add(const char *setup, const irr_opener_t *opener, int number)
{
    static suite_case_t cases[SUITES_MAX][ROWS];
    static int          suites;

    for (size_t i = 0; i < ROWS; i++) {
        suite_case_t *added = &cases[suites][i];

        if (rows[i].run != irr_suite_visits || (opener->config.transport != NULL && opener->wrap == NULL)) {
            snprintf(added->name, sizeof(added->name), "%s: %s", setup, rows[i].text);
            added->super = (irr_test_case_t){ .name = added->name, .run = run_case, .context = opener,
                                              .number = number };
            added->row = &rows[i];
            irr_test_add(&added->super);
        }
    }
    suites++;
}
