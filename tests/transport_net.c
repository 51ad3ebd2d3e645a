/*
 * transport_net.c - see transport_net.h.
 */
#include "transport_net.h"

#include "irr_test.h"

#define GUARD_BYTES 16
#define GUARD       0xa5
#define IDLE_ROUNDS 20

/* True while `done` may be called. */
static bool in_progress;

irr_status_t irr_net_connect(irr_net_t *net, int from, int to)
{
    irr_transport_t *transport = net->transports[to];
    const void *address;
    size_t length;
    irr_status_t status = transport->ops->address(transport, &address, &length);

    transport = net->transports[from];
    return status == IRR_OK ? transport->ops->connect(transport, address, length, &net->peers[from][to]) : status;
}

static irr_status_t connect_all(irr_net_t *net)
{
    for (int i = 0; i < IRR_NET_RANKS * IRR_NET_RANKS; i++) {
        const irr_status_t status = irr_net_connect(net, i % IRR_NET_RANKS, i / IRR_NET_RANKS);

        if (status != IRR_OK) {
            return status;
        }
    }
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_open_channel(net, r, IRR_NET_ID, &net->channels[r]);
    }
    return IRR_OK;
}

irr_status_t irr_net_open_transports(irr_engine_config_t config, irr_transport_t *transports[IRR_NET_RANKS])
{
    config.job_ranks = IRR_NET_RANKS;
    config.node_ranks = IRR_NET_RANKS;
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_status_t status = irr_transport_open(&config, &transports[r]);

        if (status != IRR_OK) {
            while (r-- > 0) {
                transports[r]->ops->free(transports[r]);
            }
            return status;
        }
    }
    return IRR_OK;
}

static irr_status_t open_loopback(irr_fabric_t *fabric, irr_transport_t *transports[IRR_NET_RANKS])
{
    irr_status_t status = IRR_OK;

    for (int r = 0; status == IRR_OK && r < IRR_NET_RANKS; r++) {
        status = irr_loopback_open(fabric, r, &transports[r]);
    }
    return status;
}

irr_status_t irr_net_open_with(const irr_opener_t *opener, irr_transport_t *transports[IRR_NET_RANKS],
                               irr_fabric_t **fabric)
{
    const uint64_t seed = opener->shuffled ? irr_test_seed() : opener->seed;
    irr_status_t status = IRR_OK;

    *fabric = NULL;
    if (opener->loopback) {
        status = irr_fabric_create(IRR_NET_RANKS, seed, opener->eager_max, fabric);
        status = status == IRR_OK ? open_loopback(*fabric, transports) : status;
    } else {
        status = opener->open != NULL ? opener->open(transports)
                                      : irr_net_open_transports(opener->config, transports);
    }
    return status == IRR_OK && opener->wrap != NULL ? opener->wrap(transports) : status;
}

bool irr_net_open(irr_net_t *net, const irr_opener_t *opener)
{
    irr_status_t status = irr_net_open_with(opener, net->transports, &net->fabric);

    net->opener = opener;
    memset(net->closed, 0, sizeof(net->closed));
    memset(net->channels, 0, sizeof(net->channels));
    if (status == IRR_ERR_NOT_SUPPORTED || status == IRR_ERR_UNREACHABLE) {
        irr_test_skip("this machine cannot open the transport");
        return false;
    }
    CU_ASSERT_EQUAL(status, IRR_OK);
    if (status != IRR_OK) {
        return false;
    }
    status = connect_all(net);
    CU_ASSERT_EQUAL(status, IRR_OK);
    if (status != IRR_OK) {
        irr_net_close(net);
    }
    return status == IRR_OK;
}

static void close_one(irr_net_t *net, int rank)
{
    if (!net->closed[rank]) {
        net->transports[rank]->ops->close(net->transports[rank]);
        net->closed[rank] = true;
    }
}

static bool drained(irr_net_t *net, int rank)
{
    irr_status_t status = net->transports[rank]->ops->drain(net->transports[rank]);

    CU_ASSERT(status == IRR_OK || status == IRR_IN_PROGRESS);
    return status != IRR_IN_PROGRESS;
}

void irr_net_drain(irr_net_t *net, int rank)
{
    close_one(net, rank);
    while (!drained(net, rank)) {
        irr_net_progress(net);
    }
}

void irr_net_close(irr_net_t *net)
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        close_one(net, r);
    }
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_drain(net, r);
    }
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        if (net->channels[r] != NULL) {
            irr_net_close_channel(net->channels[r]);
        }
    }
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        net->transports[r]->ops->free(net->transports[r]);
    }
    irr_fabric_destroy(net->fabric);
}

void irr_net_run(const irr_opener_t *opener, void (*run)(irr_net_t *net))
{
    irr_net_t net;

    if (irr_net_open(&net, opener)) {
        run(&net);
        irr_net_close(&net);
    }
}

void irr_net_progress_one(irr_net_t *net, int rank)
{
    in_progress = true;
    net->transports[rank]->ops->progress(net->transports[rank]);
    in_progress = false;
}

void irr_net_progress(irr_net_t *net)
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_progress_one(net, r);
    }
}

void irr_net_idle(irr_net_t *net)
{
    for (int i = 0; i < IDLE_ROUNDS; i++) {
        irr_net_progress(net);
    }
}

static void on_done(irr_request_t *request, irr_status_t status)
{
    irr_op_t *op = (irr_op_t *)request;

    CU_ASSERT_TRUE(in_progress);
    CU_ASSERT_EQUAL(op->status, IRR_IN_PROGRESS);
    CU_ASSERT_NOT_EQUAL(status, IRR_IN_PROGRESS);
    op->status = status;
    if (op->then != NULL) {
        op->then(op);
    }
}

_Static_assert(offsetof(irr_op_t, request) == 0, "on_done takes a request for its operation");

/* Begins an operation. send and recv must not call `done`, even if they are called in `done`. */
static void begin(irr_op_t *op, bool *was_in_progress)
{
    op->request.done = on_done;
    op->status = IRR_IN_PROGRESS;
    *was_in_progress = in_progress;
    in_progress = false;
}

static void end(irr_op_t *op, bool was_in_progress, irr_status_t status)
{
    in_progress = was_in_progress;
    if (status != IRR_IN_PROGRESS) {
        op->status = status;
    }
}

void irr_net_send(irr_net_t *net, int from, int to, uint16_t tag, const irr_list_t *list, irr_form_t form,
                  irr_op_t *op)
{
    irr_channel_t *channel = net->channels[from];
    bool was_in_progress;

    begin(op, &was_in_progress);
    irr_request_set(&op->request, to, tag, list->iov, list->count, form);
    end(op, was_in_progress, channel->transport->ops->send(channel, &op->request));
}

void irr_net_recv(irr_net_t *net, int at, int from, uint16_t tag, const irr_list_t *list, irr_form_t form,
                  irr_op_t *op)
{
    irr_channel_t *channel = net->channels[at];
    bool was_in_progress;

    begin(op, &was_in_progress);
    irr_request_set(&op->request, from, tag, list->iov, list->count, form);
    end(op, was_in_progress, channel->transport->ops->recv(channel, &op->request));
}

void irr_net_open_channel(irr_net_t *net, int at, uint16_t id, irr_channel_t **channel)
{
    irr_transport_t *transport = net->transports[at];

    net->pages[at] = net->peers[at];
    CU_ASSERT_EQUAL_FATAL(transport->ops->open_channel(transport, id, IRR_NET_RANKS, at, &net->pages[at], channel),
                          IRR_OK);
}

static void with_done(void (*operation)(irr_channel_t *channel), irr_channel_t *channel)
{
    bool was_in_progress = in_progress;

    in_progress = true;   /* `done` may be called here */
    operation(channel);
    in_progress = was_in_progress;
}

void irr_net_close_channel(irr_channel_t *channel)
{
    with_done(channel->transport->ops->close_channel, channel);
}

void irr_net_abandon(irr_net_t *net, int at)
{
    with_done(irr_channel_abandon, net->channels[at]);
}

void irr_net_take_back(irr_net_t *net, int at)
{
    with_done(irr_channel_take_back, net->channels[at]);
}

size_t irr_net_discard(irr_net_t *net, int at, uint16_t id, uint16_t tag, uint16_t mask)
{
    irr_transport_t *transport = net->transports[at];
    size_t count = 0;

    irr_net_idle(net);
    while (transport->ops->discard(transport, id, tag, mask, &count) == IRR_IN_PROGRESS) {
        irr_net_progress(net);
    }
    return count;
}

size_t irr_net_discard_all(irr_net_t *net, int at, uint16_t id, uint16_t tag, uint16_t mask, size_t wanted)
{
    size_t count = 0;

    while (count < wanted) {
        count += irr_net_discard(net, at, id, tag, mask);
    }
    return count;
}

bool irr_net_takes(const irr_net_t *net, irr_form_t form, size_t pieces)
{
    return pieces <= 1 || pieces <= net->transports[0]->caps.pieces_max[form];
}

void irr_net_wait(irr_net_t *net, irr_op_t *op)
{
    while (op->status == IRR_IN_PROGRESS) {
        irr_net_progress(net);
    }
}

void irr_net_exchange(irr_net_t *net, int sender, irr_list_t *from, irr_form_t send_form, int receiver,
                      irr_list_t *to, irr_form_t recv_form, bool recv_first)
{
    static uint64_t seed;
    irr_op_t send = { .then = NULL }, recv = { .then = NULL };

    irr_list_fill(from, ++seed);
    if (recv_first) {
        irr_net_recv(net, receiver, sender, IRR_NET_TAG, to, recv_form, &recv);
        CU_ASSERT_EQUAL(recv.status, IRR_IN_PROGRESS);
        irr_net_send(net, sender, receiver, IRR_NET_TAG, from, send_form, &send);
    } else {
        irr_net_send(net, sender, receiver, IRR_NET_TAG, from, send_form, &send);
        irr_net_idle(net);
        irr_net_recv(net, receiver, sender, IRR_NET_TAG, to, recv_form, &recv);
    }
    irr_net_wait(net, &recv);
    irr_net_wait(net, &send);
    CU_ASSERT_EQUAL(send.status, IRR_OK);
    CU_ASSERT_EQUAL(recv.status, IRR_OK);
    CU_ASSERT_EQUAL(recv.request.bytes, from->bytes);
    CU_ASSERT_TRUE(irr_list_holds(to, seed, from->bytes));
}

void irr_net_exchange_bytes(irr_net_t *net, int sender, int receiver, size_t bytes, bool recv_first)
{
    irr_list_t from, to;

    irr_list_open_even(&from, 1, bytes);
    irr_list_open_even(&to, 1, bytes);
    irr_net_exchange(net, sender, &from, IRR_FORM_IOVEC, receiver, &to, IRR_FORM_GATHER, recv_first);
    irr_list_close(&to);
    irr_list_close(&from);
}

uint64_t irr_net_endpoints(irr_net_t *net, int rank)
{
    uint64_t endpoints, gathered;

    net->transports[rank]->ops->statistics(net->transports[rank], &endpoints, &gathered);
    return endpoints;
}

uint64_t irr_net_gathered(irr_net_t *net, int rank)
{
    uint64_t endpoints, gathered;

    net->transports[rank]->ops->statistics(net->transports[rank], &endpoints, &gathered);
    return gathered;
}

/* ---- messages in memory ---- */

void irr_list_open(irr_list_t *list, const size_t *lengths, size_t count)
{
    unsigned char *at;

    list->count = count;
    list->bytes = 0;
    for (size_t i = 0; i < count; i++) {
        list->bytes += lengths[i];
    }
    list->size = list->bytes + (count + 1) * GUARD_BYTES;
    list->memory = malloc(list->size);
    list->iov = malloc(count * sizeof(*list->iov) + 1);
    memset(list->memory, GUARD, list->size);
    at = list->memory + GUARD_BYTES;
    for (size_t i = 0; i < count; i++) {
        list->iov[i] = (irr_iov_t){ .base = at, .length = lengths[i] };
        at += lengths[i] + GUARD_BYTES;
    }
}

void irr_list_open_even(irr_list_t *list, size_t count, size_t length)
{
    size_t *lengths = malloc(count * sizeof(*lengths) + 1);

    for (size_t i = 0; i < count; i++) {
        lengths[i] = length;
    }
    irr_list_open(list, lengths, count);
    free(lengths);
}

void irr_list_close(irr_list_t *list)
{
    free(list->iov);
    free(list->memory);
}

static unsigned char byte_of(uint64_t seed, size_t position)
{
    return (unsigned char)((seed + 1) * 37 + position * 3 + (position >> 8) * 101 + (position >> 16) * 59);
}

void irr_list_fill(irr_list_t *list, uint64_t seed)
{
    size_t position = 0;

    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < list->iov[i].length; j++) {
            ((unsigned char *)list->iov[i].base)[j] = byte_of(seed, position++);
        }
    }
}

/*
 * Compares all guard bytes and pieces with their expected contents. The first `filled` bytes are the message; the rest
 * is compared unless ignore_rest is true.
 */
static bool compare(const irr_list_t *list, uint64_t seed, size_t filled, bool ignore_rest)
{
    const unsigned char *at = list->memory;
    size_t position = 0;
    bool right = true;

    for (size_t i = 0; i <= list->count; i++) {
        for (size_t j = 0; j < GUARD_BYTES; j++) {
            right &= *at++ == GUARD;
        }
        for (size_t j = 0; i < list->count && j < list->iov[i].length; j++, at++, position++) {
            right &= position < filled ? *at == byte_of(seed, position) : ignore_rest || *at == GUARD;
        }
    }
    return right;
}

bool irr_list_holds(const irr_list_t *list, uint64_t seed, size_t bytes)
{
    return compare(list, seed, bytes, false);
}

bool irr_list_guarded(const irr_list_t *list)
{
    return compare(list, 0, 0, true);
}

/* ---- one message, with both ends ---- */

void irr_msg_open(irr_msg_t *msg, int from, int to, uint16_t tag, uint64_t seed, size_t bytes, size_t room)
{
    *msg = (irr_msg_t){ .from = from, .to = to, .tag = tag, .seed = seed };
    irr_list_open_even(&msg->source, 1, bytes);
    irr_list_open_even(&msg->target, 1, room);
}

void irr_msg_send(irr_net_t *net, irr_msg_t *msg)
{
    irr_list_fill(&msg->source, msg->seed);
    irr_net_send(net, msg->from, msg->to, msg->tag, &msg->source, msg->form, &msg->send);
}

void irr_msg_recv(irr_net_t *net, irr_msg_t *msg)
{
    irr_net_recv(net, msg->to, msg->from, msg->tag, &msg->target, msg->form, &msg->recv);
}

void irr_msg_post(irr_net_t *net, irr_msg_t *msg, bool recv_first)
{
    (recv_first ? irr_msg_recv : irr_msg_send)(net, msg);
    (recv_first ? irr_msg_send : irr_msg_recv)(net, msg);
}

void irr_msg_finish(irr_net_t *net, irr_msg_t *msg)
{
    const size_t bytes = msg->source.bytes;

    irr_net_wait(net, &msg->recv);
    irr_net_wait(net, &msg->send);
    if (bytes > msg->target.bytes) {
        CU_ASSERT_EQUAL(msg->recv.status, IRR_ERR_TRUNCATE);
        CU_ASSERT_TRUE(irr_list_guarded(&msg->target));
    } else {
        CU_ASSERT_EQUAL(msg->recv.status, IRR_OK);
        CU_ASSERT_EQUAL(msg->send.status, IRR_OK);
        CU_ASSERT_EQUAL(msg->recv.request.bytes, bytes);
        CU_ASSERT_TRUE(irr_list_holds(&msg->target, msg->seed, bytes));
    }
    irr_msg_close(msg);
}

void irr_msg_close(irr_msg_t *msg)
{
    irr_list_close(&msg->target);
    irr_list_close(&msg->source);
}
