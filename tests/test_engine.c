/*
 * test_engine.c - the engine of a process: the table of peers, progress, and the three steps of its end.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

/* ---- tables ---- */

/* Returns names that differ in few bits, as the names of processes do. */
static uint64_t peer_name(uint64_t i)
{
    return i % 3 == 0 ? i : i % 3 == 1 ? i << 32 : ~i;
}

static void test_peers_table(void)
{
    enum { NAMES = 5000 };
    static char marks[NAMES];
    irr_peers_t peers;
    int wrong = 0;

    irr_peers_init(&peers);
    CU_ASSERT_PTR_NULL(irr_peers_find(&peers, 0));
    for (uint64_t i = 0; i < NAMES; i++) {
        irr_memory_fail(1, NULL);
        if (irr_peers_reserve(&peers, 1) == IRR_ERR_NO_MEMORY) {
            CU_ASSERT_EQUAL(irr_peers_reserve(&peers, 1), IRR_OK);
        }
        wrong += irr_peers_find(&peers, peer_name(i)) != NULL;
        irr_peers_add(&peers, peer_name(i), (irr_peer_t *)&marks[i]);
    }
    for (uint64_t i = 0; i < NAMES; i++) {
        wrong += irr_peers_find(&peers, peer_name(i)) != (irr_peer_t *)&marks[i];
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(peers.count, NAMES);
    CU_ASSERT(peers.places >= 2 * NAMES && peers.places < 8 * NAMES);
    CU_ASSERT_PTR_NULL(irr_peers_find(&peers, NAMES * 3));
    irr_peers_fini(&peers);
    CU_ASSERT_PTR_NULL(irr_peers_find(&peers, 0));
}

/* ---- the engine ---- */

static void test_no_memory_for_engine(void)
{
    irr_transport_t *transport;
    irr_fabric_t *fabric;
    irr_engine_t *engine = NULL;

    CU_ASSERT_EQUAL_FATAL(irr_fabric_create(1, 0, 0, &fabric), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_loopback_open(fabric, 0, &transport), IRR_OK);
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_engine_create_on(transport, true, &engine), IRR_ERR_NO_MEMORY);
    CU_ASSERT_PTR_NULL(engine);
    CU_ASSERT_EQUAL_FATAL(irr_engine_create_on(transport, true, &engine), IRR_OK);
    irr_engine_destroy(engine);
    irr_fabric_destroy(fabric);
}

/* Progress within progress does nothing. */
static void test_progress_within_progress(void)
{
    for (int threads = 0; threads <= 1; threads++) {
        irr_transport_t *transport;
        irr_fabric_t *fabric;
        irr_engine_t *engine;
        irr_peer_t *self;
        irr_page_t page = &self;
        irr_channel_t *channel;
        irr_request_t request;
        const void *address;
        size_t length;

        CU_ASSERT_EQUAL_FATAL(irr_fabric_create(1, 0, 100, &fabric), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_loopback_open(fabric, 0, &transport), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_engine_create_on(transport, threads == 1, &engine), IRR_OK);
        CU_ASSERT_EQUAL(transport->ops->address(transport, &address, &length), IRR_OK);
        CU_ASSERT_EQUAL(transport->ops->connect(transport, address, length, &self), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(transport->ops->open_channel(transport, 1, 1, 0, &page, &channel), IRR_OK);
        irr_request_set(&request, 0, 1, NULL, 0, IRR_FORM_IOVEC);
        CU_ASSERT_EQUAL(irr_channel_send(channel, &request), IRR_OK);
        irr_lock_acquire(&engine->lock);
        CU_ASSERT_EQUAL(irr_engine_progress(engine), 0);
        irr_lock_release(&engine->lock);
        CU_ASSERT_EQUAL(irr_engine_progress(engine), 1);
        CU_ASSERT_EQUAL(irr_engine_progress(engine), 0);
        transport->ops->close_channel(channel);
        irr_engine_destroy(engine);
        irr_fabric_destroy(fabric);
    }
}

/* ---- close, drain and destroy ---- */

/*
 * Rank 0 closes while its message waits for rank 1. The engine of rank 0 drains only after rank 1 has received the
 * message, and both exchanges succeed. The communicators are destroyed before or after the engines drain.
 */
static void run_close(bool destroy_first)
{
    static const irr_block_t one[2] = { { 1, 0, 6 }, { 0, 0, 6 } };
    const irr_problem_t problems[2] = {
        { .ranks = 2, .rank = 0, .send = { &one[0], 1 } }, { .ranks = 2, .rank = 1, .recv = { &one[1], 1 } }
    };
    char output[7] = "??????";
    irr_counters_t counters;
    irr_team_t team;

    irr_team_open_new(&team, 2, 0, 0, NULL);
    CU_ASSERT_EQUAL(irr_exchange_start(irr_comm_exchange(team.comms[0]), &problems[0], "hello!", NULL), IRR_OK);
    irr_engine_counters(team.world->engines[0], &counters);
    CU_ASSERT_EQUAL(counters.endpoints_open, 1);
    irr_engine_close(team.world->engines[0]);
    for (int i = 0; i < 10; i++) {
        CU_ASSERT_EQUAL(irr_engine_drain(team.world->engines[0]), IRR_IN_PROGRESS);
    }
    CU_ASSERT_EQUAL(irr_exchange_test(irr_comm_exchange(team.comms[0])), IRR_IN_PROGRESS);
    CU_ASSERT_EQUAL(irr_exchange_start(irr_comm_exchange(team.comms[1]), &problems[1], NULL, output), IRR_OK);
    irr_world_progress(team.world, 10);
    CU_ASSERT_EQUAL_FATAL(irr_exchange_test(irr_comm_exchange(team.comms[0])), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_exchange_test(irr_comm_exchange(team.comms[1])), IRR_OK);
    CU_ASSERT_STRING_EQUAL(output, "hello!");
    if (destroy_first) {
        irr_team_destroy(&team);
    }
    CU_ASSERT_EQUAL(irr_engine_drain(team.world->engines[0]), IRR_OK);
    irr_engine_counters(team.world->engines[0], &counters);
    CU_ASSERT_EQUAL(counters.endpoints_open, 0);
    CU_ASSERT_EQUAL(counters.exchanges, 1);
    if (!destroy_first) {
        irr_team_destroy(&team);
    }
    CU_ASSERT_TRUE(irr_world_close(team.world));
}

static void test_close(void)
{
    run_close(true);
    run_close(false);
}

/* An unused engine, and an engine with an unused communicator. */
static void test_close_unused(void)
{
    irr_team_t team;

    irr_team_begin(&team, 3, 1, 0);
    irr_team_close(&team);
    irr_team_open_new(&team, 3, 1, 0, NULL);
    irr_team_close(&team);
}

IRR_TEST_MAIN("engine", 60,
    { "the table of peers",                        test_peers_table },
    { "no memory for the engine",                  test_no_memory_for_engine },
    { "progress within progress",                  test_progress_within_progress },
    { "closing while a message is in flight",      test_close },
    { "closing without use",                       test_close_unused })
