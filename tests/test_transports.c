/*
 * test_transports.c - the conformance suite on UCX: several transports in one process, over the memory of the node and
 * over its network.  test_ofi.c has libfabric's providers, test_auto.c the table of transports.
 */
#include "forbid_reads.h"
#include "transport_suite.h"

#include <sys/wait.h>
#include <unistd.h>

static const irr_opener_t shared = { .config = { .transport = "ucx", .one_node = true } },
    tcp = { .config = { .transport = "ucx", .ucx_tls = "tcp,self", .ucx_devices = "lo" } };

/* ---- processes that may not read each other's memory ---- */

enum { LONG = 4 << 20, SECONDS = 60, FAILS = 1, IS_SKIPPED = 77 };

/* Exchanges long messages in this process, and ends it with a status. It has a filter, so it runs nothing else. */
static void exchange_without_reads(const irr_opener_t *with)
{
    irr_net_t net;

    alarm(SECONDS);   /* the alarm of the program does not end a child */
    if (!test_forbid_reads() || !irr_net_open(&net, with)) {
        _exit(IS_SKIPPED);
    }
    for (int i = 0; i < 2; i++) {
        irr_net_exchange_bytes(&net, 0, 1, LONG, i == 0);
        irr_net_exchange_bytes(&net, 1, 0, LONG, i == 0);
    }
    irr_net_close(&net);
    _exit(CU_get_number_of_failures() > 0 ? FAILS : 0);
}

/* Runs first, because the children open UCX themselves. With the transport cma, UCX would abort them. */
IRR_TEST(test_without_reads, "UCX on one node and on several, if the kernel refuses process_vm_readv")
{
    static const irr_opener_t both[] = { { .config = { .transport = "ucx", .one_node = true } },
                                         { .config = { .transport = "ucx" } } };

    for (size_t i = 0; i < IRR_TEST_COUNT(both); i++) {
        const pid_t child = fork();
        int status = FAILS;

        if (child == 0) {
            exchange_without_reads(&both[i]);
        }
        CU_ASSERT_FATAL(child > 0);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == IS_SKIPPED) {
            irr_test_skip("UCX does not open, or the kernel accepts no filter of system calls");
        } else {
            CU_ASSERT_EQUAL(status, 0);
        }
    }
}

/* ---- the suite ---- */

IRR_TRANSPORT_SUITE(shared)
IRR_TRANSPORT_SUITE(tcp)

/* ---- sends without a receive ---- */

/* Long sends without a receive never complete. The program owns their memory again when the transports are freed. */
static void leave(const irr_opener_t *with)
{
    enum { SENDS = 4 };
    irr_list_t lists[SENDS];
    irr_op_t sent[SENDS] = { { .then = NULL } };
    irr_net_t net;

    if (!irr_net_open(&net, with)) {
        return;
    }
    for (int i = 0; i < SENDS; i++) {
        irr_list_open_even(&lists[i], 1, (size_t)1 << (16 + 2 * i));
        irr_net_send(&net, 0, 1, IRR_NET_TAG, &lists[i], IRR_FORM_IOVEC, &sent[i]);
    }
    irr_net_idle(&net);
    irr_net_close(&net);
    for (int i = 0; i < SENDS; i++) {
        irr_list_close(&lists[i]);
    }
    irr_memory_disown(1);   /* a context with pending sends; see leave in transport/ucx/ucx.c */
}

IRR_TEST(test_left_shared, "long sends without a receive over shared memory") { leave(&shared); }
IRR_TEST(test_left_tcp, "long sends without a receive over tcp") { leave(&tcp); }

/* ---- errors ---- */

IRR_TEST(test_bad_configuration, "a list of UCX transports that do not exist")
{
    static const irr_engine_config_t config = { .ucx_tls = "no-such-transport", .job_ranks = 1, .node_ranks = 1 };
    irr_transport_t *transport = NULL;

    CU_ASSERT_NOT_EQUAL(irr_ucx_open(&config, &transport), IRR_OK);
    CU_ASSERT_PTR_NULL(transport);
}

/* One worker has only shared memory, and the other worker has only tcp. reach detects this; connect cannot. */
IRR_TEST(test_unreachable, "two ranks whose UCX transports differ")
{
    static const irr_engine_config_t tcp_only = { .ucx_tls = "tcp,self", .job_ranks = 2, .node_ranks = 1 },
        shared_only = { .one_node = true, .job_ranks = 2, .node_ranks = 2 };
    irr_transport_t *from = NULL, *to = NULL;
    uint64_t endpoints, gathered;
    irr_peer_t *peer;
    const void *address;
    size_t length;

    if (irr_ucx_open(&tcp_only, &from) != IRR_OK || irr_ucx_open(&shared_only, &to) != IRR_OK) {
        irr_test_skip("UCX does not open both tcp and shared memory here");
    } else {
        CU_ASSERT_EQUAL(to->ops->address(to, &address, &length), IRR_OK);
        CU_ASSERT_EQUAL(from->ops->connect(from, address, length, &peer), IRR_OK);
        CU_ASSERT_EQUAL(from->ops->reach(from, peer), IRR_ERR_UNREACHABLE);
        from->ops->statistics(from, &endpoints, &gathered);
        CU_ASSERT_EQUAL(endpoints, 0);
    }
    if (to != NULL) {
        to->ops->free(to);
    }
    if (from != NULL) {
        from->ops->free(from);
    }
}

IRR_TEST_MAIN("transports", 240)
