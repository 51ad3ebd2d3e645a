/*
 * tune_tree.c - the groups of hosts, the splits of the groups, and the tree; see tune_tree.h.
 */
#include "tune_tree.h"

#include <math.h>
#include <stdbool.h>

/*
 * Hosts lose bandwidth to each other in at most LOST_SAME_MAX of the measurements if they are on one switch, and in at
 * least LOST_OTHER_MIN of them if they are on two.
 */
#define LOST_SAME_MAX  0.3
#define LOST_OTHER_MIN 0.4

/* ---- groups ---- */

/* Returns the mean loss between a host and the other hosts of a group before host `end`; 0: there is no other host. */
static double mean_lost(double (*lost)[IRR_TUNE_HOSTS_MAX], const irr_tune_tree_t *tree, int host, int group, int end)
{
    double sum = 0;
    int count = 0;

    for (int j = 0; j < end; j++) {
        if (j != host && tree->group[j] == group) {
            sum += lost[host][j];
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

/* Joins each host to the group with the least mean loss, or to a new group.  Returns false if there are too many. */
static bool join(double (*lost)[IRR_TUNE_HOSTS_MAX], irr_tune_tree_t *tree)
{
    for (int i = 0; i < tree->hosts; i++) {
        int found = tree->groups;
        double least = (LOST_SAME_MAX + LOST_OTHER_MIN) / 2;

        for (int g = 0; g < tree->groups; g++) {
            const double mean = mean_lost(lost, tree, i, g, i);

            found = mean < least ? g : found;
            least = mean < least ? mean : least;
        }
        if (found == IRR_TUNE_GROUPS_MAX) {
            return false;
        }
        tree->group[i] = found;
        tree->groups += found == tree->groups;
        tree->size[found]++;
    }
    return true;
}

/* ---- pairs of flows ---- */

static int code_of(int a, int b, int c, int d)
{
    return ((a * IRR_TUNE_GROUPS_MAX + b) * IRR_TUNE_GROUPS_MAX + c) * IRR_TUNE_GROUPS_MAX + d;
}

/* Returns true if no host sends or receives for both flows, and the flows differ. */
static bool is_measurable(const irr_tune_tree_t *tree, int a, int b, int c, int d)
{
    return a != b && a != d && c != b && c != d && (a != c || b != d) && (a != c || tree->size[a] > 1) &&
           (b != d || tree->size[b] > 1);
}

/* Lists each pair of flows once, with the lowest of its codes: the flows can be exchanged, and both reversed. */
static void list_flows(irr_tune_tree_t *tree)
{
    const int groups = tree->groups;

    for (int i = 0; i < groups * groups * groups * groups; i++) {
        const int a = i / (groups * groups * groups), b = i / (groups * groups) % groups;
        const int c = i / groups % groups, d = i % groups, code = code_of(a, b, c, d);

        if (is_measurable(tree, a, b, c, d) && code < code_of(c, d, a, b) && code < code_of(b, a, d, c) &&
            code < code_of(d, c, b, a)) {
            tree->flows[tree->nflows++] = (irr_tune_flows_t){ a, b, c, d, 0 };
        }
    }
}

const char *irr_tune_tree_group(double (*lost)[IRR_TUNE_HOSTS_MAX], int hosts, irr_tune_tree_t *tree)
{
    *tree = (irr_tune_tree_t){ .hosts = hosts, .shared_most = 0, .free_least = 1 };
    if (!join(lost, tree)) {
        return "there are more than eight switches with hosts";
    }
    for (int i = 0; i < hosts; i++) {
        for (int g = 0; g < tree->groups; g++) {
            const double mean = mean_lost(lost, tree, i, g, hosts);

            if (g == tree->group[i] ? mean > LOST_SAME_MAX : mean < LOST_OTHER_MIN) {
                return "some hosts lose bandwidth to each other in a part of the measurements";
            }
        }
    }
    list_flows(tree);
    return NULL;
}

/* ---- splits ---- */

static bool contend(const irr_tune_flows_t *flows)
{
    return flows->ratio <= IRR_TUNE_SHARED_MAX;
}

static bool has(unsigned set, int group)
{
    return (set >> group & 1) != 0;
}

/* Returns true if both flows cross from the set to the rest of the groups, or both from the rest to the set. */
static bool cross(unsigned set, const irr_tune_flows_t *flows)
{
    return has(set, flows->a) == has(set, flows->c) && has(set, flows->b) == has(set, flows->d) &&
           has(set, flows->a) != has(set, flows->b);
}

static bool is_split(const irr_tune_tree_t *tree, unsigned set)
{
    for (int i = 0; i < tree->nflows; i++) {
        if (cross(set, &tree->flows[i]) && !contend(&tree->flows[i])) {
            return false;
        }
    }
    return true;
}

/* Returns false if a measurement is unclear.  Stores the largest ratio with contention, and the smallest without. */
static bool is_clear(irr_tune_tree_t *tree)
{
    bool clear = true;

    for (int i = 0; i < tree->nflows; i++) {
        const double ratio = tree->flows[i].ratio;

        if (ratio <= IRR_TUNE_SHARED_MAX) {
            tree->shared_most = fmax(tree->shared_most, ratio);
        } else {
            tree->free_least = fmin(tree->free_least, ratio);
        }
        clear = clear && (ratio <= IRR_TUNE_SHARED_MAX || ratio >= IRR_TUNE_FREE_MIN);
    }
    return clear;
}

/* Returns true if the flows that share a link of the tree, and no others, contend. */
static bool explains(const irr_tune_tree_t *tree)
{
    for (int i = 0; i < tree->nflows; i++) {
        bool shares = false;

        for (int k = 0; k < tree->nsplits; k++) {
            shares = shares || cross(tree->splits[k], &tree->flows[i]);
        }
        if (shares != contend(&tree->flows[i])) {
            return false;
        }
    }
    return true;
}

/* Returns true if a link lies between any two groups. */
static bool separates(const irr_tune_tree_t *tree)
{
    for (int g = 1; g < tree->groups; g++) {
        for (int h = 0; h < g; h++) {
            bool between = false;

            for (int i = 0; i < tree->nsplits; i++) {
                between = between || has(tree->splits[i], g) != has(tree->splits[i], h);
            }
            if (!between) {
                return false;
            }
        }
    }
    return true;
}

/* Adds a split.  Splits are sorted by their number of groups.  Returns false if there are more than a tree can have. */
static bool add(irr_tune_tree_t *tree, unsigned set)
{
    int at = tree->nsplits;

    if (tree->nsplits == (int)(sizeof(tree->splits) / sizeof(tree->splits[0]))) {
        return false;
    }
    for (; at > 0 && __builtin_popcount(tree->splits[at - 1]) > __builtin_popcount(set); at--) {
        tree->splits[at] = tree->splits[at - 1];
    }
    tree->splits[at] = set;
    tree->nsplits++;
    return true;
}

const char *irr_tune_tree_find(irr_tune_tree_t *tree)
{
    bool room = true;

    tree->nsplits = 0;
    if (!is_clear(tree)) {
        return "some flows lose a part of their bandwidth";
    }
    for (unsigned set = 2; set < 1u << tree->groups; set += 2) {
        if (is_split(tree, set)) {
            room = room && add(tree, set);
        }
    }
    if (!room || !explains(tree) || !separates(tree)) {
        return "no tree explains all measurements";
    }
    return NULL;
}

/* ---- the file ---- */

/* Returns the smallest split, from index `from` on, that contains a set; -1: none, so the set is below the root. */
static int parent_of(const irr_tune_tree_t *tree, unsigned set, int from)
{
    for (int i = from; i < tree->nsplits; i++) {
        if ((tree->splits[i] & set) == set) {
            return i;
        }
    }
    return -1;
}

static void write_nodes(FILE *stream, const irr_tune_tree_t *tree, int at, const char *const *names)
{
    const char *before = " Nodes=";

    for (int i = 0; i < tree->hosts; i++) {
        if (parent_of(tree, 1u << tree->group[i], 0) == at) {
            fprintf(stream, "%s%s", before, names[i]);
            before = ",";
        }
    }
}

static void write_switches(FILE *stream, const irr_tune_tree_t *tree, int at)
{
    const char *before = " Switches=";

    for (int i = 0; i < tree->nsplits; i++) {
        if (parent_of(tree, tree->splits[i], i + 1) == at) {
            fprintf(stream, "%ss%d", before, i + 1);
            before = ",";
        }
    }
}

void irr_tune_tree_write(FILE *stream, const irr_tune_tree_t *tree, const char *const *names)
{
    for (int i = 0; i <= tree->nsplits; i++) {
        const int at = i < tree->nsplits ? i : -1;

        fprintf(stream, "SwitchName=s%d", i + 1);
        write_nodes(stream, tree, at, names);
        write_switches(stream, tree, at);
        fputc('\n', stream);
    }
}
