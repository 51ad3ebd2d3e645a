/*
 * test_auto.c - the table of transports. The tests check which transport an engine opens, with and without a name, and
 * when; the fast devices in sysfs, and the interfaces that the lists of Open MPI's tcp btl admit.
 */
#include "irr_world.h"

#include "comm/engine.h"
#include "ompi_coll_irr/coll_irr_interfaces.h"
#include "transport/auto.h"
#include "transport/devices.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const irr_engine_config_t nodes = { .job_ranks = 8, .node_ranks = 4 };
static const irr_engine_config_t one_node = { .one_node = true, .job_ranks = 4, .node_ranks = 4 };
static const irr_devices_t none = { .ucx = "" }, adapter = { .ucx = "mlx5_0" }, cxi = { .ofi = "cxi0" },
    both = { .ucx = "mlx5_0", .ofi = "efa_0" };

static void expect(irr_engine_config_t config, irr_devices_t devices, irr_ucx_environment_t environment,
                   const char *name, const char *why)
{
    irr_transport_choice_t choice;

    irr_transport_auto(&config, &devices, &environment, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, name);
    CU_ASSERT_PTR_NOT_NULL(strstr(choice.why, why));
}

static const char first[] = "UCX is the default", stays[] = "settings of UCX exclude all networks",
    alone[] = "cxi0 is a fast device that only libfabric supports",
    named[] = "a provider or domain of libfabric is named";

IRR_TEST(test_devices, "the devices of a machine and the settings of the user select the transport")
{
    const struct { const irr_engine_config_t *config; const irr_devices_t *devices; const char *name, *why; } rows[] = {
        { &nodes, &none, "ucx", first }, { &nodes, &adapter, "ucx", first }, { &nodes, &cxi, "ofi", alone },
        { &nodes, &both, "ucx", first }, { &one_node, &cxi, "ucx", first },
        { &(irr_engine_config_t){ .one_node = true, .ofi_domain = "eth0" }, &none, "ofi", named },
        { &(irr_engine_config_t){ .one_node = true, .ofi_domain = "eth0", .ucx_devices = "eth0" }, &none, "ucx",
          first },
        { &(irr_engine_config_t){ .one_node = true, .ofi_provider = "tcp" }, &adapter, "ofi", named }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows) && has_both(); i++) {
        expect(*rows[i].config, *rows[i].devices, (irr_ucx_environment_t){ .tls = NULL }, rows[i].name, rows[i].why);
    }
}

/* UCX_TLS or UCX_NET_DEVICES may exclude all networks from UCX. The parameters of the component take precedence. */
static void expect_confined(irr_ucx_environment_t environment, bool confined)
{
    irr_engine_config_t config = nodes;

    expect(nodes, none, environment, confined ? "ofi" : "ucx", confined ? stays : first);
    expect(one_node, none, environment, "ucx", first);
    config.ucx_tls = environment.tls;
    config.ucx_devices = environment.devices;
    expect(config, none, (irr_ucx_environment_t){ .tls = environment.tls != NULL ? "tcp" : NULL,
                                                  .devices = environment.devices != NULL ? "eth0" : NULL },
           confined ? "ofi" : "ucx", confined ? stays : first);
    config.ucx_tls = environment.tls != NULL ? "tcp" : NULL;
    config.ucx_devices = environment.devices != NULL ? "eth0" : NULL;
    expect(config, none, environment, "ucx", first);
}

IRR_TEST(test_environment, "variables of UCX that exclude all networks select libfabric")
{
    static const struct { const char *text; bool confined; } tls[] = {
        { "sm,self", true }, { "posix", true }, { "SELF,CMA,sysv", true }, { "sm,", true }, { "", false },
        { "all", false }, { "sm,self,tcp", false }, { "rc", false }, { "^tcp", false }, { "s*", false },
        { "smx", false }, { "sm,ud_x", false }
    }, devices[] = {
        { "lo", true }, { "", false }, { "all", false }, { "eth0", false }, { "lo,eth0", false }, { "lo0", false },
        { "^lo", false }, { "mlx5_0:1", false }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(tls) && has_both(); i++) {
        expect_confined((irr_ucx_environment_t){ .tls = tls[i].text }, tls[i].confined);
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(devices) && has_both(); i++) {
        expect_confined((irr_ucx_environment_t){ .devices = devices[i].text }, devices[i].confined);
    }
}

IRR_TEST(test_named, "a name in the parameters selects the transport; otherwise the first row does")
{
    irr_engine_config_t config = one_node;
    irr_transport_choice_t choice;

    irr_transport_choose(&config, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, irr_transport_name(0));
    config.transport = "pigeon";   /* choosing accepts an unknown name; opening refuses it */
    irr_transport_choose(&config, &choice);
    CU_ASSERT_STRING_EQUAL(choice.name, "pigeon");
}

/* Libfabric replaces UCX only if the user has requested nothing of UCX. */
IRR_TEST(test_fallback, "without UCX the transport is libfabric, unless the configuration names UCX")
{
    const struct { irr_engine_config_t config; const char *why_not, *name; } rows[] = {
        { one_node, NULL, "ucx" }, { one_node, "no such file", "ofi" }, { nodes, "no such file", "ofi" },
        { { .transport = "ucx" }, "no such file", "ucx" }, { { .ucx_tls = "rc" }, "no such file", "ucx" },
        { { .ucx_devices = "eth0" }, "no such file", "ucx" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows) && has_both(); i++) {
        irr_transport_choice_t choice = { .name = "ucx", .why = "UCX is the default" };

        irr_transport_fall_back(&rows[i].config, rows[i].why_not, &choice);
        CU_ASSERT_STRING_EQUAL(choice.name, rows[i].name);
        CU_ASSERT_EQUAL(strcmp(choice.why, "UCX cannot be loaded: no such file") == 0, strcmp(choice.name, "ofi") == 0);
    }
}

/* ---- the table ---- */

IRR_TEST(test_rows, "the table has at least one row, and none before the first")
{
    int rows = 0;

    CU_ASSERT_PTR_NULL(irr_transport_name(-1));
    while (irr_transport_name(rows) != NULL) {
        rows++;
    }
    CU_ASSERT(rows > 0);
}

/* Without a name the engine opens the first row. An unknown name causes one error message, which lists the rows. */
IRR_TEST(test_names, "a known, an empty and an unknown name of a transport")
{
    irr_engine_config_t config = { .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_transport_t *transport = NULL;
    irr_engine_t *engine = NULL;

    for (int i = 0; i < 2; i++) {
        config.transport = i == 0 ? NULL : "";
        CU_ASSERT_EQUAL_FATAL(irr_transport_open(&config, &transport), IRR_OK);
        CU_ASSERT_STRING_EQUAL(transport->caps.name, irr_transport_name(0));
        transport->ops->free(transport);
    }
    config.transport = "pigeon";
    irr_world_start_log_at(IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(irr_transport_open(&config, &transport), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_world_log.lines, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, "pigeon"));
    for (int i = 0; irr_transport_name(i) != NULL; i++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, irr_transport_name(i)));
    }
    CU_ASSERT_EQUAL_FATAL(irr_engine_create(&config, &engine), IRR_OK);
    for (int i = 0; i < 2; i++) {   /* the engine keeps the reason for later error messages */
        CU_ASSERT_EQUAL(irr_engine_open_lane(engine, IRR_LANE_FAR), IRR_ERR_BAD_PARAM);
        CU_ASSERT_STRING_EQUAL(engine->reason[IRR_LANE_FAR], irr_world_log.last);
    }
    irr_engine_destroy(engine);
    irr_world_stop_log();
    CU_ASSERT_EQUAL(irr_world_log.lines, 1);
}

IRR_TEST(test_late, "an engine opens each transport once, on request, and progresses without one")
{
    char name[16];
    irr_engine_config_t config = { .transport = name, .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_engine_t *engine;
    irr_transport_t *transport;
    irr_counters_t counters;

    for (int opens = 0; opens < 2; opens++) {
        snprintf(name, sizeof(name), "%s", irr_transport_name(0));
        CU_ASSERT_EQUAL_FATAL(irr_engine_create(&config, &engine), IRR_OK);
        name[0] = 'x';   /* the engine has a copy of the text */
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

/* ---- interfaces ---- */

enum { ENTRIES = 7 };

typedef struct host {
    struct ifaddrs          list[ENTRIES];
    struct sockaddr_storage addresses[ENTRIES];
} host_t;

static void add(host_t *host, int i, const char *name, const char *address, bool up)
{
    struct sockaddr_storage *room = &host->addresses[i];
    struct ifaddrs *one = &host->list[i];

    *one = (struct ifaddrs){ .ifa_name = (char *)name, .ifa_flags = up ? IFF_UP : 0,
                             .ifa_next = i + 1 < ENTRIES ? one + 1 : NULL };
    if (address == NULL) {
        return;
    }
    one->ifa_addr = (struct sockaddr *)room;
    room->ss_family = strchr(address, ':') != NULL ? AF_INET6 : AF_INET;
    if (room->ss_family == AF_INET) {
        CU_ASSERT_EQUAL(inet_pton(AF_INET, address, &((struct sockaddr_in *)room)->sin_addr), 1);
    } else {
        CU_ASSERT_EQUAL(inet_pton(AF_INET6, address, &((struct sockaddr_in6 *)room)->sin6_addr), 1);
    }
}

static void make_host(host_t *host)
{
    memset(host, 0, sizeof(*host));
    add(host, 0, "lo", "127.0.0.1", true);
    add(host, 1, "eth0", "192.168.3.4", true);
    add(host, 2, "eth1", "10.0.255.1", true);
    add(host, 3, "eth2", "10.1.0.1", false);
    add(host, 4, "tun0", NULL, true);
    add(host, 5, "eth0", "fd00::4", true);
    add(host, 6, "eth10", "172.16.0.1", true);
}

static void expect_interfaces(const char *include, const char *exclude, const char *names)
{
    char found[64];
    host_t host;

    make_host(&host);
    CU_ASSERT_EQUAL(mca_coll_irr_interfaces(host.list, include, exclude, found, sizeof(found)), names[0] != '\0');
    CU_ASSERT_STRING_EQUAL(found, names);
    if (strcmp(found, names) != 0) {
        printf("# include %s, exclude %s: %s, not %s\n", include != NULL ? include : "-", exclude, found, names);
    }
}

IRR_TEST(test_interfaces, "interfaces that the lists of the tcp btl admit")
{
    static const char standard[] = "127.0.0.1/8,sppp";

    expect_interfaces(NULL, "", "lo,eth0,eth1,eth10");
    expect_interfaces("", standard, "eth0,eth1,eth10");
    expect_interfaces("eth1", standard, "eth1");
    expect_interfaces("eth1,lo", standard, "lo,eth1");
    expect_interfaces("10.0.0.0/8", standard, "eth1");
    expect_interfaces("10.0.128.0/17,192.168.3.4/32", standard, "eth0,eth1");
    expect_interfaces("10.0.0.0/17", standard, "");
    expect_interfaces("fd00::/16", standard, "eth0");
    expect_interfaces("0.0.0.0/0", standard, "lo,eth0,eth1,eth10");
    expect_interfaces(NULL, "eth1,127.0.0.0/8,172.16.0.0/12", "eth0");
}

/* Wrong entries admit no interface. A list that is too long for the buffer is not written. */
IRR_TEST(test_nonsense, "malformed entries in the lists of interfaces")
{
    char found[8];
    host_t host;

    expect_interfaces("eth", "", "");
    expect_interfaces("eth2", "", "");
    expect_interfaces("tun0", "", "");
    expect_interfaces("/,,10.0.0.0/33,10.0.0.0/,10.0.0/8,/8,::/129,eth0/8", "", "");
    expect_interfaces("10.0.255.1", "", "");
    expect_interfaces("a-name-that-is-much-longer-than-the-name-of-any-interface-may-be-here,eth1", "", "eth1");
    make_host(&host);
    CU_ASSERT_FALSE(mca_coll_irr_interfaces(host.list, NULL, "", found, sizeof(found)));
    CU_ASSERT_FALSE(mca_coll_irr_interfaces(NULL, NULL, "", found, sizeof(found)));
}

/* ---- devices ---- */

/* Makes a tree like sysfs with these devices, each "CLASS/NAME" or "CLASS/NAME=DRIVER"; NULL ends the list. */
static void make_tree(char *root, const char *const *devices)
{
    char command[512];

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    for (int i = 0; devices[i] != NULL; i++) {
        const int length = (int)strcspn(devices[i], "=");
        const char *driver = devices[i][length] == '=' ? devices[i] + length + 1 : NULL;

        snprintf(command, sizeof(command), "mkdir -p %s/class/%.*s/device", root, length, devices[i]);
        CU_ASSERT_EQUAL(system(command), 0);
        if (driver != NULL) {
            snprintf(command, sizeof(command), "ln -s ../../../bus/pci/drivers/%s %s/class/%.*s/device/driver", driver,
                     root, length, devices[i]);
            CU_ASSERT_EQUAL(system(command), 0);
        }
    }
}

static void expect_devices(const char *const *list, const char *ucx, const char *ofi)
{
    char root[] = "/tmp/irr-devices-XXXXXX", command[64];
    irr_devices_t devices;

    make_tree(root, list);
    irr_devices_look(root, &devices);
    CU_ASSERT_STRING_EQUAL(devices.ucx, ucx);
    CU_ASSERT_STRING_EQUAL(devices.ofi, ofi);
    snprintf(command, sizeof(command), "rm -r %s", root);
    CU_ASSERT_EQUAL(system(command), 0);
}

IRR_TEST(test_sysfs, "fast devices found in sysfs")
{
    static const char *const none[] = { NULL }, *const nic[] = { "net/eth0=virtio_net", NULL },
        *const verbs[] = { "infiniband/mlx5_1=mlx5_core", "infiniband/mlx5_0=mlx5_core", "infiniband/rxe0", NULL },
        *const efa[] = { "infiniband/rdmap0s6=efa", NULL }, *const path[] = { "infiniband/hfi1_0=hfi1", NULL },
        *const cxi[] = { "cxi/cxi1", "cxi/cxi0", NULL },
        *const both[] = { "cxi/cxi0", "infiniband/mlx5_0=mlx5_core", NULL };

    expect_devices(none, "", "");
    expect_devices(nic, "", "");
    expect_devices(verbs, "mlx5_0", "");
    expect_devices(efa, "", "rdmap0s6");
    expect_devices(path, "", "hfi1_0");
    expect_devices(cxi, "", "cxi0");
    expect_devices(both, "mlx5_0", "cxi0");
}

IRR_TEST_MAIN("auto", 60)
