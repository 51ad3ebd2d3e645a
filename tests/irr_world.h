/*
 * irr_world.h - a job of engines over one loopback fabric, and the communicators of some of its processes.
 */
#ifndef IRR_WORLD_H
#define IRR_WORLD_H

#include "irr_crew.h"
#include "irr_job.h"
#include "irr_spy.h"

#include "comm/exchange.h"
#include "study/fabric.h"

typedef struct irr_world {
    int           ranks;
    irr_fabric_t *fabric;
    irr_spy_t    *spies[IRR_CREW_MAX];     /* between an engine and its transport */
    irr_engine_t *engines[IRR_CREW_MAX];
} irr_world_t;

/* Opens an engine for each rank; seed and eager_max as irr_fabric_create has them. */
void irr_world_open(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max);

/* The same with a fault between each spy and its transport; and on transports that are open. */
void irr_world_open_faulty(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults);
void irr_world_open_on(irr_world_t *world, int ranks, irr_transport_t *const *transports);

/* From now on ranks of a node may send to each other through shared memory, as in a job; see irr_engine_create_on. */
void irr_world_share(irr_world_t *world);

/* Closes, drains and destroys all engines; or, if they are closed, the rest.  False: they did not drain. */
bool irr_world_close(irr_world_t *world);
bool irr_world_drain(irr_world_t *world);

/* Ids that the engines hold in all. */
int irr_world_ids(const irr_world_t *world);

/* A communicator, as all its members see it.  The arrays are by rank in the communicator. */
typedef struct irr_team {
    irr_world_t      *world;
    irr_crew_group_t  group;
    irr_comm_params_t params[IRR_CREW_MAX];   /* may be changed before create */
    irr_status_t      statuses[IRR_CREW_MAX]; /* what irr_comm_create returned */
    irr_comm_t       *comms[IRR_CREW_MAX];
} irr_team_t;

/* The ranks first, first + step, first + 2 * step and so on of the world; the step may be negative. */
void irr_team_init(irr_team_t *team, irr_world_t *world, int first, int step);

/*
 * Creates the communicator on all members, in a crew.  The status of all; IRR_IN_PROGRESS, which
 * irr_comm_create never returns, if it was not alike or the crew was stuck.
 */
irr_status_t irr_team_create(irr_team_t *team);

void irr_team_destroy(irr_team_t *team);

/* Creates the communicator of all ranks of a world, with these settings; NULL: those of zero. */
void irr_team_open(irr_team_t *team, irr_world_t *world, const irr_settings_t *settings);

/* Destroys the communicator, and closes its world, which must drain. */
void irr_team_close(irr_team_t *team);

/*
 * Without a crew: goes on with the exchanges of all ranks that have IRR_IN_PROGRESS in result, which takes how each
 * ends, until none is open, or for so many rounds, in which every rank progresses once.  False: some are open.
 */
bool irr_team_progress(irr_team_t *team, irr_status_t result[IRR_CREW_MAX], int rounds);

/* Without a crew: starts the exchange of a filled job on a rank of the team. */
irr_status_t irr_team_start_rank(irr_team_t *team, int rank, irr_job_t *job);

/* For the member that runs: starts the exchange of a filled job. */
irr_status_t irr_team_start(irr_team_t *team, irr_job_t *job);

/* For the member that runs: its result; IRR_IN_PROGRESS if the crew is stuck. */
irr_status_t irr_team_wait(irr_team_t *team);

/* Both. */
irr_status_t irr_team_exchange(irr_team_t *team, irr_job_t *job);

/* Runs a job on a communicator of all ranks; all must end well but `truncated`, -1 for none, and have their bytes. */
void irr_team_expect(irr_team_t *team, irr_job_t *job, int truncated);

/* What the engine has logged since irr_world_start_log: how many lines up to IRR_LOG_INFO, and the last of them. */
typedef struct irr_world_log {
    int  lines;
    char last[320];
} irr_world_log_t;

extern irr_world_log_t irr_world_log;

void irr_world_start_log(void);

/* Asserts that these were all. */
void irr_world_end_log(int lines, const char *last);

#endif
