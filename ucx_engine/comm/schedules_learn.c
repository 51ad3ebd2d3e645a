/*
 * schedules_learn.c - see schedules_learn.h.
 */
#include "comm/schedules_learn.h"

#include "comm/dump.h"
#include "core/log.h"
#include "order/lambda_search.h"

/* What the ranks tell each other in a commit. */
enum { FAILED, BYTES, COMMIT_WORDS };

void irr_schedules_clean(irr_schedules_t *schedules)
{
    irr_matrix_fini(&schedules->matrix);
    if (schedules->made != NULL) {
        irr_cache_entry_fini(schedules->made);
    }
}

/* ---- gather ---- */

static bool searches(const irr_schedules_t *schedules)
{
    return !schedules->declined && schedules->row == irr_scheduled_find("rs_nh") &&
           schedules->params.lambda.rule == IRR_LAMBDA_SEARCH;
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
    irr_schedules_charge(since, &schedules->env.counters->schedule_ns);
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

    irr_schedules_charge(schedules->since, &counters->matrix_ns);
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

/* What this rank would put into the cache. */
static irr_status_t make_entry(irr_schedules_t *schedules, const irr_lambda_t *lambda)
{
    irr_cache_entry_t *made = schedules->made;
    irr_status_t status = irr_cache_entry_init(made, &schedules->own, schedules->ranks);

    made->declined = schedules->declined;
    if (status != IRR_OK || made->declined) {
        return status;
    }
    status = irr_schedules_compute(schedules, lambda, made);
    if (status != IRR_OK && status != IRR_ERR_NO_MEMORY) {
        made->declined = true;   /* the order does not take this matrix, which all ranks see */
        irr_tune_init(&made->tune, 1, 0);
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
    words[BYTES] = irr_cache_entry_bytes(schedules->made, schedules->ranks);
    schedules->state = IRR_SCHEDULES_COMMITS;
    irr_consensus_start(&schedules->consensus, words, COMMIT_WORDS, &schedules->env);
}

irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules)
{
    irr_cache_entry_t *entry = NULL;

    if (schedules->consensus.words[FAILED] == 0) {
        schedules->made->bytes = schedules->consensus.words[BYTES];
        entry = irr_cache_insert(&schedules->cache, schedules->made);
    }
    irr_schedules_clean(schedules);
    return entry;
}
