/*
 * schedules.c - see schedules.h.
 */
#include "comm/schedules.h"

#include "comm/dump.h"
#include "core/alloc.h"
#include "core/clock.h"
#include "core/log.h"
#include "order/lambda_search.h"
#include "route/schedule_plans.h"

#include <string.h>

/* What the ranks tell each other in a look: the misses, and behind them whether one of them is lost. */
enum { LOST = IRR_CACHE_SLOTS, LOOK_WORDS };

/* And in a commit. */
enum { FAILED, BYTES, COMMIT_WORDS };

_Static_assert(LOOK_WORDS <= IRR_CONSENSUS_WORDS_MAX, "a look is one consensus");

/* ---- life ---- */

/* The orders work on all P * P entries, so these count against the limit too; a consensus has one of its own. */
static bool too_large(int ranks, size_t max_bytes)
{
    size_t entries = (size_t)ranks * (size_t)ranks;

    return ranks > IRR_CONSENSUS_RANKS_MAX || (max_bytes > 0 && entries > max_bytes / sizeof(uint64_t));
}

/* A copy; NULL without memory. */
static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *made = irr_alloc(bytes, 1);

    return made != NULL ? memcpy(made, text, bytes) : NULL;
}

/* What a look needs. */
static irr_status_t enable_looks(irr_schedules_t *schedules)
{
    irr_status_t status = IRR_OK;

    if (!schedules->asked) {
        status = irr_consensus_init(&schedules->consensus, schedules->ranks, schedules->rank);
    }
    if (status == IRR_OK && !schedules->asked) {
        status = irr_cache_row_init(&schedules->own, schedules->ranks);
    }
    schedules->asked = status == IRR_OK;
    return status;
}

/* What comes after a miss needs. */
static irr_status_t enable_learning(irr_schedules_t *schedules, const char *dump)
{
    size_t limit = schedules->max_bytes > 0 ? schedules->max_bytes : SIZE_MAX;
    irr_status_t status = irr_gather_init(&schedules->gather, schedules->ranks, schedules->rank, limit);

    if (status == IRR_OK && dump != NULL && schedules->rank == 0) {
        schedules->dump = copy(dump);
        status = schedules->dump != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
    }
    return status;
}

irr_status_t irr_schedules_init(irr_schedules_t *schedules, const irr_scheduled_t *row,
                                const irr_settings_t *settings, int ranks, int rank, const irr_pace_t *pace,
                                irr_plan_t *plan, irr_exec_t *exec)
{
    bool dumps = settings->matrix_dump != NULL && settings->matrix_dump[0] != '\0';
    bool large = too_large(ranks, settings->matrix_max_bytes), wanted = row != NULL || dumps;
    irr_status_t status = IRR_OK;

    memset(schedules, 0, sizeof(*schedules));
    schedules->params = settings->scheduled;
    schedules->max_bytes = settings->matrix_max_bytes;
    schedules->plan = plan;
    schedules->exec = exec;
    schedules->pace = pace;
    schedules->row = large ? NULL : row;
    schedules->learns = wanted && !large;
    schedules->ranks = ranks;
    schedules->rank = rank;
    if (wanted && large && rank == 0) {
        irr_log(IRR_LOG_WARN, "exchanges of %d ranks go without a schedule: their count matrix has more bytes than "
                "matrix_max_bytes, which is %zu, or they are more than %d", ranks, settings->matrix_max_bytes,
                IRR_CONSENSUS_RANKS_MAX);
    }
    irr_cache_init(&schedules->cache, ranks, settings->cache_bytes);
    if (schedules->learns) {
        status = enable_learning(schedules, dumps ? settings->matrix_dump : NULL);
    }
    if (schedules->learns && status == IRR_OK) {
        status = enable_looks(schedules);
    }
    if (status != IRR_OK) {
        irr_schedules_fini(schedules);
    }
    return status;
}

/* Forgets what was there between gather and commit. */
static void clean(irr_schedules_t *schedules)
{
    irr_matrix_fini(&schedules->matrix);
    irr_cache_entry_fini(&schedules->made);
}

void irr_schedules_fini(irr_schedules_t *schedules)
{
    clean(schedules);
    irr_cache_row_fini(&schedules->own);
    irr_gather_fini(&schedules->gather);
    irr_free(schedules->dump);
    irr_cache_fini(&schedules->cache);
    memset(schedules, 0, sizeof(*schedules));
}

/* ---- schedules that are known before ---- */

/* The own part of a schedule, and room to run it. */
static irr_status_t keep_own(irr_schedules_t *schedules, const irr_schedule_t *schedule, irr_schedule_t *own)
{
    irr_status_t status = irr_schedule_own(schedule, schedules->rank, own);
    irr_plan_bounds_t bounds;

    if (status != IRR_OK) {
        return status;
    }
    bounds = irr_schedule_plan_bounds(own);
    status = irr_plan_reserve(schedules->plan, bounds);
    return status == IRR_OK ? irr_exec_reserve(schedules->exec, bounds, schedules->pace) : status;
}

/* What this rank sends in a schedule. */
static void row_of(const irr_schedule_t *schedule, int rank, irr_cache_row_t *row)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        row->lengths[t->to] += t->from == rank ? t->length : 0;
    }
    irr_cache_row_hash(row, schedule->ranks);
}

irr_status_t irr_schedules_pin(irr_schedules_t *schedules, const irr_schedule_t *schedule)
{
    irr_cache_entry_t entry;
    irr_status_t status;

    if (schedules->ranks > IRR_CONSENSUS_RANKS_MAX) {
        return IRR_OK;
    }
    status = enable_looks(schedules);
    if (status == IRR_OK) {
        memset(schedules->own.lengths, 0, (size_t)schedules->ranks * sizeof(*schedules->own.lengths));
        row_of(schedule, schedules->rank, &schedules->own);
        status = irr_cache_entry_init(&entry, &schedules->own, schedules->ranks);
    }
    if (status != IRR_OK) {
        return status;
    }
    status = keep_own(schedules, schedule, &entry.own);
    if (status != IRR_OK) {
        irr_cache_entry_fini(&entry);
        return status;
    }
    entry.pinned = true;
    (void)irr_cache_insert(&schedules->cache, &entry);
    return IRR_OK;
}

/* ---- look ---- */

void irr_schedules_start(irr_schedules_t *schedules, const irr_problem_t *problem, const irr_exec_env_t *env)
{
    uint64_t words[LOOK_WORDS];

    schedules->env = *env;
    schedules->problem = problem;
    schedules->state = IRR_SCHEDULES_LOOKS;
    irr_cache_row_take(&schedules->own, problem);
    irr_cache_look(&schedules->cache, &schedules->own, words);
    words[LOST] = schedules->lost;
    irr_consensus_start(&schedules->consensus, words, LOOK_WORDS, env);
}

static int hit(const irr_schedules_t *schedules)
{
    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        if (schedules->consensus.words[i] == 0) {
            return i;
        }
    }
    return -1;
}

static irr_status_t end_look(irr_schedules_t *schedules, const irr_cache_entry_t **entry_p)
{
    int slot = hit(schedules);

    if (schedules->consensus.words[LOST] != 0) {
        irr_cache_clear(&schedules->cache);
        schedules->lost = false;
        slot = -1;
    }
    if (slot >= 0) {
        const irr_cache_entry_t *entry = irr_cache_use(&schedules->cache, slot);

        schedules->env.counters->schedules_reused += !entry->declined;
        *entry_p = entry->declined ? NULL : entry;
        return IRR_OK;
    }
    if (!schedules->learns) {
        *entry_p = NULL;
        return IRR_OK;
    }
    schedules->state = IRR_SCHEDULES_GATHERS;
    schedules->since = irr_clock_ns();
    irr_gather_start(&schedules->gather, schedules->problem->send, IRR_OK, &schedules->env);
    return IRR_IN_PROGRESS;
}

/* ---- gather ---- */

static bool searches(const irr_schedules_t *schedules)
{
    return !schedules->declined && schedules->row == irr_scheduled_find("rs_nh") &&
           schedules->params.lambda.rule == IRR_LAMBDA_SEARCH;
}

/* Adds the time since to a counter. */
static void charge(uint64_t since, uint64_t *counter)
{
    *counter += irr_clock_ns() - since;
}

/* Larger is better: less time, then the lower candidate; 0 is worse than all. */
static uint64_t mark_of(uint64_t time, int candidate)
{
    const uint64_t most = (UINT64_C(1) << 48) - 2;

    return ~((time < most ? time : most) << 16 | (uint64_t)candidate);
}

static void begin_search(irr_schedules_t *schedules)
{
    int candidates = irr_lambda_candidates(schedules->ranks), candidate = schedules->rank % candidates;
    uint64_t since = irr_clock_ns(), time, mark = 0;
    irr_schedule_t tried;

    if (schedules->trouble == IRR_OK) {
        schedules->trouble = irr_lambda_try(&schedules->matrix, &schedules->params, candidate,
                                            candidates, &time, &tried);
    }
    if (schedules->trouble == IRR_OK) {
        mark = mark_of(time, candidate);
        irr_schedule_fini(&tried);
    }
    charge(since, &schedules->env.counters->schedule_ns);
    schedules->state = IRR_SCHEDULES_SEARCHES;
    irr_consensus_start(&schedules->consensus, &mark, 1, &schedules->env);
}

static irr_status_t take_matrix(irr_schedules_t *schedules)
{
    irr_status_t status = irr_matrix_init(&schedules->matrix, schedules->ranks);

    if (status == IRR_OK) {
        irr_gather_matrix(&schedules->gather, &schedules->matrix);
        irr_dump(schedules->dump, &schedules->matrix, &schedules->dumped);
    }
    return status;
}

static void warn(irr_schedules_t *schedules)
{
    if (schedules->rank == 0 && !schedules->warned) {
        irr_log(IRR_LOG_WARN, "a count matrix was not gathered, because its rows have more bytes than "
                "matrix_max_bytes, which is %zu: exchanges with it go without a schedule",
                schedules->max_bytes);
    }
    schedules->warned = true;
}

static void begin_commit(irr_schedules_t *schedules, const irr_lambda_t *lambda);

/* status is alike on all ranks. */
static irr_status_t end_gather(irr_schedules_t *schedules, irr_status_t status, const irr_cache_entry_t **entry_p)
{
    irr_counters_t *counters = schedules->env.counters;

    charge(schedules->since, &counters->matrix_ns);
    schedules->declined = status != IRR_OK || schedules->row == NULL;
    schedules->trouble = IRR_OK;
    if (status != IRR_OK && !schedules->gather.too_large) {
        *entry_p = NULL;   /* the next exchange tries again */
        return IRR_OK;
    }
    if (status == IRR_OK) {
        counters->matrices++;
        counters->matrix_bytes += schedules->gather.ends[schedules->ranks];
        schedules->trouble = take_matrix(schedules);
    } else {
        warn(schedules);
    }
    if (searches(schedules)) {
        begin_search(schedules);
    } else {
        begin_commit(schedules, &schedules->params.lambda);
    }
    return IRR_IN_PROGRESS;
}

/* ---- search ---- */

static irr_status_t end_search(irr_schedules_t *schedules)
{
    int candidates = irr_lambda_candidates(schedules->ranks);
    int winner = (int)(~schedules->consensus.words[0] & UINT16_MAX) % candidates;
    irr_lambda_t lambda = irr_lambda_candidate(winner, candidates);

    begin_commit(schedules, &lambda);
    return IRR_IN_PROGRESS;
}

/* ---- commit ---- */

static irr_status_t compute(irr_schedules_t *schedules, const irr_lambda_t *lambda, irr_schedule_t *schedule)
{
    irr_scheduled_params_t params = schedules->params;
    uint64_t since = irr_clock_ns();
    irr_status_t status;

    params.lambda = *lambda;
    status = irr_scheduled_build(schedules->row, &schedules->matrix, &params, schedule);
    charge(since, &schedules->env.counters->schedule_ns);
    schedules->env.counters->schedules_built += status == IRR_OK;
    return status;
}

/* What this rank would put into the cache. */
static irr_status_t make_entry(irr_schedules_t *schedules, const irr_lambda_t *lambda)
{
    irr_cache_entry_t *made = &schedules->made;
    irr_schedule_t schedule;
    irr_status_t status = irr_cache_entry_init(made, &schedules->own, schedules->ranks);

    made->declined = schedules->declined;
    if (status != IRR_OK || made->declined) {
        return status;
    }
    status = compute(schedules, lambda, &schedule);
    if (status == IRR_OK) {
        status = keep_own(schedules, &schedule, &made->own);
        irr_schedule_fini(&schedule);
    } else if (status != IRR_ERR_NO_MEMORY) {
        made->declined = true;   /* the order does not take this matrix, which all ranks see */
        status = IRR_OK;
    }
    return status;
}

static void begin_commit(irr_schedules_t *schedules, const irr_lambda_t *lambda)
{
    uint64_t words[COMMIT_WORDS];

    if (schedules->trouble == IRR_OK) {
        schedules->trouble = make_entry(schedules, lambda);
    }
    words[FAILED] = schedules->trouble != IRR_OK;
    words[BYTES] = irr_cache_entry_bytes(&schedules->made, schedules->ranks);
    schedules->state = IRR_SCHEDULES_COMMITS;
    irr_consensus_start(&schedules->consensus, words, COMMIT_WORDS, &schedules->env);
}

static irr_status_t end_commit(irr_schedules_t *schedules, const irr_cache_entry_t **entry_p)
{
    const irr_cache_entry_t *entry = NULL;

    if (schedules->consensus.words[FAILED] == 0) {
        schedules->made.bytes = schedules->consensus.words[BYTES];
        entry = irr_cache_insert(&schedules->cache, &schedules->made);
    }
    clean(schedules);
    *entry_p = entry == NULL || entry->declined ? NULL : entry;
    return IRR_OK;
}

/* ---- progress ---- */

/* This rank does not know what the others do next, and says so when they meet again. */
static irr_status_t fail(irr_schedules_t *schedules, irr_status_t status)
{
    clean(schedules);
    schedules->lost = true;
    return status;
}

static irr_status_t step(irr_schedules_t *schedules, const irr_cache_entry_t **entry_p)
{
    bool gathers = schedules->state == IRR_SCHEDULES_GATHERS;
    irr_status_t status = gathers ? irr_gather_progress(&schedules->gather)
                                  : irr_consensus_progress(&schedules->consensus);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status != IRR_OK && !(gathers && status == IRR_ERR_NOT_SUPPORTED)) {
        return fail(schedules, status);
    }
    switch (schedules->state) {
    case IRR_SCHEDULES_LOOKS:    return end_look(schedules, entry_p);
    case IRR_SCHEDULES_GATHERS:  return end_gather(schedules, status, entry_p);
    case IRR_SCHEDULES_SEARCHES: return end_search(schedules);
    default:                     return end_commit(schedules, entry_p);
    }
}

irr_status_t irr_schedules_progress(irr_schedules_t *schedules, const irr_cache_entry_t **entry_p)
{
    irr_schedules_state_t state;
    irr_status_t status;

    do {
        state = schedules->state;
        status = step(schedules, entry_p);
    } while (status == IRR_IN_PROGRESS && schedules->state != state);
    return status;
}
