/*
 * test_shm.c - messages through shared memory. The tests run the conformance suite with several transports in one
 * process. Other tests check segments with invalid contents, sends that are taken back, a process that may not read the
 * memory of another process, and missing memory.
 */
#include "transport_suite.h"

#include "transport/shm/shm.h"

#define TAG IRR_NET_TAG
#define KEY irr_shm_key(IRR_NET_ID, TAG)

static const irr_opener_t shm = { .config = { .transport = "shm", .one_node = true } };

IRR_TRANSPORT_SUITE(shm)

/* ---- segments with invalid contents ---- */

/* Puts an invalid message into the next slot of a FIFO, which is the ring of slots from one rank to another. */
typedef void (*forge_t)(irr_fifo_out_t *out, irr_fifo_slot_t *slot);

static void put_piece(irr_fifo_out_t *out, irr_fifo_slot_t *slot, uint64_t total, uint64_t offset, uint64_t length,
                      unsigned form)
{
    slot->piece.total = total;
    slot->piece.offset = offset;
    slot->piece.length = length;
    irr_fifo_put(out, slot, irr_fifo_header(out, KEY, form));
}

static void no_such_form(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    irr_fifo_put(out, slot, irr_fifo_header(out, KEY, 63));
}

static void piece_behind_the_end(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, 100, IRR_FIFO_DATA - 99, 100, IRR_FIFO_FIRST);
}

static void piece_far_away(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, 100, UINT64_MAX - 50, 100, IRR_FIFO_FIRST);
}

static void piece_too_long(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, UINT64_MAX, 0, IRR_FIFO_PIECE + 1, IRR_FIFO_FIRST);
}

static void piece_empty(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, 100, 0, 0, IRR_FIFO_FIRST);
}

static void piece_longer_than_all(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, 99, 0, 100, IRR_FIFO_FIRST);
}

static void piece_of_nothing(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, 100, 0, 100, IRR_FIFO_NEXT);
}

static void end_of_nothing(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    irr_fifo_put(out, slot, irr_fifo_header(out, KEY, IRR_FIFO_END));
}

static void no_such_token(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    slot->single.total = 8;
    slot->single.address = (uintptr_t)slot;
    slot->single.token = IRR_SHM_TOKENS;
    irr_fifo_put(out, slot, irr_fifo_header(out, KEY, IRR_FIFO_SINGLE));
}

static void two_begins(irr_fifo_out_t *out, irr_fifo_slot_t *slot)
{
    put_piece(out, slot, 200, 0, 100, IRR_FIFO_FIRST);
    put_piece(out, irr_fifo_next(out), 200, 0, 100, IRR_FIFO_FIRST);
}

/* One rank forges a slot. Receives from this rank end in an error, and messages of other ranks still arrive. */
static void expect_broken(forge_t forge)
{
    irr_op_t recv = { .then = NULL }, other = { .then = NULL };
    irr_fifo_out_t *out;
    irr_list_t list, another;
    irr_net_t net;

    if (!irr_net_open(&net, &shm)) {
        return;
    }
    irr_net_exchange_bytes(&net, 0, 1, 8, true);
    irr_net_exchange_bytes(&net, 0, 1, 100, true);   /* allocates the data ring */
    irr_list_open_even(&list, 1, 300);
    irr_list_open_even(&another, 1, 8);
    irr_net_recv(&net, 1, 0, TAG, &list, IRR_FORM_IOVEC, &recv);
    irr_net_recv(&net, 1, 0, TAG + 1, &another, IRR_FORM_IOVEC, &other);
    out = &net.peers[0][1]->out;
    forge(out, irr_fifo_next(out));
    irr_net_idle(&net);
    CU_ASSERT_EQUAL(recv.status, IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(other.status, IRR_ERR_PROTOCOL);
    CU_ASSERT_TRUE(irr_list_guarded(&list));
    irr_net_recv(&net, 1, 0, TAG, &list, IRR_FORM_IOVEC, &recv);
    CU_ASSERT_EQUAL(recv.status, IRR_ERR_PROTOCOL);
    irr_net_exchange_bytes(&net, 2, 1, 100000, true);
    irr_net_exchange_bytes(&net, 1, 0, 100000, true);
    irr_list_close(&another);
    irr_list_close(&list);
    irr_net_close(&net);
}

IRR_TEST(test_forged, "slots with invalid contents")
{
    static const forge_t forges[] = {
        no_such_form, piece_behind_the_end, piece_far_away, piece_too_long, piece_empty, piece_longer_than_all,
        piece_of_nothing, end_of_nothing, no_such_token, two_begins
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(forges); i++) {
        expect_broken(forges[i]);
    }
}

/* If the receiver cannot read a message from its sender's memory, the sender sends the message again, in pieces. */
IRR_NET_TEST(test_unreadable, &shm, "a message that its receiver cannot read")
{
    enum { BYTES = 2 * IRR_SHM_SINGLE_MIN };
    irr_msg_t msg;

    irr_net_exchange_bytes(net, 0, 1, 8, true);
    irr_net_exchange_bytes(net, 1, 0, 8, true);
    irr_msg_open(&msg, 0, 1, TAG, 1, BYTES, BYTES);
    irr_msg_send(net, &msg);
    CU_ASSERT_EQUAL(msg.send.status, IRR_IN_PROGRESS);
    net->peers[0][1]->out.slots[(net->peers[0][1]->out.sent - 1) % IRR_FIFO_SLOTS].single.address = 8;
    irr_msg_recv(net, &msg);
    irr_net_wait(net, &msg.recv);
    irr_net_wait(net, &msg.send);
    irr_msg_finish(net, &msg);
    irr_net_exchange_bytes(net, 0, 1, BYTES, true);
    CU_ASSERT_EQUAL(net->peers[0][1]->singles[0], 1);
}

/* ---- sends that are canceled ---- */

enum { LONG = 2 * IRR_FIFO_DATA, LATE = 3 };   /* LATE: index of the last send, which is not started if messages
                                                    travel in pieces */

/*
 * Rank 0 sends four long messages to rank 1, in pieces or by single copy, and takes the sends back. Rank 0 may
 * overwrite the messages at once. Rank 1 posts its receives before the sends, or after the sends were taken
 * back. The receives end in errors or do not end, and messages that are sent later arrive.
 */
static void expect_taken_back(bool single, bool recv_first)
{
    irr_op_t sends[LATE + 1] = { { .then = NULL } }, recvs[LATE + 1] = { { .then = NULL } };
    irr_list_t from, to[LATE + 1];
    irr_net_t net;

    if (!irr_net_open(&net, &shm)) {
        return;
    }
    irr_net_exchange_bytes(&net, 0, 1, 8, true);
    irr_net_exchange_bytes(&net, 1, 0, 8, true);
    net.peers[1][0]->our_link->reads = single && irr_remote_works(&net.peers[1][0]->address.memory);
    irr_list_open_even(&from, 1, LONG);
    irr_list_fill(&from, 1);
    for (int i = 0; i <= LATE; i++) {
        irr_list_open_even(&to[i], 1, LONG);
        if (recv_first) {
            irr_net_recv(&net, 1, 0, (uint16_t)(TAG + i), &to[i], IRR_FORM_IOVEC, &recvs[i]);
        }
        irr_net_send(&net, 0, 1, (uint16_t)(TAG + i), &from, IRR_FORM_IOVEC, &sends[i]);
        CU_ASSERT_EQUAL(sends[i].status, IRR_IN_PROGRESS);
    }
    irr_net_take_back(&net, 0);
    for (int i = 0; i <= LATE; i++) {
        CU_ASSERT_EQUAL(sends[i].status, IRR_ERR_CANCELED);
    }
    irr_list_fill(&from, 2);
    for (int i = 0; i <= LATE; i++) {
        if (!recv_first) {
            irr_net_recv(&net, 1, 0, (uint16_t)(TAG + i), &to[i], IRR_FORM_IOVEC, &recvs[i]);
        }
        irr_net_idle(&net);
        CU_ASSERT_NOT_EQUAL(recvs[i].status, IRR_OK);
        CU_ASSERT_TRUE(irr_list_guarded(&to[i]));
    }
    CU_ASSERT_EQUAL(recvs[LATE].status, single ? IRR_ERR_PEER : IRR_IN_PROGRESS);
    irr_net_abandon(&net, 1);
    irr_net_exchange_bytes(&net, 0, 1, LONG, true);
    irr_net_idle(&net);
    CU_ASSERT_FALSE(irr_shm_is_busy(net.transports[0]));
    for (int i = 0; i <= LATE; i++) {
        irr_list_close(&to[i]);
    }
    irr_list_close(&from);
    irr_net_close(&net);
}

IRR_TEST(test_taken_back, "canceled sends no longer read their memory")
{
    for (int i = 0; i < 4; i++) {
        expect_taken_back(i % 2 != 0, i / 2 != 0);
    }
}

/*
 * A transport is busy while a message or a receive is pending. A link to another process alone does not make it busy.
 */
IRR_NET_TEST(test_busy, &shm, "a transport is busy while an operation is pending")
{
    irr_op_t recv = { .then = NULL };
    irr_list_t list;

    irr_net_exchange_bytes(net, 0, 1, 8, true);
    irr_net_idle(net);
    CU_ASSERT_FALSE(irr_shm_is_busy(net->transports[0]));
    CU_ASSERT_FALSE(irr_shm_is_busy(net->transports[1]));
    irr_list_open_even(&list, 1, 8);
    irr_net_recv(net, 1, 0, TAG, &list, IRR_FORM_IOVEC, &recv);
    CU_ASSERT_TRUE(irr_shm_is_busy(net->transports[1]));
    irr_net_abandon(net, 1);
    irr_net_wait(net, &recv);
    irr_net_idle(net);
    CU_ASSERT_FALSE(irr_shm_is_busy(net->transports[1]));
    irr_list_close(&list);
}

/* What rank 0 publishes for rank 1: the offset of the first link, the data ring of its FIFO, or the link behind it. */
typedef enum lie { FIRST_LINK, DATA_RING, NEXT_LINK } lie_t;

static void tell(irr_net_t *net, lie_t lie, uint64_t offset)
{
    irr_shm_t *liar = irr_shm_of(net->transports[0]);
    irr_shm_table_t *table = (irr_shm_table_t *)liar->segment.bytes;

    if (lie == FIRST_LINK) {
        table->first = offset;
        return;
    }
    irr_test_must(liar->super.ops->reach(&liar->super, net->peers[0][1]));
    if (lie == DATA_RING) {
        net->peers[0][1]->our_link->data = offset;
        return;
    }
    net->peers[0][1]->our_link->name++;
    net->peers[0][1]->our_link->next = offset != 0 ? offset : table->first;
}

/* Rank 0 publishes an invalid offset. Receives of rank 1 end in an error, and messages of other ranks still arrive. */
static void expect_refused(lie_t lie, uint64_t offset)
{
    irr_op_t recv = { .then = NULL }, send = { .then = NULL };
    irr_list_t list, from;
    irr_net_t net;

    if (!irr_net_open(&net, &shm)) {
        return;
    }
    irr_list_open_even(&list, 1, 300);
    irr_list_open_even(&from, 1, 300);
    tell(&net, lie, offset);
    if (lie == DATA_RING) {
        irr_net_send(&net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    }
    irr_net_recv(&net, 1, 0, TAG, &list, IRR_FORM_IOVEC, &recv);
    irr_net_idle(&net);
    CU_ASSERT_EQUAL(recv.status, IRR_ERR_PROTOCOL);
    CU_ASSERT_TRUE(irr_list_guarded(&list));
    irr_net_exchange_bytes(&net, 2, 1, 300, true);
    irr_list_close(&from);
    irr_list_close(&list);
    irr_net_close(&net);
}

/* NEXT_LINK with offset 0 stands for a list of links that is a circle. */
IRR_TEST(test_lying_links, "links with invalid offsets")
{
    static const uint64_t lies[] = {
        1, 8, 63, 65, 1000, IRR_SHM_SECTION - 64, 100 * IRR_SHM_SECTION, UINT64_C(1) << 40, INT64_MAX, UINT64_MAX - 63,
        UINT64_MAX
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(lies); i++) {
        expect_refused(FIRST_LINK, lies[i]);
        expect_refused(DATA_RING, lies[i]);
        expect_refused(NEXT_LINK, lies[i]);
    }
    expect_refused(NEXT_LINK, 0);
}

IRR_NET_TEST(test_lying_counts, &shm, "a number of received slots above the number sent")
{
    irr_net_exchange_bytes(net, 2, 1, 8, true);
    net->peers[1][2]->our_link->consumed = 1000;
    for (int i = 0; i < 10 * IRR_FIFO_SLOTS; i++) {
        irr_net_exchange_bytes(net, 2, 1, 8, false);
        net->peers[1][2]->our_link->consumed += i % IRR_FIFO_SLOTS == 0 ? 100 : 0;
    }
}

/* ---- sections and views ---- */

/* The first section has 84 links. The others are in another section, which a view maps instead of growing. */
IRR_TEST(test_partners, "a process with more partners than one section has links for")
{
    enum { PARTNERS = 100 };
    irr_transport_t *hub, *partners[PARTNERS];
    irr_peer_t *to[PARTNERS], *back[PARTNERS];
    const void *address, *hub_address;
    size_t length, hub_length;

    irr_test_must(irr_shm_open(&shm.config, &hub));
    irr_test_must(hub->ops->address(hub, &hub_address, &hub_length));
    for (int i = 0; i < PARTNERS; i++) {
        irr_test_must(irr_shm_open(&shm.config, &partners[i]));
        irr_test_must(partners[i]->ops->address(partners[i], &address, &length));
        irr_test_must(hub->ops->connect(hub, address, length, &to[i]));
        irr_test_must(partners[i]->ops->connect(partners[i], hub_address, hub_length, &back[i]));
        irr_test_must(hub->ops->reach(hub, to[i]));
        irr_test_must(irr_shm_open_data(to[i]));
    }
    for (int i = 0; i < PARTNERS; i++) {
        irr_test_must(partners[i]->ops->reach(partners[i], back[i]));
        partners[i]->ops->settle(partners[i], back[i]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(back[i]->in.data);
        to[i]->out.slots[IRR_FIFO_SLOTS - 1].single.token = (uint64_t)i;
        to[i]->out.data[IRR_FIFO_DATA - 1] = (unsigned char)i;
        CU_ASSERT_EQUAL(back[i]->in.slots[IRR_FIFO_SLOTS - 1].single.token, (uint64_t)i);
        CU_ASSERT_EQUAL(back[i]->in.data[IRR_FIFO_DATA - 1], (unsigned char)i);
        CU_ASSERT_EQUAL(back[i]->view.length, IRR_SHM_WINDOWS * IRR_SHM_SECTION);
    }
    CU_ASSERT_EQUAL(irr_shm_of(hub)->segment.count, 2 + PARTNERS / 2);
    for (int i = 0; i < PARTNERS; i++) {
        partners[i]->ops->free(partners[i]);
    }
    hub->ops->free(hub);
}

/* If the ranks do not use shared memory after all, they give the views back. A later setup opens them again. */
IRR_NET_TEST(test_leave, &shm, "views of ranks that were reached in vain are closed")
{
    for (int r = 0; r < 2; r++) {
        irr_transport_t *transport = net->transports[r];
        irr_peer_t *peer = net->peers[r][1 - r];

        irr_test_must(transport->ops->reach(transport, peer));
        CU_ASSERT_PTR_NOT_NULL(peer->view.bytes);
        CU_ASSERT_EQUAL(irr_net_endpoints(net, r), 1);
        transport->ops->leave(transport);
        CU_ASSERT_PTR_NULL(peer->view.bytes);
        CU_ASSERT_EQUAL(irr_net_endpoints(net, r), 0);
        CU_ASSERT_EQUAL(irr_net_discard(net, r, IRR_NET_ID, 0, 0), 0);
        CU_ASSERT_PTR_NULL(peer->view.bytes);
    }
    irr_net_exchange_bytes(net, 0, 1, 3000, true);
    irr_net_exchange_bytes(net, 1, 0, 8, false);
    net->transports[0]->ops->settle(net->transports[0], net->peers[0][1]);
    net->transports[0]->ops->leave(net->transports[0]);
    irr_net_exchange_bytes(net, 1, 0, 3000, true);
}

/* ---- missing permission and memory ---- */

/* A process that may not read the memory of another process gets long messages in pieces. */
IRR_NET_TEST(test_no_single_copy, &shm, "a process that may not read the memory of another process")
{
    irr_net_exchange_bytes(net, 0, 1, 8, true);
    irr_net_exchange_bytes(net, 1, 0, 8, true);
    net->peers[1][0]->our_link->reads = 0;
    for (size_t bytes = IRR_SHM_SINGLE_MIN; bytes < 8 * IRR_SHM_SINGLE_MIN; bytes *= 2) {
        irr_net_exchange_bytes(net, 0, 1, bytes, true);
        irr_net_exchange_bytes(net, 0, 1, bytes + 1, false);
    }
    CU_ASSERT_EQUAL(net->peers[0][1]->singles[0], 0);
    irr_net_exchange_bytes(net, 1, 0, IRR_SHM_SINGLE_MIN, true);
    CU_ASSERT_EQUAL(net->peers[1][0]->singles[0], 1);
}

IRR_NET_TEST(test_two_copies, &shm, "a message of IRR_FORM_GATHER is copied twice, whatever its length")
{
    irr_net_exchange_bytes(net, 1, 0, 8, true);
    irr_net_exchange_bytes(net, 0, 1, IRR_SHM_SINGLE_MIN, true);
    CU_ASSERT_EQUAL(net->peers[0][1]->singles[0], net->peers[1][0]->our_link->reads);
    for (size_t bytes = IRR_SHM_SINGLE_MIN; bytes < 8 * IRR_SHM_SINGLE_MIN; bytes *= 2) {
        irr_list_t from, to;

        irr_list_open_even(&from, 1, bytes);
        irr_list_open_even(&to, 1, bytes);
        irr_net_exchange(net, 0, &from, IRR_FORM_GATHER, 1, &to, IRR_FORM_IOVEC, true);
        irr_net_exchange(net, 0, &from, IRR_FORM_GATHER, 1, &to, IRR_FORM_GATHER, false);
        irr_list_close(&from);
        irr_list_close(&to);
    }
    CU_ASSERT_EQUAL(net->peers[0][1]->singles[0], net->peers[1][0]->our_link->reads);
}

/* Sends messages until the space for unexpected messages is full. All these messages can be received later. */
static void fill_room(irr_net_t *net, const irr_list_t *from, uint16_t tag)
{
    for (int i = 0; i < IRR_FIFO_SLOTS; i++) {
        irr_op_t sent = { .then = NULL };

        irr_net_send(net, 0, 1, tag, from, IRR_FORM_IOVEC, &sent);
        irr_net_wait(net, &sent);
        irr_net_idle(net);
    }
}

/*
 * An unexpected message is lost if the receiver has no room and no memory for it. The send completes, and later
 * messages arrive. Receives that rank 1 posts fail until all messages of the channel are discarded.
 */
static void check_lost(size_t length)
{
    const uint16_t tags[] = { TAG, TAG + 1, TAG + 2 };   /* the lost message, the message behind it, and the messages in
                                                            the room */
    irr_op_t sent[2] = { { .then = NULL } }, received = { .then = NULL }, late = { .then = NULL };
    irr_list_t from, to;
    irr_net_t net;

    if (!irr_net_open(&net, &shm)) {
        return;
    }
    irr_net_exchange_bytes(&net, 0, 1, 3000, true);
    irr_net_exchange_bytes(&net, 1, 0, 8, true);
    irr_list_open_even(&from, 1, length);
    irr_list_open_even(&to, 1, length);
    irr_list_fill(&from, 1);
    irr_net_recv(&net, 1, 0, tags[1], &to, IRR_FORM_IOVEC, &received);
    irr_memory_limit(0);
    if (length <= IRR_FIFO_PIECE) {
        fill_room(&net, &from, tags[2]);
        CU_ASSERT_FALSE(irr_memory_failed());
    }
    irr_net_send(&net, 0, 1, tags[0], &from, IRR_FORM_IOVEC, &sent[0]);
    irr_net_send(&net, 0, 1, tags[1], &from, IRR_FORM_IOVEC, &sent[1]);
    irr_net_wait(&net, &received);
    irr_net_wait(&net, &sent[0]);
    irr_net_wait(&net, &sent[1]);
    CU_ASSERT_EQUAL(received.status, IRR_OK);
    CU_ASSERT_TRUE(irr_list_holds(&to, 1, length));
    CU_ASSERT_TRUE(irr_memory_failed());
    irr_net_recv(&net, 1, 0, tags[0], &to, IRR_FORM_IOVEC, &late);
    CU_ASSERT_EQUAL(late.status, IRR_ERR_NO_MEMORY);
    irr_memory_limit(SIZE_MAX);
    CU_ASSERT_EQUAL(irr_net_discard(&net, 1, IRR_NET_ID, 0, 0), length <= IRR_FIFO_PIECE ? IRR_FIFO_SLOTS : 0);
    irr_net_exchange_bytes(&net, 0, 1, length, true);
    irr_list_close(&to);
    irr_list_close(&from);
    irr_net_close(&net);
    irr_memory_fail(0, NULL);
}

IRR_TEST(test_no_memory, "unexpected messages without memory to store them")
{
    check_lost(8);
    check_lost(3000);
    check_lost(2 * IRR_FIFO_PIECE - 1000);
}

/* Loses a message that travels by single copy. */
IRR_TEST(test_no_memory_single, "an unexpected single-copy message without memory to store it")
{
    irr_op_t sent = { .then = NULL }, received = { .then = NULL }, late = { .then = NULL };
    irr_list_t one, from, to;
    irr_net_t net;

    if (irr_net_open(&net, &shm)) {
        irr_net_exchange_bytes(&net, 0, 1, 8, true);
        irr_net_exchange_bytes(&net, 1, 0, 8, true);
        irr_list_open_even(&one, 1, 8);
        irr_list_open_even(&from, 1, IRR_SHM_SINGLE_MIN);
        irr_list_open_even(&to, 1, IRR_SHM_SINGLE_MIN);
        irr_net_recv(&net, 1, 0, TAG + 1, &to, IRR_FORM_IOVEC, &received);
        irr_memory_limit(0);
        fill_room(&net, &one, TAG + 2);
        irr_net_send(&net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &sent);
        irr_net_wait(&net, &sent);
        CU_ASSERT_TRUE(irr_memory_failed());
        irr_net_recv(&net, 1, 0, TAG, &to, IRR_FORM_IOVEC, &late);
        CU_ASSERT_EQUAL(late.status, IRR_ERR_NO_MEMORY);
        irr_memory_limit(SIZE_MAX);
        irr_net_abandon(&net, 1);
        irr_list_close(&to);
        irr_list_close(&from);
        irr_list_close(&one);
        irr_net_close(&net);
    }
}

IRR_TEST_MAIN("shm", 240)
