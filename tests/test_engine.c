/*
 * test_engine.c - the engine of a process: the table of peers, directories (the addresses of the processes of a job),
 * progress, and the three steps of its end: close, drain and destroy.
 */
#include "irr_world.h"

/* ---- tables ---- */

/* Returns names that differ in few bits, as the names of processes do. */
static uint64_t peer_name(uint64_t i)
{
    return i % 3 == 0 ? i : i % 3 == 1 ? i << 32 : ~i;
}

IRR_TEST(test_peers_table, "the hash table of peers")
{
    enum { NAMES = 5000 };
    static char marks[NAMES];
    irr_peers_t peers;
    int wrong = 0;

    irr_peers_init(&peers);
    CU_ASSERT_PTR_NULL(irr_peers_find(&peers, 0));
    for (uint64_t i = 0; i < NAMES; i++) {
        irr_memory_fail(1, NULL);
        if (irr_peers_reserve(&peers) == IRR_ERR_NO_MEMORY) {
            CU_ASSERT_EQUAL(irr_peers_reserve(&peers), IRR_OK);
        }
        wrong += irr_peers_find(&peers, peer_name(i)) != NULL;
        irr_peers_add(&peers, peer_name(i), (irr_peer_t *)&marks[i]);
    }
    for (uint64_t i = 0; i < NAMES; i++) {
        wrong += irr_peers_find(&peers, peer_name(i)) != (irr_peer_t *)&marks[i];
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(peers.count, NAMES);
    CU_ASSERT(peers.buckets >= 2 * NAMES && peers.buckets < 8 * NAMES);
    CU_ASSERT_PTR_NULL(irr_peers_find(&peers, NAMES * 3));
    irr_peers_fini(&peers);
    CU_ASSERT_PTR_NULL(irr_peers_find(&peers, 0));
}

/* Directories of two processes of a node, which gather the same entries, and of a process of another node. */
enum { PROCESSES = 500, MEMBERS = 3, LONGEST = 24 };

static uint64_t process_name_of(uint64_t i)
{
    return (i * 7 + 3) % PROCESSES;
}

/* Fills the directories. The first two entries are those of the first two members, with label 1. */
static void gather(irr_directory_t **directories)
{
    char address[LONGEST + 1] = "";

    for (int m = 0; m < MEMBERS; m++) {
        CU_ASSERT_EQUAL_FATAL(irr_directory_create(PROCESSES, LONGEST, true, &directories[m]), IRR_OK);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        irr_directory_t *from = directories[i < MEMBERS ? i : 0];

        snprintf(address, sizeof(address), "%zu", i);
        for (int m = 0; m < MEMBERS; m++) {
            const int label = i < 2 ? 1 : 2 + (int)i;

            memcpy(irr_directory_entry(directories[m], i),
                   irr_directory_input(from, label, address, i == 9 ? LONGEST + 1 : strlen(address) + 1),
                   from->stride);
            irr_directory_entry(directories[m], i)->name = process_name_of(i);
        }
    }
}

static int count_wrong(const irr_directory_t *directory)
{
    int wrong = 0;

    for (size_t i = 0; i < PROCESSES; i++) {
        size_t length = 0;
        const char *address = irr_directories_find(directory, process_name_of(i), &length);

        wrong += i == 9 ? length != 0 : address == NULL || length != strlen(address) + 1 || atoi(address) != (int)i;
    }
    return wrong;
}

/* The processes of a node share one array. A process that finds other bytes in the shared array keeps its own. */
IRR_TEST(test_directories, "processes of a node share their directories")
{
    irr_directory_t *directories[MEMBERS];
    irr_segment_handle_t hosts[MEMBERS];
    size_t length;

    for (int spoils = 0; spoils <= 1; spoils++) {
        gather(directories);
        for (int m = 0; m < MEMBERS; m++) {
            irr_directory_sort(directories[m], m < 2 ? 1 : 2 + m, &hosts[m]);
        }
        for (int m = 0; m < MEMBERS; m++) {
            irr_directory_offer(directories[m], &hosts[m]);
        }
        directories[0]->segment.bytes[100] += (unsigned char)spoils;
        for (int m = MEMBERS - 1; m >= 0; m--) {
            irr_directory_share(directories[m], &hosts[m]);
        }
        CU_ASSERT(directories[0]->own == NULL && directories[2]->own == NULL);
        CU_ASSERT_EQUAL(directories[1]->own != NULL, spoils);
        for (int m = spoils; m < MEMBERS; m++) {
            CU_ASSERT_EQUAL(count_wrong(directories[m]), 0);
            CU_ASSERT_PTR_NULL(irr_directories_find(directories[m], PROCESSES, &length));
        }
        for (int m = 0; m < MEMBERS; m++) {
            irr_directories_destroy(directories[m]);
        }
    }
}

/* Creates a sorted directory of the processes first to last. The addresses have `bytes` bytes. */
static irr_directory_t *directory_of(uint64_t first, uint64_t last, size_t bytes)
{
    irr_segment_handle_t host;
    irr_directory_t *made;

    CU_ASSERT_EQUAL_FATAL(irr_directory_create((size_t)(last - first + 1), bytes, false, &made), IRR_OK);
    for (uint64_t name = first; name <= last; name++) {
        *irr_directory_entry(made, (size_t)(name - first)) =
            (irr_directory_entry_t){ .name = name, .length = (uint32_t)bytes };
    }
    irr_directory_sort(made, 0, &host);
    CU_ASSERT_EQUAL(host.process, 0);
    return made;
}

/* A new directory replaces the settled directories whose processes it has. The newest address counts. */
IRR_TEST(test_covered_directories, "a directory replaces directories of the same processes")
{
    irr_directory_t *list = NULL;
    size_t length = 0;

    irr_directories_add(&list, directory_of(1, 3, 8));
    irr_directories_add(&list, directory_of(3, 9, 16));
    list->settled = list->next->settled = true;
    CU_ASSERT(irr_directories_find(list, 3, &length) != NULL && length == 16);
    irr_directories_add(&list, directory_of(1, 4, 24));
    CU_ASSERT(list->next != NULL && list->next->next == NULL);
    CU_ASSERT(irr_directories_find(list, 3, &length) != NULL && length == 24);
    irr_directories_add(&list, directory_of(1, 9, 32));
    CU_ASSERT(list->next != NULL && list->next->count == 4);   /* not settled */
    irr_directories_destroy(list);
}

/* ---- the engine ---- */

IRR_TEST(test_no_memory_for_engine, "a failed allocation of an engine")
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

IRR_TEST(test_progress_within_progress, "irr_engine_progress() does nothing while the lock is held")
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

IRR_TEST(test_close, "irr_engine_close() while a message is in flight")
{
    run_close(true);
    run_close(false);
}

IRR_TEST_MAIN("engine", 60)
