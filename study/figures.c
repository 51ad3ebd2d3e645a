/*
 * figures.c - see figures.h.  The figures come from the steps of the plans, so they also describe invalid plans.
 */
#include "study/figures.h"

#include "core/alloc.h"

/* The latest message to a rank. */
typedef struct arrival {
    int  stage, step, from;
    bool contended;            /* messages of this step from other ranks came before it */
} arrival_t;

typedef struct count {
    int           ranks;
    arrival_t    *arrivals;      /* by receiver */
    int           stage, step;   /* of the latest message */
    irr_figures_t figures;
} count_t;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void count_rank(const irr_plan_t *plan, irr_figures_t *figures)
{
    size_t sent = 0, received = 0;
    uint64_t traffic = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        if (step->kind == IRR_STEP_SEND && step->peer != plan->rank) {
            sent++;
            figures->message_bytes_max = larger(figures->message_bytes_max, step->bytes);
            traffic += step->bytes;
        }
        received += step->kind == IRR_STEP_RECV && step->peer != plan->rank;
    }
    figures->stages = plan->stages > figures->stages ? plan->stages : figures->stages;
    figures->sent_max = larger(figures->sent_max, sent);
    figures->received_max = larger(figures->received_max, received);
    figures->scratch_bytes_max = larger(figures->scratch_bytes_max, plan->scratch_bytes);
    figures->traffic_bytes_max = traffic > figures->traffic_bytes_max ? traffic : figures->traffic_bytes_max;
}

/* Counts the steps of a stage when the next stage begins, and contention at the second sender of a step to a rank. */
static bool count_message(void *context, const irr_plans_message_t *message)
{
    count_t *count = context;
    const bool exists = message->to >= 0 && message->to < count->ranks;
    arrival_t none = { .stage = 0 }, *last = exists ? &count->arrivals[message->to] : &none;
    const bool same = last->stage == message->stage && last->step == message->step;
    const bool contended = same && (last->contended || last->from != message->from);

    count->figures.contention += contended && !last->contended;
    *last = (arrival_t){ message->stage, message->step, message->from, contended };
    count->figures.steps += message->stage != count->stage ? (size_t)count->step : 0;
    count->stage = message->stage;
    count->step = message->step;
    return true;
}

irr_status_t irr_figures_count(const irr_plans_t *plans, irr_figures_t *figures)
{
    count_t count = { .ranks = plans->ranks };
    irr_status_t status = IRR_ALLOC_ARRAYS(((irr_array_t[]){ IRR_ARRAY(count.arrivals, (size_t)plans->ranks) }));

    for (int r = 0; r < plans->ranks; r++) {
        count_rank(&plans->plans[r], &count.figures);
    }
    status = status == IRR_OK ? irr_plans_each_send(plans, count_message, &count) : status;
    irr_free(count.arrivals);
    count.figures.steps += (size_t)count.step;
    *figures = status == IRR_OK ? count.figures : *figures;
    return status;
}
