/*
 * coll_irr_question.h - the ranks of a communicator ask each other what they want of a collective, without waiting in
 * between: does any rank want it served, and do all?
 */
#ifndef MCA_COLL_IRR_QUESTION_H
#define MCA_COLL_IRR_QUESTION_H

#include "coll_irr_opening.h"

/* Room for the cause that one rank tells all others, in words. */
enum { MCA_COLL_IRR_QUESTION_WORDS = 28, MCA_COLL_IRR_QUESTION_WHY = 8 * MCA_COLL_IRR_QUESTION_WORDS };

/* Stays where it is until it is over. */
typedef struct mca_coll_irr_question_t {
    mca_coll_irr_module_t  *module;
    mca_coll_irr_service_t *service;
    bool                    everywhere;   /* all ranks have coll/irr: that was known, or is in the end */
    const char             *why;          /* the algorithm, if that leaves the collective to Open MPI */
    mca_coll_irr_rounds_t   rounds;
    uint64_t                words[MCA_COLL_IRR_RECORDS_WORDS];
    bool                    divided;      /* not all want it served; the ranks learn the cause, */
    uint64_t                text[MCA_COLL_IRR_QUESTION_WORDS];   /* which is here */
    irr_status_t            status;
} mca_coll_irr_question_t;

/*
 * Starts one; collective over the ranks that have coll/irr.  tag: of the messages.  everywhere, alike on all ranks: all
 * of them are known to have it.  unfit: why the collective cannot be served on this rank whatever it wants, as the end
 * of a sentence that begins with its parameter; or NULL.
 */
void mca_coll_irr_question_start(mca_coll_irr_question_t *question, mca_coll_irr_module_t *module,
                                 mca_coll_irr_service_t *service, int tag, bool everywhere, const char *unfit);

/*
 * Never blocks.  IRR_IN_PROGRESS; IRR_OK, and then the service is DECLINED unless all want it served, of which the user
 * is told; or an error of rounds.
 */
irr_status_t mca_coll_irr_question_test(mca_coll_irr_question_t *question);

/* The same, waited for. */
irr_status_t mca_coll_irr_question_wait(mca_coll_irr_question_t *question);

/* Where all want it served: has the collective's leader the same algorithm, on all ranks? */
bool mca_coll_irr_question_is_alike(const mca_coll_irr_question_t *question);

/* The same: do the settings of all ranks leave strategies of the algorithm to be tried? */
bool mca_coll_irr_question_tries(const mca_coll_irr_question_t *question);

/* Where all choose: the maxima of what mca_coll_irr_machine_words says. */
const uint64_t *mca_coll_irr_question_machine(const mca_coll_irr_question_t *question);

/* What brought an algorithm in that nobody named; empty: somebody did. */
const char *mca_coll_irr_reason_to_serve(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

#endif
