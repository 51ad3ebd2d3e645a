/*
 * coll_irr_ranks.h - the ranks of the exchanges of a communicator: all that take part, counted as the engine counts
 * them.
 *
 * They are in two parts: the ranks of the communicator, and nobody; or the two groups of an inter-communicator, first
 * the one whose rank 0 comes first in the job, which is alike for all.
 */
#ifndef MCA_COLL_IRR_RANKS_H
#define MCA_COLL_IRR_RANKS_H

#include "compat.h"

/* Ranks that follow each other. */
typedef struct mca_coll_irr_part_t {
    int                  first;
    ompi_group_t        *group;   /* they, from 0 on, */
    ompi_communicator_t *comm;    /* by which messages of this process reach them, */
    int                  tags;    /* which is added to their tags */
} mca_coll_irr_part_t;

typedef struct mca_coll_irr_ranks_t {
    int                 size, rank;
    size_t              timeout;    /* seconds that an agreement among them may wait; 0: for ever */
    bool                given_up;   /* one has failed on this rank: there will be none any more, */
    bool                stranded;   /* and Open MPI may still use the memory of that one */
    mca_coll_irr_part_t parts[2];   /* the second one begins at `size` if there is none */
    ompi_communicator_t *kept;      /* retained; NULL: none */
} mca_coll_irr_ranks_t;

/* Those of an inter-communicator. */
void mca_coll_irr_ranks_of_groups(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm);

/* Of a communicator, which must outlive it; all zeros before.  May be ended any number of times. */
static inline void mca_coll_irr_ranks_init(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm)
{
    if (OMPI_COMM_IS_INTER(comm)) {
        mca_coll_irr_ranks_of_groups(ranks, comm);
        return;
    }
    ranks->rank = ompi_comm_rank(comm);
    ranks->size = ranks->parts[1].first = ompi_comm_size(comm);
    ranks->parts[0].group = comm->c_local_group;
    ranks->parts[0].comm = comm;
}

static inline const mca_coll_irr_part_t *mca_coll_irr_part(const mca_coll_irr_ranks_t *ranks, int rank)
{
    return &ranks->parts[rank >= ranks->parts[1].first];
}

static inline void mca_coll_irr_ranks_fini(mca_coll_irr_ranks_t *ranks)
{
    ompi_communicator_t *kept = ranks->kept;

    if (kept != NULL) {
        ranks->kept = NULL;
        OBJ_RELEASE(kept);
    }
}

/* The process behind a rank. */
static inline opal_process_name_t mca_coll_irr_process(const mca_coll_irr_ranks_t *ranks, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(ranks, rank);

    return ompi_group_get_proc_name(part->group, rank - part->first);
}

/* Returns whether a rank is on this one's node, and how many ranks are, as Open MPI knows without asking. */
bool mca_coll_irr_is_on_my_node(const mca_coll_irr_ranks_t *ranks, int rank);
int  mca_coll_irr_ranks_on_my_node(const mca_coll_irr_ranks_t *ranks);

#endif
