/*
 * coll_irr_team.h - teams of communicators, the service of each collective, and the dispatch of calls.
 *
 * A team is the set of all communicators of the same processes in the same order.  A service is the state of one
 * collective of a team: whether Open MPI or the engine serves the calls, and with which strategy.  A strategy is an
 * algorithm with its settings, or Open MPI's implementation.  All communicators of the team share the service's engine
 * communicators, one for each strategy of the engine.
 *
 * Many programs create a communicator, exchange a few times, and free it again.  The team adds up these exchanges until
 * their time allows a trial, which compares strategies.  The next communicator of the team starts with the result.  All
 * processes of a team call blocking collectives in the same order, so all have the same state of the team without a
 * message.
 *
 * A communicator joins its team before it first uses an engine communicator of the team.  To join, the ranks agree that
 * each of them has memory, and that the engine communicator works.  Otherwise the communicator starts again with
 * another team, on all ranks.  A failure therefore does not reach later communicators.
 *
 * If an exchange fails, the engine communicator fails, and with it all communicators that have joined the team: a rank
 * cannot know which later exchanges other ranks have completed.  With coll_irr_timeout a rank that is late on one
 * communicator must not make others fail.  A communicator then joins only a team that no other communicator has joined
 * and not left.  If an agreement fails, the calls of its communicator return errors, and all other communicators of the
 * team join another team.
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
    mca_coll_irr_team_t    *next, **link;   /* of a list of teams */
    uint64_t                processes[2];   /* hash of the processes in order */
    int                     modules;        /* communicators in the team now */
    int                     joined;         /* how many of these have joined it */
    bool                    shared;         /* later communicators find the team; equal on all ranks */
    bool                    everywhere;     /* all ranks have coll/irr */
    irr_machine_t           machine;        /* equal on all ranks that choose */
    int                     used;           /* number of services, in the order of their first calls */
    signed char             index[MCA_COLL_IRR_COLLECTIVES];      /* of the service of a collective; -1: no call yet */
    mca_coll_irr_service_t  services[MCA_COLL_IRR_COLLECTIVES];   /* if `modules` is 0, only `used` entries exist */
};

/* The collective must have been called on a communicator of the team. */
static inline mca_coll_irr_service_t *mca_coll_irr_team_service(mca_coll_irr_team_t *team, mca_coll_irr_which_t which)
{
    return &team->services[team->index[which]];
}

/* From malloc; NULL without memory. */
mca_coll_irr_team_t *mca_coll_irr_team_create(void);

/* Local: sets module->team, if it is NULL, to a shared team or to module->own_team.  Allocates no memory. */
void mca_coll_irr_team_find(mca_coll_irr_module_t *module);

/*
 * Collective; blocks.  Joins the communicator to its team, or moves it to another team on all ranks.  Does nothing if
 * the agreement to join would probably take longer than the exchanges of the communicator gain.  Returns OMPI_SUCCESS,
 * or the error of the agreement.
 */
int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Local: returns the service of a collective in its first call on a communicator. */
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
             (irr_choice_tries(&service->choice) || service->choice.strategy != service->host_strategy)));
}

/*
 * Returns true, on all ranks, if an agreement of another communicator of the team has failed, so that this communicator
 * must join another team.
 */
bool mca_coll_irr_team_is_lost(const mca_coll_irr_module_t *module);

/* Local: the communicator has joined the team, for this collective. */
void mca_coll_irr_team_joined(mca_coll_irr_module_t *module, mca_coll_irr_which_t which);

/* Returns the service of a collective, or NULL if the collective was not called on this communicator. */
static inline mca_coll_irr_service_t *mca_coll_irr_service_called(mca_coll_irr_module_t *module, int which)
{
    return module->called[which] ? mca_coll_irr_team_service(module->team, (mca_coll_irr_which_t)which) : NULL;
}

/* Local: removes the module from its team.  The statistics of the communicator must be complete. */
void mca_coll_irr_team_leave(mca_coll_irr_module_t *module);

void mca_coll_irr_teams_each(void (*visit)(mca_coll_irr_service_t *service));

/* Called when the component closes. */
void mca_coll_irr_teams_close(void);

/* ---- coll_irr_service.c: whether Open MPI or engine communicators serve a collective; all functions are local ---- */

/* Sets the state CHOOSING or DECLINED, or leaves the state NEW for the agreement of the first call. */
void mca_coll_irr_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Returns true if the info keys of the communicator give the service another mode than the parameters.  Other ranks
 * know only the modes by parameters, from the signature.
 */
bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Called when the component opens: reads the demands of the parameters. */
void mca_coll_irr_demands_open(void);

/*
 * Reads the demands of a communicator, also on a rank with a bad value or without memory, which has no settings.
 * `keyed` is NULL for communicators without info keys.  Allocates no memory.
 */
void mca_coll_irr_demands_take(ompi_communicator_t *keyed, mca_coll_irr_demands_t *demands);

/* Returns true if communicators without info keys share teams; equal on ranks with equal signatures. */
bool mca_coll_irr_teams_are_shared(void);

/* Returns bits for the signature: modes, whether communicators share teams, whether there is a memory file. */
#define MCA_COLL_IRR_MODES_BITS 7
uint64_t mca_coll_irr_process_modes(void);

/* Makes engine communicators serve the collective. strategies[0] must be set. */
void mca_coll_irr_serve(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *because);

/* From now on the previous module, which served the collective before coll/irr, serves it again. */
void mca_coll_irr_decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why);

/*
 * Sets the state FAILED, because the ranks could not agree, and their strategies may differ.  Returns `status` as an
 * error of Open MPI.
 */
int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status);

/* Allocates the list of strategies for trials, unless it exists.  Returns false if there is no memory. */
bool mca_coll_irr_service_has_candidates(mca_coll_irr_service_t *service);

/*
 * Lets the ranks choose among the strategies that the settings of the engine communicator leave open, if there are
 * several.  All ranks must call this function.  The service must have candidates.
 */
void mca_coll_irr_choose_from(mca_coll_irr_service_t *service);

/* Returns true if an agreement that is due must start now.  The first one may be postponed, depending on the nodes. */
bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Sets *settings to those of the current strategy.  Returns false if this strategy is Open MPI's implementation. */
bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings);

/* Whether the service has engine communicators (a team that ends closes all at once), and whether one has failed. */
bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service);
bool mca_coll_irr_service_has_failed(const mca_coll_irr_service_t *service);

/*
 * These functions destroy the engine communicator of one strategy; of all strategies; of all strategies, and set the
 * state DECLINED unless the state is NEW.
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
 * Begins the next operation.  Returns whether it is timed, and whether an agreement is due after it.  In the state NEW
 * the agreement decides whether the engine serves the collective.
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

/* Reserves memory for a block of each rank, or of each neighbor.  Returns IRR_OK or IRR_ERR_NO_MEMORY. */
irr_status_t mca_coll_irr_rooms_reserve(mca_coll_irr_module_t *module);

/* ---- coll_irr_dispatch.c: dispatch of a call to Open MPI or to an engine communicator ---- */

/*
 * Returns the previous function if a blocking call goes to Open MPI, and the component neither times nor counts it.
 * Returns NULL if the caller must use mca_coll_irr_call.  Most calls of most programs take this path, which reads few
 * members.
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

/* Serves a blocking call whose sides hold the arguments of MPI.  Returns OMPI_SUCCESS or an error of Open MPI. */
int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* coll_irr_calls.c: starts a nonblocking call. */
int mca_coll_irr_icall(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                       ompi_request_t **request_p);

/* Creates a persistent request. */
int mca_coll_irr_init_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                           ompi_info_t *info, ompi_request_t **request_p);

/* ---- steps common to blocking, nonblocking and persistent calls ---- */

/*
 * Collective; may block.  Decides whether the engine serves a collective, if the ranks have not decided yet, and joins
 * the team.  If the communicator moves to another team, *service_p is the service of the new team.  Returns
 * OMPI_SUCCESS or an error of Open MPI.
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
