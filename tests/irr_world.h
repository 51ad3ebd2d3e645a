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
    irr_spy_t    *spies[IRR_CREW_MAX];     /* between each engine and its transport */
    irr_engine_t *engines[IRR_CREW_MAX];
} irr_world_t;

/* Creates an engine for each rank; seed and eager_max as for irr_fabric_create. */
void irr_world_open(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max);

/*
 * irr_world_open_faulty puts a fault transport between each spy and its transport. irr_world_open_on uses open
 * transports, one per rank.
 */
void irr_world_open_faulty(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults);
void irr_world_open_on(irr_world_t *world, int ranks, irr_transport_t *const *transports);

/*
 * Enables shared memory between the ranks of a node, as in a job. Engines of irr_engine_create_on otherwise use only
 * their transport.
 */
void irr_world_share(irr_world_t *world);

/*
 * irr_world_close closes, drains and destroys all engines. irr_world_drain drains and destroys closed engines. Both
 * return false if the engines did not drain.
 */
bool irr_world_close(irr_world_t *world);
bool irr_world_drain(irr_world_t *world);

/* Returns the number of ids that all engines hold. */
int irr_world_ids(const irr_world_t *world);

/* A communicator as each of its members sees it. The arrays are indexed by rank in the communicator. */
typedef struct irr_team {
    irr_world_t      *world;
    irr_world_t       own;                    /* the world of irr_team_begin and irr_team_open_new */
    irr_crew_group_t  group;
    irr_comm_params_t params[IRR_CREW_MAX];   /* may be changed before irr_team_create */
    irr_status_t      statuses[IRR_CREW_MAX]; /* results of irr_comm_create */
    irr_comm_t       *comms[IRR_CREW_MAX];
} irr_team_t;

/* Makes a team of the ranks first, first + step, first + 2 * step and so on of the world; step may be negative. */
void irr_team_init(irr_team_t *team, irr_world_t *world, int first, int step);

/*
 * Creates the communicator on all members, in a crew.  Returns the status of all members.  If they differ or the crew
 * was stuck, returns IRR_IN_PROGRESS, which irr_comm_create never returns.
 */
irr_status_t irr_team_create(irr_team_t *team);

void irr_team_destroy(irr_team_t *team);

/* Opens a new world, and makes the team of all its ranks. */
void irr_team_begin(irr_team_t *team, int ranks, uint64_t seed, size_t eager_max);

/* Gives all members these settings. */
void irr_team_set(irr_team_t *team, const irr_settings_t *settings);

/* Creates a communicator with these settings; NULL: the settings in params. Asserts success. */
void irr_team_create_with(irr_team_t *team, const irr_settings_t *settings);

/* Creates the communicator of all ranks of a world with these settings; NULL: zeroed settings. */
void irr_team_open(irr_team_t *team, irr_world_t *world, const irr_settings_t *settings);

/* Like irr_team_open, but opens a new world. */
void irr_team_open_new(irr_team_t *team, int ranks, uint64_t seed, size_t eager_max, const irr_settings_t *settings);

/* Destroys the communicator, and closes its world. Asserts that the engines drain. */
void irr_team_close(irr_team_t *team);

/*
 * Without a crew: progresses the exchanges of all ranks whose result is IRR_IN_PROGRESS, until no exchange is open, at
 * most for `rounds` rounds. Every rank progresses once in a round. Stores the result of each finished exchange. Returns
 * false if exchanges are still open.
 */
bool irr_team_progress(irr_team_t *team, irr_status_t result[IRR_CREW_MAX], int rounds);

/* Without a crew: starts the exchange of a filled job on a rank of the team. */
irr_status_t irr_team_start_rank(irr_team_t *team, int rank, irr_job_t *job);

/* Starts the exchange of a filled job on the running member. */
irr_status_t irr_team_start(irr_team_t *team, irr_job_t *job);

/* Waits for the exchange of the running member and returns its result; IRR_IN_PROGRESS if the crew is stuck. */
irr_status_t irr_team_wait(irr_team_t *team);

/* Starts the exchange of a job on the running member, and waits for it. */
irr_status_t irr_team_exchange(irr_team_t *team, irr_job_t *job);

/*
 * Runs a job on a communicator of all ranks. Asserts that every byte is right, and that the exchange succeeds on all
 * ranks except `truncated` (-1: no exception), where it ends in IRR_ERR_TRUNCATE.
 */
void irr_team_expect(irr_team_t *team, irr_job_t *job, int truncated);

/* Asserts that the communicator fails on all ranks, after enough progress for a notice to arrive. */
void irr_team_expect_failed(irr_team_t *team);

/* The log of the engine since irr_world_start_log: number of lines, number of warnings, and the last line. */
typedef struct irr_world_log {
    int  lines, warnings;
    char last[320];
} irr_world_log_t;

extern irr_world_log_t irr_world_log;

/*
 * irr_world_start_log starts a log of lines up to IRR_LOG_INFO. irr_world_start_log_at starts a log of lines up to a
 * level.
 */
void irr_world_start_log(void);
void irr_world_start_log_at(irr_log_level_t level);

void irr_world_stop_log(void);

/* Stops the log. Asserts that `lines` lines were logged, and that `last` was the last line. */
void irr_world_end_log(int lines, const char *last);

#endif
