/*
 * test_ofi_memory.c - libfabric with missing memory: for a transport, for packed lists, and for operations. A last test
 * measures the memory and files that a thousand transports leave. All tests run over tcp on the loopback.
 */
#include "irr_world.h"
#include "open_files.h"
#include "transport_suite.h"

#include "transport/ofi/ofi.h"

#include <malloc.h>

#define TAG IRR_NET_TAG

#define TCP { .transport = "ofi", .ofi_provider = "tcp;ofi_rxm", .one_node = true }

static const irr_engine_config_t tcp = TCP;
static const irr_opener_t plain = { .config = TCP };

/* ---- each allocation ---- */

static irr_status_t sent;

static void on_sent(irr_request_t *request, irr_status_t status)
{
    (void)request;
    sent = status;
}

/* Opens a transport, sends a list to itself, and closes.  Returns false if an allocation failed. */
static bool live(void)
{
    irr_engine_config_t config = tcp;
    irr_iov_t pieces[2] = { { .base = (char[8]){ 0 }, .length = 8 }, { .base = (char[9]){ 0 }, .length = 9 } };
    irr_request_t request = { .done = on_sent };
    irr_transport_t *transport;
    irr_channel_t *channel;
    irr_peer_t *peer;
    irr_page_t page = &peer;
    const void *address;
    size_t length;
    irr_status_t status;

    config.job_ranks = config.node_ranks = 1;
    status = irr_transport_open(&config, &transport);
    if (status != IRR_OK) {
        CU_ASSERT_EQUAL(status, IRR_ERR_NO_MEMORY);
        return false;
    }
    irr_test_must(transport->ops->address(transport, &address, &length));
    status = transport->ops->connect(transport, address, length, &peer);
    if (status == IRR_OK) {
        status = transport->ops->open_channel(transport, 1, 1, 0, &page, &channel);
    }
    if (status == IRR_OK) {
        irr_request_set(&request, 0, 1, pieces, 2, IRR_FORM_GATHER);
        status = irr_channel_send(channel, &request);
        sent = status;
        transport->ops->close_channel(channel);
    }
    transport->ops->close(transport);
    while (transport->ops->drain(transport) == IRR_IN_PROGRESS) {
        transport->ops->progress(transport);
    }
    transport->ops->free(transport);
    status = status == IRR_IN_PROGRESS ? sent : status;
    CU_ASSERT(status == IRR_OK || status == IRR_ERR_NO_MEMORY);
    return status == IRR_OK;
}

IRR_TEST(test_memory, "each allocation of a transport fails once")
{
    bool failed = true;

    for (size_t nth = 1; failed && nth < 100; nth++) {
        bool lived;

        irr_memory_fail(nth, NULL);
        lived = live();
        failed = irr_memory_failed();
        CU_ASSERT(lived || failed);
        irr_memory_fail(0, NULL);
    }
    CU_ASSERT_FALSE(failed);
}

/* ---- lists ---- */

IRR_TEST(test_lists, "without memory to pack a list, a send or a receive is refused, and none is left pending")
{
    for (int lacking = 0; lacking < 2; lacking++) {
        irr_msg_t msg = { .from = 0, .to = 1, .tag = TAG, .form = IRR_FORM_GATHER, .seed = 1 };
        irr_net_t net;

        if (!irr_net_open(&net, &plain)) {
            return;
        }
        irr_net_exchange_bytes(&net, 0, 1, 8, true);
        irr_list_open_even(&msg.source, 10, 10000);
        irr_list_open_even(&msg.target, 10, 10000);
        irr_memory_fail(1, NULL);
        (lacking == 0 ? irr_msg_send : irr_msg_recv)(&net, &msg);
        CU_ASSERT_TRUE(irr_memory_failed());
        irr_memory_fail(0, NULL);
        CU_ASSERT_EQUAL(lacking == 0 ? msg.send.status : msg.recv.status, IRR_ERR_NO_MEMORY);
        irr_msg_post(&net, &msg, false);
        irr_msg_finish(&net, &msg);
        CU_ASSERT_EQUAL(irr_net_discard(&net, 1, IRR_NET_ID, 0, 0), 0);
        irr_net_close(&net);
    }
}

/* ---- operations ---- */

enum { MOST = 1000, LONG = 100000 };

/* Sends unexpected long messages until a send is refused.  Returns their number. */
static size_t flood(irr_net_t *net, irr_msg_t *msgs)
{
    size_t count = 0;

    irr_memory_fail(1, NULL);
    irr_memory_fail_all();
    do {
        irr_msg_open(&msgs[count], 0, 1, TAG, count, LONG, LONG);
        irr_msg_send(net, &msgs[count]);
        irr_net_progress(net);
    } while (msgs[count++].send.status == IRR_IN_PROGRESS && count < MOST);
    CU_ASSERT_EQUAL(msgs[count - 1].send.status, IRR_ERR_NO_MEMORY);
    CU_ASSERT_TRUE(irr_memory_failed());
    return count - 1;
}

/*
 * A rank that has used all operations still sends short messages and discards unexpected messages. Other ranks
 * continue.
 */
IRR_TEST(test_operations, "a rank without memory for another operation")
{
    irr_msg_t *msgs = irr_test_array(MOST, sizeof(*msgs));
    irr_op_t refused = { .then = NULL };
    irr_net_t net;
    size_t count;

    if (irr_net_open(&net, &plain)) {
        irr_net_exchange_bytes(&net, 0, 1, 8, true);
        irr_net_exchange_bytes(&net, 1, 0, 8, true);
        count = flood(&net, msgs);
        irr_net_recv(&net, 0, 1, TAG, &msgs[count].target, IRR_FORM_IOVEC, &refused);
        CU_ASSERT_EQUAL(refused.status, IRR_ERR_NO_MEMORY);
        for (int i = 0; i < 100; i++) {
            irr_op_t send = { .then = NULL }, recv = { .then = NULL };

            irr_net_recv(&net, 1, 0, TAG + 1, &msgs[count].target, IRR_FORM_IOVEC, &recv);
            msgs[count].source.iov->length = 8;
            irr_net_send(&net, 0, 1, TAG + 1, &msgs[count].source, IRR_FORM_IOVEC, &send);
            msgs[count].source.iov->length = LONG;
            irr_net_wait(&net, &recv);
            irr_net_wait(&net, &send);
            CU_ASSERT(send.status == IRR_OK && recv.status == IRR_OK);
        }
        msgs[count].source.iov->length = 8;
        irr_net_send(&net, 1, 0, TAG, &msgs[count].source, IRR_FORM_IOVEC, &refused);
        msgs[count].source.iov->length = LONG;
        CU_ASSERT_EQUAL(irr_net_discard_all(&net, 0, IRR_NET_ID, TAG, IRR_NET_MASK, 1), 1);
        irr_net_wait(&net, &refused);
        irr_memory_fail(0, NULL);
        for (size_t i = 0; i < count; i++) {
            irr_msg_recv(&net, &msgs[i]);
            irr_msg_finish(&net, &msgs[i]);
        }
        irr_msg_close(&msgs[count]);
        irr_net_close(&net);
    }
    free(msgs);
}

/* One rank has failed, and the communicator fails on all ranks. */
static void expect_failed(irr_world_t *world, const irr_team_t *team)
{
    bool all = false;

    while (!all) {
        all = true;
        for (int r = 0; r < IRR_NET_RANKS; r++) {
            irr_engine_progress(world->engines[r]);
            all = all && team->comms[r]->failed != IRR_OK;
        }
    }
}

/* An exchange with more pieces than operations ends in an error, and no rank hangs.  Returns false if it succeeded. */
static bool run_short(const char *algorithm, uint64_t *state)
{
    irr_transport_t *transports[IRR_NET_RANKS];
    irr_status_t result[IRR_WORLD_MAX];
    irr_world_t world;
    irr_team_t team;
    irr_job_t *job;
    bool ended = false;

    if (irr_net_open_transports(tcp, transports) != IRR_OK) {
        irr_test_skip("no libfabric");
        return false;
    }
    irr_world_open_on(&world, IRR_NET_RANKS, transports);
    irr_team_init(&team, &world, 0, 1);
    irr_team_create_with(&team, &(irr_settings_t){
        .algorithm = irr_algorithm_find(algorithm), .piece_bytes = 500, .pacing = IRR_PACING_FREE });
    job = irr_job_create(IRR_NET_RANKS, IRR_JOB_MIXED, irr_test_random(state));
    irr_job_fill(job);
    irr_memory_fail(1, irr_spy_sends_now);
    irr_memory_fail_all();
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        result[r] = irr_team_start(&team, r, job);
    }
    while (!irr_team_progress(&team, result, 1000)) {
    }
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        CU_ASSERT(result[r] == IRR_OK ? irr_job_verify(job, r) : irr_memory_failed());
        ended = ended || result[r] != IRR_OK;
    }
    CU_ASSERT_EQUAL(ended, irr_memory_failed());
    if (ended) {
        expect_failed(&world, &team);
    }
    irr_memory_fail(0, NULL);
    irr_team_close(&team);
    irr_job_destroy(job);
    return ended;
}

IRR_TEST_SEEDED(test_exchanges, "exchanges without memory for their operations")
{
    static const char *const rows[] = { "direct", "tree", "random", "spread" };
    int ended = 0;

    for (size_t i = 0; i < 5 * IRR_TEST_COUNT(rows); i++) {
        ended += run_short(rows[i / 5], state);
    }
    CU_ASSERT(ended > 0);
}

/* ---- memory and files that are left ---- */

/* Measures after FIRST cycles, when libfabric has made all allocations that it makes only once. */
IRR_TEST(test_cycles, "memory and descriptors after a thousand transports")
{
    enum { CYCLES = 1000, FIRST = 20, ALLOWED = 1 << 20 };
    const int count = FIRST + irr_test_runs(CYCLES);
    size_t bytes = 0;
    int open = 0;

    for (int i = 0; i < count; i++) {
        CU_ASSERT_TRUE_FATAL(live());
        if (i == FIRST) {
            open = test_open_files();
            bytes = mallinfo2().uordblks;
        }
    }
    CU_ASSERT_EQUAL(test_open_files(), open);
    CU_ASSERT(mallinfo2().uordblks < bytes + ALLOWED);
}

IRR_TEST_MAIN("ofi_memory", 600)
