/*
 * schedules.h - finds or computes the schedule of an exchange: in which step each message is sent.
 *
 * The counts of all ranks are a matrix; row i has the bytes that rank i sends to each rank. An agreement is an
 * all-reduce (exec/allreduce.h). A search for a schedule has up to four phases:
 *
 *     lookup   an agreement finds the first slot of the cache in which all ranks have their rows (a hit)
 *     gather   after a miss, rank 0 gathers the matrix (exec/gather.h), and computes the schedule alone
 *     scatter  rank 0 sends each rank its part of the schedule, the assignment (comm/assignment.h)
 *     commit   an agreement checks that all ranks could read and store their assignments
 *
 * An exchange in place has no schedule: pairs of ranks exchange their blocks (route/pairs.h). The lookup also tells all
 * ranks whether the exchange is in place.
 *
 * A schedule that all ranks have stored stays in the cache. An exchange runs without a schedule in three cases. First,
 * the matrix is larger than the limit. Second, the algorithm cannot handle the matrix or exceeds its time limit; this
 * result is cached, too ("declined"). Third, a rank lacks memory; the next exchange with these counts then tries again.
 * All ranks take the same decisions, because these depend only on agreements and on data from rank 0. Only rank 0 has
 * the whole matrix and the whole schedule.
 *
 * If an agreement, gather or scatter fails, the communicator fails (comm/failure.h).
 *
 * All schedules of a communicator run with one strategy (algorithm, pacing and their parameters). If the settings allow
 * several strategies, it is the one that is probably the fastest (choose/paced.h).
 *
 * Cost: a hit takes one agreement. A miss takes two agreements, four messages per rank, and the time to compute the
 * schedule, during which rank 0 makes no progress with other exchanges.
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

/* The memory of the phases from gather to commit. */
typedef struct irr_learning {
    irr_gather_t      gather;    /* moves rows to rank 0 and assignments from rank 0 */
    irr_cache_entry_t made;      /* the new cache entry */
    uint64_t          since;     /* time in ns when the gather started */
} irr_learning_t;

/*
 * Number of words of the agreement of a lookup. Word i is 1 if a rank does not find its row in slot i of the cache. The
 * last word is 1 if a rank exchanges in place.
 */
#define IRR_LOOKUP_WORDS (IRR_CACHE_SLOTS + 1)

/* The search of a communicator for schedules. The object must not move while a search runs. */
typedef struct irr_schedules {
    irr_scheduled_params_t params;
    size_t                 max_bytes;  /* largest length of a count matrix in bytes; 0: no limit */
    size_t                 limit_ms;   /* time limit to compute a schedule, in ms; 0: no limit */
    uint64_t             (*now_ns)(void *context);   /* clock for limit_ms */
    irr_strategy_t         strategy;   /* strategy of exchanges with a schedule */
    irr_nodes_t            nodes;      /* which ranks share a host, for algorithm `tree` */
    void                  *scratch;    /* memory in which a rank keeps data that it forwards */
    size_t                 scratch_max;
    bool                   learns;     /* rank 0 gathers the matrix after a miss (for a schedule or a file) */
    bool                   dumps;      /* matrices are written to files (comm/dump.h) */
    int                    ranks, rank;
    irr_cache_t            cache;      /* has slots only if exchanges look up schedules */
    const irr_problem_t   *problem;    /* borrowed */
    uint64_t              *lengths;    /* bytes that this rank sends, by rank */
    irr_bytes_t            own;        /* `lengths` as a row of the cache */
    irr_allreduce_t       *agreement;  /* borrowed */
    irr_exec_env_t         env;
    irr_schedules_state_t  state;
    irr_cache_entry_t     *entry;      /* result: schedule; NULL: none */
    const irr_strategy_t  *chosen;     /* result: strategy; NULL: that of exchanges without a schedule */
    irr_strategy_t         pairs;      /* strategy of exchanges in place */
    bool                   warned;     /* a message about a slow schedule was printed */
    irr_learning_t        *learning;   /* NULL: no gather after a miss */
    irr_dump_t             dump;       /* on rank 0 */
    unsigned               matrix;     /* number of the file of the matrix of this exchange, on rank 0 */
} irr_schedules_t;

/*
 * Initializes the search. strategy: that of the settings; if it computes no schedules, only a schedule from a file is
 * used. agreement: an all-reduce over all ranks, which must outlive the search. If a count matrix of `ranks` ranks
 * exceeds the limit, no schedules are computed, and rank 0 warns once. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_init(irr_schedules_t *schedules, const irr_strategy_t *strategy,
                                const irr_settings_t *settings, int ranks, int rank, irr_allreduce_t *agreement);
void         irr_schedules_fini(irr_schedules_t *schedules);

/*
 * Returns a bit mask of the routes that the settings allow on a tree of switches (choose/paced.h); 0: there is no tree.
 */
unsigned irr_schedules_routes(const irr_schedules_t *schedules, const irr_settings_t *settings);

/*
 * Puts a schedule from a file into the cache, where it stays forever. Called once, before any search. If ranks forward
 * messages, ignores the schedule, and rank 0 warns. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedules_pin(irr_schedules_t *schedules, const irr_schedule_t *schedule);

/* Returns true if exchanges look up schedules. */
static inline bool irr_schedules_looks_up(const irr_schedules_t *schedules)
{
    return schedules->cache.slot != NULL;
}

/*
 * Starts a search for the counts of a problem, which must stay unchanged until the search is over. No other search may
 * be running. env: as for irr_allreduce_start.
 */
void irr_schedules_start(irr_schedules_t *schedules, const irr_problem_t *problem, const irr_exec_env_t *env);

/*
 * Continues a search after progress of the transport. Returns IRR_IN_PROGRESS while the search runs. Returns IRR_OK
 * when `chosen` and `entry` are set; they stay valid until the next start. Returns an error if a message failed or rank
 * 0 lacks memory; other ranks may get IRR_OK.
 */
irr_status_t irr_schedules_progress(irr_schedules_t *schedules);

/* Returns the rank for whose message the search waits; -1: none. */
int irr_schedules_awaited(const irr_schedules_t *schedules);

#endif
