/*
 * tree_root.c - finds the root of a tree of switches for the paper's phases (phases.c), and the subtrees of the root.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication, section 4.1
 *
 * In an exchange of all P ranks, a link with c ranks below it has a load of c * (P - c) messages in each direction.
 * The search begins at one of the links with the largest load, and walks to the side with more ranks.  As long as all
 * ranks of this side are behind one further link, which is then equally busy, the walk crosses this link.  It ends at
 * the first vertex at which the ranks are behind several links.  This vertex is the root.  No subtree of the root has
 * more than half of the ranks (lemma 1).
 *
 * Unlike in the paper, a host with several ranks may be the root.  Its subtrees are its ranks, and the ranks behind its
 * link.  A host with one rank corresponds to a machine of the paper and cannot be the root, so the walk ends before it;
 * this occurs only if there are two ranks.  If all ranks are on one host, this host is the root.
 *
 * O(vertices * depth).
 */
#include "order/tree/phases.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

void irr_tree_root_fini(irr_tree_root_t *root)
{
    irr_free(root->first);   /* frees the ranks too */
    memset(root, 0, sizeof(*root));
}

/* Returns the vertex below one of the links with the largest load; -1 if no link has a load. */
static int busiest(const irr_tree_t *tree)
{
    int64_t most = 0;
    int found = -1;

    for (int v = 0; v < tree->links; v++) {
        const int64_t load = (int64_t)tree->below[v] * (tree->ranks - tree->below[v]);

        if (load > most) {
            most = load;
            found = v;
        }
    }
    return found;
}

/* Returns whether there are ranks behind a neighbour of a vertex, and the neighbour is not seen_from. */
static bool is_branch(const irr_tree_t *tree, int vertex, int neighbour, int seen_from)
{
    if (neighbour == seen_from) {
        return false;
    }
    return neighbour == tree->parent[vertex] ? tree->below[vertex] < tree->ranks : tree->below[neighbour] > 0;
}

/* Returns the only neighbour of a vertex, besides seen_from, with ranks behind it; -1 if there are several, or none. */
static int only_branch(const irr_tree_t *tree, int vertex, int seen_from)
{
    const int parent = tree->parent[vertex];
    int found = -1, branches = 0;

    if (parent >= 0 && is_branch(tree, vertex, parent, seen_from)) {
        found = parent;
        branches++;
    }
    for (int v = 0; v < tree->vertices && branches < 2; v++) {
        if (tree->parent[v] == vertex && is_branch(tree, vertex, v, seen_from)) {
            found = v;
            branches++;
        }
    }
    return branches == 1 ? found : -1;
}

/* Returns whether a vertex is a rank, or a host with one rank. */
static bool is_machine(const irr_tree_t *tree, int vertex)
{
    return vertex >= tree->links || (vertex < tree->hosts && tree->below[vertex] == 1);
}

static int find_vertex(const irr_tree_t *tree)
{
    int child = busiest(tree), root, from;

    if (child < 0) {
        root = tree->parent[irr_tree_leaf(tree, 0)];
        return tree->ranks > 1 || tree->parent[root] < 0 ? root : tree->parent[root];
    }
    if (2 * tree->below[child] > tree->ranks) {
        root = child;
        from = tree->parent[child];
    } else {
        root = tree->parent[child];
        from = child;
    }
    for (;;) {
        const int next = only_branch(tree, root, from);

        if (next < 0 || is_machine(tree, next)) {
            return root;
        }
        from = root;
        root = next;
    }
}

/* Returns the root's child above a rank, or -1 if the rank is not below the root. */
static int branch_of(const irr_tree_t *tree, int root, int rank)
{
    int v = irr_tree_leaf(tree, rank);

    while (v >= 0 && tree->parent[v] != root) {
        v = tree->parent[v];
    }
    return v;
}

typedef struct member {
    int rank, lowest, size;   /* `lowest` and `size`: lowest rank of its subtree, and number of ranks there */
} member_t;

static int by_subtree(const void *a, const void *b)
{
    const member_t *x = a, *y = b;

    if (x->size != y->size) {
        return x->size > y->size ? -1 : 1;
    }
    if (x->lowest != y->lowest) {
        return x->lowest < y->lowest ? -1 : 1;
    }
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/*
 * Sorts the ranks by subtree.  lowest[v] becomes the lowest rank of the subtree at child v of the root; the last
 * element becomes the lowest rank that is not below the root.  -1: there is no rank.
 */
static void sort_members(const irr_tree_t *tree, int root, int *lowest, member_t *members)
{
    for (int v = 0; v <= tree->vertices; v++) {
        lowest[v] = -1;
    }
    for (int r = 0; r < tree->ranks; r++) {
        const int branch = branch_of(tree, root, r), group = branch >= 0 ? branch : tree->vertices;

        lowest[group] = lowest[group] < 0 ? r : lowest[group];
        members[r] = (member_t){ r, lowest[group], branch >= 0 ? tree->below[branch]
                                                               : tree->ranks - tree->below[root] };
    }
    qsort(members, (size_t)tree->ranks, sizeof(*members), by_subtree);
}

irr_status_t irr_tree_root_find(const irr_tree_t *tree, irr_tree_root_t *root)
{
    irr_tree_root_t made = { .vertex = find_vertex(tree) };
    const size_t ranks = (size_t)tree->ranks;
    member_t *members = NULL;
    int *lowest;
    const irr_array_t kept[] = { IRR_ARRAY(made.first, ranks + 1), IRR_ARRAY(made.ranks, ranks) };
    const irr_array_t used[] = { IRR_ARRAY(members, ranks), IRR_ARRAY(lowest, (size_t)tree->vertices + 1) };

    if (IRR_ALLOC_ARRAYS(used) != IRR_OK || IRR_ALLOC_ARRAYS(kept) != IRR_OK) {
        irr_free(members);
        return IRR_ERR_NO_MEMORY;
    }
    sort_members(tree, made.vertex, lowest, members);
    for (int i = 0; i < tree->ranks; i++) {
        if (i == 0 || members[i].lowest != members[i - 1].lowest) {
            made.first[made.subtrees++] = i;
        }
        made.ranks[i] = members[i].rank;
    }
    made.first[made.subtrees] = tree->ranks;
    irr_free(members);   /* frees lowest too */
    *root = made;
    return IRR_OK;
}

int64_t irr_tree_phases(const irr_tree_root_t *root)
{
    return (int64_t)root->first[1] * (root->first[root->subtrees] - root->first[1]);
}
