/*
 * plan_check.c - check: proves the plans of all ranks and prints what they cost, one key=value a line.
 *
 * The figures are read off the steps of the plans, so that they also tell of plans that are wrong.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>

/* Where a message arrives, and when. */
typedef struct arrival {
    int stage, step, to;
} arrival_t;

typedef struct figures {
    int      stages;
    size_t   steps;            /* the largest step of each stage, added up */
    size_t   sent_max, received_max;
    size_t   message_bytes_max;
    size_t   scratch_bytes_max;
    uint64_t traffic_bytes_max;
    size_t   contention;
} figures_t;

static int by_arrival(const void *a, const void *b)
{
    const arrival_t *x = a, *y = b;

    if (x->stage != y->stage) {
        return x->stage < y->stage ? -1 : 1;
    }
    if (x->step != y->step) {
        return x->step < y->step ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The figures of one rank; lists where its messages arrive, and returns how many there are. */
static size_t count_rank(const irr_plan_t *plan, arrival_t *arrivals, figures_t *figures)
{
    size_t sent = 0, received = 0;
    uint64_t traffic = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        if (step->kind == IRR_STEP_COPY || step->peer == plan->rank) {
            continue;
        }
        if (step->kind == IRR_STEP_RECV) {
            received++;
            continue;
        }
        arrivals[sent++] = (arrival_t){ step->stage, step->number, step->peer };
        figures->message_bytes_max = larger(figures->message_bytes_max, step->bytes);
        traffic += step->bytes;
    }
    figures->stages = plan->stages > figures->stages ? plan->stages : figures->stages;
    figures->sent_max = larger(figures->sent_max, sent);
    figures->received_max = larger(figures->received_max, received);
    figures->scratch_bytes_max = larger(figures->scratch_bytes_max, plan->scratch_bytes);
    figures->traffic_bytes_max = traffic > figures->traffic_bytes_max ? traffic : figures->traffic_bytes_max;
    return sent;
}

/* From the sorted arrivals: the steps of all stages, and the receivers that are contended for. */
static void count_arrivals(const arrival_t *arrivals, size_t count, figures_t *figures)
{
    size_t same;

    for (size_t i = 0; i < count; i += same) {
        for (same = 1; i + same < count && by_arrival(&arrivals[i], &arrivals[i + same]) == 0; same++) {
        }
        figures->contention += same > 1;
        if (i + same == count || arrivals[i + same].stage != arrivals[i].stage) {
            figures->steps += (size_t)arrivals[i].step;
        }
    }
}

/* False: memory ran out. */
static bool count_all(const irr_plans_t *plans, figures_t *figures)
{
    arrival_t *arrivals;
    size_t room = 1, count = 0;

    for (int r = 0; r < plans->ranks; r++) {
        room += plans->plans[r].nsteps;
    }
    arrivals = calloc(room, sizeof(*arrivals));
    if (arrivals == NULL) {
        return false;
    }
    for (int r = 0; r < plans->ranks; r++) {
        count += count_rank(&plans->plans[r], arrivals + count, figures);
    }
    qsort(arrivals, count, sizeof(*arrivals), by_arrival);
    count_arrivals(arrivals, count, figures);
    free(arrivals);
    return true;
}

irr_cli_exit_t irr_tool_check(const irr_tool_job_t *job)
{
    const irr_plans_t *plans = job->plans;
    char reason[256] = "ok";
    figures_t figures = { 0 };
    irr_status_t status = irr_plan_check(plans->plans, plans->problems, plans->ranks, reason, sizeof(reason));

    if ((status != IRR_OK && status != IRR_ERR_INVALID_PLAN) || !count_all(plans, &figures)) {
        irr_cli_complain("%s", irr_status_text(status != IRR_OK ? status : IRR_ERR_NO_MEMORY));
        return IRR_CLI_REFUSED;
    }
    fprintf(job->stream, "ranks=%d\nstages=%d\nsteps=%zu\n", plans->ranks, figures.stages, figures.steps);
    fprintf(job->stream, "messages_sent_max=%zu\nmessages_received_max=%zu\nmessage_bytes_max=%zu\n",
            figures.sent_max, figures.received_max, figures.message_bytes_max);
    fprintf(job->stream, "scratch_bytes_max=%zu\ntraffic_bytes_max=%" PRIu64 "\nlmax=%" PRIu64 "\n",
            figures.scratch_bytes_max, figures.traffic_bytes_max, irr_tool_lmax(job->matrix));
    fprintf(job->stream, "contention=%zu\ndelivered=%s\n", figures.contention, reason);
    return status == IRR_OK ? IRR_CLI_GOOD : IRR_CLI_WRONG;
}
