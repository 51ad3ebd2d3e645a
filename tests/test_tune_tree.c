/*
 * test_tune_tree.c - irr_tune --switches finds the tree of switches that caused the contention, or none.
 *
 * Random trees of up to eight switches with hosts, and of further switches without hosts, determine which flows share a
 * link. A flow that shares a link has about half of its bandwidth. The tests add noise to this ratio.
 */
#include "irr_test.h"

#include "../tools/tune_tree.h"

enum { SWITCHES_MAX = 2 * IRR_TUNE_GROUPS_MAX };

/* A random tree: the parent of each switch, and the switch of each group. */
typedef struct scene {
    int switches, groups;
    int parent[SWITCHES_MAX], at[IRR_TUNE_GROUPS_MAX], size[IRR_TUNE_GROUPS_MAX];
} scene_t;

static bool below(const scene_t *scene, int node, int top)
{
    while (node > top) {
        node = scene->parent[node];
    }
    return node == top;
}

/* Returns true if the path between two groups has the link above a switch; *up_p: from below to above. */
static bool passes(const scene_t *scene, int from, int to, int link, bool *up_p)
{
    *up_p = below(scene, scene->at[from], link);
    return *up_p != below(scene, scene->at[to], link);
}

static bool share(const scene_t *scene, const irr_tune_flows_t *flows)
{
    for (int link = 1; link < scene->switches; link++) {
        bool one, other;

        if (passes(scene, flows->a, flows->b, link, &one) && passes(scene, flows->c, flows->d, link, &other) &&
            one == other) {
            return true;
        }
    }
    return false;
}

/* Returns the groups on the side of a link without group 0. */
static unsigned split_of(const scene_t *scene, int link)
{
    unsigned set = 0;

    for (int g = 0; g < scene->groups; g++) {
        set |= below(scene, scene->at[g], link) ? 1u << g : 0;
    }
    return (set & 1) != 0 ? ~set & ((1u << scene->groups) - 1) : set;
}

/* Draws a tree, and the switches that have hosts.  Other switches, and links without hosts below them, may remain. */
static void draw(scene_t *scene, uint64_t *state)
{
    scene->groups = 1 + (int)irr_test_below(state, IRR_TUNE_GROUPS_MAX);
    scene->switches = scene->groups + (int)irr_test_below(state, (uint64_t)scene->groups);
    for (int i = 1; i < scene->switches; i++) {
        scene->parent[i] = (int)irr_test_below(state, (uint64_t)i);
    }
    for (int g = 0; g < scene->groups; g++) {
        bool taken;

        do {
            taken = false;
            scene->at[g] = (int)irr_test_below(state, (uint64_t)scene->switches);
            for (int h = 0; h < g; h++) {
                taken = taken || scene->at[h] == scene->at[g];
            }
        } while (taken);
        scene->size[g] = 2 + (int)irr_test_below(state, 3);
    }
}

/* Makes the fractions of lost bandwidth: none inside a group, half or more between groups. */
static void make_lost(const scene_t *scene, double (*lost)[IRR_TUNE_HOSTS_MAX], int *hosts_p, uint64_t *state)
{
    int group[IRR_TUNE_HOSTS_MAX], hosts = 0;

    for (int g = 0; g < scene->groups; g++) {
        for (int i = 0; i < scene->size[g]; i++) {
            group[hosts++] = g;
        }
    }
    for (int i = 0; i < hosts; i++) {
        for (int j = 0; j < i; j++) {
            lost[i][j] = lost[j][i] = (group[i] != group[j] ? 0.5 : 0) + (double)irr_test_below(state, 12) / 100;
        }
    }
    *hosts_p = hosts;
}

static void make_ratios(const scene_t *scene, irr_tune_tree_t *tree, uint64_t *state)
{
    for (int i = 0; i < tree->nflows; i++) {
        const double noise = (double)irr_test_below(state, 100) / 1000;

        tree->flows[i].ratio = share(scene, &tree->flows[i]) ? 0.5 + noise : 1 - noise;
    }
}

/* Counts the different splits of the links of a tree that the result lacks, and the splits that the tree lacks. */
static int differences(const scene_t *scene, const irr_tune_tree_t *tree)
{
    unsigned wanted[SWITCHES_MAX];
    int count = 0, found = 0;

    for (int link = 1; link < scene->switches; link++) {
        const unsigned set = split_of(scene, link);
        bool known = set == 0;

        for (int i = 0; i < count; i++) {
            known = known || wanted[i] == set;
        }
        if (!known) {
            wanted[count++] = set;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < tree->nsplits; k++) {
            found += tree->splits[k] == wanted[i];
        }
    }
    return count - found + tree->nsplits - found;
}

IRR_TEST_SEEDED(test_trees, "measurements on a random tree lead to this tree")
{
    for (int i = 0; i < irr_test_runs(200); i++) {
        double lost[IRR_TUNE_HOSTS_MAX][IRR_TUNE_HOSTS_MAX];
        irr_tune_tree_t tree;
        scene_t scene;
        int hosts;

        draw(&scene, state);
        make_lost(&scene, lost, &hosts, state);
        CU_ASSERT_PTR_NULL_FATAL(irr_tune_tree_group(lost, hosts, &tree));
        CU_ASSERT_EQUAL_FATAL(tree.groups, scene.groups);
        make_ratios(&scene, &tree, state);
        CU_ASSERT_PTR_NULL(irr_tune_tree_find(&tree));
        CU_ASSERT_EQUAL(differences(&scene, &tree), 0);
    }
}

/* ---- measurements that contradict each other ---- */

/* Measures a star of four groups, and replaces the ratio of one pair of flows. */
static const char *find(irr_tune_flows_t changed, double ratio)
{
    const scene_t star = { .switches = 4, .groups = 4, .at = { 0, 1, 2, 3 }, .size = { 2, 2, 2, 2 } };
    double lost[IRR_TUNE_HOSTS_MAX][IRR_TUNE_HOSTS_MAX];
    uint64_t state = 1;
    irr_tune_tree_t tree;
    int hosts, found = 0;

    make_lost(&star, lost, &hosts, &state);
    CU_ASSERT_PTR_NULL_FATAL(irr_tune_tree_group(lost, hosts, &tree));
    make_ratios(&star, &tree, &state);
    for (int i = 0; i < tree.nflows; i++) {
        irr_tune_flows_t *flows = &tree.flows[i];

        if (flows->a == changed.a && flows->b == changed.b && flows->c == changed.c && flows->d == changed.d) {
            flows->ratio = ratio;
            found++;
        }
    }
    CU_ASSERT_EQUAL_FATAL(found, 1);
    return irr_tune_tree_find(&tree);
}

static void expect(const char *reason, const char *wanted)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
    CU_ASSERT_STRING_EQUAL(reason, wanted);
}

IRR_TEST(test_contradictions, "contradicting measurements result in an error")
{
    const irr_tune_flows_t shares = { 1, 2, 1, 3, 0 }, free = { 0, 3, 2, 1, 0 };

    CU_ASSERT_PTR_NULL(find(shares, 0.5));
    expect(find(shares, 1), "no tree explains all measurements");
    expect(find(free, 0.5), "no tree explains all measurements");
    expect(find(free, 0.8), "some flows lose a part of their bandwidth");
}

IRR_TEST(test_groups, "contradicting measurements of hosts, and too many groups, result in an error")
{
    static double lost[IRR_TUNE_HOSTS_MAX][IRR_TUNE_HOSTS_MAX];
    irr_tune_tree_t tree;

    CU_ASSERT_PTR_NULL(irr_tune_tree_group(lost, 4, &tree));
    CU_ASSERT_EQUAL(tree.groups, 1);
    lost[1][0] = lost[0][1] = 1;   /* hosts 0 and 1 are at one switch with host 2, but not with each other */
    expect(irr_tune_tree_group(lost, 3, &tree),
           "some hosts lose bandwidth to each other in a part of the measurements");
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            lost[i][j] = 1;
        }
    }
    expect(irr_tune_tree_group(lost, 9, &tree), "there are more than eight switches with hosts");
}

/* ---- the file ---- */

IRR_TEST(test_file, "the topology file of a chain of switches")
{
    static const char *const names[] = { "n1", "n2", "n3", "n4", "n5", "n6" };
    irr_tune_tree_t tree = { .hosts = 6, .groups = 3, .group = { 0, 0, 1, 1, 2, 2 }, .size = { 2, 2, 2 },
                             .splits = { 1u << 2, 1u << 1 | 1u << 2 }, .nsplits = 2 };
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    irr_tune_tree_write(stream, &tree, names);
    fclose(stream);
    CU_ASSERT_STRING_EQUAL(text, "SwitchName=s1 Nodes=n5,n6\nSwitchName=s2 Nodes=n3,n4 Switches=s1\n"
                                 "SwitchName=s3 Nodes=n1,n2 Switches=s2\n");
    free(text);
}

IRR_TEST_MAIN("tune_tree", 60)
