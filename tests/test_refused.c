/*
 * test_refused.c - single copies that the kernel refuses after it has permitted the first read. The engine calls the
 * process_vm_readv of this file, which refuses reads, or reads only a part of the bytes. The tests run the conformance
 * suite in this way. Other tests check the order of messages, cancelled messages, forged slots, and memory that only
 * its owner may read.
 */
#include "transport_suite.h"

#include "transport/shm/shm.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAG IRR_NET_TAG

enum { LONG = 2 * IRR_FIFO_DATA };

/* ---- the kernel ---- */

/* Returns the error of the next read, or 0. Sets *most to the maximum number of bytes to read. */
static int (*refuse)(size_t *most);

static size_t nrefused;   /* number of refused reads */

static size_t length_of(const struct iovec *pieces, unsigned long count)
{
    size_t bytes = 0;

    for (unsigned long i = 0; i < count; i++) {
        bytes += pieces[i].iov_len;
    }
    return bytes;
}

/* Reads of one word always succeed; by them a process tests whether it may read at all. */
ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long nto, const struct iovec *from,
                         unsigned long nfrom, unsigned long flags)
{
    size_t most = SIZE_MAX;
    struct iovec part;
    int error = 0;

    if (refuse != NULL && length_of(to, nto) > sizeof(uint64_t)) {
        error = refuse(&most);
    }
    if (error != 0) {
        nrefused++;
        errno = error;
        return -1;
    }
    if (most < to[0].iov_len) {
        part = (struct iovec){ to[0].iov_base, most };
        to = &part;
        nto = 1;
    }
    return syscall(SYS_process_vm_readv, process, to, nto, from, nfrom, flags);
}

static int refuse_all(size_t *most)
{
    (void)most;
    return EPERM;
}

/* Reads no more than some hundred bytes at a time, with interruptions. */
static int read_parts(size_t *most)
{
    static uint64_t state;

    state += state == 0 ? irr_test_seed() : 0;
    *most = 1 + (size_t)irr_test_below(&state, 5000);
    return irr_test_below(&state, 10) == 0 ? EINTR : 0;
}

/* Like read_parts, but refuses the rest of some messages. */
static int refuse_parts(size_t *most)
{
    static uint64_t state;

    state += state == 0 ? irr_test_seed() : 0;
    *most = 1 + (size_t)irr_test_below(&state, 20000);
    return irr_test_below(&state, 12) == 0 ? EFAULT : 0;
}

/* Refuses the reads whose bits are set in `refused_reads`, from the lowest bit on. */
static unsigned refused_reads;

static int refuse_some(size_t *most)
{
    const int error = (refused_reads & 1) != 0 ? ENOMEM : 0;

    (void)most;
    refused_reads >>= 1;
    return error;
}

/* ---- the suite ---- */

static irr_status_t refuse_from_now(irr_transport_t *transports[IRR_NET_RANKS])
{
    (void)transports;
    refuse = refuse_all;
    return IRR_OK;
}

static irr_status_t part_from_now(irr_transport_t *transports[IRR_NET_RANKS])
{
    (void)transports;
    refuse = read_parts;
    return IRR_OK;
}

static irr_status_t refuse_parts_from_now(irr_transport_t *transports[IRR_NET_RANKS])
{
    (void)transports;
    refuse = refuse_parts;
    return IRR_OK;
}

#define SHM .config = { .transport = "shm", .one_node = true }

static const irr_opener_t refused = { SHM, .wrap = refuse_from_now }, parts = { SHM, .wrap = part_from_now },
                          refused_parts = { SHM, .wrap = refuse_parts_from_now }, shm = { SHM };

IRR_TRANSPORT_SUITE(refused)
IRR_TRANSPORT_SUITE(parts)
IRR_TRANSPORT_SUITE(refused_parts)

/* ---- scenes ---- */

/* Opens a net in which rank 1 may read the memory of rank 0. Returns false if the test is skipped. */
static bool open_net(irr_net_t *net, int (*next)(size_t *most))
{
    refuse = NULL;
    if (!irr_net_open(net, &shm)) {
        return false;
    }
    irr_net_exchange_bytes(net, 0, 1, 8, true);
    irr_net_exchange_bytes(net, 1, 0, 8, true);
    if (net->peers[1][0]->our_link->reads == 0) {
        irr_test_skip("this process may not read its memory by process_vm_readv");
        irr_net_close(net);
        return false;
    }
    refuse = next;
    nrefused = 0;
    return true;
}

/* Long and short messages of one tag from rank 0 to rank 1, more long messages than there are tokens. */
enum { MESSAGES = 3 * IRR_SHM_TOKENS };

static void open_messages(irr_msg_t messages[MESSAGES])
{
    for (size_t i = 0; i < MESSAGES; i++) {
        const size_t bytes = i % 3 == 2 ? i : IRR_SHM_SINGLE_MIN + i * 1000;

        irr_msg_open(&messages[i], 0, 1, TAG, i, bytes, bytes);
    }
}

/* Sends all messages, of which `early` have receives before, and checks them. */
static void exchange_messages(irr_net_t *net, int early)
{
    irr_msg_t messages[MESSAGES];

    open_messages(messages);
    for (int i = 0; i < early; i++) {
        irr_msg_recv(net, &messages[i]);
    }
    for (int i = 0; i < MESSAGES; i++) {
        irr_msg_send(net, &messages[i]);
    }
    irr_net_idle(net);
    for (int i = early; i < MESSAGES; i++) {
        irr_msg_recv(net, &messages[i]);
    }
    for (int i = 0; i < MESSAGES; i++) {
        irr_msg_finish(net, &messages[i]);
    }
}

/* Any set of reads is refused, and none, half or all of the receives are posted before their messages arrive. */
IRR_TEST_SEEDED(test_order, "messages of one tag, some of which are sent again, keep their order")
{
    irr_net_t net;

    for (int i = 0; i < 60; i++) {
        if (!open_net(&net, refuse_some)) {
            return;
        }
        refused_reads = (unsigned)irr_test_below(state, UINT64_C(1) << 32) | 1U << i % IRR_SHM_TOKENS;
        exchange_messages(&net, i % 3 * MESSAGES / 2);
        irr_net_idle(&net);
        CU_ASSERT_FALSE(irr_shm_is_busy(net.transports[0]) || irr_shm_is_busy(net.transports[1]));
        irr_net_close(&net);
    }
}

/* The refusal ends the single copies of one direction between two processes, and of no other. */
IRR_TEST(test_direction, "after a refusal messages between the two processes travel in pieces")
{
    irr_net_t net;

    if (!open_net(&net, refuse_all)) {
        return;
    }
    irr_net_exchange_bytes(&net, 0, 1, LONG, true);
    CU_ASSERT_EQUAL(nrefused, 1);
    refuse = NULL;
    irr_net_exchange_bytes(&net, 0, 1, LONG, true);
    irr_net_exchange_bytes(&net, 0, 1, LONG, false);
    CU_ASSERT_EQUAL(net.peers[0][1]->singles[0], 1);
    irr_net_exchange_bytes(&net, 1, 0, LONG, true);
    CU_ASSERT_EQUAL(net.peers[1][0]->singles[0], 1);
    CU_ASSERT_EQUAL(net.peers[0][1]->our_link->reads, 1);
    CU_ASSERT_EQUAL(net.peers[1][0]->our_link->reads, 0);
    irr_net_close(&net);
}

/* ---- cancelled messages ---- */

/*
 * WHILE_READ: before the receiver has tried to read. REFUSED: before the sender knows that the kernel has refused.
 * BEGUN: when the sender has sent some pieces again.
 */
enum { WHILE_READ, REFUSED, BEGUN, MOMENTS };

/* Advances a message that rank 0 has sent to the moment. */
static void advance(irr_net_t *net, int moment)
{
    if (moment > WHILE_READ) {
        irr_net_progress_one(net, 1);
    }
    if (moment > REFUSED) {
        irr_net_progress_one(net, 0);
    }
}

/* Rank 0 takes a message back, and may overwrite it. The receive does not succeed, and the next messages arrive. */
static void take_back_at(int moment)
{
    irr_net_t net;
    irr_msg_t msg;

    if (!open_net(&net, refuse_all)) {
        return;
    }
    irr_msg_open(&msg, 0, 1, TAG, 1, LONG, LONG);
    irr_msg_recv(&net, &msg);
    irr_msg_send(&net, &msg);
    advance(&net, moment);
    CU_ASSERT_EQUAL(msg.send.status, IRR_IN_PROGRESS);
    irr_net_take_back(&net, 0);
    CU_ASSERT_EQUAL(msg.send.status, IRR_ERR_CANCELED);
    irr_list_fill(&msg.source, 2);
    irr_net_idle(&net);
    CU_ASSERT_EQUAL(msg.recv.status, moment == REFUSED ? IRR_IN_PROGRESS : IRR_ERR_PEER);
    CU_ASSERT_TRUE(irr_list_guarded(&msg.target));
    irr_net_exchange_bytes(&net, 0, 1, LONG, true);
    irr_net_abandon(&net, 1);
    CU_ASSERT_NOT_EQUAL(msg.recv.status, IRR_IN_PROGRESS);
    irr_net_exchange_bytes(&net, 0, 1, LONG, false);
    irr_net_idle(&net);
    CU_ASSERT_FALSE(irr_shm_is_busy(net.transports[0]));
    CU_ASSERT_EQUAL(irr_net_discard(&net, 1, IRR_NET_ID, 0, 0), 0);
    irr_msg_close(&msg);
    irr_net_close(&net);
}

IRR_TEST(test_taken_back, "sends that are taken back when the kernel refuses to read them")
{
    for (int moment = 0; moment < MOMENTS; moment++) {
        take_back_at(moment);
    }
}

/* Rank 1 abandons the receive. The pieces are discarded; another receive of the same tag does not get them. */
static void abandon_at(int moment, bool again)
{
    irr_net_t net;
    irr_msg_t msg, next;

    if (!open_net(&net, refuse_all)) {
        return;
    }
    irr_msg_open(&msg, 0, 1, TAG, 1, LONG, LONG);
    irr_msg_open(&next, 0, 1, TAG, 2, LONG, LONG);
    irr_msg_recv(&net, &msg);
    irr_msg_send(&net, &msg);
    advance(&net, moment);
    irr_net_abandon(&net, 1);
    CU_ASSERT_EQUAL(msg.recv.status, IRR_ERR_CANCELED);
    if (again) {
        irr_msg_recv(&net, &next);
    }
    irr_net_idle(&net);
    irr_msg_send(&net, &next);
    if (!again) {
        CU_ASSERT_EQUAL(irr_net_discard_all(&net, 1, IRR_NET_ID, 0, 0, 1), 1);
    }
    irr_net_wait(&net, &msg.send);
    CU_ASSERT_EQUAL(msg.send.status, IRR_OK);
    irr_net_wait(&net, &next.send);
    if (again) {
        irr_msg_finish(&net, &next);
    } else {
        irr_msg_close(&next);
    }
    irr_net_exchange_bytes(&net, 0, 1, LONG, true);
    irr_msg_close(&msg);
    irr_net_close(&net);
}

IRR_TEST(test_abandoned, "receives that are abandoned when the kernel refuses to read their messages")
{
    for (int moment = REFUSED; moment < MOMENTS; moment++) {
        abandon_at(moment, true);
        abandon_at(moment, false);
    }
}

/* Rank 0 sends a message with a receive, and one without, which is discarded when both close their transports. */
IRR_TEST(test_drained, "messages that are sent again arrive during close() and drain()")
{
    irr_msg_t msgs[2];
    irr_net_t net;

    if (!open_net(&net, refuse_all)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        irr_msg_open(&msgs[i], 0, 1, (uint16_t)(TAG + i), (uint64_t)i, LONG, LONG);
        irr_msg_send(&net, &msgs[i]);
    }
    irr_msg_recv(&net, &msgs[0]);
    irr_net_progress_one(&net, 1);
    irr_net_close(&net);
    CU_ASSERT_EQUAL(nrefused, 1);
    CU_ASSERT_TRUE(irr_list_holds(&msgs[0].target, 0, LONG));
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(msgs[i].send.status, IRR_OK);
        CU_ASSERT_EQUAL(msgs[i].recv.status, IRR_OK);   /* the second receive was never posted */
        irr_msg_close(&msgs[i]);
    }
}

/* ---- forged slots ---- */

/* Puts the first piece of a message into the next slot from rank 0 to rank 1, as a message that is sent again. */
static void forge(irr_net_t *net, uint64_t total, uint64_t length, uint64_t token)
{
    irr_fifo_out_t *out = &net->peers[0][1]->out;
    irr_fifo_slot_t *slot = irr_fifo_next(out);

    slot->piece.total = total;
    slot->piece.offset = 0;
    slot->piece.length = length;
    slot->piece.wants_count = 0;
    slot->piece.token = token;
    irr_fifo_put(out, slot, irr_fifo_header(out, irr_shm_key(IRR_NET_ID, TAG), IRR_FIFO_AGAIN));
}

/*
 * Nobody has requested these messages, or the receive that waits for the message has another length. No byte is written
 * outside of a receive, and no other receive gets the message.
 */
IRR_TEST(test_forged, "messages that are sent again without a request, or with another length")
{
    static const uint64_t tokens[] = { 0, 3, IRR_SHM_TOKENS, UINT64_MAX };
    irr_msg_t msg, next;
    irr_net_t net;

    if (!open_net(&net, refuse_all)) {
        return;
    }
    irr_net_exchange_bytes(&net, 0, 1, 1000, true);   /* finds the data ring */
    irr_msg_open(&next, 0, 1, TAG, 2, 100, 100);
    irr_msg_recv(&net, &next);
    for (size_t i = 0; i < IRR_TEST_COUNT(tokens); i++) {
        forge(&net, 100, 100, tokens[i]);
        irr_net_idle(&net);
    }
    CU_ASSERT_EQUAL(next.recv.status, IRR_IN_PROGRESS);
    irr_msg_send(&net, &next);
    irr_msg_finish(&net, &next);
    irr_msg_open(&msg, 0, 1, TAG, 1, LONG, LONG);
    irr_msg_recv(&net, &msg);
    irr_msg_send(&net, &msg);
    irr_net_progress_one(&net, 1);
    forge(&net, LONG + 1, IRR_FIFO_PIECE, 0);
    irr_net_idle(&net);
    CU_ASSERT_EQUAL(msg.recv.status, IRR_ERR_PROTOCOL);   /* because the true first piece arrives in the middle */
    CU_ASSERT_TRUE(irr_list_guarded(&msg.target));
    irr_net_take_back(&net, 0);
    irr_msg_close(&msg);
    irr_net_close(&net);
}

/* ---- memory that only its owner may read ---- */

static struct {
    unsigned char *bytes;   /* LONG bytes, protected */
    unsigned       faults;
} own;

/* Lifts the protection when the process itself reads the memory, as a garbage collector does. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const unsigned char *at = info->si_addr;

    (void)number;
    (void)context;
    if (at < own.bytes || at >= own.bytes + LONG || mprotect(own.bytes, LONG, PROT_READ | PROT_WRITE) != 0) {
        _exit(1);
    }
    own.faults++;
}

/* The first page may be read, so the kernel reads a part of the message before it refuses. */
static void send_protected(irr_net_t *net, bool recv_first)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    irr_iov_t piece = { .base = own.bytes, .length = LONG };
    irr_list_t from = { .iov = &piece, .count = 1, .bytes = LONG }, to;
    irr_op_t send = { .then = NULL }, recv = { .then = NULL };

    irr_list_open_even(&to, 3, LONG / 3 + 1);
    irr_list_fill(&from, 5);
    CU_ASSERT_EQUAL_FATAL(mprotect(own.bytes + page, LONG - page, PROT_NONE), 0);
    own.faults = 0;
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
    CU_ASSERT_EQUAL(own.faults, 1);
    CU_ASSERT_EQUAL(recv.status, IRR_OK);
    CU_ASSERT_TRUE(irr_list_holds(&to, 5, LONG));
    irr_list_close(&to);
}

IRR_TEST(test_protected, "a message in memory that its owner has protected")
{
    const struct sigaction ours = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    struct sigaction before;
    irr_net_t net;

    own.bytes = mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_FATAL(own.bytes != MAP_FAILED);
    sigaction(SIGSEGV, &ours, &before);
    for (int recv_first = 0; recv_first <= 1; recv_first++) {
        if (open_net(&net, NULL)) {
            send_protected(&net, recv_first != 0);
            CU_ASSERT_EQUAL(net.peers[1][0]->our_link->reads, 0);
            irr_net_close(&net);
        }
    }
    sigaction(SIGSEGV, &before, NULL);
    munmap(own.bytes, LONG);
}

IRR_TEST_MAIN("refused", 240)
