/*
 * coll_irr_ranks.h - the ranks of the exchanges of a communicator, as the engine numbers them.
 *
 * The ranks are in two groups.  The second group of an intra-communicator is empty.  The first group of an
 * inter-communicator is the one whose rank 0 is the lower process, so all ranks use the same order.
 */
#ifndef MCA_COLL_IRR_RANKS_H
#define MCA_COLL_IRR_RANKS_H

#include "compat.h"

/* A group, whose members have consecutive ranks. */
typedef struct mca_coll_irr_ranks_group_t {
    int                  first;
    ompi_group_t        *members;   /* member i is rank first + i */
    ompi_communicator_t *comm;      /* for messages with the members */
    int                  tags;      /* added to the tags of messages */
} mca_coll_irr_ranks_group_t;

typedef struct mca_coll_irr_ranks_t {
    int                        size, rank;
    size_t                     timeout;     /* of an agreement, in seconds; 0: none */
    bool                       given_up;    /* an agreement was given up; each later one fails at once */
    bool                       stranded;    /* Open MPI may still use the memory of that agreement */
    mca_coll_irr_ranks_group_t groups[2];   /* an empty second group begins at `size` */
    ompi_communicator_t       *kept;        /* that mca_coll_irr_ranks_fini releases; NULL: none */
} mca_coll_irr_ranks_t;

/* For an inter-communicator; retains the intra-communicator of this rank's group. */
void mca_coll_irr_ranks_of_groups(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm);

/* Sets *ranks, which must be zeroed.  The communicator must outlive it. mca_coll_irr_ranks_fini may be called twice. */
static inline void mca_coll_irr_ranks_init(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm)
{
    if (OMPI_COMM_IS_INTER(comm)) {
        mca_coll_irr_ranks_of_groups(ranks, comm);
        return;
    }
    ranks->rank = ompi_comm_rank(comm);
    ranks->size = ranks->groups[1].first = ompi_comm_size(comm);
    ranks->groups[0].members = comm->c_local_group;
    ranks->groups[0].comm = comm;
}

static inline const mca_coll_irr_ranks_group_t *mca_coll_irr_ranks_group(const mca_coll_irr_ranks_t *ranks, int rank)
{
    return &ranks->groups[rank >= ranks->groups[1].first];
}

static inline void mca_coll_irr_ranks_fini(mca_coll_irr_ranks_t *ranks)
{
    ompi_communicator_t *kept = ranks->kept;

    if (kept != NULL) {
        ranks->kept = NULL;
        OBJ_RELEASE(kept);
    }
}

static inline opal_process_name_t mca_coll_irr_process(const mca_coll_irr_ranks_t *ranks, int rank)
{
    const mca_coll_irr_ranks_group_t *group = mca_coll_irr_ranks_group(ranks, rank);

    return ompi_group_get_proc_name(group->members, rank - group->first);
}

/* Whether a rank is on this rank's node, and the number of ranks on this node.  Both use data that this process has. */
bool mca_coll_irr_is_on_my_node(const mca_coll_irr_ranks_t *ranks, int rank);
int  mca_coll_irr_ranks_on_my_node(const mca_coll_irr_ranks_t *ranks);

/* Values that processes publish in MPI_Init: the signature of coll/irr (coll_irr_vote.c), the number of its node. */
typedef enum mca_coll_irr_value_t {
    MCA_COLL_IRR_SIGNATURE, MCA_COLL_IRR_NODE, MCA_COLL_IRR_VALUES
} mca_coll_irr_value_t;
#define MCA_COLL_IRR_SIGNATURE_KEY "coll.irr"

/*
 * Looks up a value of a rank.  Returns OMPI_SUCCESS; OMPI_ERR_NOT_FOUND if the rank has published none; or an error of
 * this process.  Keeps the result, because a lookup of Open MPI 4.1 takes tens of us.
 */
int mca_coll_irr_lookup(const mca_coll_irr_ranks_t *ranks, int rank, mca_coll_irr_value_t which, uint64_t *value);

/* Called when the component closes. */
void mca_coll_irr_lookups_close(void);

#endif
