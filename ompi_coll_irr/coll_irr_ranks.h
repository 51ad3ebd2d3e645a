/*
 * coll_irr_ranks.h - the ranks of the exchanges of a communicator: all that take part, counted as the engine counts them.
 *
 * They are in two parts: the ranks of the communicator, and nobody; or the two groups of an inter-communicator, first the
 * one whose rank 0 comes first in the job, which is alike for all.
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
    mca_coll_irr_part_t parts[2];   /* the second one begins at `size` if there is none */
} mca_coll_irr_ranks_t;

/* Of a communicator, which must outlive it.  All zeros, or what was made, may be ended. */
void mca_coll_irr_ranks_init(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm);
void mca_coll_irr_ranks_fini(mca_coll_irr_ranks_t *ranks);

static inline const mca_coll_irr_part_t *mca_coll_irr_part(const mca_coll_irr_ranks_t *ranks, int rank)
{
    return &ranks->parts[rank >= ranks->parts[1].first];
}

/* The process behind a rank. */
static inline opal_process_name_t mca_coll_irr_process(const mca_coll_irr_ranks_t *ranks, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(ranks, rank);

    return ompi_group_get_proc_name(part->group, rank - part->first);
}

#endif
