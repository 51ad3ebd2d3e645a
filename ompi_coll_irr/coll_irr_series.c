/*
 * coll_irr_series.c - series of operations: their life, their turns, and the agreements that are due after some.
 *
 * An agreement is part of the operation that it is due after: that completes when both are over.  Nothing of the
 * series is under way meanwhile, as operations that start then wait in a line, and the exchanges before are over on
 * this rank.  So what was timed is complete, and ways that are closed are not in use.
 *
 * The progress function is registered while series live, not while operations are active: a start then takes no lock
 * of Open MPI's, and nothing is unregistered from within progress, which would skip another function.  Without active
 * operations it costs one look.
 */
#include "coll_irr_service.h"
#include "coll_irr_statistics.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

mca_coll_irr_requests_t mca_coll_irr_requests;

/* ---- life ---- */

static void link_series(mca_coll_irr_series_t *series)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_register(mca_coll_irr_requests_progress);
    }
    series->next_live = mca_coll_irr_requests.live;
    if (series->next_live != NULL) {
        series->next_live->prev_live = series;
    }
    mca_coll_irr_requests.live = series;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

static void unlink_series(mca_coll_irr_series_t *series)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (series->prev_live != NULL) {
        series->prev_live->next_live = series->next_live;
    } else {
        mca_coll_irr_requests.live = series->next_live;
    }
    if (series->next_live != NULL) {
        series->next_live->prev_live = series->prev_live;
    }
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_series_init(mca_coll_irr_series_t *series, mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                              const char *call)
{
    memset(series, 0, sizeof(*series));
    series->module = module;
    series->service = (mca_coll_irr_service_t){
        .which = which, .call = call, .algorithm = mca_coll_irr_algorithm_of(module, which) };
    link_series(series);
}

void mca_coll_irr_series_fini(mca_coll_irr_series_t *series)
{
    unlink_series(series);
    mca_coll_irr_stats_series_end(series);
    mca_coll_irr_service_end(&series->service);
    free(series->service.candidates);
}

void mca_coll_irr_requests_stats(void)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    for (mca_coll_irr_series_t *series = mca_coll_irr_requests.live; series != NULL; series = series->next_live) {
        mca_coll_irr_stats_series_end(series);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_requests_strand(void)
{
    mca_coll_irr_series_t *agreeing = mca_coll_irr_requests.agreeing;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    for (; agreeing != NULL; agreeing = agreeing->next_agreeing) {
        mca_coll_irr_agreement_abandon(&agreeing->agreement);
    }
    for (mca_coll_irr_series_t *series = mca_coll_irr_requests.live; series != NULL; series = series->next_live) {
        mca_coll_irr_service_end(&series->service);
    }
    mca_coll_irr_requests.active = NULL;
    mca_coll_irr_requests.agreeing = NULL;
    if (mca_coll_irr_requests.live != NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

/* ---- turns ---- */

irr_choice_turn_t mca_coll_irr_series_turn(mca_coll_irr_series_t *series, mca_coll_irr_request_t *request)
{
    const irr_choice_turn_t turn = mca_coll_irr_service_turn(series->module, &series->service);

    if (turn.due) {
        series->due = request;
        series->due_over = false;
        series->holds = true;
    }
    return turn;
}

/* ---- a rank that starts a persistent request no more ---- */

void mca_coll_irr_series_lose(mca_coll_irr_series_t *series, int turn)
{
    mca_coll_irr_service_t *service = &series->service;
    const char *reason = "loses a persistent request, which ended in an error";
    irr_comm_t *way = service->state == MCA_COLL_IRR_SERVING ? service->irr_comm : service->ways[turn];

    if (service->state == MCA_COLL_IRR_FAILED) {
        reason = NULL;   /* one message is enough */
    } else if (way != NULL) {
        irr_comm_give_up(way, IRR_ERR_PEER, reason);
        reason = NULL;
    }
    for (int i = 1; i < IRR_TRIAL_WAYS; i++) {
        if (service->ways[i] != NULL) {
            irr_comm_give_up(service->ways[i], IRR_ERR_PEER, reason);
            reason = NULL;
        }
    }
    (void)mca_coll_irr_fail(service, IRR_ERR_PEER);
}

bool mca_coll_irr_series_is_lost(mca_coll_irr_series_t *series)
{
    mca_coll_irr_service_t *service = &series->service;

    for (int i = 1; i < IRR_TRIAL_WAYS && service->state == MCA_COLL_IRR_CHOOSING; i++) {
        if (service->ways[i] != NULL && irr_comm_has_failed(service->ways[i])) {
            (void)mca_coll_irr_fail(service, IRR_ERR_PEER);
        }
    }
    return service->state == MCA_COLL_IRR_FAILED;
}

/* ---- agreements ---- */

void mca_coll_irr_series_agree(mca_coll_irr_series_t *series)
{
    const mca_coll_irr_aim_t aim = {
        .goal = series->service.state == MCA_COLL_IRR_NEW ? MCA_COLL_IRR_SERVE : MCA_COLL_IRR_CHOOSE,
        .tag = series->tag, .unfit = series->unfit, .plans = series->request != NULL,
        .problem = series->request != NULL ? &series->request->operation.bytes.problem : NULL };

    mca_coll_irr_agreement_start(&series->agreement, series->module, &series->service, &aim);
}
