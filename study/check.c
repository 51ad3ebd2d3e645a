/*
 * check.c - proves that the plans of all ranks keep the rules of plan.h, without running the plans.
 *
 * The phases check: the range of each number; the two ends of each message (rule 1); that the exchange ends, by a
 * simulation with the fewest messages at a time (rule 5); the reads and writes of each rank (rules 2 and 3); the place
 * where every byte arrives (rule 4) or, for a reduction, that each rank has the maxima.  Plans are not trusted: the
 * first phase guarantees that no number of a plan leads outside an array or overflows.
 *
 * Time O(m log m) for m messages, pieces and dependencies, if plans write each byte of SCRATCH once, in ascending
 * order; check_trace.c has the cost of other plans.  Memory O(m), plus the segments that check_delivery.c allows.
 */
#include "study/check.h"

#include "core/alloc.h"

#include <stdarg.h>

irr_status_t irr_check_fail(irr_check_t *check, const char *format, ...)
{
    va_list arguments;

    if (check->reason != NULL && check->reason_size > 0) {
        va_start(arguments, format);
        vsnprintf(check->reason, check->reason_size, format, arguments);
        va_end(arguments);
    }
    return IRR_ERR_INVALID_PLAN;
}

void irr_check_free_batch(irr_check_t *check)
{
    const size_t total = check->steps != NULL ? check->base[check->ranks] : 0;

    for (size_t id = 0; id < total; id++) {
        irr_segments_fini(&check->recipes[id]);
    }
    irr_free(check->steps);   /* also frees the other arrays of the batch */
    check->steps = NULL;
}

void irr_check_rank_fini(irr_check_rank_t *rank)
{
    irr_segments_fini(&rank->wanted);
    irr_segments_fini(&rank->output);
    irr_segments_fini(&rank->scratch);
    irr_segments_fini(&rank->held);
    irr_pack_fini(&rank->packed);
    irr_free(rank->readers);
    rank->readers = NULL;
    rank->nreaders = rank->readers_max = 0;
}

void irr_check_fini(irr_check_t *check)
{
    irr_check_free_batch(check);
    for (int r = 0; check->rank != NULL && r < check->ranks; r++) {
        irr_check_rank_fini(&check->rank[r]);
    }
    irr_free(check->rank);   /* also frees the base */
}

irr_status_t irr_check_open(irr_check_t *check)
{
    const size_t ranks = (size_t)check->ranks;
    const irr_status_t status = check->ranks < 1 ? IRR_ERR_BAD_PARAM : IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(check->rank, ranks), IRR_ARRAY(check->base, ranks + 1) }));

    return status == IRR_OK ? irr_check_problems(check) : status;
}

/* Numbers the steps of the batch consecutively, and makes room for the results of the phases. */
static irr_status_t prepare(irr_check_t *check)
{
    size_t total = 0;
    irr_status_t status;

    for (int r = 0; r < check->ranks; r++) {
        const irr_check_rank_t *rank = &check->rank[r];

        check->base[r] = total;
        total += rank->fresh ? check->plans[r].nsteps - rank->first : 0;
        check->npieces += rank->fresh ? check->plans[r].npieces : 0;
        check->npieces += !rank->begun && check->problems[r].in_place ? check->problems[r].recv.count : 0;
    }
    check->base[check->ranks] = total;
    check->nsteps += total;
    check->nstarted = 0;
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(check->steps, total), IRR_ARRAY(check->started, total), IRR_ARRAY(check->recipes, total) }));
    for (int r = 0; r < check->ranks && status == IRR_OK; r++) {
        status = check->rank[r].fresh ? irr_check_unpack(&check->rank[r]) : IRR_OK;
        for (size_t i = check->rank[r].first; i < check->plans[r].nsteps; i++) {
            check->steps[irr_check_id(check, r, i)] = (irr_check_step_t){
                .step = &check->plans[r].steps[i], .rank = r, .partner = IRR_CHECK_NONE
            };
        }
    }
    return status;
}

irr_status_t irr_check_batch(irr_check_t *check)
{
    irr_status_t (*const phases[])(irr_check_t *check) = {
        irr_check_shape, prepare, irr_check_messages, irr_check_ends, irr_check_trace,
        check->words > 0 ? irr_check_reduction : irr_check_delivery
    };
    irr_status_t status = IRR_OK;

    for (size_t i = 0; status == IRR_OK && i < sizeof(phases) / sizeof(phases[0]); i++) {
        status = phases[i](check);
    }
    return status;
}

irr_status_t irr_check_prove(irr_check_t *check)
{
    irr_status_t status = irr_check_open(check);

    for (int r = 0; r < check->ranks && status == IRR_OK; r++) {
        check->rank[r].fresh = check->rank[r].last = true;
    }
    return status == IRR_OK ? irr_check_batch(check) : status;
}

irr_status_t irr_plan_check(const irr_plan_t *plans, const irr_problem_t *problems, int ranks, char *reason,
                            size_t size)
{
    irr_check_t check = {
        .plans = plans, .problems = problems, .ranks = ranks, .reason = reason, .reason_size = size
    };
    irr_status_t status = irr_check_prove(&check);

    irr_check_fini(&check);
    return status;
}

irr_status_t irr_plan_check_reduction(const irr_plan_t *plans, int ranks, size_t words, char *reason, size_t size)
{
    irr_problem_t *problems = irr_alloc_zero(ranks > 0 ? (size_t)ranks : 1, sizeof(*problems));
    irr_check_t check = {
        .plans = plans, .problems = problems, .ranks = ranks, .reason = reason, .reason_size = size, .words = words
    };
    irr_status_t status = problems == NULL ? IRR_ERR_NO_MEMORY : words == 0 ? IRR_ERR_BAD_PARAM : IRR_OK;

    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        problems[r].ranks = ranks;
        problems[r].rank = r;
    }
    if (status == IRR_OK) {
        status = irr_check_prove(&check);
    }
    irr_check_fini(&check);
    irr_free(problems);
    return status;
}
