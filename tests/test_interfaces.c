/*
 * test_interfaces.c - the interfaces that the lists of Open MPI's tcp btl admit, and the fast devices in sysfs.
 */
#include "irr_test.h"

#include "ompi_coll_irr/coll_irr_interfaces.h"
#include "transport/devices.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void expect(const char *include, const char *exclude, const char *names)
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

static void test_lists(void)
{
    static const char standard[] = "127.0.0.1/8,sppp";

    expect(NULL, "", "lo,eth0,eth1,eth10");
    expect("", standard, "eth0,eth1,eth10");
    expect("eth1", standard, "eth1");
    expect("eth1,lo", standard, "lo,eth1");
    expect("10.0.0.0/8", standard, "eth1");
    expect("10.0.128.0/17,192.168.3.4/32", standard, "eth0,eth1");
    expect("10.0.0.0/17", standard, "");
    expect("fd00::/16", standard, "eth0");
    expect("0.0.0.0/0", standard, "lo,eth0,eth1,eth10");
    expect(NULL, "eth1,127.0.0.0/8,172.16.0.0/12", "eth0");
}

/* Wrong entries admit no interface. A list that is too long for the buffer is not written. */
static void test_nonsense(void)
{
    char found[8];
    host_t host;

    expect("eth", "", "");
    expect("eth2", "", "");
    expect("tun0", "", "");
    expect("/,,10.0.0.0/33,10.0.0.0/,10.0.0/8,/8,::/129,eth0/8", "", "");
    expect("10.0.255.1", "", "");
    expect("a-name-that-is-much-longer-than-the-name-of-any-interface-may-be-here,eth1", "", "eth1");
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

static void test_devices(void)
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

IRR_TEST_MAIN("interfaces", 60,
    { "interfaces that the lists admit", test_lists },
    { "wrong entries", test_nonsense },
    { "fast devices", test_devices })
