/*
 * coll_irr_ranks.c - see coll_irr_ranks.h.
 *
 * By an inter-communicator messages reach the other group alone.  Open MPI has a communicator of each group beside it,
 * for its own collectives.  MPI_Comm_free lets go of that one while operations may still be under way, so it is
 * retained.
 */
#include "coll_irr.h"

#include <stdlib.h>

/* Open MPI gives tags there on its own: those of this process are so many nonblocking collectives away. */
#define OWN_TAGS (-(1 << 21))

static bool is_before(ompi_group_t *group, ompi_group_t *other)
{
    return ompi_group_get_proc_name(group, 0).vpid < ompi_group_get_proc_name(other, 0).vpid;
}

void mca_coll_irr_ranks_of_groups(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm)
{
    const mca_coll_irr_part_t own = { .group = comm->c_local_group, .comm = comm->c_local_comm, .tags = OWN_TAGS };
    const mca_coll_irr_part_t other = { .group = comm->c_remote_group, .comm = comm };
    const int mine = is_before(own.group, other.group) ? 0 : 1;

    ranks->parts[mine] = own;
    ranks->parts[1 - mine] = other;
    ranks->parts[1].first = ompi_group_size(ranks->parts[0].group);
    ranks->size = ranks->parts[1].first + ompi_group_size(ranks->parts[1].group);
    ranks->rank = ranks->parts[mine].first + ompi_comm_rank(comm);
    ranks->kept = own.comm;
    OBJ_RETAIN(ranks->kept);
}

/* Open MPI makes the procs of a node when it starts there, so a proc that does not exist yet is elsewhere. */
bool mca_coll_irr_is_on_my_node(const mca_coll_irr_ranks_t *ranks, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(ranks, rank);
    ompi_proc_t *proc = ompi_group_get_proc_ptr_raw(part->group, rank - part->first);

    return !ompi_proc_is_sentinel(proc) && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
}

int mca_coll_irr_ranks_on_my_node(const mca_coll_irr_ranks_t *ranks)
{
    int count = 1;

    for (int i = 0; i < ranks->size; i++) {
        count += i != ranks->rank && mca_coll_irr_is_on_my_node(ranks, i);
    }
    return count;
}

/*
 * 1 + the number of the node of each process of the job; 0: not looked up yet.  Open MPI knows it without asking
 * anybody.  Guarded by the component's lock.
 */
static uint64_t *node_of;

void mca_coll_irr_ranks_close(void)
{
    free(node_of);
    node_of = NULL;
}

/* Returns 0 if it is not known. */
static uint64_t look_up(const opal_process_name_t *name)
{
    const size_t processes = (size_t)mca_coll_irr_process_info.num_procs;
    uint64_t node = 0;

    if (node_of == NULL) {
        node_of = calloc(processes, sizeof(*node_of));
    }
    if (node_of == NULL || name->vpid >= processes) {
        return 0;
    }
    if (node_of[name->vpid] == 0 && mca_coll_irr_modex_node(name, &node) == OMPI_SUCCESS) {
        node_of[name->vpid] = 1 + node;
    }
    return node_of[name->vpid];
}

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

int mca_coll_irr_ranks_nodes(const mca_coll_irr_ranks_t *ranks)
{
    uint64_t *nodes = malloc((size_t)ranks->size * sizeof(*nodes));
    int count = 0;

    if (nodes == NULL) {
        return 0;
    }
    opal_mutex_lock(&mca_coll_irr_component.lock);
    for (int i = 0; i < ranks->size; i++) {
        const opal_process_name_t name = mca_coll_irr_process(ranks, i);

        nodes[i] = look_up(&name);
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    qsort(nodes, (size_t)ranks->size, sizeof(*nodes), compare);
    for (int i = 0; i < ranks->size && nodes[0] > 0; i++) {
        count += i == 0 || nodes[i] != nodes[i - 1];
    }
    free(nodes);
    return count;
}
