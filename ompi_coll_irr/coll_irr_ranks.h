/*
 * coll_irr_ranks.h - the ranks of the exchanges of a communicator, as the engine numbers them.
 *
 * They are in two parts.  The first part of an intra-communicator has all ranks, the second one none.  The parts of an
 * inter-communicator are its two groups, in the order of their ranks 0 in the job, which is alike for all.
 */
#ifndef MCA_COLL_IRR_RANKS_H
#define MCA_COLL_IRR_RANKS_H

#include "compat.h"

/* Consecutive ranks. */
typedef struct mca_coll_irr_part_t {
    int                  first;
    ompi_group_t        *group;   /* the ranks, from 0 on */
    ompi_communicator_t *comm;    /* on which messages of this process reach them, */
    int                  tags;    /* after this is added to their tags */
} mca_coll_irr_part_t;

typedef struct mca_coll_irr_ranks_t {
    int                 size, rank;
    size_t              timeout;    /* seconds that an agreement among them may wait; 0: for ever */
    bool                given_up;   /* an agreement has failed on this rank: there will be none any more, */
    bool                stranded;   /* and Open MPI may still use its memory */
    mca_coll_irr_part_t parts[2];   /* the second one begins at `size` if there is none */
    ompi_communicator_t *kept;      /* retained; NULL: none */
} mca_coll_irr_ranks_t;

/* Sets the ranks of an inter-communicator. */
void mca_coll_irr_ranks_of_groups(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm);

/* Sets the ranks of a communicator, which must outlive them; zeroed before.  A second end does nothing. */
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

/* Returns the process of a rank. */
static inline opal_process_name_t mca_coll_irr_process(const mca_coll_irr_ranks_t *ranks, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(ranks, rank);

    return ompi_group_get_proc_name(part->group, rank - part->first);
}

/* Returns whether a rank is on this one's node, and how many ranks are, as Open MPI knows without asking. */
bool mca_coll_irr_is_on_my_node(const mca_coll_irr_ranks_t *ranks, int rank);
int  mca_coll_irr_ranks_on_my_node(const mca_coll_irr_ranks_t *ranks);

/*
 * Returns the number of nodes of the ranks; 0: some are not known, or there is no memory.  Looks up the node of each
 * process of the job once.
 */
int mca_coll_irr_ranks_nodes(const mca_coll_irr_ranks_t *ranks);

/* With the component. */
void mca_coll_irr_ranks_close(void);

#endif
