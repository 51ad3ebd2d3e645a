/*
 * test_auto.c - which transport is opened where none is named.
 */
#include "irr_test.h"

#include "transport/auto.h"

#include <string.h>

static bool has_both(void)
{
    if (irr_transport_name(1) == NULL) {
        irr_test_skip("only one transport was built (Debian: libucx-dev and libfabric-dev)");
        return false;
    }
    return true;
}

static void expect(irr_engine_config_t config, irr_devices_t devices, const char *environment_tls, const char *name,
                   const char *why)
{
    irr_transport_choice_t choice;

    irr_transport_auto(&config, &devices, environment_tls, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, name);
    CU_ASSERT_PTR_NOT_NULL(strstr(choice.why, why));
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
    for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++) {
        expect(nodes, none, stay[i], "ofi", "nothing that leaves a node");
        expect(one_node, none, stay[i], "ucx", "");
        named.ucx_tls = stay[i];
        expect(named, none, "tcp", "ofi", "nothing that leaves a node");
    }
    for (size_t i = 0; i < sizeof(leave) / sizeof(leave[0]); i++) {
        expect(nodes, none, leave[i], "ucx", "");
    }
    named.ucx_tls = "tcp";
    expect(named, none, "sm", "ucx", "");
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

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "by devices", test_devices },
        { "by what UCX may use", test_tls },
        { "by what is named", test_named },
        { NULL, NULL }
    };

    return irr_test_main("auto", cases, 60);
}
