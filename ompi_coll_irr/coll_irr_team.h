/*
 * coll_irr_team.h - a team: all communicators of the same processes in the same order.  A team chooses one strategy for
 * its communicators, and they share its engine communicators.
 *
 * Many programs create a communicator, exchange a few times, and free it again.  For the team these are exchanges of
 * one program: they add up until they pay for a trial, and the next communicator begins with the result.  All processes
 * of a team call blocking collectives in the same order, so the state of a team is the same on all its members without
 * a message.
 *
 * A communicator joins its team before it first uses an engine communicator of the team.  To join is an agreement: each
 * rank states whether it has memory, and whether the engine communicator works.  If any rank answers no, the
 * communicator begins anew with another team on all ranks.  A failure therefore does not reach later communicators.
 *
 * Three kinds of communicators have a team of their own: those with info keys, all under MPI_THREAD_MULTIPLE, and all
 * if a schedule file or a dump is given.
 *
 * Cost: O(P) to find the team, in the first call of a communicator; one agreement to join.  A team lives until the job
 * ends.  It takes 9 KB while it has communicators, and without them 1.5 KB for each of its collectives.
 */
#ifndef MCA_COLL_IRR_TEAM_H
#define MCA_COLL_IRR_TEAM_H

#include "coll_irr.h"

struct mca_coll_irr_team_t {
    mca_coll_irr_team_t    *next;           /* of the component's list */
    uint64_t                processes[2];   /* a hash of them, in their order */
    int                     modules;        /* that are of the team now */
    bool                    shared;         /* the next communicator of these processes finds it; alike on all ranks */
    bool                    everywhere;     /* all ranks have coll/irr: known from the first agreement on */
    irr_machine_t           machine;        /* by which strategies are ranked; alike on all ranks where these choose */
    int                     used;           /* services that have begun, in the order of their first calls */
    signed char             place[MCA_COLL_IRR_COLLECTIVES];      /* of each one among them; -1: it has not begun */
    mca_coll_irr_service_t  services[MCA_COLL_IRR_COLLECTIVES];   /* without communicators there is room for `used` */
};

/* The service of a collective that has begun. */
static inline mca_coll_irr_service_t *mca_coll_irr_team_service(mca_coll_irr_team_t *team, mca_coll_irr_which_t which)
{
    return &team->services[team->place[which]];
}

/* Memory for the team of a module, from malloc; NULL without memory. */
mca_coll_irr_team_t *mca_coll_irr_team_create(void);

/* With the component: do communicators without info keys share teams?  Alike on all ranks, as their records say. */
void mca_coll_irr_teams_open(bool may_share);
bool mca_coll_irr_teams_are_shared(void);

/* Local, in the first call of a communicator: its team, which needs no memory beside the module's. */
void mca_coll_irr_team_find(mca_coll_irr_module_t *module);

/*
 * Collective, blocking, where this communicator is to exchange by an engine communicator of its team for the first
 * time and that is likely to pay: it joins, or leaves the team on all ranks.  OMPI_SUCCESS or the error of a message.
 */
int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Local, in the first call of a collective on a communicator: its service. */
mca_coll_irr_service_t *mca_coll_irr_service_begin(mca_coll_irr_module_t *module, mca_coll_irr_which_t which);

static inline mca_coll_irr_service_t *mca_coll_irr_service(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return module->called[which] ? mca_coll_irr_team_service(module->team, which)
                                 : mca_coll_irr_service_begin(module, which);
}

/* True if the service goes by engine communicators and this communicator has not joined. */
static inline bool mca_coll_irr_team_waits(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return !module->joined[service->which] &&
           (service->state == MCA_COLL_IRR_SERVING ||
            (service->state == MCA_COLL_IRR_CHOOSING &&
             (service->choice.tries || service->choice.strategy != service->host_strategy)));
}

/* NULL: there was no call of the collective on this communicator yet. */
static inline mca_coll_irr_service_t *mca_coll_irr_service_called(mca_coll_irr_module_t *module, int which)
{
    return module->called[which] ? mca_coll_irr_team_service(module->team, (mca_coll_irr_which_t)which) : NULL;
}

/* Leaves the team when the communicator is freed, after its statistics were taken.  Local. */
void mca_coll_irr_team_leave(mca_coll_irr_module_t *module);

/* Local: of each service that has begun, of all teams. */
void mca_coll_irr_teams_each(void (*visit)(mca_coll_irr_service_t *service));

/* With the component. */
void mca_coll_irr_teams_close(void);

#endif
