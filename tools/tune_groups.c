/*
 * tune_groups.c - the groups of ranks that irr_tune measures.  All ranks know the node of each rank, and compute the
 * same groups from this knowledge.
 *
 * The number of ranks of a node that communicate is at most the number of its processors, because ranks that share a
 * processor slow each other down.  It is at least two.
 */
#include "tune.h"

#include "route/nodes.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the node with most ranks, apart from node `but`; -1: there is no other node. */
static int largest(const irr_nodes_t *nodes, int but)
{
    int found = -1;

    for (int i = 0; i < nodes->count; i++) {
        if (i != but && (found < 0 || irr_nodes_size(nodes, i) > irr_nodes_size(nodes, found))) {
            found = i;
        }
    }
    return found;
}

static void add(irr_tune_group_t *group, int rank)
{
    group->members[group->count++] = rank;
}

/* Sets the stride, the partners and the index of this rank (irr_tune_group_t) of a group that has its members. */
static void finish(irr_tune_group_t *group, int stride, int rank)
{
    group->me = -1;
    group->stride = stride;
    group->partners = stride == 2 ? group->count / 2 : group->count - 1;
    for (int i = 0; i < group->count; i++) {
        group->me = group->members[i] == rank ? i : group->me;
    }
}

/* Fills a group with at most `most` ranks of one node. */
static void fill_inside(const irr_nodes_t *nodes, int most, irr_tune_group_t *group)
{
    const int node = largest(nodes, -1), ranks = irr_nodes_size(nodes, node);

    for (int i = 0; ranks > 1 && i < ranks && i < most; i++) {
        add(group, irr_nodes_member(nodes, node, i));
    }
}

/* Fills a group with ranks of the two largest nodes, alternating; at most `most` of each. */
static void fill_link(const irr_nodes_t *nodes, int most, irr_tune_group_t *group)
{
    const int a = largest(nodes, -1), b = largest(nodes, a), ranks = b >= 0 ? irr_nodes_size(nodes, b) : 0;

    for (int i = 0; i < ranks && i < most && i < IRR_TUNE_MEMBERS_MAX / 2; i++) {
        add(group, irr_nodes_member(nodes, a, i));
        add(group, irr_nodes_member(nodes, b, i));
    }
}

/*
 * Binds each rank of the group to a processor of its own.  Otherwise the system may run two ranks on one processor for
 * a while, because their shared data is in its cache.  Ranks that the launcher has bound to fewer processors than there
 * are ranks in the group keep their processors.
 */
static void spread(const irr_tune_group_t *inside)
{
    cpu_set_t allowed, mine;
    int skip = inside->me, processor = 0;

    if (skip < 0 || sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < inside->count) {
        return;
    }
    while (!CPU_ISSET(processor, &allowed) || skip-- > 0) {
        processor++;
    }
    CPU_ZERO(&mine);
    CPU_SET(processor, &mine);
    (void)sched_setaffinity(0, sizeof(mine), &mine);
}

/* Returns the number of processors of the node with fewest, but at least 2 and at most IRR_TUNE_MEMBERS_MAX. */
static int members_of_node(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int least = processors < 2 ? 2 : processors < IRR_TUNE_MEMBERS_MAX ? (int)processors : IRR_TUNE_MEMBERS_MAX;

    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

/*
 * Finds the nodes; the label of a node is its lowest rank.  Returns IRR_CLI_REFUSED on all ranks if a rank has no
 * memory.
 */
static irr_cli_exit_t find_nodes(int ranks, int rank, irr_nodes_t *nodes)
{
    int *labels = calloc((size_t)ranks, sizeof(*labels));
    bool good = irr_cli_all(labels != NULL);
    MPI_Comm node;

    if (good) {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        MPI_Bcast(&rank, 1, MPI_INT, 0, node);
        MPI_Comm_free(&node);
        MPI_Allgather(&rank, 1, MPI_INT, labels, 1, MPI_INT, MPI_COMM_WORLD);
        good = irr_nodes_init(nodes, ranks, labels) == IRR_OK;
    }
    free(labels);
    return irr_cli_all_have(good, "not enough memory for %d ranks", ranks);
}

irr_cli_exit_t irr_tune_groups_init(irr_tune_groups_t *groups)
{
    irr_nodes_t nodes = { .count = 0 };
    irr_cli_exit_t code;

    *groups = (irr_tune_groups_t){ .nodes = 0 };
    MPI_Comm_size(MPI_COMM_WORLD, &groups->ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &groups->rank);
    code = find_nodes(groups->ranks, groups->rank, &nodes);
    if (code == IRR_CLI_GOOD) {
        const int most = members_of_node();

        groups->nodes = nodes.count;
        fill_inside(&nodes, most, &groups->inside);
        fill_link(&nodes, most, &groups->link);
        finish(&groups->inside, 1, groups->rank);
        finish(&groups->link, 2, groups->rank);
        if (nodes.count < 3) {
            groups->between = groups->link;
        } else {
            for (int i = 0; i < nodes.count && i < IRR_TUNE_MEMBERS_MAX; i++) {
                add(&groups->between, irr_nodes_member(&nodes, i, 0));
            }
            finish(&groups->between, 1, groups->rank);
        }
        spread(&groups->inside);
    }
    irr_nodes_fini(&nodes);
    return code;
}
