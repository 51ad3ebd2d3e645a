/*
 * lessons.h - the results of trials in each situation, for later communicators and later jobs.
 *
 * A situation is what all ranks know about exchanges: the collective, the number of ranks and of ranks of a node, and
 * the lengths of messages as powers of two.  A lesson is what trials have shown in a situation.  For each strategy it
 * has the number of trials, and the mean and the spread of the logarithm of the speedup over Open MPI's implementation.
 * It also has the mean number of exchanges of a team, which is all communicators of the same processes in the same
 * order.
 *
 * Ranks may know different lessons.  When the ranks of a communicator list strategies, each rank states a lower and an
 * upper bound of the speedup of each strategy.  The ranks agree on the least lower and the greatest upper bound.  If
 * the lower bound of a strategy is a gain, the strategy is used at once.  If even the upper bound is no gain after two
 * trials, the strategy is not tried again.
 *
 * Old results lose weight: all results of a strategy together weigh at most as much as IRR_LESSONS_TRIALS trials.
 *
 * Cost: O(situations) for a call.
 */
#ifndef IRR_LESSONS_H
#define IRR_LESSONS_H

#include "choose/candidates.h"
#include "choose/saved.h"

/* Limits: situations; strategies of a situation; trials of a strategy that count. */
#define IRR_LESSONS_SITUATIONS 256
#define IRR_LESSONS_STRATEGIES IRR_CANDIDATES_MAX
#define IRR_LESSONS_TRIALS     16

#define IRR_LESSONS_CALL 32

typedef struct irr_situation {
    char     call[IRR_LESSONS_CALL];   /* the collective, one word */
    uint64_t ranks, node_ranks;       /* number of ranks of the communicator; largest number of them on a node */
    uint64_t crowded, sparse;         /* 1: a node has more processes than processors; 1: a neighborhood collective */
    uint64_t block;                   /* binary logarithm of the mean length of a message in bytes */
    uint64_t skew, gaps;              /* binary logarithms: longest message divided by mean; ranks divided by messages
                                         of the busiest rank */
} irr_situation_t;

/*
 * The results of trials of a strategy: their number, the sum of the logarithms of the speedups, and the sum of their
 * squares.
 */
typedef struct irr_found {
    char   strategy[IRR_CANDIDATE_TEXT];
    double trials, sum, squares;
} irr_found_t;

/* The results in a situation. */
typedef struct irr_lesson {
    irr_situation_t situation;
    irr_found_t     found[IRR_LESSONS_STRATEGIES];
    int             strategies;
    double          teams, calls;     /* number of teams that ended; sum of the logarithms of their numbers of
                                         exchanges */
} irr_lesson_t;

/* Zeroed: empty. */
typedef struct irr_lessons {
    irr_lesson_t *list;   /* the oldest lesson is first */
    size_t        count, room;
} irr_lessons_t;

void irr_lessons_fini(irr_lessons_t *lessons);

/* Returns the situation of the agreed traffic of a collective. */
irr_situation_t irr_situation_of(const char *call, const irr_traffic_t *traffic);

/* Returns the lesson of a situation, or NULL. */
const irr_lesson_t *irr_lessons_find(const irr_lessons_t *lessons, const irr_situation_t *situation);

/*
 * irr_lessons_learn adds the result of a trial.  irr_lessons_lived records that a team has ended after `calls`
 * exchanges.  irr_lessons_merge adds all lessons of another set.  After IRR_ERR_NO_MEMORY, some or all lessons were not
 * added.
 */
irr_status_t irr_lessons_learn(irr_lessons_t *lessons, const irr_situation_t *situation, const char *strategy,
                               const irr_speedup_t *speedup);
irr_status_t irr_lessons_lived(irr_lessons_t *lessons, const irr_situation_t *situation, uint64_t calls);
irr_status_t irr_lessons_merge(irr_lessons_t *lessons, const irr_lessons_t *other);

/* Return the geometric mean of the speedups, and the standard deviation of their logarithms. */
double irr_found_speedup(const irr_found_t *found);
double irr_found_spread(const irr_found_t *found);

/* Returns the geometric mean of the numbers of exchanges of teams; 0: unknown. */
double irr_lesson_calls(const irr_lesson_t *lesson);

/* ---- agreement ---- */

/* Number of words: two bounds for each strategy of a list, and the expected number of exchanges. */
#define IRR_LESSONS_WORDS (2 * IRR_CANDIDATES_MAX + 1)

/* Fills the words of a rank for a list of strategies.  lesson: NULL if the rank knows no lesson of the situation. */
void irr_lessons_words(const irr_lesson_t *lesson, const irr_candidate_t *list, int count,
                      uint64_t words[IRR_LESSONS_WORDS]);

/* What the lessons of all ranks show about a list of strategies. */
typedef struct irr_recall {
    double   speedup;   /* lower bound of the speedup of the first strategy of the list; 0: no known gain */
    uint64_t calls;     /* expected number of exchanges of a team; 0: unknown */
    int      losers;    /* number of strategies that were removed from the list */
} irr_recall_t;

/*
 * Evaluates the maxima of all ranks' words: moves the strategy with the greatest known gain to the front of the list,
 * and sets ratios (expected times relative to Open MPI's) where lessons know them.  drops: also removes strategies
 * whose lessons exclude a gain.
 */
irr_recall_t irr_lessons_agreed(const uint64_t words[IRR_LESSONS_WORDS], bool drops, irr_candidate_t *list,
                                double *ratios, int *count);

#endif
