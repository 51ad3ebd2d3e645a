/*
 * schedules_learn.c - see schedules_learn.h.
 */
#include "comm/schedules_learn.h"

#include "comm/dump.h"
#include "core/clock.h"
#include "core/log.h"
#include "order/lambda_search.h"
#include "order/syncs.h"
#include "route/schedule_plans.h"

/* What the ranks tell each other in a commit. */
enum { FAILED, BYTES, COMMIT_WORDS };

void irr_schedules_clean(irr_schedules_t *schedules)
{
    irr_matrix_fini(&schedules->matrix);
    irr_cache_entry_fini(&schedules->made);
}

/*
 * Of the ranks' hosts, or, where the schedule lets messages meet on a link within a step, or nothing is known of them,
 * of a switch with all ranks: each of them receives from one at a time.
 */
static irr_status_t find_syncs(irr_schedules_t *schedules, const irr_schedule_t *schedule, irr_syncs_t *syncs)
{
    const irr_tree_t *tree = schedules->params.tree;
    irr_status_t status = tree != NULL ? irr_tree_check(tree, schedule, NULL) : IRR_ERR_INVALID_PLAN;
    irr_tree_t star;

    if (status == IRR_OK) {
        return irr_syncs_find(tree, schedule, syncs);
    }
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_tree_init_star(&star, schedule->ranks);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(&star, schedule, syncs);
        irr_tree_fini(&star);
    }
    return status;
}

static bool any_syncs(const irr_schedules_t *schedules, int ways)
{
    bool any = false;

    for (int i = 0; i < ways; i++) {
        any = any || schedules->way[i].pace->syncs;
    }
    return any;
}

/* What all messages must be short for is no way for others.  Alike on all ranks, which have the whole schedule. */
static int ways_of(const irr_schedules_t *schedules, const irr_schedule_t *schedule)
{
    const int ways = schedules->ways;

    for (size_t i = 0; ways > 1 && i < schedule->count; i++) {
        if (schedule->list[i].length > IRR_TUNE_SHORT) {
            return schedules->way[ways - 1].pace == &irr_pace_free ? ways - 1 : ways;
        }
    }
    return ways;
}

static irr_status_t keep_way(irr_schedules_t *schedules, const irr_schedule_t *schedule, const irr_syncs_t *syncs,
                             const irr_tune_way_t *way, irr_cache_way_t *kept)
{
    irr_status_t status = irr_schedule_own(schedule, schedules->rank, way->piece_max, &kept->own);
    irr_plan_bounds_t bounds;

    if (status == IRR_OK && way->pace->syncs) {
        status = irr_schedule_syncs_build(schedule, syncs, schedules->rank, &kept->own, way->lead, &kept->syncs);
    }
    if (status != IRR_OK) {
        return status;
    }
    bounds = irr_schedule_plan_bounds(&kept->own, &kept->syncs);
    status = irr_plan_reserve(schedules->plan, bounds);
    return status == IRR_OK ? irr_exec_reserve(schedules->exec, bounds, way->pace) : status;
}

irr_status_t irr_schedules_keep(irr_schedules_t *schedules, const irr_schedule_t *schedule, int ways,
                                irr_cache_entry_t *entry)
{
    irr_syncs_t syncs = { 0 };
    irr_status_t status = any_syncs(schedules, ways) ? find_syncs(schedules, schedule, &syncs) : IRR_OK;

    for (int i = 0; i < ways && status == IRR_OK; i++) {
        status = keep_way(schedules, schedule, &syncs, &schedules->way[i], &entry->way[i]);
    }
    irr_tune_init(&entry->tune, ways);
    irr_syncs_fini(&syncs);
    return status;
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
irr_status_t irr_schedules_end_gather(irr_schedules_t *schedules, irr_status_t status,
                                      const irr_cache_entry_t **entry_p)
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

irr_status_t irr_schedules_end_search(irr_schedules_t *schedules)
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
        status = irr_schedules_keep(schedules, &schedule, ways_of(schedules, &schedule), made);
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

irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules)
{
    irr_cache_entry_t *entry = NULL;

    if (schedules->consensus.words[FAILED] == 0) {
        schedules->made.bytes = schedules->consensus.words[BYTES];
        entry = irr_cache_insert(&schedules->cache, &schedules->made);
    }
    irr_schedules_clean(schedules);
    return entry;
}
