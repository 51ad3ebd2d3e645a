/*
 * coll_irr_team.h - teams of communicators, the service of each collective, and the dispatch of calls.
 *
 * A team is the set of all communicators of the same processes in the same order.  A service is the state of one
 * collective of a team: whether Open MPI or the engine serves the calls, and with which strategy.  A strategy is an
 * algorithm with its settings, or Open MPI's implementation.  A service has an engine communicator for each strategy
 * that uses the engine.  All communicators of the team share these engine communicators.
 *
 * Many programs create a communicator, exchange a few times, and free the communicator again.  The team adds up these
 * exchanges until their time allows a trial, which compares strategies.  The next communicator of the team starts with
 * the result of the trial.  All processes of a team call blocking collectives in the same order, so all processes have
 * the same state of the team without a message.
 *
 * A communicator joins its team before it first uses an engine communicator of the team.  To join, the ranks reach an
 * agreement: each rank states whether it has memory, and whether the engine communicator works.  If any rank lacks
 * memory or has a failed engine communicator, the communicator starts again with another team on all ranks.  A failure
 * therefore does not reach later communicators.
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
    bool                    shared;         /* later communicators of the processes find the team; equal on all ranks */
    bool                    everywhere;     /* the first agreement has shown that all ranks have coll/irr */
    irr_machine_t           machine;        /* constants used to rank strategies; equal on all ranks that choose */
    int                     used;           /* number of services, which are in the order of their first calls */
    signed char             index[MCA_COLL_IRR_COLLECTIVES];      /* by collective: of its service; -1: no call yet */
    mca_coll_irr_service_t  services[MCA_COLL_IRR_COLLECTIVES];   /* if `modules` is 0: only `used` entries exist */
};

/* Returns the service of a collective.  The collective must have been called on a communicator of the team. */
static inline mca_coll_irr_service_t *mca_coll_irr_team_service(mca_coll_irr_team_t *team, mca_coll_irr_which_t which)
{
    return &team->services[team->index[which]];
}

/* Allocates the team of a module with malloc.  Returns NULL if there is no memory. */
mca_coll_irr_team_t *mca_coll_irr_team_create(void);

/*
 * Local: sets module->team, if it is NULL, to a shared team or to module->own_team.  Allocates no memory; own_team must
 * exist.
 */
void mca_coll_irr_team_find(mca_coll_irr_module_t *module);

/*
 * Joins the communicator to its team, or moves it to another team on all ranks.  Call this function before the
 * communicator first uses an engine communicator of the team.  Does nothing if the agreement to join would probably
 * take longer than the exchanges of the communicator gain.  Collective; blocks.  Returns OMPI_SUCCESS, or the error of
 * the agreement.
 */
int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Local: called in the first call of a collective on a communicator.  Returns the service of the team; creates the
 * service if no communicator of the team has called the collective.
 */
mca_coll_irr_service_t *mca_coll_irr_service_begin(mca_coll_irr_module_t *module, mca_coll_irr_which_t which);

static inline mca_coll_irr_service_t *mca_coll_irr_service(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return module->called[which] ? mca_coll_irr_team_service(module->team, which)
                                 : mca_coll_irr_service_begin(module, which);
}

/* Returns true if the service uses, or tries, engine communicators, and this communicator has not joined the team. */
static inline bool mca_coll_irr_team_must_join(const mca_coll_irr_module_t *module,
                                               const mca_coll_irr_service_t *service)
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

/* Local: removes the module from its team.  The statistics of the communicator, which MPI frees, must be complete. */
void mca_coll_irr_team_leave(mca_coll_irr_module_t *module);

/* Local: calls `visit` for each service of all teams. */
void mca_coll_irr_teams_each(void (*visit)(mca_coll_irr_service_t *service));

/* Called when the component closes. */
void mca_coll_irr_teams_close(void);

/* ---- coll_irr_service.c: whether Open MPI or engine communicators serve a collective; all functions are local ---- */

/* Local: sets the state CHOOSING or DECLINED, or leaves the state NEW for the agreement of the first call. */
void mca_coll_irr_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * The mode of a service is the action of its first call.  Returns true if the info keys of the communicator give the
 * service another mode than the parameters.  The signature of a process, which other ranks read, contains only the
 * modes by parameters.
 */
bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Called when the component opens: computes the modes of communicators without info keys. */
void mca_coll_irr_modes_open(void);

/* Returns true if communicators without info keys share teams.  Ranks with equal signatures return the same value. */
bool mca_coll_irr_teams_are_shared(void);

/* Returns bits for the signature: all modes, whether communicators share teams, and whether a memory file is given. */
#define MCA_COLL_IRR_MODES_BITS 7
uint64_t mca_coll_irr_process_modes(void);

/* Makes engine communicators serve the collective.  The caller must have set strategies[0]. */
void mca_coll_irr_serve(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *because);

/* Makes the previous module serve the collective: the module that served it before coll/irr. */
void mca_coll_irr_decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why);

/*
 * Sets the state FAILED, after which calls of the collective return errors.  Called if the ranks could not agree,
 * because their strategies may then differ.  Returns `status` as an error of Open MPI, for the current call.
 */
int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status);

/* Allocates the list of strategies for trials, unless it exists.  Returns false if there is no memory. */
bool mca_coll_irr_service_has_candidates(mca_coll_irr_service_t *service);

/*
 * Lets the ranks choose among the strategies that the settings of the engine communicator leave open, if there are
 * several.  All ranks must call this function, after mca_coll_irr_service_has_candidates returned true.
 */
void mca_coll_irr_choose_from(mca_coll_irr_service_t *service);

/*
 * Called when an agreement is due after a call of a collective.  Returns true if the agreement must start now.  The
 * first agreement may be postponed, depending on the nodes of the ranks.
 */
bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Sets *settings to the settings of exchanges of the service.  In the state CHOOSING these are the settings of the
 * current strategy.  Returns false if the current strategy is Open MPI's implementation.
 */
bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings);

/*
 * The first function returns true if the service has engine communicators; a team that ends closes all of them at once.
 * The second function returns true if one of them has failed.
 */
bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service);
bool mca_coll_irr_service_has_failed(const mca_coll_irr_service_t *service);

/*
 * The first function destroys the engine communicator of one strategy.  The second function destroys all engine
 * communicators.  The third function destroys all, and sets the state DECLINED unless the state is NEW.
 */
void mca_coll_irr_service_close_strategy(mca_coll_irr_service_t *service, int strategy);
void mca_coll_irr_service_close(mca_coll_irr_service_t *service);
void mca_coll_irr_service_end(mca_coll_irr_service_t *service);

/* Returns the engine communicator of the next operation, or NULL if Open MPI serves the operation. */
static inline irr_comm_t *mca_coll_irr_service_strategy(const mca_coll_irr_service_t *service)
{
    switch (service->state) {
    case MCA_COLL_IRR_CHOOSING: return service->strategies[irr_choice_strategy(&service->choice)];
    case MCA_COLL_IRR_SERVING:  return service->strategies[0];
    default:                    return NULL;
    }
}

/*
 * Begins the next operation.  Returns whether the operation is timed, and whether an agreement is due after it.  In the
 * state NEW the agreement is due after the first operation, and decides whether the engine serves the collective.
 */
static inline irr_choice_timing_t mca_coll_irr_service_next(mca_coll_irr_module_t *module,
                                                            mca_coll_irr_service_t *service)
{
    irr_choice_timing_t timing = { .timed = false, .due = service->state == MCA_COLL_IRR_NEW };

    if (service->state == MCA_COLL_IRR_CHOOSING && !irr_choice_goes_on(&service->choice)) {
        timing = irr_choice_begin(&service->choice);
        timing.due = timing.due && mca_coll_irr_choose_is_due(module, service);
    }
    return timing;
}

/* Reserves memory for a block of each rank, or of each known neighbor.  Returns IRR_OK or IRR_ERR_NO_MEMORY. */
irr_status_t mca_coll_irr_rooms_reserve(mca_coll_irr_module_t *module);

/* ---- coll_irr_dispatch.c: dispatch of a call to Open MPI or to an engine communicator ---- */

/*
 * Returns the previous module if a blocking call goes to that module unchanged, because Open MPI serves the collective
 * and the component neither times nor counts the call.  Returns NULL if the caller must use mca_coll_irr_call.  Most
 * calls of most programs go to Open MPI, so callers use this function first, and it reads few members.
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
 * a communicator, and the call in which the communicator joins its team, also decide whether the engine serves the
 * collective.  Returns OMPI_SUCCESS or an error of Open MPI.
 */
int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* coll_irr_calls.c: starts a nonblocking call. */
int mca_coll_irr_icall(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                       ompi_request_t **request_p);

/* Creates a persistent request, for a call such as MPI_Alltoallv_init. */
int mca_coll_irr_init_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                           ompi_info_t *info, ompi_request_t **request_p);

/* ---- steps common to blocking, nonblocking and persistent calls ---- */

/*
 * Decides whether the engine serves a collective, if the ranks have not decided yet.  The function is collective.  It
 * may block in the first call, and in the call in which the communicator joins its team.  If the communicator moves to
 * another team, sets *service_p to the service of the new team.  Returns OMPI_SUCCESS or an error of Open MPI.
 */
int mca_coll_irr_settle(mca_coll_irr_module_t *module, mca_coll_irr_service_t **service_p);

static inline int mca_coll_irr_activate(mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                                        mca_coll_irr_service_t **service_p)
{
    const mca_coll_irr_service_t *service = *service_p = mca_coll_irr_service(module, which);
    const bool decided = service->state != MCA_COLL_IRR_NEW && service->state != MCA_COLL_IRR_FAILED;

    return decided && !mca_coll_irr_team_must_join(module, service) ? OMPI_SUCCESS
                                                                 : mca_coll_irr_settle(module, service_p);
}

/* Sets the ranks that the blocks of both sides belong to: all ranks, or the neighbors in the topology. */
void mca_coll_irr_set_ranks(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* Calls the function of the previous module. */
static inline int mca_coll_irr_host(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                                    mca_coll_irr_form_t form, const mca_coll_irr_call_t *call, ompi_info_t *info,
                                    ompi_request_t **request_p)
{
    return mca_coll_irr_collectives[which].host(&module->previous[which][form], form, module->comm, call, info,
                                                request_p);
}

#endif
