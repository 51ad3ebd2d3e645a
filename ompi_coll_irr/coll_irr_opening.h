/*
 * coll_irr_opening.h - the ranks of a communicator come to an engine communicator, and to a plan on it if they want
 * one, without waiting in between; what the engine asks of its host goes by rounds.
 */
#ifndef MCA_COLL_IRR_OPENING_H
#define MCA_COLL_IRR_OPENING_H

#include "coll_irr.h"
#include "coll_irr_rounds.h"
#include "comm/opening.h"

typedef struct mca_coll_irr_opening_t mca_coll_irr_opening_t;

/* The purpose of an engine communicator, beside its settings. */
typedef struct mca_coll_irr_purpose_t {
    const char                *parameter;     /* the parameter that names the algorithm, for messages */
    bool                       plans;         /* alike: an exchange, */
    const irr_problem_t       *problem;       /* of it, which a rank in trouble may lack */
    bool                       only_shared;   /* alike: if it needs a transport there is none, silently */
} mca_coll_irr_purpose_t;

/* Stays where it is until it is over. */
struct mca_coll_irr_opening_t {
    mca_coll_irr_module_t     *module;
    mca_coll_irr_rounds_t      rounds;
    irr_oob_t                  oob;
    irr_opening_t              opening;
    irr_comm_t                *comm;
    mca_coll_irr_purpose_t     purpose;
    uint64_t                   failed;   /* the plan, here; then anywhere */
    irr_status_t             (*next)(mca_coll_irr_opening_t *opening);   /* NULL: it is over */
    irr_status_t               status;
};

/*
 * Starts to open one with these settings, an id and tags of its own; collective over the communicator.  tag: of the
 * messages.  trouble, and its reason for the user, are this rank's; with trouble the engine may be closed.
 */
void mca_coll_irr_opening_start(mca_coll_irr_opening_t *opening, mca_coll_irr_module_t *module, int tag,
                                const irr_settings_t *settings, const mca_coll_irr_purpose_t *purpose,
                                irr_status_t trouble, const char *reason);

/*
 * Never blocks.  IRR_IN_PROGRESS; IRR_OK and the communicator; IRR_ERR_NOT_SUPPORTED, alike on all ranks, if one of
 * them has other settings, is in trouble or cannot plan; or an error of rounds.
 */
irr_status_t mca_coll_irr_opening_test(mca_coll_irr_opening_t *opening, irr_comm_t **comm_p);

/* After IRR_ERR_NOT_SUPPORTED: the cause, alike on all ranks, as a clause. */
const char *mca_coll_irr_opening_why(const mca_coll_irr_opening_t *opening);

/* The same, waited for. */
irr_status_t mca_coll_irr_opening_wait(mca_coll_irr_opening_t *opening, irr_comm_t **comm_p);

/* Local: it will not be tested any more. */
void mca_coll_irr_opening_abandon(mca_coll_irr_opening_t *opening);

#endif
