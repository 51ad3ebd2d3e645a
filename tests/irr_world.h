/*
 * irr_world.h - a job in one process and one thread: an engine for each rank over one loopback fabric, communicators of
 * some of the ranks, and the all-gathers and reductions that a host such as Open MPI provides for their setup.
 *
 * No function blocks.  The functions advance the ranks one after the other, so a run with the same seed is the same.
 * The number of rounds is bounded, so a hang is a failure, not a time-out.
 */
#ifndef IRR_WORLD_H
#define IRR_WORLD_H

#include "irr_job.h"
#include "irr_spy.h"
#include "irr_test.h"

#include "comm/exchange.h"
#include "comm/setup.h"
#include "study/fabric.h"

/* Largest number of ranks of the worlds of most tests; a world may have more. */
#define IRR_WORLD_MAX 18

typedef struct irr_world {
    int                     ranks;
    irr_fabric_t           *fabric;
    irr_spy_t             **spies;      /* between each engine and its transport */
    irr_engine_t          **engines;
    struct irr_world_block *blocks;     /* arrays of the world and of its teams, which irr_world_drain frees */
} irr_world_t;

/* Creates an engine for each rank; seed and eager_max as for irr_fabric_create. */
void irr_world_open(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max);

/*
 * irr_world_open_faulty puts a fault transport between each spy and its transport. irr_world_open_on uses open
 * transports, one per rank. irr_world_open_config creates engines that open their transports themselves.
 */
void irr_world_open_faulty(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults);
void irr_world_open_on(irr_world_t *world, int ranks, irr_transport_t *const *transports);
void irr_world_open_config(irr_world_t *world, int ranks, const irr_engine_config_t *config);

/* Returns a zeroed array that irr_world_drain frees. */
void *irr_world_array(irr_world_t *world, int count, size_t size);

/* Progresses all engines for `rounds` rounds. Returns the number of events. */
unsigned irr_world_progress(const irr_world_t *world, int rounds);

/* Makes idle engines act in the next round: they search for unexpected messages, and end failed exchanges. */
void irr_world_hurry(const irr_world_t *world);

/*
 * irr_world_close closes, drains and destroys all engines. irr_world_drain drains and destroys closed engines. Both
 * return false if the engines did not drain.
 */
bool irr_world_close(irr_world_t *world);
bool irr_world_drain(irr_world_t *world);

/* Returns the number of communicator ids that are in use, added over all engines. */
int irr_world_used_ids(const irr_world_t *world);

/* Returns the rank whose engine a function of this file advances or advanced last. */
int irr_world_self(void);

/* A communicator as each of its members sees it. The arrays are indexed by rank in the communicator. */
typedef struct irr_team {
    irr_world_t       *world;
    irr_world_t        own;          /* the world of irr_team_begin and irr_team_open_new */
    int                ranks;
    int               *members;      /* ranks in the world */
    irr_comm_params_t *params;       /* may be changed before the setup */
    irr_status_t      *statuses;     /* results of the setup */
    irr_comm_t       **comms;
    struct irr_member *setups;

    /* The collectives of the host (the caller of the engine) in the last setup. */
    size_t fail_call;                /* number of the collective that fails on all members, from 1; 0: none */
    size_t gathers, reduces;         /* numbers of completed collectives */
    int    arrived;                  /* number of members that have entered the collective in progress */
    size_t length, count;            /* of the collective in progress: bytes of an all-gather, or number of words */
} irr_team_t;

/* Makes a team of the ranks first, first + step, first + 2 * step and so on of the world; step may be negative. */
void irr_team_init(irr_team_t *team, irr_world_t *world, int first, int step);

/* Sets the collectives of the host in params; irr_team_start_setup does this, too. */
void irr_team_set_host(irr_team_t *team);

/*
 * irr_team_start_setup starts to create the communicator on all members. irr_team_test_setup advances the setup of one
 * member, and returns IRR_IN_PROGRESS until the setup is over. irr_team_abandon_setup ends all open setups.
 */
void         irr_team_start_setup(irr_team_t *team);
irr_status_t irr_team_test_setup(irr_team_t *team, int rank);
void         irr_team_abandon_setup(irr_team_t *team);

/* Returns the error message of the last failed setup on a member. */
const char  *irr_team_why(const irr_team_t *team, int rank);

/*
 * Creates the communicator on all members.  Returns the status of all members.  If they differ or the setup does not
 * end, returns IRR_IN_PROGRESS.
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

/* Starts the exchange of a filled job on one rank of the team. Returns IRR_IN_PROGRESS, or an error. */
irr_status_t irr_team_start(irr_team_t *team, int rank, irr_job_t *job);

/*
 * Starts a plan that a test has made, on one rank. Takes the plan, and leaves it empty. The exchange is planned for the
 * problem, then its plan is replaced. The communicator must have direct messages, no schedule, and the pacing free.
 */
void irr_team_start_plan(irr_team_t *team, int rank, const irr_problem_t *problem, irr_plan_t *plan, const void *input,
                         void *output);

/*
 * Progresses all ranks, once in each round, until no rank has the result IRR_IN_PROGRESS, at most for `rounds` rounds.
 * Stores the result of each exchange that ends. Returns false if exchanges are still open.
 */
bool irr_team_progress(irr_team_t *team, irr_status_t *result, int rounds);

/* Runs a filled job on all ranks of the team, and stores their results. Asserts that no rank hangs. */
void irr_team_run(irr_team_t *team, irr_job_t *job, irr_status_t *result);

/*
 * Fills and runs a job. Asserts that every byte is right, and that the exchange succeeds on all ranks except
 * `truncated` (-1: no exception), where it ends in IRR_ERR_TRUNCATE.
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
void irr_world_start_log_at(irr_log_level_t level);

void irr_world_stop_log(void);

/* Stops the log. Asserts that `lines` lines were logged, and that `last` was the last line. */
void irr_world_end_log(int lines, const char *last);

static inline void irr_world_start_log(void)
{
    irr_world_start_log_at(IRR_LOG_INFO);
}

#endif
