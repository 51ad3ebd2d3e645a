/*
 * tune_groups.c - the groups of ranks that communicate.  They follow from the node of each rank, so all ranks compute
 * the same groups.
 *
 * The number of ranks of a node that communicate is at most its number of processors, but at least two.  Ranks that
 * share a processor would measure the effect of sharing.
 */
#include "tune.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Maximum number of ranks in a group.  More ranks would give the same results. */
#define MEMBERS_MAX 64

/* The node of each rank, represented by the lowest rank on it. */
typedef struct places {
    int  ranks;
    int *node;      /* node of each rank */
    int  leaders;   /* maximum number of members of a group on one node */
} places_t;

static int count_of(const places_t *places, int node)
{
    int count = 0;

    for (int i = 0; i < places->ranks; i++) {
        count += places->node[i] == node;
    }
    return count;
}

/* Returns the node with most ranks, apart from node `but`; -1: there is no other node. */
static int largest(const places_t *places, int but)
{
    int found = -1;

    for (int i = 0; i < places->ranks; i++) {
        if (places->node[i] == i && i != but && (found < 0 || count_of(places, i) > count_of(places, found))) {
            found = i;
        }
    }
    return found;
}

/* Returns rank number i of a node. */
static int rank_at(const places_t *places, int node, int i)
{
    int rank = node;

    while (i > 0) {
        rank++;
        i -= places->node[rank] == node;
    }
    return rank;
}

static void finish(irr_tune_group_t *group, int rank)
{
    group->me = -1;
    group->partners = group->stride == 2 ? group->count / 2 : group->count - 1;
    for (int i = 0; i < group->count; i++) {
        group->me = group->members[i] == rank ? i : group->me;
    }
}

static void fill_inside(const places_t *places, irr_tune_group_t *group)
{
    const int node = largest(places, -1), ranks = count_of(places, node);

    group->stride = 1;
    group->count = ranks < places->leaders ? ranks : places->leaders;
    group->count = ranks < 2 ? 0 : group->count;
    for (int i = 0; i < group->count; i++) {
        group->members[i] = rank_at(places, node, i);
    }
}

/* Fills a group with ranks of two nodes, alternating. */
static void fill_link(const places_t *places, irr_tune_group_t *group)
{
    const int a = largest(places, -1), b = largest(places, a);
    int pairs = places->leaders < MEMBERS_MAX / 2 ? places->leaders : MEMBERS_MAX / 2;

    group->stride = 2;
    if (b < 0) {
        return;
    }
    pairs = count_of(places, b) < pairs ? count_of(places, b) : pairs;   /* a has at least as many */
    for (int i = 0; i < pairs; i++) {
        group->members[group->count++] = rank_at(places, a, i);
        group->members[group->count++] = rank_at(places, b, i);
    }
}

static void fill_between(const places_t *places, int nodes, irr_tune_group_t *group)
{
    if (nodes < 3) {
        fill_link(places, group);
        return;
    }
    group->stride = 1;
    for (int i = 0; i < places->ranks && group->count < MEMBERS_MAX; i++) {
        if (places->node[i] == i) {
            group->members[group->count++] = i;
        }
    }
}

/*
 * Binds each rank of the group to its own processor.  Otherwise the system may run two ranks on one processor for a
 * while, because their shared data is in its cache.  Ranks that the launcher has bound keep their processors.
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

/* Returns the smallest number of processors of all nodes, from 2 to MEMBERS_MAX. */
static int leaders(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int least = processors < 2 ? 2 : processors < MEMBERS_MAX ? (int)processors : MEMBERS_MAX;

    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

static irr_cli_exit_t allocate(irr_tune_groups_t *groups, places_t *places)
{
    irr_tune_group_t *all[] = { &groups->inside, &groups->between, &groups->link };
    bool have;

    places->node = calloc((size_t)groups->ranks, sizeof(int));
    have = places->node != NULL;
    for (int i = 0; i < 3; i++) {
        all[i]->members = calloc(MEMBERS_MAX, sizeof(int));
        have = have && all[i]->members != NULL;
    }
    return irr_cli_all_have(have, "not enough memory for %d ranks", groups->ranks);
}

irr_cli_exit_t irr_tune_groups_open(irr_tune_groups_t *groups)
{
    places_t places = { .node = NULL };
    irr_cli_exit_t code;
    int lowest;

    *groups = (irr_tune_groups_t){ .node = MPI_COMM_NULL };
    MPI_Comm_size(MPI_COMM_WORLD, &groups->ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &groups->rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &groups->node);
    code = allocate(groups, &places);
    if (code == IRR_CLI_GOOD) {
        places.ranks = groups->ranks;
        places.leaders = leaders();
        lowest = groups->rank;
        MPI_Bcast(&lowest, 1, MPI_INT, 0, groups->node);
        MPI_Allgather(&lowest, 1, MPI_INT, places.node, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < groups->ranks; i++) {
            groups->nodes += places.node[i] == i;
        }
        fill_inside(&places, &groups->inside);
        fill_link(&places, &groups->link);
        fill_between(&places, groups->nodes, &groups->between);
        finish(&groups->inside, groups->rank);
        finish(&groups->link, groups->rank);
        finish(&groups->between, groups->rank);
        spread(&groups->inside);
    }
    free(places.node);
    return code;
}

void irr_tune_groups_close(irr_tune_groups_t *groups)
{
    free(groups->inside.members);
    free(groups->between.members);
    free(groups->link.members);
    if (groups->node != MPI_COMM_NULL) {
        MPI_Comm_free(&groups->node);
    }
}
