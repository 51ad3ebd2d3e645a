/*
 * test_placement.c - lists of hosts, hosts by name, ranks on hosts, and the subtree of a topology that the ranks use.
 */
#include "irr_test.h"

#include "core/alloc.h"
#include "problem/hostlist.h"
#include "problem/placement.h"

static uint64_t state;

static size_t below(size_t limit)
{
    return (size_t)irr_test_below(&state, limit);
}

/* ---- lists ---- */

static void join(const irr_names_t *names, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < names->count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", names->list[i]);
    }
}

IRR_TEST(test_lists, "valid lists of hosts are expanded")
{
    static const struct { const char *text, *expected; } lists[] = {
        { "n0", "n0" }, { " ,n1,,n0 n0,", "n1 n0 n0" }, { "n[0-2,9],login1", "n0 n1 n2 n9 login1" },
        { "n[09-11]", "n09 n10 n11" }, { "n[9-11]", "n9 n10 n11" }, { "n[3,1,3]", "n3 n1 n3" },
        { "r[1-2][0-1]", "r10 r11 r20 r21" }, { "[1-2]", "1 2" }, { "a[0]b[1]c[2]d", "a0b1c2d" },
        { "n[999999999999999999]", "n999999999999999999" }, { "n0:8.x_y-z@!", "n0:8.x_y-z@!" }
    };
    char reason[128], text[256];

    for (size_t i = 0; i < IRR_TEST_COUNT(lists); i++) {
        irr_names_t names = { .count = 0 };

        CU_ASSERT_EQUAL_FATAL(irr_hostlist_expand(lists[i].text, &names, reason, sizeof(reason)), IRR_OK);
        join(&names, text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, lists[i].expected);
        irr_names_fini(&names);
    }
}

#define NO_RANGE " in brackets is not a number or a range such as 0-7"

IRR_TEST(test_bad_lists, "malformed lists of hosts are refused")
{
    static const struct { const char *text, *reason; } lists[] = {
        { "", "list of names is empty" }, { " , ", "list of names is empty" },
        { "n[2-1]", "range '2-1' descends" }, { "n[", "']' is missing behind '['" },
        { "n[1", "']' is missing behind '[1'" }, { "n]", "']' without a '[' before ']'" },
        { "n[1[2]]", "'1[2'" NO_RANGE }, { "n[-1]", "'-1'" NO_RANGE }, { "n[1,]", "''" NO_RANGE },
        { "n[1--2]", "'1--2'" NO_RANGE }, { "n[5-]", "'5-'" NO_RANGE }, { "n[a-c]", "'a-c'" NO_RANGE },
        { "n[ 1]", "' 1'" NO_RANGE }, { "n[9999999999999999999]", "'9999999999999999999'" NO_RANGE },
        { "n[0-999999999999999999]", "more than 65536 names" }, { "n[0-300][0-300]", "more than 65536 names" },
        { "n0,a=b", "a name must not contain the first byte of '=b'" }
    };
    irr_names_t names = { .count = 0 };
    char reason[128], text[32];

    CU_ASSERT_EQUAL_FATAL(irr_hostlist_expand("a,b", &names, reason, sizeof(reason)), IRR_OK);
    for (size_t i = 0; i < IRR_TEST_COUNT(lists); i++) {
        CU_ASSERT_EQUAL(irr_hostlist_expand(lists[i].text, &names, reason, sizeof(reason)), IRR_ERR_BAD_PARAM);
        CU_ASSERT_STRING_EQUAL(reason, lists[i].reason);
        join(&names, text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, "a b");
    }
    irr_names_fini(&names);
}

/* 250 letters x, and the end of a row. */
IRR_TEST(test_long_names, "names may have 255 bytes")
{
    static const struct { const char *end; size_t names; } rows[] = {
        { "xxxxx", 1 }, { "xxxxxx", 0 }, { "[10000-10001]", 2 }, { "[100000]", 0 }, { "[00000]y", 0 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_names_t names = { .count = 0 };
        char text[400] = "", reason[128] = "";

        memset(text, 'x', 250);
        strcpy(text + 250, rows[i].end);
        CU_ASSERT_EQUAL(irr_hostlist_expand(text, &names, reason, sizeof(reason)),
                        rows[i].names > 0 ? IRR_OK : IRR_ERR_BAD_PARAM);
        CU_ASSERT_EQUAL(names.count, rows[i].names);
        CU_ASSERT((strstr(reason, "xxx...' is longer than 255 bytes") != NULL) == (rows[i].names == 0));
        irr_names_fini(&names);
    }
}

static irr_status_t expand(void *context)
{
    irr_names_t names = { .count = 0 };
    char reason[128];
    irr_status_t status = irr_hostlist_expand(context, &names, reason, sizeof(reason));

    CU_ASSERT(status == IRR_OK || names.count == 0);
    irr_names_fini(&names);
    return status;
}

IRR_TEST(test_list_memory, "a failed allocation leaves a list empty")
{
    char list[] = "n[0-30],x";

    CU_ASSERT(irr_memory_fail_each(expand, list) > 0);
}

/* ---- topologies of a test ---- */

/* Makes a topology whose hosts have the first names of the list. The caller releases the topology. */
static void make(const char *list, int hosts, const int *parent, irr_topology_t *topology)
{
    irr_names_t names = { .count = 0 };
    char reason[128];

    irr_test_must(irr_hostlist_expand(list, &names, reason, sizeof(reason)));
    *topology = (irr_topology_t){ .hosts = hosts, .vertices = (int)names.count };
    irr_test_must(irr_topology_init(topology));
    for (int v = 0; v < topology->vertices; v++) {
        topology->parent[v] = parent[v];
        topology->speed[v] = 10 + (uint64_t)v;
        topology->names[v] = names.list[v];
    }
    irr_free(names.list);
}

static const int flat[] = { 7, 7, 7, 7, 7, 7, 7, -1 };

/* ---- hosts by name ---- */

/* Returns true if a equals the part of b before a dot. */
static bool matches(const char *a, const char *b)
{
    const size_t length = strlen(a);

    return strncmp(a, b, length) == 0 && b[length] == '.';
}

/* A name is the name of a host, its first part, or its name and a domain. Dots in an IP address do not count. */
static int find_slowly(const irr_topology_t *topology, const char *name)
{
    const bool is_address = name[strspn(name, "0123456789.")] == '\0' || strchr(name, ':') != NULL;
    int found = 0, host = IRR_HOST_NONE;
    size_t longest = 0;

    for (int h = 0; h < topology->hosts; h++) {
        if (strcmp(topology->names[h], name) == 0) {
            return h;
        }
        if (!is_address && matches(name, topology->names[h])) {
            host = h;
            found++;
        }
    }
    for (int h = 0; found == 0 && !is_address && h < topology->hosts; h++) {
        if (matches(topology->names[h], name) && strlen(topology->names[h]) > longest) {
            longest = strlen(topology->names[h]);
            host = h;
        }
    }
    return found > 1 ? IRR_HOST_SEVERAL : host;
}

static void random_name(char *name)
{
    static const char *const labels[] = { "a", "b", "ab", "a-", "c", "0", "10", "A", "f:1" };
    size_t used = 0;

    for (size_t n = 1 + below(3); n > 0; n--) {
        used += (size_t)sprintf(name + used, "%s%s", used > 0 ? "." : "", labels[below(IRR_TEST_COUNT(labels))]);
    }
}

IRR_TEST(test_find_random, "hosts are found as by a linear search")
{
    state = irr_test_seed();
    for (int run = 0; run < 500; run++) {
        irr_topology_t topology;
        irr_hosts_t hosts;
        char list[128] = "", name[32], large[600];

        for (int h = 0; h < 7; h++) {
            random_name(name);
            sprintf(list + strlen(list), "%s,", name);
        }
        strcat(list, "s");
        make(list, 7, flat, &topology);
        irr_test_must(irr_hosts_init(&topology, &hosts));
        for (int i = 0; i < 20; i++) {
            random_name(name);
            strcat(name, below(8) == 0 ? "." : "");
            CU_ASSERT_EQUAL(irr_topology_find(&hosts, name), find_slowly(&topology, name));
        }
        memset(large, 'x', sizeof(large) - 1);
        large[sizeof(large) - 1] = '\0';
        memcpy(large, "a.", 2);
        CU_ASSERT_EQUAL(irr_topology_find(&hosts, large), IRR_HOST_NONE);
        CU_ASSERT(irr_topology_find(&hosts, "") == IRR_HOST_NONE && irr_topology_find(&hosts, "s") == IRR_HOST_NONE);
        irr_hosts_fini(&hosts);
        irr_topology_fini(&topology);
    }
}

/* ---- ranks on hosts ---- */

IRR_TEST(test_placement, "ranks are placed on hosts, or a reason names the missing host")
{
    static const struct { const char *list, *third; irr_status_t status; const char *reason; } rows[] = {
        { "n[0-5],n6.site,s", "n2", IRR_OK, "" },
        { "n[0-5],n6.site,s", "n9", IRR_ERR_NOT_SUPPORTED, "host 'n9' of rank 2 is not in the topology" },
        { "n0,n1,n2.a,n2.b,n3,n4,n5,s", "n2", IRR_ERR_NOT_SUPPORTED,
          "host 'n2' of rank 0 may be any of several in the topology" },
        { "n[0-5],n6.site,s", "n2", IRR_ERR_NO_MEMORY, "not enough memory for 7 hosts" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const char *names[] = { "n2", "n0.site", rows[i].third, "n6" };
        irr_topology_t topology;
        char reason[128] = "";
        int host_of[4];

        make(rows[i].list, 7, flat, &topology);
        irr_memory_fail(rows[i].status == IRR_ERR_NO_MEMORY, NULL);
        CU_ASSERT_EQUAL(irr_placement(&topology, names, 4, host_of, reason, sizeof(reason)), rows[i].status);
        irr_memory_fail(0, NULL);
        CU_ASSERT_STRING_EQUAL(reason, rows[i].reason);
        CU_ASSERT(rows[i].status != IRR_OK ||
                  (host_of[0] == 2 && host_of[1] == 0 && host_of[2] == 2 && host_of[3] == 6));
        irr_topology_fini(&topology);
    }
}

/* ---- the subtree that ranks use ---- */

/* Returns the vertex with this name. Names are unique in this test. */
static int vertex_of(const irr_topology_t *whole, const char *name)
{
    int v = 0;

    while (strcmp(whole->names[v], name) != 0) {
        v++;
    }
    return v;
}

/*
 * Writes the names of the vertices between two vertices: first upwards from one vertex, then upwards from the other, up
 * to their common vertex.
 */
static void walk(const irr_topology_t *topology, int from, int to, char *text)
{
    bool above[128] = { false };
    int common = to;

    for (int v = from; v >= 0; v = topology->parent[v]) {
        above[v] = true;
    }
    while (!above[common]) {
        common = topology->parent[common];
    }
    text[0] = '\0';
    for (int v = from; v != common; v = topology->parent[v]) {
        sprintf(text + strlen(text), " %s", topology->names[v]);
    }
    sprintf(text + strlen(text), " %s", topology->names[common]);
    for (int v = to; v != common; v = topology->parent[v]) {
        sprintf(text + strlen(text), " %s", topology->names[v]);
    }
}

static void make_random(irr_topology_t *topology)
{
    enum { HOSTS = 30, SWITCHES = 15 };
    int parent[HOSTS + SWITCHES];

    for (int s = 0; s < SWITCHES; s++) {
        parent[HOSTS + s] = s == SWITCHES - 1 ? -1 : HOSTS + s + 1 + (int)below((size_t)(SWITCHES - 1 - s));
    }
    for (int h = 0; h < HOSTS; h++) {
        parent[h] = HOSTS + (int)below(SWITCHES);
    }
    make("n[0-29],s[0-14]", HOSTS, parent, topology);
}

/* All paths are unchanged, and each vertex of the subtree is on a path. */
static void check_subtree(const irr_topology_t *whole, const int *before, int ranks, const irr_topology_t *subtree,
                       const int *after)
{
    bool passed[64] = { false };
    char one[512], other[512];

    for (int r = 0; r < ranks; r++) {
        CU_ASSERT_FATAL(after[r] >= 0 && after[r] < subtree->hosts);
        for (int q = 0; q < ranks; q++) {
            walk(whole, before[r], before[q], one);
            walk(subtree, after[r], after[q], other);
            CU_ASSERT_STRING_EQUAL(one, other);
            for (char *word = strtok(other, " "); word != NULL; word = strtok(NULL, " ")) {
                passed[vertex_of(subtree, word)] = true;
            }
        }
    }
    for (int v = 0; v < subtree->vertices; v++) {
        const int was = vertex_of(whole, subtree->names[v]);

        CU_ASSERT(passed[v] || (subtree->hosts == 1 && v == 1 && subtree->vertices == 2));
        CU_ASSERT_EQUAL(subtree->speed[v], whole->speed[was]);
        CU_ASSERT_EQUAL(v < subtree->hosts, was < whole->hosts);
        CU_ASSERT(v == 0 || was > vertex_of(whole, subtree->names[v - 1]));
    }
}

IRR_TEST(test_cut_random, "the subtree has the same paths, and no other vertices")
{
    state = irr_test_seed() + 1;
    for (int run = 0; run < 300; run++) {
        irr_topology_t topology, subtree;
        int before[12], after[12], ranks = 1 + (int)below(12);

        make_random(&topology);
        for (int r = 0; r < ranks; r++) {
            before[r] = after[r] = (int)below((size_t)topology.hosts);
        }
        CU_ASSERT_EQUAL_FATAL(irr_topology_cut(&topology, ranks, after, &subtree), IRR_OK);
        check_subtree(&topology, before, ranks, &subtree, after);
        irr_topology_fini(&subtree);
        irr_topology_fini(&topology);
    }
}

static irr_status_t cut(void *context)
{
    irr_topology_t subtree = { .hosts = 77 };
    int host_of[] = { 4, 2 };
    irr_status_t status = irr_topology_cut(context, 2, host_of, &subtree);

    if (status == IRR_OK) {
        irr_topology_fini(&subtree);
    } else {
        CU_ASSERT(subtree.hosts == 77 && host_of[0] == 4 && host_of[1] == 2);
    }
    return status;
}

IRR_TEST(test_cut_errors, "irr_topology_cut() refuses missing hosts, and reports failed allocations")
{
    irr_topology_t topology, subtree;

    make("n[0-6],s", 7, flat, &topology);
    CU_ASSERT_EQUAL(irr_topology_cut(&topology, 0, NULL, &subtree), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_topology_cut(&topology, 1, (int[]){ 7 }, &subtree), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_topology_cut(&topology, 2, (int[]){ 0, -1 }, &subtree), IRR_ERR_BAD_PARAM);
    CU_ASSERT(irr_memory_fail_each(cut, &topology) > 4);
    irr_topology_fini(&topology);
}

IRR_TEST_MAIN("placement", 60)
