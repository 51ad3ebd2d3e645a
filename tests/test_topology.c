/*
 * test_topology.c - topology.conf: files that are read, and random trees in random spelling. test_files.c has the files
 * that are refused.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_text.h"
#include "problem/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Between irr_text_open and irr_text_close. */
static irr_status_t read_text(const char *text, size_t length, irr_topology_t *topology, irr_file_error_t *error)
{
    return irr_topology_read(irr_text_fill(text, length), topology, error);
}

/* Writes a topology as one line of text: each vertex with its parent and its speed. */
static void describe(const irr_topology_t *topology, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int v = 0; v < topology->vertices && used < size; v++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s%s:%d",
                                 v == 0 ? "" : v == topology->hosts ? " | " : " ", topology->names[v],
                                 topology->parent[v] < 0 ? "" : "<", topology->parent[v]);
        if (topology->speed[v] != 1 && used < size) {
            used += (size_t)snprintf(text + used, size - used, "*%d", (int)topology->speed[v]);
        }
    }
}

/* Files that users have, and files that Slurm's reader accepts. */
static const struct { const char *text, *expected; } good_files[] = {
    { "SwitchName=s0 Nodes=n0", "n0<:1 | s0:-1" },
    { "##################################################################\n"
      "# Slurm's network topology configuration file for use with the\n"
      "# topology/tree plugin\n"
      "##################################################################\n"
      "SwitchName=s0 Nodes=dev[0-1]\nSwitchName=s1 Nodes=dev[2-3]\nSwitchName=s2 Nodes=dev[4,5]\n"
      "SwitchName=s3 Switches=s[0-2]\n",
      "dev0<:6 dev1<:6 dev2<:7 dev3<:7 dev4<:8 dev5<:8 | s0<:9 s1<:9 s2<:9 s3:-1" },
    { "\t SWITCHNAME = top \t switches = \"a, b\"  # both\r\n\r\nswitchname=a nodes=\"x y\"\r\n"
      "SwitchName=b Nodes=z LinkSpeed=40\r\n", "x<:4 y<:4 z<:5 | top:-1 a<:3 b<:3*40" },
    { "SwitchName=s0 Nodes=n[8-10],m[08-010]\n", "n8<:6 n9<:6 n10<:6 m08<:6 m09<:6 m10<:6 | s0:-1" },
    { "SwitchName=s0 Nodes=[1-2],a[1]b\n", "1<:3 2<:3 a1b<:3 | s0:-1" },
    { "SwitchName=s0 \\\n  Nodes=n0,\\  \nn1 # no more \\\nSwitchName=s1 Nodes=n2 Swit\\\nches=s0\n",
      "n0<:3 n1<:3 n2<:4 | s0<:4 s1:-1" },
    { "Nodes=n0 LinkSpeed=2 SwitchName=s0\nSwitches=s0 SwitchName=s1\n", "n0<:1 | s0<:2*2 s1:-1" },
    { "SwitchName=a Nodes=a,b Switches=b LinkSpeed=9\nSwitchName=b Nodes=c\n",
      "a<:3 b<:3 c<:4 | a:-1*9 b<:3" },
    { "SwitchName=a Nodes=a,b Switches=b NodeSpeed=10\nSwitchName=b Nodes=c LinkSpeed=40 nodespeed=25\n",
      "a<:3*10 b<:3*10 c<:4*25 | a:-1 b<:3*40" },
};

static void test_good_files(void)
{
    irr_text_open();
    for (size_t i = 0; i < IRR_TEST_COUNT(good_files); i++) {
        irr_topology_t topology;
        irr_file_error_t error;
        char text[1024];
        irr_status_t status = read_text(good_files[i].text, strlen(good_files[i].text), &topology, &error);

        CU_ASSERT_EQUAL_FATAL(status, IRR_OK);
        describe(&topology, text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, good_files[i].expected);
        irr_topology_fini(&topology);
        CU_ASSERT_PTR_NULL(topology.names);
    }
    irr_text_close();
}

#define ADVICE "; leave LinkSpeed out, or add NodeSpeed in its unit"

/*
 * Values of LinkSpeed that most likely have another unit. The warning names the first switch with such a value, or is
 * empty.
 */
static const struct { const char *text, *doubt; } speeds[] = {
    { "SwitchName=a Nodes=n[0-1]\nSwitchName=b Switches=a\n", "" },
    { "SwitchName=a Nodes=n[0-1] LinkSpeed=2\nSwitchName=b Switches=a LinkSpeed=9\n", "" },
    { "SwitchName=a Nodes=n[0-1] LinkSpeed=3\nSwitchName=b Switches=a\n",
      "LinkSpeed 3 of switch 'a' without NodeSpeed counts as 3 times a host's link"
      ADVICE },
    { "SwitchName=a Nodes=n[0-1] LinkSpeed=3\nSwitchName=b Switches=a Nodes=m NodeSpeed=1\n", "" },
    { "SwitchName=t Switches=a\nSwitchName=a Switches=b,c LinkSpeed=4\nSwitchName=c Nodes=n[0-1] LinkSpeed=2\n"
      "SwitchName=b Nodes=m[0-1] LinkSpeed=10000\n",
      "LinkSpeed 10000 of switch 'b' without NodeSpeed counts as 10000 times a host's link"
      ADVICE },
    { "SwitchName=a Nodes=n LinkSpeed=1\nSwitchName=c Switches=a LinkSpeed=2\nSwitchName=t Switches=c\n",
      "LinkSpeed 2 of switch 'c' without NodeSpeed counts as 2 times a host's link"
      ADVICE },
};

static void test_doubt(void)
{
    irr_text_open();
    for (size_t i = 0; i < IRR_TEST_COUNT(speeds); i++) {
        irr_topology_t topology;
        irr_file_error_t error;
        char text[256] = "nothing was said";

        CU_ASSERT_EQUAL_FATAL(read_text(speeds[i].text, strlen(speeds[i].text), &topology, &error), IRR_OK);
        irr_memory_begin();
        irr_memory_fail(1, NULL);
        CU_ASSERT_EQUAL(irr_topology_doubt(&topology, text, sizeof(text)),
                        topology.node_speeds ? IRR_OK : IRR_ERR_NO_MEMORY);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
        CU_ASSERT_EQUAL(irr_topology_doubt(&topology, text, sizeof(text)), IRR_OK);
        CU_ASSERT_STRING_EQUAL(text, speeds[i].doubt);
        irr_topology_fini(&topology);
    }
    irr_text_close();
}

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
    CU_ASSERT_EQUAL_FATAL(read_text(text, used, &topology, &error), IRR_OK);
    CU_ASSERT_EQUAL(topology.hosts, NAMES);
    CU_ASSERT_STRING_EQUAL(topology.names[NAMES - 1], "65535");
    irr_topology_fini(&topology);
    used += (size_t)sprintf(text + used, ",x");
    CU_ASSERT_EQUAL(read_text(text, used, &topology, &error), IRR_ERR_FORMAT);
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

enum { SWITCHES_MAX = 12, HOSTS_MAX = 60, TEXT_MAX = 16384 };

/*
 * Switch i is in the i-th line. Hosts are numbered in the order of the file, and the numbers in their names have no
 * gaps.
 */
typedef struct tree {
    int      switches, hosts;
    int      parent[SWITCHES_MAX];
    unsigned speed[SWITCHES_MAX];
    unsigned node_speed[SWITCHES_MAX];
    int      host_parent[HOSTS_MAX];   /* by host, in the order of the file; the values do not decrease */
    int      host_number[HOSTS_MAX];
    int      host_width, base;         /* width and first value of the numbers in the names */
} tree_t;

static void make_tree(tree_t *tree)
{
    int order[SWITCHES_MAX], free_hosts;
    bool leaf[SWITCHES_MAX];

    *tree = (tree_t){
        .switches = 1 + (int)below(SWITCHES_MAX), .host_width = (int)below(5), .base = (int)below(120)
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
        tree->speed[order[i]] = below(2) == 0 ? 1 : 1 + (unsigned)below(100000);
        tree->node_speed[order[i]] = below(2) == 0 ? 1 : 1 + (unsigned)below(100000);
        leaf[parent < 0 ? 0 : parent] = parent >= 0 ? false : leaf[0];
    }
    free_hosts = (int)below(HOSTS_MAX - SWITCHES_MAX);
    for (int i = 0; i < tree->switches; i++) {
        const int more = i < tree->switches - 1 ? (int)below((size_t)free_hosts + 1) : free_hosts;

        for (int h = 0; h < more + leaf[i]; h++) {
            tree->host_parent[tree->hosts++] = i;
        }
        free_hosts -= more;
    }
    for (int h = 0; h < tree->hosts; h++) {
        const int j = below(3) == 0 ? (int)below((size_t)h + 1) : h;

        tree->host_number[h] = tree->host_number[j];
        tree->host_number[j] = tree->base + h;
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
static void put_list(text_t *text, const char *prefix, const int *numbers, int count, int width)
{
    for (int i = 0, same; i < count; i += same) {
        const bool brackets = below(3) > 0;

        same = brackets ? 1 + (int)below((size_t)(count - i)) : 1;
        put(text, "%s%s%s", i > 0 ? "," : "", prefix, brackets ? "[" : "");
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
        put(text, "%c", below(4) == 0 ? tolower(*keyword) : *keyword);
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
        put_list(text, prefix, numbers, count, width);
        put(text, "%s", quote);
    }
}

static void put_speed(text_t *text, const char *keyword, unsigned speed)
{
    if (speed != 1 || below(2) == 0) {
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
            hosts[host_count++] = tree->host_number[h];
        }
    }
    for (int s = 0; s < tree->switches; s++) {
        if (tree->parent[s] == i) {
            switches[switch_count++] = s;
        }
    }
    put_blanks(text, 0);
    put_keyword(text, "SwitchName");
    put(text, "sw%d", i);
    for (size_t n = first; n < first + 4; n++) {
        switch (n % 4) {
        case 0: put_speed(text, "LinkSpeed", tree->speed[i]); break;
        case 1: put_numbers(text, "Nodes", "n", hosts, host_count, tree->host_width); break;
        case 2: put_numbers(text, "Switches", "sw", switches, switch_count, 0); break;
        default:
            if (host_count > 0) {
                put_speed(text, "NodeSpeed", tree->node_speed[i]);
            }
        }
    }
    put(text, "%s%s", below(3) == 0 ? " # why \\" : "", below(4) == 0 ? "\r\n" : "\n");
}

static void put_tree(text_t *text, const tree_t *tree)
{
    text->used = 0;
    for (int i = 0; i < tree->switches; i++) {
        put(text, "%s", below(4) == 0 ? "\n" : below(4) == 0 ? "# SwitchName=x\n" : "");
        put_switch(text, tree, i);
    }
}

static void check_tree(const irr_topology_t *topology, const tree_t *tree)
{
    char name[32];

    CU_ASSERT_EQUAL_FATAL(topology->hosts, tree->hosts);
    CU_ASSERT_EQUAL_FATAL(topology->vertices, tree->hosts + tree->switches);
    for (int h = 0; h < tree->hosts; h++) {
        snprintf(name, sizeof(name), "n%0*d", tree->host_width, tree->host_number[h]);
        CU_ASSERT_STRING_EQUAL(topology->names[h], name);
        CU_ASSERT_EQUAL(topology->parent[h], tree->hosts + tree->host_parent[h]);
        CU_ASSERT_EQUAL(topology->speed[h], tree->node_speed[tree->host_parent[h]]);
    }
    for (int i = 0; i < tree->switches; i++) {
        const int v = tree->hosts + i;

        snprintf(name, sizeof(name), "sw%d", i);
        CU_ASSERT_STRING_EQUAL(topology->names[v], name);
        CU_ASSERT_EQUAL(topology->parent[v], tree->parent[i] < 0 ? -1 : tree->hosts + tree->parent[i]);
        CU_ASSERT_EQUAL(topology->speed[v], tree->speed[i]);
    }
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
        irr_topology_fini(&topology);
    }
    irr_text_close();
}

IRR_TEST_MAIN("topology", 120,
    { "files as Slurm has them are read", test_good_files },
    { "a speed in another unit is doubted", test_doubt },
    { "files of many hosts are read, and more are refused", test_large_file },
    { "random trees in random spelling are read", test_random_trees })
