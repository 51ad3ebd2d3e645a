/*
 * coll_irr_agreement.h - agreements of the ranks of a communicator: whether a collective is served, the setup of an
 * engine communicator for it, the constants of the machine, and the strategies to be tried.  No step blocks.
 *
 * An agreement is one operation {start, test}.  A blocking call waits for it; a nonblocking call or the start of a
 * persistent request completes with it.  Its steps are in four files:
 *
 *   coll_irr_agreement.c   the sequence of the steps
 *   coll_irr_question.c    the question: what each rank wants
 *   coll_irr_setup.c       the setup of an engine communicator, and a plan on it
 *   coll_irr_strategies.c  the choice: compares times, opens the strategies of a trial, ends the trial
 *
 * Cost: log2(P) messages for each reduction (coll_irr_rounds.h).  The question takes one reduction, the setup about
 * five, the choice one or two.
 */
#ifndef MCA_COLL_IRR_AGREEMENT_H
#define MCA_COLL_IRR_AGREEMENT_H

#include "coll_irr.h"
#include "coll_irr_rounds.h"
#include "comm/setup.h"

typedef struct mca_coll_irr_agreement_t mca_coll_irr_agreement_t;

typedef enum mca_coll_irr_goal_t {
    MCA_COLL_IRR_SERVE,    /* asks what the ranks want; if all want it, sets up an engine communicator */
    MCA_COLL_IRR_CHOOSE,   /* asks unless the ranks have agreed before, then does the next step of the choice */
    MCA_COLL_IRR_ASK,      /* only asks whether all ranks choose */
    MCA_COLL_IRR_OPEN      /* only sets up an engine communicator; needs no service */
} mca_coll_irr_goal_t;

/* The input of an agreement.  It is alike on all ranks except for `problem`, `trouble`, `reason` and `unfit`. */
typedef struct mca_coll_irr_aim_t {
    mca_coll_irr_goal_t    goal;
    int                    tag;        /* of the messages */
    bool                   blocking;   /* the service is the one of a team, for blocking calls */
    const char            *unfit;      /* why the collective cannot be served; NULL: it can */
    bool                   plans;      /* plans an exchange on the new engine communicator */
    const irr_problem_t   *problem;    /* the problem to plan; NULL: this rank is in trouble */
    const irr_settings_t  *settings;   /* OPEN: settings of the engine communicator */
    irr_status_t           trouble;    /* OPEN: why this rank cannot take part */
    const char            *reason;     /* OPEN: its reason, for the user */
} mca_coll_irr_aim_t;

/*
 * A step.  Returns IRR_IN_PROGRESS until its condition holds.  Otherwise it has set `next` to the following step, or to
 * NULL after the last one.
 */
typedef irr_status_t (*mca_coll_irr_step_t)(mca_coll_irr_agreement_t *agreement);

/* Size of the cause that one rank sends to all others, in words and in bytes. */
enum { MCA_COLL_IRR_WHY_WORDS = 28, MCA_COLL_IRR_WHY = 8 * MCA_COLL_IRR_WHY_WORDS };

/* Must not move until it has ended. */
struct mca_coll_irr_agreement_t {
    mca_coll_irr_module_t  *module;
    mca_coll_irr_service_t *service;
    mca_coll_irr_aim_t      aim;
    mca_coll_irr_step_t     next, then;   /* then: the step after the steps of a file */
    irr_status_t            status;
    mca_coll_irr_rounds_t   rounds;
    uint64_t                words[MCA_COLL_IRR_ROUNDS_WORDS];   /* maxima are computed in place */
    uint64_t                start_ns, begin_ns;   /* begin of the agreement; begin of the setup or the reduction */

    /* the question */
    bool                    everywhere;   /* all ranks have coll/irr: known before, or found by the question */
    const char             *why;          /* the algorithm, if it leaves the collective to Open MPI */
    uint64_t                text[MCA_COLL_IRR_WHY_WORDS];
    uint64_t                holders[2];   /* whether this rank holds constants that differ */

    /* the setup */
    irr_oob_t               oob;
    irr_setup_t             setup;
    irr_comm_t             *comm;         /* NULL: none is open, or it has an owner */
    irr_status_t            opened;       /* IRR_OK; IRR_ERR_NOT_SUPPORTED, alike on all ranks; an error of rounds */
    uint64_t                failed;       /* the plan failed on this rank; later: on any rank */
    bool                    only_shared;  /* alike on all ranks: fails without a message if it needs a transport */
    mca_coll_irr_group_t   *group;        /* the members, for the teardown; NULL: none, or it has an owner */
    mca_coll_irr_service_t *target;       /* the service that gets the engine communicator: `service` or its leader */
    bool                    tries;        /* tries the strategies of a named algorithm */

    /* the choice */
    irr_candidate_t         list[IRR_CANDIDATES_MAX];
    double                  ratios[IRR_CANDIDATES_MAX];   /* their expected times divided by Open MPI's */
    int                     listed;
    int                     open;         /* number of strategies opened so far */
    irr_status_t            trouble;      /* why this rank cannot open one */
};

/*
 * Starts an agreement.  Collective over the ranks of the communicator that have coll/irr.  The service may be NULL with
 * OPEN.
 */
void mca_coll_irr_agreement_start(mca_coll_irr_agreement_t *agreement, mca_coll_irr_module_t *module,
                                  mca_coll_irr_service_t *service, const mca_coll_irr_aim_t *aim);

/*
 * Progresses an agreement; never blocks.  Returns IRR_IN_PROGRESS until it has ended.  IRR_OK: the service has the
 * state that the ranks have agreed on, possibly DECLINED.  IRR_ERR_NOT_SUPPORTED, with OPEN only and alike on all
 * ranks: some rank cannot take part.  Other values are errors of rounds.
 */
irr_status_t mca_coll_irr_agreement_test(mca_coll_irr_agreement_t *agreement);

/* Local: cancels an agreement that is not tested any more. */
void mca_coll_irr_agreement_abandon(mca_coll_irr_agreement_t *agreement);

/*
 * Starts an agreement and waits for it while it progresses all of MPI.  With OPEN, sets *comm_p to the engine
 * communicator.
 */
irr_status_t mca_coll_irr_agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                                const mca_coll_irr_aim_t *aim, irr_comm_t **comm_p);

/* ---- groups of steps: each step sets the next one, and the last one sets `then` ---- */

/* Begins the question.  At its end the service is DECLINED unless all ranks want it served, or all choose. */
irr_status_t mca_coll_irr_question_begin(mca_coll_irr_agreement_t *agreement, mca_coll_irr_step_t then);

/* After the question: returns true if the leader of the collective has the same algorithm on all ranks. */
bool mca_coll_irr_question_is_alike(const mca_coll_irr_agreement_t *agreement);

/* After the question: returns true if the settings of all ranks allow trials of the algorithm's strategies. */
bool mca_coll_irr_question_tries(const mca_coll_irr_agreement_t *agreement);

/* After the question, where all ranks choose: returns the maxima of the words of mca_coll_irr_machine_words. */
const uint64_t *mca_coll_irr_question_machine(const mca_coll_irr_agreement_t *agreement);

/* Returns why an algorithm that no setting names is used, as the end of a clause; empty if a setting names it. */
const char *mca_coll_irr_reason_to_serve(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/*
 * Begins the setup of an engine communicator with these settings.  `trouble` and `reason`, for the user, are local.  At
 * the end `opened` holds the result; with IRR_OK the next step takes `comm`.
 */
irr_status_t mca_coll_irr_setup_begin(mca_coll_irr_agreement_t *agreement, const irr_settings_t *settings,
                                      irr_status_t trouble, const char *reason, mca_coll_irr_step_t then);

/* After IRR_ERR_NOT_SUPPORTED: returns the cause, alike on all ranks, as a clause. */
const char *mca_coll_irr_setup_why(const mca_coll_irr_agreement_t *agreement);

/* Local: stops a setup in progress, and destroys the engine communicator. */
void mca_coll_irr_setup_abandon(mca_coll_irr_agreement_t *agreement);

/*
 * Local: allocates the group and the room for blocks, and opens the engine.  Returns the trouble of this rank, such as
 * no memory or no transport.
 */
irr_status_t mca_coll_irr_setup_prepare(mca_coll_irr_agreement_t *agreement);

/* Begins the choice: the ranks agree on times, and open or close strategies.  These are the last steps. */
irr_status_t mca_coll_irr_strategies_begin(mca_coll_irr_agreement_t *agreement);

#endif
