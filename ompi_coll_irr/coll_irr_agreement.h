/*
 * coll_irr_agreement.h - agreements: all ranks of a communicator take the same decision.  The ranks agree whether
 * coll/irr serves a collective, on an engine communicator, on the measured constants of the machine, and on the
 * strategies of a trial.
 *
 * An agreement proceeds in steps, and no step blocks.  A blocking call waits for the agreement.  A nonblocking call, or
 * the start of a persistent request, returns at once; its request completes after the agreement has ended.  The steps:
 *
 *   coll_irr_agreement.c   the sequence of the steps
 *   coll_irr_vote.c        the vote: what each rank wants
 *   coll_irr_memory.c      the constants of the machine
 *   coll_irr_setup.c       the setup of an engine communicator, and a plan on it
 *   coll_irr_strategies.c  the choice: compares times; opens or ends a trial (see coll_irr.h)
 *
 * Cost: log2(P) messages for each reduction.  The vote takes one reduction, the setup about five, the choice one or
 * two.
 */
#ifndef MCA_COLL_IRR_AGREEMENT_H
#define MCA_COLL_IRR_AGREEMENT_H

#include "coll_irr.h"
#include "comm/setup.h"

/* ---- coll_irr_reduction.c: maxima of words, a gather of bytes of all ranks, or a barrier; never blocks ---- */

/*
 * The algorithm is a dissemination: in round k a rank sends its data to the rank at distance 2^k ahead, and receives
 * the data of the rank at distance 2^k behind.  It allocates no memory.  A gather doubles the size of messages in each
 * round.
 *
 * All operations of blocking collectives share one tag, because all ranks call blocking collectives in the same order.
 * An operation that runs beside other collectives has a tag of its own (mca_coll_irr_tag).
 *
 * A rank gives up after ranks->timeout, or after an error of Open MPI.  In all remaining rounds it then sends empty
 * messages.  A rank that receives an empty message gives up in the same way.  The ranks start no further operation,
 * because late messages could match it.
 *
 * A late rank may receive the messages of all others, and not notice that they gave up afterwards.  If any rank has a
 * timeout, which an additional word of the maxima shows, all ranks therefore run the rounds twice.  After the first
 * pass a rank knows that all ranks have entered the operation; after the second pass, that all ranks have completed the
 * first pass.  If one rank alone gives up in the second pass, the others notice it in the next operation or exchange,
 * which ends in an error, or they wait for this rank in a collective of Open MPI.
 */

#define MCA_COLL_IRR_REDUCTION_WORDS 52

/* Bit k is set if, as far as this process knows, the rank at distance 2^k takes part. */
typedef struct mca_coll_irr_partners_t {
    uint32_t ahead, behind;
} mca_coll_irr_partners_t;

#define MCA_COLL_IRR_PARTNERS_ALL ((mca_coll_irr_partners_t){ UINT32_MAX, UINT32_MAX })

/* The state of one operation.  It must not move in memory until the operation has ended. */
typedef struct mca_coll_irr_reduction_t {
    mca_coll_irr_ranks_t   *ranks;
    const int              *members;     /* participating ranks; this rank has index `me`; NULL: all ranks */
    int                     count, me, tag;
    uint64_t                waited_ns, seen_ns;   /* time in waits; time of the last test */
    mca_coll_irr_partners_t partners;
    int                     round;       /* the current round */
    ompi_request_t         *requests[2]; /* receive and send; NULL: completed */
    uint64_t               *words;       /* NULL: gather or barrier */
    unsigned char          *bytes;       /* of this rank, followed by the ranks behind it */
    size_t                  size;        /* words in a message, or bytes of each rank */
    bool                    confirms;    /* this is the second pass */
    bool                    failed;      /* an operation of the round failed */
    bool                    notified;    /* another rank has given up */
    uint64_t                sent[MCA_COLL_IRR_REDUCTION_WORDS + 1], received[MCA_COLL_IRR_REDUCTION_WORDS + 1];
    irr_status_t            status;
} mca_coll_irr_reduction_t;

/* `ranks` must outlive the state. */
void mca_coll_irr_reduction_init(mca_coll_irr_reduction_t *reduction, mca_coll_irr_ranks_t *ranks, int tag);

/*
 * Start an operation.  `words`, `output` and `members` must stay valid until it ends.  `output` has room for the bytes
 * of all ranks in rank order.  `members` are ascending ranks that include this one.  Rounds whose bit is not set in
 * `partners` send or receive nothing.
 */
void mca_coll_irr_reduction_maxima(mca_coll_irr_reduction_t *reduction, uint64_t *words, size_t count,
                                   const mca_coll_irr_partners_t *partners);
void mca_coll_irr_reduction_gather(mca_coll_irr_reduction_t *reduction, const void *input, void *output, size_t bytes);
void mca_coll_irr_reduction_barrier(mca_coll_irr_reduction_t *reduction, const int *members, int count);

/*
 * Progresses an operation; never blocks.  Returns IRR_IN_PROGRESS until the operation has ended, then its result:
 * IRR_OK, or why this rank gave up: IRR_ERR_OOB (error of Open MPI), IRR_ERR_TIMEOUT (the user is warned) or
 * IRR_ERR_PEER (another rank gave up).  If ranks->stranded is set, Open MPI may still use the memory of the operation.
 */
irr_status_t mca_coll_irr_reduction_test(mca_coll_irr_reduction_t *reduction);

/*
 * Waits for an operation, and meanwhile progresses MPI and the engine.  Returns IRR_ERR_TIMEOUT after the deadline; the
 * operation then continues.  Deadline 0 means no deadline.
 */
irr_status_t mca_coll_irr_reduction_wait(mca_coll_irr_reduction_t *reduction, time_t deadline);

/* Replaces words by their maxima over all ranks.  Blocks; for blocking calls only. */
irr_status_t mca_coll_irr_maxima(mca_coll_irr_ranks_t *ranks, uint64_t *words, size_t count);

/*
 * Returns memory for the state of a blocking call: `own`, which is on the caller's stack, or with a timeout memory from
 * malloc, because after a timeout Open MPI may still use it.  Without memory there is no timeout, and the result is
 * `own`. mca_coll_irr_reduction_leave frees memory other than `own`, unless Open MPI may still use it.
 */
void *mca_coll_irr_reduction_room(mca_coll_irr_ranks_t *ranks, void *own, size_t bytes);
void mca_coll_irr_reduction_leave(const mca_coll_irr_ranks_t *ranks, void *own, void *room);

/*
 * The tags of agreements of nonblocking calls, one for each collective.  They are in the range of Open MPI's
 * nonblocking collectives, but 2^22 calls after its start, so that Open MPI reaches them late.
 */
#define MCA_COLL_IRR_TAG_CLASS (MCA_COLL_BASE_TAG_NONBLOCKING_BASE - (1 << 22))

/* The tag of blocking calls.  Open MPI's collectives cannot match the messages of a reduction that a rank gave up. */
#define MCA_COLL_IRR_TAG_BLOCKING (MCA_COLL_IRR_TAG_CLASS - MCA_COLL_IRR_COLLECTIVES)

/*
 * Returns a tag.  Local, but all ranks of the communicator must call the function in the same order relative to
 * collectives.
 */
int mca_coll_irr_tag(ompi_communicator_t *comm);

/* ---- signature: a hash by which ranks find out that all of them run the same coll/irr ---- */

/* Called when the component opens, before MPI_Init exchanges signatures. */
void mca_coll_irr_signature_open(void);

/* ---- agreements ---- */

typedef struct mca_coll_irr_agreement_t mca_coll_irr_agreement_t;

typedef enum mca_coll_irr_goal_t {
    MCA_COLL_IRR_SERVE,    /* votes; if all ranks want the collective served, sets up an engine communicator */
    MCA_COLL_IRR_CHOOSE,   /* votes unless the ranks have voted already, then does the next step of the choice */
    MCA_COLL_IRR_VOTE,     /* only votes on whether all ranks choose strategies by trials */
    MCA_COLL_IRR_OPEN      /* only sets up an engine communicator; needs no service */
} mca_coll_irr_goal_t;

/* The input of an agreement.  Only `problem`, `trouble` and `unfit` may differ between ranks. */
typedef struct mca_coll_irr_agreement_params_t {
    mca_coll_irr_goal_t    goal;
    int                    tag;        /* of the messages */
    bool                   blocking;   /* the service belongs to a team and serves blocking calls */
    const char            *unfit;      /* why the collective cannot be served; NULL: it can */
    bool                   plans;      /* plans an exchange on the new engine communicator */
    const irr_problem_t   *problem;    /* the problem to plan; NULL: `trouble` is set */
    const irr_settings_t  *settings;   /* OPEN: settings of the engine communicator */
    irr_status_t           trouble;    /* OPEN: why this rank cannot take part */
} mca_coll_irr_agreement_params_t;

/*
 * A step of an agreement.  It is called when no reduction is in progress.  Returns IRR_IN_PROGRESS if it must be called
 * again.  Otherwise it has set `next` to the following step, or to NULL after the last step.  An error of a reduction
 * ends the agreement, except in the setup, whose next step reads the error.
 */
typedef irr_status_t (*mca_coll_irr_step_t)(mca_coll_irr_agreement_t *agreement);

/* Size of the text in which a rank tells all others why Open MPI serves the collective. */
enum { MCA_COLL_IRR_WHY_WORDS = 28, MCA_COLL_IRR_WHY = 8 * MCA_COLL_IRR_WHY_WORDS };

/* An agreement.  It must not move in memory until it has ended. */
struct mca_coll_irr_agreement_t {
    mca_coll_irr_module_t  *module;
    mca_coll_irr_service_t *service;
    mca_coll_irr_agreement_params_t params;
    mca_coll_irr_step_t     next, then;   /* the next step; the step after this group of steps */
    irr_status_t            status;
    mca_coll_irr_reduction_t   reduction;
    uint64_t                words[MCA_COLL_IRR_REDUCTION_WORDS];   /* maxima are computed in place */
    uint64_t                start_ns, begin_ns;   /* of the agreement; of the setup or the reduction */

    /* the vote */
    bool                    everywhere;   /* all ranks have coll/irr */
    const char             *why;          /* why this rank wants Open MPI; NULL: it does not */
    uint64_t                text[MCA_COLL_IRR_WHY_WORDS];

    /* the setup */
    bool                    sets_up;      /* the next step belongs to the setup */
    irr_oob_t               oob;
    irr_setup_t             setup;
    irr_comm_t             *comm;         /* the new one, until a service owns it */
    irr_status_t            setup_result; /* IRR_OK; IRR_ERR_NOT_SUPPORTED on all ranks; or an error */
    uint64_t                failed;       /* not 0: planning failed here; later: on any rank */
    bool                    only_shared;  /* no transport is set up; equal on all ranks */
    mca_coll_irr_group_t   *group;        /* for the teardown */
    mca_coll_irr_service_t *comm_service; /* that gets the engine communicator */
    bool                    tries;        /* the named algorithm has strategies to compare */

    /* the choice */
    irr_candidate_t         list[IRR_CANDIDATES_MAX];
    double                  ratios[IRR_CANDIDATES_MAX];   /* expected time divided by Open MPI's time */
    int                     listed;
    int                     open;         /* strategies opened so far */
    irr_status_t            trouble;      /* why this rank cannot open a strategy */
};

/* Starts an agreement.  Collective over the ranks that have coll/irr.  With OPEN the service may be NULL. */
void mca_coll_irr_agreement_start(mca_coll_irr_agreement_t *agreement, mca_coll_irr_module_t *module,
                                  mca_coll_irr_service_t *service, const mca_coll_irr_agreement_params_t *params);

/*
 * Progresses an agreement; never blocks.  Returns IRR_IN_PROGRESS until the agreement has ended.  IRR_OK: the service
 * has the state that the ranks agreed on, possibly DECLINED.  IRR_ERR_NOT_SUPPORTED, on all ranks, only with OPEN: some
 * rank cannot take part.  Other values are errors of a reduction.
 */
irr_status_t mca_coll_irr_agreement_test(mca_coll_irr_agreement_t *agreement);

/* Local: cancels an agreement. */
void mca_coll_irr_agreement_abandon(mca_coll_irr_agreement_t *agreement);

/* Starts an agreement, and progresses all of MPI until it ends.  With OPEN, sets *comm_p to the engine communicator. */
irr_status_t mca_coll_irr_agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                                const mca_coll_irr_agreement_params_t *params, irr_comm_t **comm_p);

/* ---- groups of steps: each step sets `next` to the following step, the last step of a group to `then` ---- */

/* Starts a reduction of words to their maxima over all ranks, for the step `next`.  Returns IRR_OK. */
static inline irr_status_t mca_coll_irr_agreement_reduce(mca_coll_irr_agreement_t *agreement, uint64_t *words,
                                                         size_t count, mca_coll_irr_step_t next)
{
    mca_coll_irr_reduction_maxima(&agreement->reduction, words, count, &MCA_COLL_IRR_PARTNERS_ALL);
    agreement->next = next;
    return IRR_OK;
}

/*
 * Begins the vote.  At its end the service is DECLINED, unless all ranks want it served or all ranks choose by trials.
 */
irr_status_t mca_coll_irr_vote_begin(mca_coll_irr_agreement_t *agreement, mca_coll_irr_step_t then);

/*
 * After the vote `words` has the maxima over all ranks.  words[APART] is not 0 if on some rank the collective and its
 * primary have different algorithms.  words[PINNED] is not 0 if the settings of some rank allow no trials of the
 * algorithm's strategies.  If all ranks choose, the two words of mca_coll_irr_machine_words begin at words[MACHINE].
 */
enum { MCA_COLL_IRR_VOTE_APART = 3, MCA_COLL_IRR_VOTE_PINNED, MCA_COLL_IRR_VOTE_MACHINE };

/* Returns text to append to a message: why the algorithm is used although no setting names it; "" if one does. */
const char *mca_coll_irr_reason_to_serve(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/*
 * Begins the setup of an engine communicator.  `trouble` says why this rank cannot take part.  At the end
 * `setup_result` holds the result; with IRR_OK the step `then` takes ownership of `comm`.
 */
irr_status_t mca_coll_irr_setup_begin(mca_coll_irr_agreement_t *agreement, const irr_settings_t *settings,
                                      irr_status_t trouble, mca_coll_irr_step_t then);

/* Returns the cause of IRR_ERR_NOT_SUPPORTED as a clause, which is equal on all ranks. */
const char *mca_coll_irr_setup_why(const mca_coll_irr_agreement_t *agreement);

/* Local: stops a setup in progress, and destroys the engine communicator. */
void mca_coll_irr_setup_abandon(mca_coll_irr_agreement_t *agreement);

/*
 * Local: allocates the group and the room for blocks, and opens the engine.  Returns IRR_OK or an error of this rank.
 */
irr_status_t mca_coll_irr_setup_prepare(mca_coll_irr_agreement_t *agreement);

/* Begins the choice of strategies.  These are the last steps. */
irr_status_t mca_coll_irr_strategies_begin(mca_coll_irr_agreement_t *agreement);

#endif
