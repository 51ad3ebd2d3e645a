/*
 * test_topology.c - the trees that Slurm describes. Trees in any spelling are read from topology.conf, and speeds in
 * another unit are doubted. The switch paths of all ranks become one tree, or are refused with a reason.
 * tests/lab_topology.sh compares more spellings with another reader. test_files.c has the files that are refused.
 */
#include "irr_test.h"
#include "irr_text.h"
#include "problem/placement.h"
#include "problem/switch_paths.h"
#include "problem/topology.h"

/* Reads the maximum number of hosts, in lines of the maximum length. */
IRR_TEST(test_large_file, "a file with the maximum number of hosts is read, and a larger file is refused")
{
    enum { NAMES = 65536, NAME_BYTES = 12 };
    char *text = irr_test_array(NAMES + 1, NAME_BYTES);
    irr_topology_t topology;
    irr_file_error_t error;
    size_t used = (size_t)sprintf(text, "SwitchName=s Nodes=");

    for (int i = 0; i < NAMES; i++) {
        used += (size_t)sprintf(text + used, "%s%d%s", i > 0 ? "," : "", i, i % 1000 == 999 ? "\\\n" : "");
    }
    irr_text_open();
    CU_ASSERT_EQUAL_FATAL(irr_topology_read(irr_text_fill(text, used), &topology, &error), IRR_OK);
    CU_ASSERT_EQUAL(topology.hosts, NAMES);
    CU_ASSERT_STRING_EQUAL(topology.names[NAMES - 1], "65535");
    irr_topology_fini(&topology);
    used += (size_t)sprintf(text + used, ",x");
    CU_ASSERT_EQUAL(irr_topology_read(irr_text_fill(text, used), &topology, &error), IRR_ERR_FORMAT);
    CU_ASSERT_STRING_EQUAL(error.reason, "Nodes: more than 65536 names");
    irr_text_close();
    free(text);
}

/* ---- spellings ---- */

/* A file, and its tree as text: for each vertex its name, the name above it, and the speed of the link between both. */
static const struct {
    const char *file, *tree, *doubt;   /* doubt: the beginning of the warning */
} spellings[] = {
    { "SwitchName=s Nodes=a,b", "a<s:1 b<s:1 s:1", "" },
    { "# x\n\n  nodes =\t\"b, a ,\"  switchname= s # more\r\n\n", "b<s:1 a<s:1 s:1", "" },
    { "SwitchName=s \\\nNodes=n[8-1\\\n0,3]x", "n8x<s:1 n9x<s:1 n10x<s:1 n3x<s:1 s:1", "" },
    { "SwitchName=s Nodes=,n[008-009],b", "n008<s:1 n009<s:1 b<s:1 s:1", "" },
    { "SwitchName=t Switches=s[1-2] LinkSpeed=99\nSwitchName=s1 Nodes=s1,t\nSwitchName=s2 Nodes=c LinkSpeed=\"1\"",
      "s1<s1:1 t<s1:1 c<s2:1 t:99 s1<t:1 s2<t:1", "" },
    { "SwitchName=s Nodes=a,b LinkSpeed=2\nSwitchName=u Switches=s,v LinkSpeed=3\nSwitchName=v Nodes=c LinkSpeed=1\n"
      "SwitchName=t Nodes=d Switches=u", "a<s:1 b<s:1 c<v:1 d<t:1 s<u:2 u<t:3 v<u:1 t:1", "" },
    { "SwitchName=s Nodes=a,b LinkSpeed=3\nSwitchName=t Nodes=d Switches=s", "a<s:1 b<s:1 d<t:1 s<t:3 t:1",
      "LinkSpeed 3 of switch 's' without NodeSpeed counts as 3 times a host's link" },
    { "SwitchName=s Nodes=a LinkSpeed=2\nSwitchName=u Switches=s LinkSpeed=9\nSwitchName=t Nodes=d Switches=u",
      "a<s:1 d<t:1 s<u:2 u<t:9 t:1", "LinkSpeed 2 of switch 's' " },
    { "SwitchName=s Nodes=a LinkSpeed=4294967295 NodeSpeed=010\nSwitchName=t Nodes=d Switches=s",
      "a<s:10 d<t:1 s<t:4294967295 t:1", "" }
};

/* Writes a tree as in the table. */
static void describe(const irr_topology_t *topology, char *text, size_t size)
{
    size_t at = 0;

    for (int v = 0; v < topology->vertices; v++) {
        const int above = topology->parent[v];

        at += (size_t)snprintf(text + at, size - at, "%s%s%s%s:%llu", v > 0 ? " " : "", topology->names[v],
                               above < 0 ? "" : "<", above < 0 ? "" : topology->names[above],
                               (unsigned long long)topology->speed[v]);
    }
}

/* The warning needs memory only if the file has no NodeSpeed. */
static void check_doubt(const irr_topology_t *topology, const char *expected)
{
    char text[256] = "nothing was said";

    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_topology_doubt(topology, text, sizeof(text)),
                    topology->node_speeds ? IRR_OK : IRR_ERR_NO_MEMORY);
    irr_memory_fail(0, NULL);
    CU_ASSERT_EQUAL(irr_topology_doubt(topology, text, sizeof(text)), IRR_OK);
    CU_ASSERT_EQUAL(text[0] == '\0', expected[0] == '\0');
    text[strlen(expected)] = '\0';
    CU_ASSERT_STRING_EQUAL(text, expected);
}

IRR_TEST(test_spellings, "spellings of trees, and warnings about speeds")
{
    irr_text_open();
    for (size_t i = 0; i < IRR_TEST_COUNT(spellings); i++) {
        const char *file = spellings[i].file;
        irr_topology_t topology;
        irr_file_error_t error = { 0 };
        char text[256];
        const irr_status_t status = irr_topology_read(irr_text_fill(file, strlen(file)), &topology, &error);

        CU_ASSERT_EQUAL_FATAL(status, IRR_OK);
        describe(&topology, text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, spellings[i].tree);
        check_doubt(&topology, spellings[i].doubt);
        irr_topology_fini(&topology);
    }
    irr_text_close();
}

enum { STRIDE = 64, RANKS_MAX = 64 };

/* ---- the path of a rank ---- */

/* Checks one path. wanted: the expected path; NULL: the path must be refused with a reason. */
static void check_path(const char *address, const char *pattern, const char *wanted)
{
    char path[IRR_SWITCH_PATH_MAX] = "as before", reason[160] = "";

    CU_ASSERT_EQUAL(irr_switch_path(address, pattern, path, reason, sizeof(reason)),
                    wanted != NULL ? IRR_OK : IRR_ERR_FORMAT);
    CU_ASSERT_STRING_EQUAL(path, wanted != NULL ? wanted : "");
    CU_ASSERT_EQUAL(reason[0] == '\0', wanted != NULL);
}

IRR_TEST(test_path, "the path of switches of a rank, or the reason why there is none")
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

/* ---- paths of all ranks ---- */

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

IRR_TEST(test_tree, "paths of switches become a tree")
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

IRR_TEST(test_no_tree, "paths that do not form a tree are refused")
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

IRR_TEST_SEEDED(test_any_bytes, "paths of any bytes, even unterminated, are refused or become a connected tree")
{
    static const char alphabet[] = "ab/./n";
    char paths[RANKS_MAX * STRIDE], reason[256];
    int host_of[RANKS_MAX], trees = 0;

    for (int run = 0; run < 20000; run++) {
        const int ranks = 1 + (int)irr_test_below(state, 4), length = 1 + (int)irr_test_below(state, 8);
        irr_topology_t topology;

        for (int i = 0; i < ranks * length; i++) {
            paths[i] = run % 8 == 0 ? (char)irr_test_random(state)
                                    : alphabet[irr_test_below(state, sizeof(alphabet))];
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

IRR_TEST(test_star, "a tree of one switch")
{
    irr_topology_t topology;

    CU_ASSERT_EQUAL_FATAL(irr_topology_star(3, &topology), IRR_OK);
    CU_ASSERT_TRUE(topology.hosts == 3 && topology.vertices == 4 && topology.parent[3] == -1);
    for (int h = 0; h < 3; h++) {
        CU_ASSERT_TRUE(topology.parent[h] == 3 && irr_topology_speed(&topology, h) == 1);
    }
    irr_topology_fini(&topology);
}

IRR_TEST_MAIN("topology", 120)
