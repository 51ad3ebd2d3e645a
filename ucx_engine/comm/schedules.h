/*
 * schedules.h - before an exchange, all ranks find the schedule for what they send, or compute one.
 *
 *     look     in which slots of the cache has everybody its row?  One agreement tells; the first such slot is used.
 *     gather   rank 0 learns the count matrix (exec/gather.h), and computes alone.
 *     scatter  rank 0 sends each rank its assignment (comm/assignment.h).
 *     commit   one agreement tells whether all ranks could read that, and have the memory to run it.
 *
 * An exchange in place goes without a schedule, in pairs (route/pairs.h), which the look tells, too.
 *
 * A schedule that all have goes to the cache.  Where there is none, the exchange goes without: the matrix is above the
 * limit, the order does not take it, or is not done in time (kept too, as "declined"); or some rank has no memory
 * (tried again next time).  Every one of these ways is taken by all ranks alike, because each follows from what rank 0
 * or an agreement told.  The matrix, and what is computed of it, stand on rank 0 alone; other ranks have rows and
 * parts of those below them in the tree, while they pass them on.
 *
 * An agreement, gather or scatter that fails fails the communicator (comm/failure.h).
 *
 * All schedules of a communicator run by one strategy.  Which strategies are worth a trial is decided outside of the
 * engine, which runs the one that settings pin, or the likely best of those that they leave open (choose/paced.h).
 *
 * Cost: a hit takes an agreement (exec/allreduce.h); a miss takes two of them, two messages a rank each way for the
 * rows of the matrix and the parts, and the time of the order, in which the engine of rank 0 stands still.
 *
 * The static scheduling and the run-time scheduling of Ranka, Wang and Kumar, section 3.
 */
#ifndef IRR_SCHEDULES_H
#define IRR_SCHEDULES_H

#include "comm/cache.h"
#include "comm/dump.h"
#include "exec/allreduce.h"
#include "exec/gather.h"

typedef enum irr_schedules_state {
    IRR_SCHEDULES_LOOKS,
    IRR_SCHEDULES_GATHERS,
    IRR_SCHEDULES_SCATTERS,
    IRR_SCHEDULES_COMMITS
} irr_schedules_state_t;

/* From a miss to the commit; has memory meanwhile only. */
typedef struct irr_learning {
    irr_gather_t      gather;    /* up go the rows of the matrix, down what ranks do in a schedule */
    irr_cache_entry_t made;      /* for the cache */
    uint64_t          since;     /* when the gather began, in ns */
} irr_learning_t;

/* What the ranks tell each other in a look: for each slot whether one misses it, and whether one exchanges in place. */
#define IRR_LOOK_WORDS (IRR_CACHE_SLOTS + 1)

/* May not be moved while it runs. */
typedef struct irr_schedules {
    irr_scheduled_params_t params;
    size_t                 max_bytes;  /* of a matrix; 0: no limit */
    size_t                 limit_ms;   /* of computing schedules of one; 0: none */
    uint64_t             (*now_ns)(void *context);   /* the clock of that */
    irr_way_t              way;        /* the strategy of schedules */
    irr_plan_t            *plan;       /* borrowed; what a schedule needs in them is reserved first */
    irr_exec_t            *exec;
    irr_nodes_t            nodes;      /* of the tree's hosts, if the order uses it */
    void                  *scratch;    /* for plans of schedules */
    size_t                 scratch_max;
    bool                   learns;     /* a miss is worth the matrix: for the order, or for a dump */
    bool                   dumps;      /* the matrices are wanted, also of exchanges that go without a schedule */
    int                    ranks, rank;
    irr_cache_t            cache;      /* has slots if anything is asked */
    const irr_problem_t   *problem;    /* borrowed */
    uint64_t              *lengths;    /* of the problem, by rank */
    irr_bytes_t            own;        /* the same as a row of the cache */
    irr_allreduce_t       *agreement;  /* borrowed */
    irr_exec_env_t         env;
    irr_schedules_state_t  state;
    irr_cache_entry_t     *entry;      /* of this exchange; NULL: none */
    const irr_way_t       *chosen;     /* its strategy, alike on all ranks; NULL: the communicator's own */
    irr_way_t              pairs;      /* the strategy of exchanges that all ranks know to be in place */
    bool                   told;       /* of a schedule that was not done in time */
    irr_learning_t        *learning;   /* NULL: nothing is learnt */
    irr_dump_t             dump;       /* of rank 0 */
    unsigned               matrix;     /* of this exchange, as the dump numbers it */
} irr_schedules_t;

/*
 * way: what the settings ask for; if that has no schedule, there are only those of files.  agreement: among all ranks.
 * IRR_ERR_NO_MEMORY.  Warns on rank 0, once, if the count matrix of so many ranks is above the limit; then there are no
 * schedules.
 */
irr_status_t irr_schedules_init(irr_schedules_t *schedules, const irr_way_t *way, const irr_settings_t *settings,
                                int ranks, int rank, irr_allreduce_t *agreement, irr_plan_t *plan,
                                irr_exec_t *exec);
void         irr_schedules_fini(irr_schedules_t *schedules);

/* Routes that the settings leave open to the strategy of schedules, on a tree (choose/paced.h); 0: there is no tree. */
unsigned irr_schedules_routes(const irr_schedules_t *schedules, const irr_settings_t *settings);

/*
 * Keeps a schedule of messages that go direct for good, for exchanges of its counts, which then need no matrix.  Once,
 * before any start.  IRR_ERR_NO_MEMORY.  Warns on rank 0 if the strategy forwards, and keeps nothing then.
 */
irr_status_t irr_schedules_pin(irr_schedules_t *schedules, const irr_schedule_t *schedule);

/* True if exchanges look for a schedule. */
static inline bool irr_schedules_look(const irr_schedules_t *schedules)
{
    return schedules->cache.slot != NULL;
}

/* Starts for the counts of a problem, borrowed until it is over; none may run.  Of env see irr_allreduce_start. */
void irr_schedules_start(irr_schedules_t *schedules, const irr_problem_t *problem, const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; IRR_OK, and strategy and schedule of the exchange are in
 * `chosen` and `entry`, valid until the next start; or the error of an agreement, on this rank and perhaps others.
 */
irr_status_t irr_schedules_progress(irr_schedules_t *schedules);

/* The rank that the search for a schedule waits for. */
int irr_schedules_awaited(const irr_schedules_t *schedules);

#endif
