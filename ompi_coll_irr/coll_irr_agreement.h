/*
 * coll_irr_agreement.h - where the ranks choose the way of a service, what they do at the counts of exchanges at which
 * they agree: learn the largest times, open ways, and end trials; in steps between which nobody waits.
 */
#ifndef MCA_COLL_IRR_AGREEMENT_H
#define MCA_COLL_IRR_AGREEMENT_H

#include "coll_irr_opening.h"

typedef struct mca_coll_irr_agreement_t mca_coll_irr_agreement_t;

/* Stays where it is until it is over. */
struct mca_coll_irr_agreement_t {
    mca_coll_irr_module_t  *module;
    mca_coll_irr_service_t *service;
    int                     tag;
    mca_coll_irr_purpose_t  purpose;    /* of the ways that are opened */
    mca_coll_irr_rounds_t   rounds;
    uint64_t                words[IRR_CHOICE_WORDS + 1];   /* and whether a rank's service has failed */
    irr_candidate_t         list[IRR_CANDIDATES_MAX];      /* ways, */
    double                  ratios[IRR_CANDIDATES_MAX];    /* and their times as parts of the host's */
    int                     listed;
    uint64_t                begin_ns;
    int                     open;       /* ways that were opened, */
    irr_status_t            trouble;    /* or why this rank cannot */
    mca_coll_irr_group_t   *group;      /* of ranks that exchange from then on */
    mca_coll_irr_opening_t  opening;
    irr_status_t          (*next)(mca_coll_irr_agreement_t *agreement);   /* NULL: it is over */
    irr_status_t            status;
};

/* Starts one; collective over the communicator.  tag: of the messages.  purpose: of ways that are opened. */
void mca_coll_irr_agreement_start(mca_coll_irr_agreement_t *agreement, mca_coll_irr_module_t *module,
                                  mca_coll_irr_service_t *service, int tag, const mca_coll_irr_purpose_t *purpose);

/* Never blocks.  IRR_IN_PROGRESS, and then IRR_OK or an error of rounds. */
irr_status_t mca_coll_irr_agreement_test(mca_coll_irr_agreement_t *agreement);

/* The same, waited for. */
irr_status_t mca_coll_irr_agreement_wait(mca_coll_irr_agreement_t *agreement);

/* Local: it will not be tested any more. */
void mca_coll_irr_agreement_abandon(mca_coll_irr_agreement_t *agreement);

#endif
