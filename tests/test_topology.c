/*
 * test_topology.c - the trees that Slurm describes. Random trees in random spelling are read from topology.conf, and
 * speeds in another unit are doubted. The paths of switches of ranks become one tree, or are refused with a reason.
 * test_files.c has the files that are refused.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_text.h"
#include "problem/placement.h"
#include "problem/switch_paths.h"
#include "problem/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Reads the maximum number of hosts, in lines of the maximum length. */
static void test_large_file(void)
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

/* ---- random trees in random spelling ---- */

static uint64_t state;

static size_t below(size_t limit)
{
    return (size_t)irr_test_below(&state, limit);
}

enum { SWITCHES_MAX = 12, LEAF_MAX = 8, HOSTS_MAX = SWITCHES_MAX * LEAF_MAX, TEXT_MAX = 16384 };

/*
 * Switch i is in the i-th line. Hosts are numbered in the order of the file. The numbers in their names have gaps
 * behind each third host. Hosts and switches may have the same names.
 */
typedef struct tree {
    int         switches, hosts;
    int         parent[SWITCHES_MAX];
    unsigned    speed[SWITCHES_MAX], node_speed[SWITCHES_MAX];
    bool        has_node_speed[SWITCHES_MAX];   /* the line has NodeSpeed, if the switch has hosts */
    int         host_parent[HOSTS_MAX];
    int         host_width, base, gap;   /* of the numbers in the names */
    const char *prefix;                  /* of the names of switches */
} tree_t;

static int number_of(const tree_t *tree, int host)
{
    return tree->base + host + host / 3 * tree->gap;
}

static unsigned any_speed(void)
{
    return below(2) == 0 ? 1 : 1 + (unsigned)below(below(2) == 0 ? 8 : 100000);
}

/* Switch i gets the parent order[k] of a switch order[j], k < j. A switch without children gets a host at least. */
static void make_tree(tree_t *tree)
{
    const bool node_speeds = below(2) == 0;
    int order[SWITCHES_MAX];
    bool leaf[SWITCHES_MAX];

    *tree = (tree_t){
        .switches = 1 + (int)below(SWITCHES_MAX), .host_width = (int)below(5), .base = (int)below(120),
        .gap = (int)below(3), .prefix = below(2) == 0 ? "sw" : "n"
    };
    for (int i = 0; i < tree->switches; i++) {
        const int j = (int)below((size_t)i + 1);

        order[i] = order[j];
        order[j] = i;
        leaf[i] = true;
    }
    for (int i = 0; i < tree->switches; i++) {
        const int parent = i == 0 ? -1 : order[below((size_t)i)];

        tree->parent[order[i]] = parent;
        tree->speed[order[i]] = any_speed();
        tree->has_node_speed[order[i]] = node_speeds && below(2) == 0;
        tree->node_speed[order[i]] = tree->has_node_speed[order[i]] ? any_speed() : 1;
        leaf[parent < 0 ? order[0] : parent] = parent < 0;
    }
    for (int i = 0; i < tree->switches; i++) {
        for (size_t h = below(LEAF_MAX) + leaf[i]; h > 0; h--) {
            tree->host_parent[tree->hosts++] = i;
        }
    }
}

/* Text that grows. */
typedef struct text {
    char   bytes[TEXT_MAX];
    size_t used;
} text_t;

static void put(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text_t *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text->used += (size_t)vsnprintf(text->bytes + text->used, TEXT_MAX - text->used, format, arguments);
    va_end(arguments);
    CU_ASSERT_FATAL(text->used < TEXT_MAX - 1);
}

static void put_blanks(text_t *text, size_t at_least)
{
    for (size_t n = at_least + (below(4) == 0) * below(3); n > 0; n--) {
        put(text, "%s", below(5) == 0 ? "\\\n" : below(3) == 0 ? "\t" : " ");
    }
    if (at_least > 0) {
        put(text, " ");
    }
}

/*
 * Appends names with a prefix and a number, one by one, or some of them in brackets. Consecutive numbers become ranges.
 */
static void put_list(text_t *text, const char *comma, const char *prefix, const int *numbers, int count, int width)
{
    for (int i = 0, same; i < count; i += same) {
        const bool brackets = below(3) > 0;

        same = brackets ? 1 + (int)below((size_t)(count - i)) : 1;
        put(text, "%s%s%s", i > 0 ? comma : "", prefix, brackets ? "[" : "");
        for (int j = i, run; j < i + same; j += run) {
            for (run = 1; j + run < i + same && numbers[j + run] == numbers[j + run - 1] + 1; run++) {
            }
            run = 1 + (int)below((size_t)run);
            put(text, "%s%0*d", j > i ? "," : "", width, numbers[j]);
            if (run > 1) {
                put(text, "-%0*d", (int)below(2) * width, numbers[j + run - 1]);
            }
        }
        put(text, "%s%s", brackets ? "]" : "", below(9) == 0 ? "\\\n" : "");
    }
}

static void put_keyword(text_t *text, const char *keyword)
{
    for (; *keyword != '\0'; keyword++) {
        put(text, "%c%s", below(4) == 0 ? tolower(*keyword) : *keyword, below(40) == 0 ? "\\\n" : "");
    }
    put_blanks(text, 0);
    put(text, "=");
    put_blanks(text, 0);
}

static void put_numbers(text_t *text, const char *keyword, const char *prefix, const int *numbers, int count,
                        int width)
{
    const char *quote = below(3) == 0 ? "\"" : "";

    if (count > 0) {
        put_blanks(text, 1);
        put_keyword(text, keyword);
        put(text, "%s", quote);
        put_list(text, *quote != '\0' && below(2) == 0 ? " ,\t" : ",", prefix, numbers, count, width);
        put(text, "%s", quote);
    }
}

static void put_speed(text_t *text, const char *keyword, unsigned speed, bool is_needed)
{
    if (is_needed) {
        put_blanks(text, 1);
        put_keyword(text, keyword);
        put(text, "%u", speed);
    }
}

/* The keywords behind the name have any of four orders. */
static void put_switch(text_t *text, const tree_t *tree, int i)
{
    int hosts[HOSTS_MAX], switches[SWITCHES_MAX], host_count = 0, switch_count = 0;
    const size_t first = below(4);

    for (int h = 0; h < tree->hosts; h++) {
        if (tree->host_parent[h] == i) {
            hosts[host_count++] = number_of(tree, h);
        }
    }
    for (int s = 0; s < tree->switches; s++) {
        if (tree->parent[s] == i) {
            switches[switch_count++] = s;
        }
    }
    put_blanks(text, 0);
    put_keyword(text, "SwitchName");
    put(text, "%s%d", tree->prefix, i);
    for (size_t n = first; n < first + 4; n++) {
        switch (n % 4) {
        case 0: put_speed(text, "LinkSpeed", tree->speed[i], tree->speed[i] > 1 || below(2) == 0); break;
        case 1: put_numbers(text, "Nodes", "n", hosts, host_count, tree->host_width); break;
        case 2: put_numbers(text, "Switches", tree->prefix, switches, switch_count, 0); break;
        default: put_speed(text, "NodeSpeed", tree->node_speed[i], tree->has_node_speed[i] && host_count > 0);
        }
    }
    put(text, "%s%s", below(3) == 0 ? " # why \\" : "", below(4) == 0 ? "\r\n" : "\n");
}

/* The last line may lack its newline. */
static void put_tree(text_t *text, const tree_t *tree)
{
    text->used = 0;
    for (int i = 0; i < tree->switches; i++) {
        put(text, "%s", below(4) == 0 ? "\n" : below(4) == 0 ? "# SwitchName=x\n" : "");
        put_switch(text, tree, i);
    }
    text->used -= below(4) == 0 && text->bytes[text->used - 2] != '\n';
}

static void check_tree(const irr_topology_t *topology, const tree_t *tree)
{
    char name[32];

    CU_ASSERT_EQUAL_FATAL(topology->hosts, tree->hosts);
    CU_ASSERT_EQUAL_FATAL(topology->vertices, tree->hosts + tree->switches);
    for (int h = 0; h < tree->hosts; h++) {
        snprintf(name, sizeof(name), "n%0*d", tree->host_width, number_of(tree, h));
        CU_ASSERT_STRING_EQUAL(topology->names[h], name);
        CU_ASSERT_EQUAL(topology->parent[h], tree->hosts + tree->host_parent[h]);
        CU_ASSERT_EQUAL(topology->speed[h], tree->node_speed[tree->host_parent[h]]);
    }
    for (int i = 0; i < tree->switches; i++) {
        const int v = tree->hosts + i;

        snprintf(name, sizeof(name), "%s%d", tree->prefix, i);
        CU_ASSERT_STRING_EQUAL(topology->names[v], name);
        CU_ASSERT_EQUAL(topology->parent[v], tree->parent[i] < 0 ? -1 : tree->hosts + tree->parent[i]);
        CU_ASSERT_EQUAL(topology->speed[v], tree->speed[i]);
    }
}

/*
 * Without NodeSpeed, the first link to a parent that is faster than the links of all hosts below it together is
 * doubted: its speed most likely has another unit.
 */
static void check_doubt(const irr_topology_t *topology, const tree_t *tree)
{
    char text[256] = "nothing was said", expected[256] = "";
    unsigned hosts[SWITCHES_MAX] = { 0 };
    bool node_speeds = false;

    for (int h = 0; h < tree->hosts; h++) {
        node_speeds = node_speeds || tree->has_node_speed[tree->host_parent[h]];
        for (int s = tree->host_parent[h]; s >= 0; s = tree->parent[s]) {
            hosts[s]++;
        }
    }
    for (int s = tree->switches - 1; s >= 0 && !node_speeds; s--) {
        if (tree->parent[s] >= 0 && tree->speed[s] > 1 && tree->speed[s] > hosts[s]) {
            snprintf(expected, sizeof(expected), "LinkSpeed %u of switch '%s%d' without NodeSpeed counts as %u times a "
                     "host's link; leave LinkSpeed out, or add NodeSpeed in its unit", tree->speed[s], tree->prefix, s,
                     tree->speed[s]);
        }
    }
    irr_memory_begin();
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_topology_doubt(topology, text, sizeof(text)), node_speeds ? IRR_OK : IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    CU_ASSERT_EQUAL(irr_topology_doubt(topology, text, sizeof(text)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_random_trees(void)
{
    static text_t text;

    state = irr_test_seed();
    irr_text_open();
    for (int run = 0; run < 800; run++) {
        irr_topology_t topology;
        irr_file_error_t error = { 0 };
        tree_t tree;
        irr_status_t status;

        make_tree(&tree);
        put_tree(&text, &tree);
        status = irr_topology_read(irr_text_fill(text.bytes, text.used), &topology, &error);
        if (status != IRR_OK) {
            printf("# line %zu: %s\n%s\n", error.line, error.reason, text.bytes);
        }
        CU_ASSERT_EQUAL_FATAL(status, IRR_OK);
        check_tree(&topology, &tree);
        check_doubt(&topology, &tree);
        irr_topology_fini(&topology);
    }
    irr_text_close();
}

/* ---- paths of switches ---- */

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

IRR_TEST_MAIN("topology", 120,
    { "files of many hosts are read, and more are refused", test_large_file },
    { "random trees in random spelling are read, and speeds in another unit doubted", test_random_trees },
    { "the path of a rank, or why there is none", test_path },
    { "paths become a tree", test_tree },
    { "paths that are no tree are refused", test_no_tree },
    { "any bytes are a tree or refused", test_any_bytes },
    { "one switch", test_star })
