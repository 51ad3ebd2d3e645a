/*
 * test_transports.c - the conformance suite on UCX: several transports in one process, over the memory of the node and
 * over its network; and the table of transports.  test_ofi.c has libfabric's providers.
 */
#include "transport_suite.h"

#include "comm/engine.h"

#include <string.h>

static irr_status_t open_shared(irr_transport_t *transports[IRR_NET_RANKS])
{
    return irr_net_open_transports((irr_engine_config_t){ .transport = "ucx", .one_node = true }, transports);
}

static irr_status_t open_tcp(irr_transport_t *transports[IRR_NET_RANKS])
{
    const irr_engine_config_t config = { .transport = "ucx", .ucx_tls = "tcp,self", .ucx_devices = "lo" };

    return irr_net_open_transports(config, transports);
}

static const irr_setup_t shared = { .open = open_shared }, tcp = { .open = open_tcp };

IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, shared)
IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, tcp)

/* ---- the table ---- */

static void test_rows(void)
{
    int rows = 0;

    CU_ASSERT_PTR_NULL(irr_transport_name(-1));
    CU_ASSERT_PTR_NULL(irr_transport_text(-1));
    for (; irr_transport_name(rows) != NULL; rows++) {
        CU_ASSERT(strlen(irr_transport_text(rows)) > 0);
    }
    CU_ASSERT(rows > 0);
    CU_ASSERT_PTR_NULL(irr_transport_text(rows));
}

typedef struct told {
    int  lines;
    char last[200];
} told_t;

static void on_log(void *context, irr_log_level_t level, const char *text)
{
    told_t *told = context;

    CU_ASSERT_EQUAL(level, IRR_LOG_ERROR);
    told->lines++;
    snprintf(told->last, sizeof(told->last), "%s", text);
}

/* The first row is opened without a name; what is no row is told once, with what there is. */
static void test_names(void)
{
    irr_engine_config_t config = { .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_transport_t *transport = NULL;
    irr_engine_t *engine = NULL;
    told_t told = { .lines = 0 };

    for (int i = 0; i < 2; i++) {
        config.transport = i == 0 ? NULL : "";
        CU_ASSERT_EQUAL_FATAL(irr_transport_open(&config, &transport), IRR_OK);
        CU_ASSERT_STRING_EQUAL(transport->caps.name, irr_transport_name(0));
        transport->ops->free(transport);
    }
    config.transport = "pigeon";
    irr_log_set(on_log, &told, IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(irr_transport_open(&config, &transport), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(told.lines, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(told.last, "pigeon"));
    for (int i = 0; irr_transport_name(i) != NULL; i++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(told.last, irr_transport_name(i)));
    }
    CU_ASSERT_EQUAL_FATAL(irr_engine_create(&config, &engine), IRR_OK);
    for (int i = 0; i < 2; i++) {   /* an engine keeps what is wrong, for who decides who tells it */
        CU_ASSERT_EQUAL(irr_engine_open_transport(engine), IRR_ERR_BAD_PARAM);
        CU_ASSERT_STRING_EQUAL(engine->reason, told.last);
    }
    irr_engine_destroy(engine);
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(told.lines, 1);
}

/* An engine opens its transport when it is asked to, once, and works without. */
static void test_late(void)
{
    char name[] = "ucx";
    irr_engine_config_t config = { .transport = name, .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_engine_t *engine;
    irr_transport_t *transport;
    irr_counters_t counters;

    for (int opens = 0; opens < 2; opens++) {
        CU_ASSERT_EQUAL_FATAL(irr_engine_create(&config, &engine), IRR_OK);
        name[0] = 'x';   /* it has a text of its own */
        CU_ASSERT_EQUAL(irr_engine_progress(engine), 0);
        irr_engine_counters(engine, &counters);
        CU_ASSERT_EQUAL(counters.endpoints_open, 0);
        CU_ASSERT_EQUAL(irr_engine_wait(engine, 1), IRR_ERR_NOT_SUPPORTED);
        CU_ASSERT_EQUAL(engine->transport, irr_transport_none());
        if (opens == 1) {
            CU_ASSERT_EQUAL(irr_engine_open_transport(engine), IRR_OK);
            transport = engine->transport;
            CU_ASSERT_STRING_EQUAL(transport->caps.name, "ucx");
            CU_ASSERT_EQUAL(irr_engine_open_transport(engine), IRR_OK);
            CU_ASSERT_EQUAL(engine->transport, transport);
        }
        irr_engine_close(engine);
        while (irr_engine_drain(engine) == IRR_IN_PROGRESS) {
        }
        irr_engine_destroy(engine);
        name[0] = 'u';
    }
}

/* ---- UCX ---- */

static void test_bad_configuration(void)
{
    static const irr_engine_config_t config = { .ucx_tls = "no-such-transport", .job_ranks = 1, .node_ranks = 1 };
    irr_transport_t *transport = NULL;

    CU_ASSERT_NOT_EQUAL(irr_ucx_open(&config, &transport), IRR_OK);
    CU_ASSERT_PTR_NULL(transport);
}

/* A worker with shared memory alone and one with tcp alone: connect cannot know, reach does. */
static void test_unreachable(void)
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

int main(void)
{
    static const irr_test_case_t cases[] = {
        IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, shared)
        IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, tcp)
        { "the rows", test_rows },
        { "names, and one that does not exist", test_names },
        { "an engine opens one late, or never", test_late },
        { "UCX without a transport that exists", test_bad_configuration },
        { "UCX without a transport in common", test_unreachable },
        { NULL, NULL }
    };

    return irr_test_main("transports", cases, 240);
}
