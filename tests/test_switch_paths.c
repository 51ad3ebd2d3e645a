/*
 * test_switch_paths.c - the paths of switches that Slurm gives to ranks become one tree, or are refused with a reason.
 */
#include "core/alloc.h"
#include "irr_test.h"
#include "problem/placement.h"
#include "problem/switch_paths.h"

#include <stdlib.h>
#include <string.h>

enum { STRIDE = 64, RANKS_MAX = 64 };

/* ---- one path ---- */

/* Checks one path. wanted: the expected path; NULL: the path must be refused with a reason. */
static void check_path(const char *address, const char *pattern, const char *wanted)
{
    char path[IRR_SWITCH_PATH_MAX] = "as before", reason[160] = "";

    CU_ASSERT_EQUAL(irr_switch_path(address, pattern, path, reason, sizeof(reason)),
                    wanted != NULL ? IRR_OK : IRR_ERR_FORMAT);
    CU_ASSERT_STRING_EQUAL(path, wanted != NULL ? wanted : "");
    CU_ASSERT_EQUAL(reason[0] == '\0', wanted != NULL);
}

static void test_path(void)
{
    static const struct { const char *address, *pattern, *path; } rows[] = {
        { "leaf1.n7", "switch.node", "leaf1/n7" },
        { "root_switch.CELL1.isw1r4.node386", "switch.switch.switch.node", "root_switch/CELL1/isw1r4/node386" },
        { "leaf1.n7.rack2.site", "switch.node", "leaf1/n7.rack2.site" }, { "n7", "node", "" },
        { "leaf1.n7", "", NULL }, { "leaf1.n7", "switch", NULL }, { "leaf1.n7", "block.node", NULL },
        { "leaf1.n7", "switch.node.node", NULL }, { "leaf1.n7", "switch.switch.node", NULL },
        { "", "switch.node", NULL },
        { ".n7", "switch.node", NULL }, { "leaf1.", "switch.node", NULL }, { "leaf/1.n7", "switch.node", NULL },
        { "leaf 1.n7", "switch.node", NULL }, { "leaf[0-1].n7", "switch.node", NULL },
        { "leaf\n1.n7", "switch.node", NULL }, { "leaf\xff.n7", "switch.node", NULL }
    };
    char longer[IRR_SWITCH_PATH_MAX + 2], deep[256] = "";

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        check_path(rows[i].address, rows[i].pattern, rows[i].path);
    }
    memset(longer, 'a', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    longer[5] = '.';
    check_path(longer, "switch.node", NULL);
    for (int i = 0; i <= IRR_SWITCH_PATH_DEPTH; i++) {
        strcat(deep, "switch.");
    }
    strcat(deep, "node");
    check_path("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", deep, NULL);
}

/* ---- trees ---- */

/* Stores paths that blanks separate.  Returns their number. */
static int lay_out(const char *text, char *paths)
{
    int ranks = 0;

    memset(paths, 0, (size_t)RANKS_MAX * STRIDE);
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");

        memcpy(paths + ranks++ * STRIDE, text, length);
        text += length + (text[length] == ' ');
    }
    return ranks;
}

static void test_tree(void)
{
    char paths[RANKS_MAX * STRIDE], reason[256];
    const int ranks = lay_out("s/l0/n5 s/l0/n5 s/l1/n1 s/l0/n0 s/l1/n1", paths);
    irr_topology_t topology;
    int host_of[RANKS_MAX];

    CU_ASSERT_EQUAL_FATAL(irr_switch_paths_tree(paths, STRIDE, ranks, &topology, host_of, reason, sizeof(reason)),
                          IRR_OK);
    CU_ASSERT_TRUE(topology.hosts == 3 && topology.vertices == 6);
    CU_ASSERT_TRUE(host_of[0] == 0 && host_of[1] == 0 && host_of[2] == 1 && host_of[3] == 2 && host_of[4] == 1);
    CU_ASSERT_STRING_EQUAL(topology.names[0], "n5");
    CU_ASSERT_STRING_EQUAL(topology.names[topology.parent[0]], "l0");
    CU_ASSERT_STRING_EQUAL(topology.names[topology.parent[1]], "l1");
    CU_ASSERT_EQUAL(topology.parent[2], topology.parent[0]);
    CU_ASSERT_STRING_EQUAL(topology.names[topology.parent[topology.parent[1]]], "s");
    CU_ASSERT_EQUAL(topology.parent[topology.parent[topology.parent[1]]], -1);
    irr_topology_fini(&topology);
}

static void test_no_tree(void)
{
    static const struct { const char *paths, *reason; } rows[] = {
        { "s/l0/n0 s/l1/n0", "'n0' is below switch" }, { "s/l0/n0 t/l0/n1", "'l0' is below switch" },
        { "s/l0/n0 t/l1/n1", "at the top" }, { "s/t/n0 t/s/n1", "is below switch" },
        { "s/n0 s/t/n1 n1/n2", "a switch and a node" }, { "s/s/n0", "'s' is below switch" }, { "s/l0/n0 n1", "rank 1" },
        { "s/l0/n0 s//n1", "rank 1" }, { "s/l0/n0 s/l,0/n1", "rank 1" },
        { "s/n0 a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r", "rank 1" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        char paths[RANKS_MAX * STRIDE], reason[256] = "";
        const int ranks = lay_out(rows[i].paths, paths);
        irr_topology_t topology = { .hosts = -1 };
        int host_of[RANKS_MAX];

        CU_ASSERT_EQUAL(irr_switch_paths_tree(paths, STRIDE, ranks, &topology, host_of, reason, sizeof(reason)),
                        IRR_ERR_FORMAT);
        CU_ASSERT_EQUAL(topology.hosts, -1);
        CU_ASSERT_PTR_NOT_NULL(strstr(reason, rows[i].reason));
    }
}

/* Paths of any bytes, even without a terminator, are refused or make a connected tree. */
static void test_any_bytes(void)
{
    static const char alphabet[] = "ab/./n";
    uint64_t random = irr_test_seed();
    char paths[RANKS_MAX * STRIDE], reason[256];
    int host_of[RANKS_MAX], trees = 0;

    for (int run = 0; run < 20000; run++) {
        const int ranks = 1 + (int)irr_test_below(&random, 4), length = 1 + (int)irr_test_below(&random, 8);
        irr_topology_t topology;

        for (int i = 0; i < ranks * length; i++) {
            paths[i] = run % 8 == 0 ? (char)irr_test_random(&random)
                                    : alphabet[irr_test_below(&random, sizeof(alphabet))];
        }
        if (irr_switch_paths_tree(paths, (size_t)length, ranks, &topology, host_of, reason, sizeof(reason)) == IRR_OK) {
            irr_topology_t subtree;

            trees++;
            CU_ASSERT_EQUAL_FATAL(irr_topology_cut(&topology, ranks, host_of, &subtree), IRR_OK);
            irr_topology_fini(&subtree);
            irr_topology_fini(&topology);
        }
    }
    CU_ASSERT_TRUE(trees > 10);
}

static void test_star(void)
{
    irr_topology_t topology;

    CU_ASSERT_EQUAL_FATAL(irr_topology_star(3, &topology), IRR_OK);
    CU_ASSERT_TRUE(topology.hosts == 3 && topology.vertices == 4 && topology.parent[3] == -1);
    for (int h = 0; h < 3; h++) {
        CU_ASSERT_TRUE(topology.parent[h] == 3 && irr_topology_speed(&topology, h) == 1);
    }
    irr_topology_fini(&topology);
}

IRR_TEST_MAIN("switch_paths", 60,
    { "the path of a rank, or why there is none", test_path },
    { "paths become a tree", test_tree },
    { "paths that are no tree are refused", test_no_tree },
    { "any bytes are a tree or refused", test_any_bytes },
    { "one switch", test_star })
