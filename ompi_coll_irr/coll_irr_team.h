/*
 * coll_irr_team.h - the team of a communicator: what communicators of the same processes in the same order have in
 * common.  They choose together, and share the engine communicators of what they have chosen.
 *
 * A program that makes a communicator, exchanges a few times and frees it, again and again, is to its team like a
 * program with one communicator: exchanges add up until they pay for a trial, and the next communicator begins with
 * what the trial found.  Blocking collectives of communicators of the same processes come in one order on all of them,
 * so the state of a team changes alike on all its members, and nothing has to be agreed on for that.
 *
 * A communicator joins before its first exchange by an engine communicator of the team.  In that agreement each rank
 * says whether it has memory for problems, and whether the engine communicator is sound.  If one rank says no, the
 * communicator leaves the team on all ranks and begins anew.  So what has failed on one communicator stays behind.
 *
 * A communicator with info keys has a team of its own, and so have all communicators where threads may call at once, or
 * where a schedule file or a dump is given.
 *
 * Cost: O(P) to find the team, in the first call of a communicator; one agreement to join.  A team that has exchanged
 * some times, or is served, lives until the job ends, and takes 9 KB.
 */
#ifndef MCA_COLL_IRR_TEAM_H
#define MCA_COLL_IRR_TEAM_H

#include "coll_irr.h"

struct mca_coll_irr_team_t {
    mca_coll_irr_team_t    *next;           /* of the component's list */
    uint64_t                processes[2];   /* a hash of them, in their order */
    int                     modules;        /* that are of the team now */
    bool                    shared;         /* the next communicator of these processes finds it */
    bool                    everywhere;     /* all ranks have coll/irr: known from the first agreement on */
    irr_machine_t           machine;        /* by which strategies are ranked; alike on all ranks where these choose */
    bool                    begun[MCA_COLL_IRR_COLLECTIVES];      /* before, a service is not even zeros */
    mca_coll_irr_service_t  services[MCA_COLL_IRR_COLLECTIVES];
};

/* Memory for the team of a module, from malloc; NULL without memory. */
mca_coll_irr_team_t *mca_coll_irr_team_create(void);

/* With the component: do communicators without info keys share teams?  Alike on all ranks, as their records say. */
void mca_coll_irr_teams_open(void);
bool mca_coll_irr_teams_are_shared(void);

/* Local, in the first call of a communicator: its team, which needs no memory beside the module's. */
void mca_coll_irr_team_find(mca_coll_irr_module_t *module);

/*
 * Collective, blocking, where this communicator is to exchange by an engine communicator of its team for the first
 * time and that is likely to pay: it joins, or leaves the team on all ranks.  OMPI_SUCCESS or the error of a message.
 */
int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Does the service go by engine communicators now that this communicator has not joined? */
static inline bool mca_coll_irr_team_awaits(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return !module->joined[service->which] &&
           (service->state == MCA_COLL_IRR_SERVING ||
            (service->state == MCA_COLL_IRR_CHOOSING && (service->choice.tries || service->choice.way != 0)));
}

/* Alike on all ranks: communicators to come do not find the team. */
void mca_coll_irr_team_retire(mca_coll_irr_team_t *team);

/* Local: the communicator is freed, and what its calls took was told. */
void mca_coll_irr_team_leave(mca_coll_irr_module_t *module);

/* Local: of each service that has begun, of all teams. */
void mca_coll_irr_teams_each(void (*visit)(mca_coll_irr_service_t *service));

/* With the component. */
void mca_coll_irr_teams_close(void);

#endif
