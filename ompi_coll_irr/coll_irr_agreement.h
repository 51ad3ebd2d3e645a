/*
 * coll_irr_agreement.h - what the ranks of a communicator agree on, in steps between which nobody waits: whether a
 * collective is served, an engine communicator for it, the constants of the machine, and the strategies to be tried.
 *
 * An agreement is one operation {start, test}.  A blocking call waits for it; a nonblocking call or the start of a
 * persistent request completes with it.  Its steps are in four files, and each has one kind:
 *
 *   coll_irr_agreement.c  which step follows which
 *   coll_irr_question.c   the ranks ask each other what they want
 *   coll_irr_setup.c    they open an engine communicator, and plan on it
 *   coll_irr_strategies.c       they compare times, open the strategies of a trial, and end it
 *
 * Cost: log2(P) messages for each reduction (coll_irr_rounds.h): one to ask, about five to open, one or two to choose.
 */
#ifndef MCA_COLL_IRR_AGREEMENT_H
#define MCA_COLL_IRR_AGREEMENT_H

#include "coll_irr.h"
#include "coll_irr_rounds.h"
#include "comm/setup.h"

typedef struct mca_coll_irr_agreement_t mca_coll_irr_agreement_t;

typedef enum mca_coll_irr_goal_t {
    MCA_COLL_IRR_SERVE,    /* the ranks ask each other; if all want the collective served, they open for it */
    MCA_COLL_IRR_CHOOSE,   /* they ask, unless they have, and then do what choosing asks for */
    MCA_COLL_IRR_ASK,      /* they only ask whether all choose */
    MCA_COLL_IRR_OPEN      /* they open an engine communicator, whatever it is for */
} mca_coll_irr_goal_t;

/* What an agreement is to do, alike on all ranks but for the problem, the trouble, and why the rank is unfit. */
typedef struct mca_coll_irr_aim_t {
    mca_coll_irr_goal_t    goal;
    int                    tag;        /* of its messages */
    bool                   blocking;   /* the service is that of the blocking calls of a team */
    const char            *unfit;      /* why the collective cannot be served; NULL: it can */
    bool                   plans;      /* what is opened plans an exchange, */
    const irr_problem_t   *problem;    /* of this problem; NULL: this rank is in trouble */
    const irr_settings_t  *settings;   /* OPEN: of the engine communicator */
    irr_status_t           trouble;    /* OPEN: why this rank cannot take part, */
    const char            *reason;     /* for the user */
} mca_coll_irr_aim_t;

/* Returns IRR_IN_PROGRESS until what it waits for is over; then it has set the next step, or NULL behind the last. */
typedef irr_status_t (*mca_coll_irr_step_t)(mca_coll_irr_agreement_t *agreement);

/* Room for the cause that one rank tells all others, in words. */
enum { MCA_COLL_IRR_WHY_WORDS = 28, MCA_COLL_IRR_WHY = 8 * MCA_COLL_IRR_WHY_WORDS };

/* Stays where it is until it is over. */
struct mca_coll_irr_agreement_t {
    mca_coll_irr_module_t  *module;
    mca_coll_irr_service_t *service;
    mca_coll_irr_aim_t      aim;
    mca_coll_irr_step_t     next, then;   /* then: behind the steps of another file */
    irr_status_t            status;
    mca_coll_irr_rounds_t   rounds;
    uint64_t                words[MCA_COLL_IRR_ROUNDS_WORDS];   /* that become maxima */
    uint64_t                start_ns, begin_ns;   /* of the agreement, and of what it opens */

    /* the question */
    bool                    everywhere;   /* all ranks have coll/irr: that was known, or is in the end */
    const char             *why;          /* the algorithm, if that leaves the collective to Open MPI */
    uint64_t                text[MCA_COLL_IRR_WHY_WORDS];
    uint64_t                holders[2];   /* of constants that differ */

    /* the opening */
    irr_oob_t               oob;
    irr_setup_t             setup;
    irr_comm_t             *comm;         /* NULL: none is open, or it has an owner */
    irr_status_t            opened;       /* IRR_OK; IRR_ERR_NOT_SUPPORTED, alike on all ranks; an error of rounds */
    uint64_t                failed;       /* the plan, here; then anywhere */
    bool                    only_shared;  /* alike: if it needs a transport there is none, silently */
    mca_coll_irr_group_t   *group;        /* of ranks that exchange from then on; NULL: none, or it has an owner */
    mca_coll_irr_service_t *target;       /* whose engine communicator is opened: the service, or its leader */
    bool                    tries;        /* strategies of the algorithm that is named */

    /* the strategies */
    irr_candidate_t         list[IRR_CANDIDATES_MAX];
    double                  ratios[IRR_CANDIDATES_MAX];   /* their times as parts of the host's */
    int                     listed;
    int                     open;         /* strategies that were opened, */
    irr_status_t            trouble;      /* or why this rank cannot */
};

/*
 * Starts one; collective over the ranks of the communicator that have coll/irr.  service: of the agreement; OPEN needs
 * none.
 */
void mca_coll_irr_agreement_start(mca_coll_irr_agreement_t *agreement, mca_coll_irr_module_t *module,
                                  mca_coll_irr_service_t *service, const mca_coll_irr_aim_t *aim);

/*
 * Never blocks.  IRR_IN_PROGRESS; IRR_OK, and the service is what the ranks have agreed on, which may be DECLINED; with
 * OPEN IRR_ERR_NOT_SUPPORTED, alike on all ranks, if one of them cannot; or an error of rounds.
 */
irr_status_t mca_coll_irr_agreement_test(mca_coll_irr_agreement_t *agreement);

/* Local: it will not be tested any more. */
void mca_coll_irr_agreement_abandon(mca_coll_irr_agreement_t *agreement);

/* Starts one and waits for it, while all of MPI moves on.  comm_p: with OPEN, the engine communicator. */
irr_status_t mca_coll_irr_agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                                const mca_coll_irr_aim_t *aim, irr_comm_t **comm_p);

/* ---- groups of steps, each of which sets the next one, and ends with `then` ---- */

/* The ranks ask each other.  In the end the service is DECLINED unless all want it served, or choose. */
irr_status_t mca_coll_irr_question_begin(mca_coll_irr_agreement_t *agreement, mca_coll_irr_step_t then);

/* After it: has the collective's leader the same algorithm, on all ranks? */
bool mca_coll_irr_question_is_alike(const mca_coll_irr_agreement_t *agreement);

/* After it: do the settings of all ranks leave strategies of the algorithm to be tried? */
bool mca_coll_irr_question_tries(const mca_coll_irr_agreement_t *agreement);

/* After it, where all choose: the maxima of what mca_coll_irr_machine_words says. */
const uint64_t *mca_coll_irr_question_machine(const mca_coll_irr_agreement_t *agreement);

/* What brought an algorithm in that nobody named; empty: somebody did. */
const char *mca_coll_irr_reason_to_serve(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/*
 * They open an engine communicator with these settings.  Local: trouble, and its reason for the user.  In the end
 * `opened` says how that went; with IRR_OK there is `comm`, which the next step takes.
 */
irr_status_t mca_coll_irr_setup_begin(mca_coll_irr_agreement_t *agreement, const irr_settings_t *settings,
                                      irr_status_t trouble, const char *reason, mca_coll_irr_step_t then);

/* After IRR_ERR_NOT_SUPPORTED: the cause, alike on all ranks, as a clause. */
const char *mca_coll_irr_setup_why(const mca_coll_irr_agreement_t *agreement);

/* Local: closes what is open, and stops what is under way. */
void mca_coll_irr_setup_abandon(mca_coll_irr_agreement_t *agreement);

/* Local: what only this rank can know of an opening: no memory, no transport.  Makes the group. */
irr_status_t mca_coll_irr_setup_prepare(mca_coll_irr_agreement_t *agreement);

/* They agree on times, and open or close strategies; these are the last steps. */
irr_status_t mca_coll_irr_strategies_begin(mca_coll_irr_agreement_t *agreement);

#endif
