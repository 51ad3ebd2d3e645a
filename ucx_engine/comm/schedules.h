/*
 * schedules.h - finds the schedule for the counts of an exchange, or computes one, on all ranks.
 *
 *     lookup   one agreement finds the cache slots in which all ranks have their rows; the first such slot is used
 *     gather   rank 0 gathers the count matrix (exec/gather.h), and computes alone
 *     scatter  rank 0 sends each rank its assignment (comm/assignment.h)
 *     commit   one agreement checks that all ranks could read their assignments and have the memory to run them
 *
 * An exchange in place has no schedule and runs in pairs (route/pairs.h). The agreement of the lookup also shows
 * whether an exchange is in place.
 *
 * A schedule that all ranks have is cached. An exchange runs without a schedule in three cases. The matrix may be
 * larger than the limit. The order may reject the matrix or exceed its time limit; this result is cached as "declined".
 * A rank may lack memory; the next exchange with these counts then tries again. All ranks decide alike, because each
 * decision follows from an assignment of rank 0 or from an agreement. Only rank 0 has the matrix and the whole
 * schedule. The other ranks form a tree below rank 0 and forward the rows and assignments of the ranks below them.
 *
 * If an agreement, gather or scatter fails, the communicator fails (comm/failure.h).
 *
 * All schedules of a communicator run with one strategy. The caller of the engine decides which strategies to try. The
 * engine runs the strategy that the settings fix. If the settings allow several strategies, the engine runs the
 * strategy with the best prediction (choose/paced.h).
 *
 * Cost: a hit takes one agreement (exec/allreduce.h). A miss takes two agreements, two messages per rank in each
 * direction for rows and assignments, and the time of the order, during which the engine of rank 0 makes no progress.
 *
 * Static and run-time scheduling: Ranka, Wang, Kumar, section 3.
 */
#ifndef IRR_SCHEDULES_H
#define IRR_SCHEDULES_H

#include "comm/cache.h"
#include "comm/dump.h"
#include "exec/allreduce.h"
#include "exec/gather.h"

typedef enum irr_schedules_state {
    IRR_SCHEDULES_LOOKS_UP,
    IRR_SCHEDULES_GATHERS,
    IRR_SCHEDULES_SCATTERS,
    IRR_SCHEDULES_COMMITS
} irr_schedules_state_t;

/* State between a miss and its commit. Its lists take memory only during this time. */
typedef struct irr_learning {
    irr_gather_t      gather;    /* rows of the matrix to rank 0, assignments from rank 0 */
    irr_cache_entry_t made;      /* the new cache entry */
    uint64_t          since;     /* time of the start of the gather, in ns */
} irr_learning_t;

/*
 * Number of words of a lookup. For each slot a word is 1 if a rank does not find its row in the slot. The last word is
 * 1 if a rank exchanges in place.
 */
#define IRR_LOOKUP_WORDS (IRR_CACHE_SLOTS + 1)

/* Must not move while a search runs. */
typedef struct irr_schedules {
    irr_scheduled_params_t params;
    size_t                 max_bytes;  /* limit for a count matrix in bytes; 0: no limit */
    size_t                 limit_ms;   /* time limit for computing a schedule, in ms; 0: no limit */
    uint64_t             (*now_ns)(void *context);   /* clock for limit_ms */
    irr_strategy_t         strategy;   /* strategy of exchanges with a schedule */
    irr_nodes_t            nodes;      /* the hosts of the tree, if the order uses the tree */
    void                  *scratch;    /* scratch for plans of schedules */
    size_t                 scratch_max;
    bool                   learns;     /* a miss leads to a gather, for the order or for a dump */
    bool                   dumps;      /* matrices are dumped, even if an exchange has no schedule */
    int                    ranks, rank;
    irr_cache_t            cache;      /* cache; has slots if exchanges look up schedules */
    const irr_problem_t   *problem;    /* borrowed */
    uint64_t              *lengths;    /* bytes that this rank sends, by rank */
    irr_bytes_t            own;        /* `lengths` as a row of the cache */
    irr_allreduce_t       *agreement;  /* borrowed */
    irr_exec_env_t         env;
    irr_schedules_state_t  state;
    irr_cache_entry_t     *entry;      /* the entry of this exchange; NULL: no schedule */
    const irr_strategy_t  *chosen;     /* strategy of this exchange, the same on all ranks; NULL: the strategy of the
                                          communicator */
    irr_strategy_t         pairs;      /* strategy of exchanges that all ranks know to be in place */
    bool                   warned;     /* the user was warned of a schedule that was not done in time */
    irr_learning_t        *learning;   /* NULL: misses lead to no gather */
    irr_dump_t             dump;       /* on rank 0 */
    unsigned               matrix;     /* number of this exchange's matrix in the dump */
} irr_schedules_t;

/*
 * Initializes the search for schedules. strategy: the strategy of the settings; if the strategy has no schedule, only
 * schedules from files are used. agreement: an agreement of all ranks, which is borrowed. If the count matrix of
 * `ranks` ranks is larger than the limit, no schedules are computed, and rank 0 warns once. May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_init(irr_schedules_t *schedules, const irr_strategy_t *strategy,
                                const irr_settings_t *settings, int ranks, int rank, irr_allreduce_t *agreement);
void         irr_schedules_fini(irr_schedules_t *schedules);

/* Returns a bit mask of the routes that the settings allow for schedules on a tree (choose/paced.h); 0: no tree. */
unsigned irr_schedules_routes(const irr_schedules_t *schedules, const irr_settings_t *settings);

/*
 * Caches a schedule of direct messages permanently. Exchanges with the counts of the schedule then need no matrix. To
 * be called once, before any start. If the strategy forwards messages, caches nothing, and rank 0 warns. May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_pin(irr_schedules_t *schedules, const irr_schedule_t *schedule);

/* Returns true if exchanges look up schedules. */
static inline bool irr_schedules_looks_up(const irr_schedules_t *schedules)
{
    return schedules->cache.slot != NULL;
}

/*
 * Starts a search for the counts of a problem. The problem is borrowed until the search is over. No other search may
 * run. env: as for irr_allreduce_start.
 */
void irr_schedules_start(irr_schedules_t *schedules, const irr_problem_t *problem, const irr_exec_env_t *env);

/*
 * Continues a search after progress of the transport. Returns IRR_IN_PROGRESS while the search runs. Returns IRR_OK
 * when `chosen` and `entry` have the strategy and the schedule of the exchange, valid until the next start. Returns the
 * error of a failed agreement, gather or scatter; other ranks may have succeeded.
 */
irr_status_t irr_schedules_progress(irr_schedules_t *schedules);

/* Returns the rank that the search waits for. */
int irr_schedules_awaited(const irr_schedules_t *schedules);

#endif
