/*
 * coll_irr_team.h - a team: all communicators of the same processes in the same order.  A team chooses one strategy for
 * its communicators, and they share its engine communicators.
 *
 * Many programs create a communicator, exchange a few times, and free it again.  The team counts these exchanges
 * together until they pay for a trial, and the next communicator starts with the result.  All processes of a team call
 * blocking collectives in the same order, so the state of a team is the same on all its members without a message.
 *
 * A communicator joins its team before it first uses an engine communicator of the team.  Joining is an agreement: each
 * rank states whether it has memory, and whether the engine communicator works.  If any rank answers no, the
 * communicator starts again with another team on all ranks.  A failure therefore does not reach later communicators.
 *
 * Three kinds of communicators have a team of their own: those with info keys, all under MPI_THREAD_MULTIPLE, and all
 * if a schedule file or a dump is given.
 *
 * Cost: O(P) to find the team, in the first call of a communicator; one agreement to join.  A team lives until the job
 * ends.  It takes 9 KB while it has communicators, otherwise 1.5 KB for each of its collectives.
 */
#ifndef MCA_COLL_IRR_TEAM_H
#define MCA_COLL_IRR_TEAM_H

#include "coll_irr.h"

struct mca_coll_irr_team_t {
    mca_coll_irr_team_t    *next;           /* link of a list of teams */
    uint64_t                processes[2];   /* hash of the processes in order */
    int                     modules;        /* number of modules in the team now */
    bool                    shared;         /* found by later communicators of these processes; alike on all ranks */
    bool                    everywhere;     /* all ranks have coll/irr: known after the first agreement */
    irr_machine_t           machine;        /* constants used to rank strategies; alike on all ranks that choose */
    int                     used;           /* number of services, in the order of their first calls */
    signed char             place[MCA_COLL_IRR_COLLECTIVES];      /* index of a collective's service; -1: not begun */
    mca_coll_irr_service_t  services[MCA_COLL_IRR_COLLECTIVES];   /* without communicators: room for `used` only */
};

/* Returns the service of a collective that has begun. */
static inline mca_coll_irr_service_t *mca_coll_irr_team_service(mca_coll_irr_team_t *team, mca_coll_irr_which_t which)
{
    return &team->services[team->place[which]];
}

/* Allocates the team of a module, with malloc.  NULL without memory. */
mca_coll_irr_team_t *mca_coll_irr_team_create(void);

/*
 * When the component opens: sets whether communicators without info keys share teams.  Alike on all ranks that have the
 * same signature.
 */
void mca_coll_irr_teams_open(bool may_share);
bool mca_coll_irr_teams_are_shared(void);

/* Local, in the first call of a communicator: sets module->team.  Needs no memory other than module->own_team. */
void mca_coll_irr_team_find(mca_coll_irr_module_t *module);

/*
 * Joins the communicator to its team, or moves it to another team on all ranks.  Call it before the communicator first
 * uses an engine communicator of the team; does nothing if joining is not likely to pay.  Collective; blocks.  Returns
 * OMPI_SUCCESS, or the error of the agreement.
 */
int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Local, in the first call of a collective on a communicator: returns its service, new or of the team. */
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

/* Returns the service of a collective; NULL: it was not called on this communicator. */
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

#endif
