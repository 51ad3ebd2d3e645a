/*
 * coll_irr_team.h - teams, the states of their collectives, and the dispatch of calls.
 *
 * A team is the set of all communicators of the same processes in the same order.  Its communicators share one strategy
 * and its engine communicators.
 *
 * Many programs create a communicator, exchange a few times, and free it again.  The team counts these exchanges
 * together until they pay for a trial, and the next communicator starts with the result.  All processes of a team call
 * blocking collectives in the same order, so the state of a team is the same on all its members without a message.
 *
 * A communicator joins its team before it first uses an engine communicator of the team.  Joining is an agreement: each
 * rank states whether it has memory, and whether the engine communicator works.  If any rank answers no, the
 * communicator starts again with another team on all ranks.  A failure therefore does not reach later communicators.
 *
 * A communicator with info keys has a team that it does not share.  Under MPI_THREAD_MULTIPLE, or if the user gives a
 * schedule file or a dump of the matrices, no communicators share a team.
 *
 * Cost: O(P) to find the team, in the first call of a communicator; one agreement to join.  A team lives until the job
 * ends.  It takes 9 KB while it has communicators, otherwise 1.5 KB for each of its collectives.
 */
#ifndef MCA_COLL_IRR_TEAM_H
#define MCA_COLL_IRR_TEAM_H

#include "coll_irr.h"

struct mca_coll_irr_team_t {
    mca_coll_irr_team_t    *next, **link;   /* of a list of teams; `link` points to this team */
    uint64_t                processes[2];   /* hash of the processes in order */
    int                     modules;        /* number of modules in the team now */
    bool                    shared;         /* found by later communicators of these processes; alike on all ranks */
    bool                    everywhere;     /* all ranks have coll/irr: known after the first agreement */
    irr_machine_t           machine;        /* constants used to rank strategies; alike on all ranks that choose */
    int                     used;           /* number of services; they are in the order of their first calls */
    signed char             place[MCA_COLL_IRR_COLLECTIVES];      /* index of a collective's service; -1: not begun */
    mca_coll_irr_service_t  services[MCA_COLL_IRR_COLLECTIVES];   /* without communicators: room for `used` only */
};

/* Returns the service of a collective, which must have begun. */
static inline mca_coll_irr_service_t *mca_coll_irr_team_service(mca_coll_irr_team_t *team, mca_coll_irr_which_t which)
{
    return &team->services[team->place[which]];
}

/* Allocates the team of a module, with malloc.  NULL without memory. */
mca_coll_irr_team_t *mca_coll_irr_team_create(void);

/* Local, in the first call of a communicator: sets module->team.  Needs no memory other than module->own_team. */
void mca_coll_irr_team_find(mca_coll_irr_module_t *module);

/*
 * Joins the communicator to its team, or moves it to another team on all ranks.  Call this function before the
 * communicator first uses an engine communicator of the team.  Does nothing if joining is not likely to pay.
 * Collective; blocks.  Returns OMPI_SUCCESS, or the error of the agreement.
 */
int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Local: in the first call of a collective on a communicator, returns the service of the team, or begins it. */
mca_coll_irr_service_t *mca_coll_irr_service_begin(mca_coll_irr_module_t *module, mca_coll_irr_which_t which);

static inline mca_coll_irr_service_t *mca_coll_irr_service(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return module->called[which] ? mca_coll_irr_team_service(module->team, which)
                                 : mca_coll_irr_service_begin(module, which);
}

/* True if the service uses engine communicators and this communicator has not joined. */
static inline bool mca_coll_irr_team_waits(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return !module->joined[service->which] &&
           (service->state == MCA_COLL_IRR_SERVING ||
            (service->state == MCA_COLL_IRR_CHOOSING &&
             (service->choice.tries || service->choice.strategy != service->host_strategy)));
}

/* Returns the service of a collective, or NULL if the collective was not called on this communicator. */
static inline mca_coll_irr_service_t *mca_coll_irr_service_called(mca_coll_irr_module_t *module, int which)
{
    return module->called[which] ? mca_coll_irr_team_service(module->team, (mca_coll_irr_which_t)which) : NULL;
}

/* Local: removes the module from its team, when the communicator is freed and its statistics are complete. */
void mca_coll_irr_team_leave(mca_coll_irr_module_t *module);

/* Local: calls `visit` for each service of all teams. */
void mca_coll_irr_teams_each(void (*visit)(mca_coll_irr_service_t *service));

/* Called when the component closes. */
void mca_coll_irr_teams_close(void);

/* ---- coll_irr_service.c: whether Open MPI or engine communicators serve a collective; all functions are local ---- */

/*
 * The action of the first call of a collective: the ranks vote, or choose while the program runs, or leave the
 * collective to Open MPI.
 */
typedef enum mca_coll_irr_mode_t {
    MCA_COLL_IRR_VOTES, MCA_COLL_IRR_CHOOSES, MCA_COLL_IRR_LEAVES, MCA_COLL_IRR_MODES
} mca_coll_irr_mode_t;

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/*
 * Returns true if an info key of the communicator determines the mode.  Signatures do not contain modes by info keys.
 */
bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Called when the component opens: computes the modes of communicators without info keys. */
void mca_coll_irr_modes_open(void);

/* Returns true if communicators without info keys share teams.  Alike on all ranks that have the same signature. */
bool mca_coll_irr_teams_are_shared(void);

/* Returns bits for the signature: all modes, whether communicators share teams, and whether there is a memory file. */
#define MCA_COLL_IRR_MODES_BITS 7
uint64_t mca_coll_irr_process_modes(void);

/* Makes engine communicators serve the collective.  The caller has set its engine communicator or strategy 0. */
void mca_coll_irr_serve(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *because);

/* Makes the previous module serve the collective. */
void mca_coll_irr_decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why);

/*
 * Sets the state FAILED because the ranks could not agree, so their strategies may differ.  Later calls of the
 * collective return errors.  Returns the error of this call.
 */
int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status);

/* Makes the ranks choose among strategies while the program runs. */
void mca_coll_irr_choose_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Allocates memory for candidates if there is none.  Returns false without memory. */
bool mca_coll_irr_service_has_candidates(mca_coll_irr_service_t *service);

/*
 * Lets the ranks choose among the strategies that the settings of the engine communicator leave open, if there are
 * several.  The engine communicator becomes strategy 0 of the service.  All ranks must call this function, after
 * mca_coll_irr_service_has_candidates returned true.
 */
void mca_coll_irr_choose_from(mca_coll_irr_service_t *service);

/*
 * Call when an agreement is due after a call.  Returns true if the agreement must start now.  The first agreement may
 * be postponed, depending on the nodes of the ranks.
 */
bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Sets *settings to the settings of exchanges of the service.  While the ranks choose, they are the settings of the
 * current strategy.  Returns false if the current strategy is Open MPI's implementation.
 */
bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings);

/*
 * The first function returns true if the service has engine communicators.  The second returns true if all engine
 * communicators that its state needs exist, and none of them has failed.
 */
bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service);
bool mca_coll_irr_service_is_sound(const mca_coll_irr_service_t *service);

/*
 * Destroy the engine communicator of one strategy; destroy all of them; destroy all and set the state DECLINED unless
 * it is NEW.
 */
void mca_coll_irr_service_close_strategy(mca_coll_irr_service_t *service, int strategy);
void mca_coll_irr_service_close(mca_coll_irr_service_t *service);
void mca_coll_irr_service_end(mca_coll_irr_service_t *service);

/* Returns the engine communicator of the next operation, or NULL if Open MPI serves it. */
static inline irr_comm_t *mca_coll_irr_service_strategy(const mca_coll_irr_service_t *service)
{
    switch (service->state) {
    case MCA_COLL_IRR_CHOOSING: return service->strategies[irr_choice_strategy(&service->choice)];
    case MCA_COLL_IRR_SERVING:  return service->irr_comm;
    default:                    return NULL;
    }
}

/*
 * Begins the next operation.  Returns whether it is timed, and whether an agreement is due after it.  If the ranks have
 * not agreed yet whether the collective is served, the agreement is due after the first operation.
 */
static inline irr_choice_turn_t mca_coll_irr_service_turn(mca_coll_irr_module_t *module,
                                                          mca_coll_irr_service_t *service)
{
    irr_choice_turn_t turn = { .timed = false, .due = service->state == MCA_COLL_IRR_NEW };

    if (service->state == MCA_COLL_IRR_CHOOSING && !irr_choice_goes_on(&service->choice)) {
        turn = irr_choice_begin(&service->choice);
        turn.due = turn.due && mca_coll_irr_choose_is_due(module, service);
    }
    return turn;
}

/* Reserves room for the blocks of a call to all ranks or to known neighbors.  Returns IRR_OK or IRR_ERR_NO_MEMORY. */
irr_status_t mca_coll_irr_rooms_reserve(mca_coll_irr_module_t *module);

/* ---- coll_irr_dispatch.c: dispatch of a call to Open MPI or to an engine communicator ---- */

/*
 * Returns the previous module if a blocking call goes to it unchanged: the ranks, or the trials so far, leave the
 * collective to Open MPI, and nothing times or counts the call.  Most calls of most programs take this path, so this
 * test comes first and reads few members.  NULL: use mca_coll_irr_call.
 */
static inline const mca_coll_irr_previous_t *mca_coll_irr_left_to(mca_coll_base_module_t *base,
                                                                  mca_coll_irr_which_t which)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    mca_coll_irr_service_t *service;
    bool left;

    if (!module->called[which] || mca_coll_irr_component.measures) {
        return NULL;
    }
    service = mca_coll_irr_team_service(module->team, which);
    left = service->state == MCA_COLL_IRR_CHOOSING
               ? service->choice.strategy == service->host_strategy && irr_choice_goes_on(&service->choice)
               : service->state == MCA_COLL_IRR_DECLINED;
    return left ? &module->previous[which][MCA_COLL_IRR_BLOCKING] : NULL;
}

/*
 * Serves a blocking call whose sides hold the arguments of MPI.  Collective; blocks.  The first call of a collective on
 * a communicator, and the call in which the communicator joins its team, decide how it is served.  Returns OMPI_SUCCESS
 * or an error of Open MPI.
 */
int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* coll_irr_calls.c: starts a nonblocking call. */
int mca_coll_irr_icall(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                       ompi_request_t **request_p);

/* Serves the init call of a persistent request. */
int mca_coll_irr_init_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                           ompi_info_t *info, ompi_request_t **request_p);

/* ---- steps common to the three forms ---- */

/*
 * Makes sure that the state of a collective is decided.  The function is collective and may block in the first call,
 * and in the call in which the communicator joins its team.  Returns OMPI_SUCCESS or an error, and sets *service_p.
 */
int mca_coll_irr_settle(mca_coll_irr_module_t *module, mca_coll_irr_service_t **service_p);

static inline int mca_coll_irr_activate(mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                                        mca_coll_irr_service_t **service_p)
{
    const mca_coll_irr_service_t *service = *service_p = mca_coll_irr_service(module, which);
    const bool decided = service->state != MCA_COLL_IRR_NEW && service->state != MCA_COLL_IRR_FAILED;

    return decided && !mca_coll_irr_team_waits(module, service) ? OMPI_SUCCESS
                                                                 : mca_coll_irr_settle(module, service_p);
}

/* Sets the ranks of the blocks of both sides: all ranks, or the neighbors. */
void mca_coll_irr_place(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* Local: sets the state CHOOSING or DECLINED, or leaves the state NEW for the agreement of the first call. */
void mca_coll_irr_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Calls the function of the previous module. */
static inline int mca_coll_irr_host(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                                    mca_coll_irr_form_t form, const mca_coll_irr_call_t *call, ompi_info_t *info,
                                    ompi_request_t **request_p)
{
    return mca_coll_irr_collectives[which].host(&module->previous[which][form], form, module->comm, call, info,
                                                request_p);
}

#endif
