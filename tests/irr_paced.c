/*
 * irr_paced.c - see irr_paced.h.
 */
#include "irr_paced.h"

#include "irr_test.h"
#include "plan_all.h"

#include "exec/tag.h"
#include "plan/strategy.h"
#include "route/direct.h"

#include <stdlib.h>

/* ---- the watch ---- */

static bool is_open(const irr_paced_rank_t *rank, size_t step)
{
    return irr_exec_step_of(&rank->paced->fleet->rank[rank->rank].exec, step)->pending != 0;
}

/* Returns the number of open steps among the first `count` steps of a list. */
static size_t count_open(const irr_paced_rank_t *rank, const size_t *steps, size_t count)
{
    size_t open = 0;

    for (size_t i = 0; i < count; i++) {
        open += is_open(rank, steps[i]);
    }
    return open;
}

/* True if a step of the rank with a lower number in the same stage is open. */
static bool open_below(const irr_paced_rank_t *rank, const irr_step_t *step)
{
    const irr_plan_t *plan = &rank->paced->fleet->rank[rank->rank].plan;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *other = &plan->steps[i];

        if (other->kind != IRR_STEP_COPY && other->stage == step->stage && other->number < step->number &&
            is_open(rank, i)) {
            return true;
        }
    }
    return false;
}

/* Returns the step that a message must belong to; NULL: there is no such step, or the step is for another rank. */
static const irr_step_t *step_of(const irr_paced_rank_t *rank, const size_t *steps, size_t count, size_t number,
                                 int peer, uint16_t tag)
{
    const irr_fleet_rank_t *member = &rank->paced->fleet->rank[rank->rank];
    const irr_step_t *step = number <= count ? &member->plan.steps[steps[number - 1]] : NULL;
    uint16_t base = rank->paced->fleet->tag_base;

    return step != NULL && step->peer == peer && tag == irr_tag(base, irr_tag_kind(tag), step->stage) ? step : NULL;
}

static void see_grant(irr_paced_rank_t *rank, int peer, uint16_t tag, size_t pieces)
{
    irr_paced_t *paced = rank->paced;
    const irr_step_t *step = step_of(rank, rank->recvs, rank->nrecvs, ++rank->granted, peer, tag);

    if (step == NULL || pieces > 0) {
        paced->broken++;
        return;
    }
    rank->granted_to[step->peer]++;
    paced->broken += count_open(rank, rank->recvs, rank->granted) > paced->params.grants;
}

static void see_send(irr_paced_rank_t *rank, int peer, uint16_t tag)
{
    irr_paced_t *paced = rank->paced;
    const irr_paced_params_t *params = &paced->params;
    const irr_step_t *step = step_of(rank, rank->sends, rank->nsends, ++rank->sent, peer, tag);
    size_t open = step != NULL ? count_open(rank, rank->sends, rank->sent) : 0;

    if (step == NULL) {
        paced->broken++;
        return;
    }
    rank->sent_to[step->peer]++;
    paced->broken += params->window_messages > 0 && open > params->window_messages;
    if (params->watched == IRR_PACING_LOOSE) {
        paced->broken += open_below(rank, step);
    }
    if (params->watched == IRR_PACING_GRANT) {
        paced->broken += open > params->grants;
        paced->broken += paced->rank[step->peer].granted_to[rank->rank] < rank->sent_to[step->peer];
    }
}

static void on_send(void *context, int peer, uint16_t tag, const irr_iov_t *iov, size_t count)
{
    irr_paced_rank_t *rank = context;

    (void)iov;
    if (irr_tag_kind(tag) == IRR_TAG_SYNC) {
        see_grant(rank, peer, tag, count);
    } else {
        see_send(rank, peer, tag);
    }
}

/* ---- plans ---- */

static void build_direct(irr_paced_t *paced, const irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        irr_test_must(irr_plan_one(paced->params.algorithm, &job->problems[r], &paced->fleet->rank[r].plan));
    }
}

static void compute_schedule(const irr_order_t *order, const irr_job_t *job, uint64_t seed,
                             irr_schedule_t *schedule)
{
    /* The redistribution has a message for each pair of ranks. */
    const irr_scheduled_params_t params = {
        .seed = seed, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE / 2 },
        .redistribution = { .x = 1, .p = job->ranks, .y = 1 + (uint64_t)job->ranks, .q = job->ranks }
    };
    irr_matrix_t matrix = irr_job_matrix(job);

    irr_test_must(irr_order_schedule(order, &matrix, &params, schedule));
    irr_matrix_fini(&matrix);
}

static void draw_schedule(const irr_job_t *job, uint64_t seed, irr_schedule_t *schedule)
{
    uint64_t state = seed, steps = 1 + irr_test_below(&state, 2 * (uint64_t)job->ranks);

    *schedule = (irr_schedule_t){ .ranks = job->ranks };
    for (int i = 0; i < job->ranks * job->ranks; i++) {
        int from = i / job->ranks, to = i % job->ranks;
        uint64_t left = from != to ? irr_job_length(job, from, to) : 0, at = 0;

        while (left > 0) {
            uint64_t length = irr_test_below(&state, 2) == 0 ? left : 1 + irr_test_below(&state, left);

            irr_test_must(irr_schedule_add(schedule, (irr_transmission_t){
                .step = 1 + (int)irr_test_below(&state, steps), .from = from, .to = to, .offset = at,
                .length = length
            }));
            at += length;
            left -= length;
        }
    }
    irr_schedule_sort(schedule);
}

static void build_scheduled(irr_paced_t *paced, const irr_order_t *order, const irr_job_t *job)
{
    irr_schedule_t schedule;

    if (order != NULL) {
        compute_schedule(order, job, paced->params.seed, &schedule);
    } else {
        draw_schedule(job, paced->params.seed, &schedule);
    }
    for (int r = 0; r < job->ranks; r++) {
        irr_test_must(irr_direct_plan_build(&schedule, &job->problems[r], &paced->fleet->rank[r].plan));
    }
    irr_schedule_fini(&schedule);
}

static void watch(irr_paced_t *paced, int index)
{
    irr_paced_rank_t *rank = &paced->rank[index];
    const irr_plan_t *plan = &paced->fleet->rank[index].plan;
    size_t ranks = (size_t)paced->fleet->ranks;

    *rank = (irr_paced_rank_t){ .paced = paced, .rank = index };
    rank->sends = irr_test_array(plan->nsteps, sizeof(*rank->sends));
    rank->recvs = irr_test_array(plan->nsteps, sizeof(*rank->recvs));
    rank->sent_to = irr_test_array(ranks, sizeof(*rank->sent_to));
    rank->granted_to = irr_test_array(ranks, sizeof(*rank->granted_to));
    for (size_t i = 0; i < plan->nsteps; i++) {
        if (plan->steps[i].kind == IRR_STEP_SEND) {
            rank->sends[rank->nsends++] = i;
        } else if (plan->steps[i].kind == IRR_STEP_RECV) {
            rank->recvs[rank->nrecvs++] = i;
        }
    }
    paced->fleet->rank[index].spy->on_send = on_send;
    paced->fleet->rank[index].spy->context = rank;
}

/* ---- life ---- */

static irr_fleet_t *open_fleet(int ranks, const irr_paced_params_t *params)
{
    irr_fault_t *faults = irr_test_array((size_t)ranks, sizeof(*faults));
    irr_fleet_t *fleet;

    for (int r = 0; r < ranks; r++) {
        faults[r] = (irr_fault_t){
            .seed = params->seed + (uint64_t)r, .hold_percent = params->hold_percent,
            .hold_rounds = params->hold_rounds, .fail_send = r == params->failing ? params->fail_send : 0,
            .failure = params->failure
        };
    }
    fleet = irr_fleet_create_faulty(ranks, params->seed, params->eager_max, faults);
    free(faults);
    fleet->window_messages = params->window_messages;
    return fleet;
}

irr_paced_t *irr_paced_create(irr_job_t *job, const irr_paced_params_t *params)
{
    irr_paced_t *paced = irr_test_array(1, sizeof(*paced));
    const irr_order_t *order = params->algorithm == IRR_PACED_ANY ? NULL
        : irr_algorithm_strategy(params->algorithm)->order;

    paced->params = *params;
    paced->fleet = open_fleet(job->ranks, params);
    paced->rank = irr_test_array((size_t)job->ranks, sizeof(*paced->rank));
    irr_job_fill(job);
    if (order == NULL || order->schedule != NULL) {
        build_scheduled(paced, order, job);
    } else {
        build_direct(paced, job);
    }
    for (int r = 0; r < job->ranks; r++) {
        irr_fleet_pacing(paced->fleet, r, params->pacing, params->grants, NULL);
        watch(paced, r);
    }
    return paced;
}

static void forget(irr_paced_rank_t *rank)
{
    free(rank->granted_to);
    free(rank->sent_to);
    free(rank->recvs);
    free(rank->sends);
}

void irr_paced_renew(irr_paced_t *paced, irr_job_t *job)
{
    irr_job_fill(job);
    paced->fleet->tag_base = irr_tag_base(++paced->sequence);
    for (int r = 0; r < job->ranks; r++) {
        paced->fleet->rank[r].counters = (irr_counters_t){ 0 };
        forget(&paced->rank[r]);
        watch(paced, r);
    }
}

void irr_paced_destroy(irr_paced_t *paced)
{
    for (int r = 0; r < paced->fleet->ranks; r++) {
        forget(&paced->rank[r]);
    }
    irr_fleet_destroy(paced->fleet);
    free(paced->rank);
    free(paced);
}

irr_status_t irr_paced_check(const irr_paced_t *paced, const irr_job_t *job, char *reason, size_t size)
{
    irr_plan_t *plans = irr_test_array((size_t)job->ranks, sizeof(*plans));
    irr_status_t status;

    for (int r = 0; r < job->ranks; r++) {
        plans[r] = paced->fleet->rank[r].plan;
    }
    status = irr_plan_check(plans, job->problems, job->ranks, reason, size);
    free(plans);
    return status;
}

void irr_paced_start(irr_paced_t *paced, const irr_job_t *job)
{
    uint64_t state = paced->params.seed;

    for (int r = 0; r < job->ranks; r++) {
        irr_fleet_start(paced->fleet, r, irr_job_input(job, r), irr_job_output(job, r));
        if (paced->params.seed != 0 && irr_test_below(&state, 3) == 0) {
            irr_fleet_progress(paced->fleet, 1 + (int)irr_test_below(&state, 5));
        }
    }
}
