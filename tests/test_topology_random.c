/*
 * test_topology_random.c - topology.conf: random trees in random spelling are read. A truncated or damaged file is read
 * as a tree, or refused.
 */
#include "irr_test.h"
#include "irr_text.h"
#include "problem/topology.h"

#include <ctype.h>

static uint64_t state;

static size_t below(size_t limit)
{
    return (size_t)irr_test_below(&state, limit);
}

/* ---- random trees in random spelling ---- */

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

static void put_switch(text_t *text, const tree_t *tree, int i)
{
    int hosts[HOSTS_MAX], switches[SWITCHES_MAX], host_count = 0, switch_count = 0;
    const bool speed_first = below(2) == 0, nodes_first = below(2) == 0;

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
    for (int round = 0; round < 2; round++) {
        if (speed_first == (round == 0) && (tree->speed[i] != 1 || below(2) == 0)) {
            put_blanks(text, 1);
            put_keyword(text, "LinkSpeed");
            put(text, "%u", tree->speed[i]);
        }
        if (speed_first != (round == 0) && host_count > 0 && (tree->node_speed[i] != 1 || below(2) == 0)) {
            put_blanks(text, 1);
            put_keyword(text, "NodeSpeed");
            put(text, "%u", tree->node_speed[i]);
        }
        if (nodes_first == (round == 0)) {
            put_numbers(text, "Nodes", "n", hosts, host_count, tree->host_width);
        } else {
            put_numbers(text, "Switches", "sw", switches, switch_count, 0);
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

/* ---- files that are cut or damaged ---- */

/* Asserts that the topology is a tree. */
static void check_rules(const irr_topology_t *topology)
{
    int tops = 0;

    CU_ASSERT(topology->hosts > 0 && topology->vertices > topology->hosts);
    for (int v = 0; v < topology->vertices; v++) {
        int up = v, steps = 0;

        tops += topology->parent[v] < 0;
        CU_ASSERT(topology->speed[v] > 0 && topology->names[v][0] != '\0');
        while (topology->parent[up] >= 0 && steps++ < topology->vertices) {
            up = topology->parent[up];
            CU_ASSERT_FATAL(up >= topology->hosts && up < topology->vertices);
        }
        CU_ASSERT(steps < topology->vertices);
    }
    CU_ASSERT_EQUAL(tops, 1);
}

static irr_status_t read_any(const char *path, irr_file_error_t *error)
{
    irr_topology_t topology;
    irr_status_t status = irr_topology_read(path, &topology, error);

    if (status == IRR_OK) {
        check_rules(&topology);
        irr_topology_fini(&topology);
    }
    return status;
}

static void test_cut(void)
{
    static text_t text;
    tree_t tree;

    state = irr_test_seed() + 1;
    for (int run = 0; run < 6; run++) {
        make_tree(&tree);
        put_tree(&text, &tree);
        for (size_t length = 0; length < text.used; length++) {
            irr_file_error_t error = { 0 };

            CU_ASSERT(irr_text_read(read_any, text.bytes, length, &error) == IRR_OK || error.reason[0] != '\0');
        }
    }
}

static void test_noise(void)
{
    static text_t text;
    tree_t tree;

    state = irr_test_seed() + 2;
    for (int run = 0; run < 1000; run++) {
        make_tree(&tree);
        put_tree(&text, &tree);
        irr_text_check_damaged(text.bytes, 0, "019s n,[]-=\"\\#\n\t\r.xN", &state, read_any);
    }
}

IRR_TEST_MAIN("topology_random", 120,
    { "random trees in random spelling are read", test_random_trees },
    { "files cut at any byte are a tree or refused", test_cut },
    { "damaged files are a tree or refused", test_noise })
