/*
 * check.c - proves that the plans of all ranks keep the rules of plan.h, without running the plans.
 *
 * The phases are: the shape of problems and plans; the two ends of each message (rule 1); a simulation of the exchange
 * under the strictest pacing (rule 5); the reads and writes of each rank (rules 2 and 3); the place where every byte
 * arrives (rule 4), or for a reduction whether each rank has the maxima.  Plans are not trusted: the first phase
 * guarantees that no number of a plan leads outside an array or overflows.
 *
 * Time O(m log m) for m messages, pieces and dependencies, if plans write their scratch in order and once; for other
 * plans see check_trace.c.  Memory O(m), and the segments that check_delivery.c allows.
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

void irr_check_fini(irr_check_t *check)
{
    size_t total = check->base != NULL ? check->base[check->ranks] : 0;

    for (size_t id = 0; check->recipes != NULL && id < total; id++) {
        irr_segments_fini(&check->recipes[id]);
    }
    for (int r = 0; check->output != NULL && r < check->ranks; r++) {
        irr_segments_fini(&check->output[r]);
    }
    for (int r = 0; check->wanted != NULL && r < check->ranks; r++) {
        irr_segments_fini(&check->wanted[r]);
    }
    irr_free(check->steps);   /* also frees the other arrays */
    irr_free(check->base);
}

/* Numbers the steps of all ranks consecutively, and makes room for the results of the phases. */
static irr_status_t prepare(irr_check_t *check)
{
    size_t ranks = (size_t)check->ranks, total = 0;
    irr_status_t status;

    check->base = irr_alloc(ranks + 1, sizeof(*check->base));
    if (check->base == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < check->ranks; r++) {
        check->base[r] = total;
        total += check->plans[r].nsteps;
    }
    check->base[ranks] = total;
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(check->steps, total), IRR_ARRAY(check->started, total), IRR_ARRAY(check->wanted, ranks),
        IRR_ARRAY(check->output, ranks), IRR_ARRAY(check->recipes, total) }));
    if (status != IRR_OK) {
        return status;
    }
    for (int r = 0; r < check->ranks; r++) {
        for (size_t i = 0; i < check->plans[r].nsteps; i++) {
            check->steps[check->base[r] + i] = (irr_check_step_t){
                .step = &check->plans[r].steps[i], .rank = r, .partner = IRR_CHECK_NONE
            };
        }
    }
    return IRR_OK;
}

irr_status_t irr_check_prove(irr_check_t *check)
{
    irr_status_t (*const phases[])(irr_check_t *check) = {
        irr_check_shape, prepare, irr_check_messages, irr_check_ends, irr_check_trace,
        check->words > 0 ? irr_check_reduction : irr_check_delivery
    };
    irr_status_t status = check->ranks >= 1 ? IRR_OK : IRR_ERR_BAD_PARAM;

    for (size_t i = 0; status == IRR_OK && i < sizeof(phases) / sizeof(phases[0]); i++) {
        status = phases[i](check);
    }
    return status;
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
