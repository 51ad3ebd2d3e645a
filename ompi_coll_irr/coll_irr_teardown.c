/*
 * coll_irr_teardown.c - the end of the engine: barrier among the peers, flush and close, another barrier, destroy.
 *
 * Peers may send to a rank until their last exchange has ended, including messages without a receive; hence the first
 * barrier.  A worker may be destroyed only after every process that can still send to it has flushed.  Those processes
 * share a served communicator with this one, so a barrier over the members of each served communicator is enough.  A
 * job without exchanges has no barrier.  The communicator may have been freed by then, so its members are stored as a
 * group of ranks of MPI_COMM_WORLD.  A group that is a subset of another one needs no barrier of its own.
 *
 * All members of a group store the same groups that contain it, so all of them skip its barrier, or none does.  All
 * ranks run their barriers in the same order of the groups, so no circular wait occurs.
 *
 * The teardown runs when the module of MPI_COMM_WORLD is destroyed: all processes are in MPI_Finalize then, and
 * point-to-point messages on MPI_COMM_WORLD still work.  coll_irr_timeout limits the wait for a missing process.
 *
 * Cost: a dissemination barrier, O(log n) empty messages, for each group.
 */
#include "coll_irr_engine.h"

#include <stdlib.h>
#include <time.h>

typedef mca_coll_irr_group_t group_t;

/* The groups, sorted by compare.  No group is a subset of another one. */
static group_t *groups;

static int compare_ranks(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;

    return (left > right) - (left < right);
}

static int compare(const group_t *a, const group_t *b)
{
    for (int i = 0; i < a->size && i < b->size; i++) {
        if (a->ranks[i] != b->ranks[i]) {
            return a->ranks[i] < b->ranks[i] ? -1 : 1;
        }
    }
    return (a->size > b->size) - (a->size < b->size);
}

/* Returns true if all ranks of `part` are in `whole`.  Both are sorted. */
static bool is_part(const group_t *part, const group_t *whole)
{
    int found = 0;

    for (int i = 0; i < whole->size && found < part->size; i++) {
        found += whole->ranks[i] == part->ranks[found];
    }
    return found == part->size;
}

mca_coll_irr_group_t *mca_coll_irr_group_create(const mca_coll_irr_ranks_t *ranks)
{
    const int size = ranks->size;
    group_t *group = malloc(sizeof(*group) + (size_t)size * sizeof(group->ranks[0]));

    if (group == NULL) {
        return NULL;
    }
    group->size = size;
    for (int i = 0; i < size; i++) {
        group->ranks[i] = (int)mca_coll_irr_process(ranks, i).vpid;
    }
    qsort(group->ranks, (size_t)size, sizeof(group->ranks[0]), compare_ranks);
    return group;
}

/*
 * Adds a group, and frees its subsets.  If the group is a subset of another one, frees the group instead.  The caller
 * holds the lock.
 */
static void add(group_t *group)
{
    group_t **link = &groups;

    while (*link != NULL) {
        group_t *other = *link;

        if (is_part(group, other)) {   /* then no subset of the group is in the list */
            free(group);
            return;
        }
        if (is_part(other, group)) {
            *link = other->next;
            free(other);
        } else {
            link = &other->next;
        }
    }
    for (link = &groups; *link != NULL && compare(*link, group) < 0; link = &(*link)->next) {
    }
    group->next = *link;
    *link = group;
}

void mca_coll_irr_teardown_add(mca_coll_irr_group_t *group)
{
    opal_mutex_lock(&mca_coll_irr_component.lock);
    add(group);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

static void barriers(time_t deadline)
{
    irr_status_t status = IRR_OK;
    mca_coll_irr_rounds_t rounds;
    mca_coll_irr_ranks_t world = { .size = 0 };

    mca_coll_irr_ranks_init(&world, &ompi_mpi_comm_world.comm);
    mca_coll_irr_rounds_init(&rounds, &world, MCA_COLL_BASE_TAG_BARRIER);
    for (group_t *group = groups; group != NULL && status == IRR_OK; group = group->next) {
        mca_coll_irr_rounds_barrier(&rounds, group->ranks, group->size);
        status = mca_coll_irr_rounds_wait(&rounds, deadline);
    }
}

void mca_coll_irr_teardown(void)
{
    mca_coll_irr_component_t *component = &mca_coll_irr_component;
    const size_t seconds = mca_coll_irr_timeout();

    if (component->engine_state == MCA_COLL_IRR_ENGINE_OPEN) {
        const time_t deadline = seconds > 0 ? time(NULL) + (time_t)seconds : 0;

        barriers(deadline);
        irr_engine_close(component->engine);
        while (irr_engine_drain(component->engine) == IRR_IN_PROGRESS && mca_coll_irr_progress(deadline)) {
        }
        barriers(deadline);
    }
}

void mca_coll_irr_groups_free(void)
{
    while (groups != NULL) {
        group_t *group = groups;

        groups = group->next;
        free(group);
    }
}
