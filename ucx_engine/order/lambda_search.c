/*
 * lambda_search.c - see lambda_search.h.  As many RS_NH schedules as candidates.
 */
#include "order/lambda_search.h"

int irr_lambda_candidates(int ranks)
{
    return ranks < IRR_LAMBDA_CANDIDATES ? ranks : IRR_LAMBDA_CANDIDATES;
}

irr_lambda_t irr_lambda_candidate(int candidate, int candidates)
{
    const int64_t below = candidates > 1 ? (int64_t)IRR_LAMBDA_ONE / 4 * candidate / (candidates - 1) : 0;

    return (irr_lambda_t){ IRR_LAMBDA_FIXED, (uint32_t)(IRR_LAMBDA_ONE - below) };
}

/* Saturates: a latency may be any number. */
static uint64_t time_of(const irr_schedule_t *schedule, uint64_t latency)
{
    uint64_t time;

    if (__builtin_mul_overflow(latency, (uint64_t)schedule->steps, &time) ||
        __builtin_add_overflow(time, irr_schedule_makespan(schedule), &time)) {
        return UINT64_MAX;
    }
    return time;
}

irr_status_t irr_lambda_try(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, int candidate,
                            int candidates, uint64_t *time, irr_schedule_t *schedule)
{
    irr_scheduled_params_t with = *params;
    irr_status_t status;

    with.lambda = irr_lambda_candidate(candidate, candidates);
    status = irr_order_schedule(&irr_order_rs_nh, matrix, &with, schedule);
    if (status == IRR_OK) {
        *time = time_of(schedule, params->latency);
    }
    return status;
}

bool irr_lambda_wins(uint64_t time, int candidate, uint64_t other_time, int other)
{
    return time != other_time ? time < other_time : candidate < other;
}

irr_status_t irr_lambda_search(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, int candidates,
                               int *winner, irr_schedule_t *schedule)
{
    irr_schedule_t best = { .ranks = 0 }, tried;
    uint64_t best_time = 0, time;
    int best_candidate = -1;

    for (int i = 0; i < candidates; i++) {
        irr_status_t status = irr_lambda_try(matrix, params, i, candidates, &time, &tried);

        if (status == IRR_ERR_TIMEOUT && best_candidate >= 0) {
            break;   /* the best so far */
        }
        if (status != IRR_OK) {
            irr_schedule_fini(&best);
            return status;
        }
        if (best_candidate < 0 || irr_lambda_wins(time, i, best_time, best_candidate)) {
            irr_schedule_t loser = best;

            best = tried;
            tried = loser;
            best_time = time;
            best_candidate = i;
        }
        irr_schedule_fini(&tried);
    }
    if (best_candidate < 0) {
        return IRR_ERR_BAD_PARAM;
    }
    *winner = best_candidate;
    *schedule = best;
    return IRR_OK;
}
