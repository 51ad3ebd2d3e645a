/*
 * figures.c - see figures.h.  The figures come from the steps of the plans, so they also describe invalid plans.
 */
#include "study/figures.h"

#include "core/alloc.h"

#include <stdlib.h>

/* The arrival of a message: its stage, step, receiver and sender. */
typedef struct arrival {
    int stage, step, to, from;
} arrival_t;

static int by_arrival(const void *a, const void *b)
{
    const arrival_t *x = a, *y = b;

    if (x->stage != y->stage) {
        return x->stage < y->stage ? -1 : 1;
    }
    if (x->step != y->step) {
        return x->step < y->step ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    return (x->from > y->from) - (x->from < y->from);
}

static bool same_place(const arrival_t *x, const arrival_t *y)
{
    return x->stage == y->stage && x->step == y->step && x->to == y->to;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Counts the figures of one rank, lists its sends as arrivals, and returns their number. */
static size_t count_rank(const irr_plan_t *plan, arrival_t *arrivals, irr_figures_t *figures)
{
    size_t sent = 0, received = 0;
    uint64_t traffic = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        if (step->peer == plan->rank || (step->kind != IRR_STEP_SEND && step->kind != IRR_STEP_RECV)) {
            continue;
        }
        if (step->kind == IRR_STEP_RECV) {
            received++;
            continue;
        }
        arrivals[sent++] = (arrival_t){ step->stage, step->number, step->peer, plan->rank };
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

/* Counts, from the sorted arrivals, the steps of all stages and the contended receivers. */
static void count_arrivals(const arrival_t *arrivals, size_t count, irr_figures_t *figures)
{
    size_t same;

    for (size_t i = 0; i < count; i += same) {
        for (same = 1; i + same < count && same_place(&arrivals[i], &arrivals[i + same]); same++) {
        }
        figures->contention += arrivals[i].from != arrivals[i + same - 1].from;
        if (i + same == count || arrivals[i + same].stage != arrivals[i].stage) {
            figures->steps += (size_t)arrivals[i].step;
        }
    }
}

irr_status_t irr_figures_count(const irr_plans_t *plans, irr_figures_t *figures)
{
    irr_figures_t counted = { 0 };
    arrival_t *arrivals;
    size_t room = 0, count = 0;

    for (int r = 0; r < plans->ranks; r++) {
        room += plans->plans[r].nsteps;
    }
    arrivals = irr_alloc(room, sizeof(*arrivals));
    if (arrivals == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < plans->ranks; r++) {
        count += count_rank(&plans->plans[r], arrivals + count, &counted);
    }
    qsort(arrivals, count, sizeof(*arrivals), by_arrival);
    count_arrivals(arrivals, count, &counted);
    irr_free(arrivals);
    *figures = counted;
    return IRR_OK;
}
