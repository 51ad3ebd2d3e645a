/*
 * coll_irr_ranks.c - see coll_irr_ranks.h.
 *
 * By an inter-communicator messages reach the other group alone.  Open MPI has a communicator of each group beside it,
 * for its own collectives.  MPI_Comm_free lets go of that one while operations may still be under way, so it is
 * retained.
 */
#include "coll_irr_ranks.h"

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

/* It makes the procs of its node when it starts, so a proc that does not exist yet is elsewhere. */
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
