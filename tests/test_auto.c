/*
 * test_auto.c - the table of transports: which one an engine opens, also where none is named, and when.
 */
#include "irr_test.h"

#include "comm/engine.h"
#include "transport/auto.h"

#include <string.h>

static bool has_both(void)
{
    int both = 0;

    for (int i = 0; irr_transport_name(i) != NULL; i++) {
        both += strcmp(irr_transport_name(i), "ucx") == 0 || strcmp(irr_transport_name(i), "ofi") == 0;
    }
    if (both < 2) {
        irr_test_skip("UCX and libfabric were not both built (Debian: libucx-dev and libfabric-dev)");
    }
    return both == 2;
}

static void expect_with(irr_engine_config_t config, irr_devices_t devices, irr_ucx_environment_t environment,
                        const char *name, const char *why)
{
    irr_transport_choice_t choice;

    irr_transport_auto(&config, &devices, &environment, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, name);
    CU_ASSERT_PTR_NOT_NULL(strstr(choice.why, why));
}

static void expect(irr_engine_config_t config, irr_devices_t devices, const char *tls, const char *name,
                   const char *why)
{
    expect_with(config, devices, (irr_ucx_environment_t){ .tls = tls }, name, why);
}

static const irr_engine_config_t nodes = { .job_ranks = 8, .node_ranks = 4 };
static const irr_engine_config_t one_node = { .one_node = true, .job_ranks = 4, .node_ranks = 4 };
static const irr_devices_t none = { .ucx = "" }, adapter = { .ucx = "mlx5_0" }, cxi = { .ofi = "cxi0" },
    both = { .ucx = "mlx5_0", .ofi = "efa_0" };

static void test_devices(void)
{
    if (!has_both()) {
        return;
    }
    expect(nodes, none, NULL, "ucx", "UCX comes first");
    expect(nodes, adapter, NULL, "ucx", "UCX comes first");
    expect(nodes, cxi, NULL, "ofi", "cxi0 is a fast device that libfabric alone drives");
    expect(nodes, both, NULL, "ucx", "UCX comes first");
    expect(one_node, cxi, NULL, "ucx", "UCX comes first");
}

static void test_tls(void)
{
    static const char *const stay[] = { "sm,self", "posix", "SELF,CMA,sysv", "sm," };
    static const char *const leave[] = { "", "all", "sm,self,tcp", "rc", "^tcp", "s*", "smx", "sm,ud_x" };
    irr_engine_config_t named = nodes;

    if (!has_both()) {
        return;
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(stay); i++) {
        expect(nodes, none, stay[i], "ofi", "nothing that leaves a node");
        expect(one_node, none, stay[i], "ucx", "");
        named.ucx_tls = stay[i];
        expect(named, none, "tcp", "ofi", "nothing that leaves a node");
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(leave); i++) {
        expect(nodes, none, leave[i], "ucx", "");
    }
    named.ucx_tls = "tcp";
    expect(named, none, "sm", "ucx", "");
}

static void test_net_devices(void)
{
    static const char *const leave[] = { "", "all", "eth0", "lo,eth0", "lo0", "^lo", "mlx5_0:1" };
    irr_engine_config_t named = nodes;

    if (!has_both()) {
        return;
    }
    expect_with(nodes, none, (irr_ucx_environment_t){ .devices = "lo" }, "ofi", "nothing that leaves a node");
    expect_with(one_node, none, (irr_ucx_environment_t){ .devices = "lo" }, "ucx", "UCX comes first");
    for (size_t i = 0; i < IRR_TEST_COUNT(leave); i++) {
        expect_with(nodes, none, (irr_ucx_environment_t){ .devices = leave[i] }, "ucx", "UCX comes first");
    }
    named.ucx_devices = "eth0";
    expect_with(named, none, (irr_ucx_environment_t){ .devices = "lo" }, "ucx", "UCX comes first");
    named.ucx_devices = "lo";
    expect_with(named, none, (irr_ucx_environment_t){ .devices = "eth0" }, "ofi", "nothing that leaves a node");
}

static void test_named(void)
{
    irr_engine_config_t config = one_node;
    irr_transport_choice_t choice;

    if (has_both()) {
        config.ofi_domain = "eth0";
        expect(config, none, NULL, "ofi", "a provider or domain of libfabric is named");
        config.ucx_devices = "eth0";
        expect(config, none, NULL, "ucx", "UCX comes first");
        config = one_node;
        config.ofi_provider = "tcp";
        expect(config, adapter, NULL, "ofi", "a provider or domain of libfabric is named");
    }
    config.transport = "pigeon";   /* whether there is one of that name, who opens it tells */
    irr_transport_choose(&config, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, "pigeon");
    config = one_node;
    irr_transport_choose(&config, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, irr_transport_name(0));
}

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

typedef struct logged {
    int  lines;
    char last[200];
} logged_t;

static void on_log(void *context, irr_log_level_t level, const char *text)
{
    logged_t *logged = context;

    CU_ASSERT_EQUAL(level, IRR_LOG_ERROR);
    logged->lines++;
    snprintf(logged->last, sizeof(logged->last), "%s", text);
}

/* The first row is opened without a name; what is no row is told once, with what there is. */
static void test_names(void)
{
    irr_engine_config_t config = { .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_transport_t *transport = NULL;
    irr_engine_t *engine = NULL;
    logged_t logged = { .lines = 0 };

    for (int i = 0; i < 2; i++) {
        config.transport = i == 0 ? NULL : "";
        CU_ASSERT_EQUAL_FATAL(irr_transport_open(&config, &transport), IRR_OK);
        CU_ASSERT_STRING_EQUAL(transport->caps.name, irr_transport_name(0));
        transport->ops->free(transport);
    }
    config.transport = "pigeon";
    irr_log_set(on_log, &logged, IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(irr_transport_open(&config, &transport), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(logged.lines, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(logged.last, "pigeon"));
    for (int i = 0; irr_transport_name(i) != NULL; i++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(logged.last, irr_transport_name(i)));
    }
    CU_ASSERT_EQUAL_FATAL(irr_engine_create(&config, &engine), IRR_OK);
    for (int i = 0; i < 2; i++) {   /* an engine keeps what is wrong, for who decides who tells it */
        CU_ASSERT_EQUAL(irr_engine_open_lane(engine, IRR_LANE_FAR), IRR_ERR_BAD_PARAM);
        CU_ASSERT_STRING_EQUAL(engine->reason[IRR_LANE_FAR], logged.last);
    }
    irr_engine_destroy(engine);
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(logged.lines, 1);
}

/* An engine opens its transport when it is asked to, once, and works without. */
static void test_late(void)
{
    char name[16];
    irr_engine_config_t config = { .transport = name, .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_engine_t *engine;
    irr_transport_t *transport;
    irr_counters_t counters;

    for (int opens = 0; opens < 2; opens++) {
        snprintf(name, sizeof(name), "%s", irr_transport_name(0));
        CU_ASSERT_EQUAL_FATAL(irr_engine_create(&config, &engine), IRR_OK);
        name[0] = 'x';   /* it has a text of its own */
        CU_ASSERT_EQUAL(irr_engine_progress(engine), 0);
        irr_engine_counters(engine, &counters);
        CU_ASSERT_EQUAL(counters.endpoints_open, 0);
        CU_ASSERT_EQUAL(irr_engine_wait(engine, 1), IRR_ERR_NOT_SUPPORTED);
        for (int k = 0; k < IRR_LANE_KINDS; k++) {
            CU_ASSERT_PTR_NULL(engine->lanes->inner[k]);
            if (opens == 1) {
                CU_ASSERT_EQUAL(irr_engine_open_lane(engine, (irr_lane_kind_t)k), IRR_OK);
                transport = engine->lanes->inner[k];
                CU_ASSERT_STRING_EQUAL(transport->caps.name, k == IRR_LANE_NEAR ? "shm" : irr_transport_name(0));
                CU_ASSERT_EQUAL(irr_engine_open_lane(engine, (irr_lane_kind_t)k), IRR_OK);
                CU_ASSERT_EQUAL(engine->lanes->inner[k], transport);
            }
        }
        irr_engine_close(engine);
        while (irr_engine_drain(engine) == IRR_IN_PROGRESS) {
        }
        irr_engine_destroy(engine);
    }
}

IRR_TEST_MAIN("auto", 60,
    { "the rows", test_rows },
    { "names, and one that does not exist", test_names },
    { "an engine opens one late, or never", test_late },
    { "by devices", test_devices },
    { "by what UCX may use", test_tls },
    { "by the devices that UCX may use", test_net_devices },
    { "by what is named", test_named })
