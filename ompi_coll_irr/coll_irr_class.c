/*
 * coll_irr_class.c - operation classes: their lifetime, their turns, and the agreements after some of their operations.
 *
 * An agreement is part of the operation after which it is due: the operation completes when both have ended.  During
 * the agreement no operation of the class is in progress: operations that start are queued, and earlier exchanges have
 * ended on this rank.  All timed operations are therefore complete, and closed strategies are not in use.
 *
 * The progress function is registered while classes exist, not only while operations are active.  A start then takes no
 * lock of Open MPI, and no function is unregistered from within progress, which would skip another function.  Without
 * active operations it costs one test.
 */
#include "coll_irr_service.h"
#include "coll_irr_statistics.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

mca_coll_irr_requests_t mca_coll_irr_requests;

/* ---- lifetime ---- */

static void link_class(mca_coll_irr_class_t *class)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_register(mca_coll_irr_requests_progress);
    }
    class->next_live = mca_coll_irr_requests.live;
    if (class->next_live != NULL) {
        class->next_live->prev_live = class;
    }
    mca_coll_irr_requests.live = class;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

static void unlink_class(mca_coll_irr_class_t *class)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (class->prev_live != NULL) {
        class->prev_live->next_live = class->next_live;
    } else {
        mca_coll_irr_requests.live = class->next_live;
    }
    if (class->next_live != NULL) {
        class->next_live->prev_live = class->prev_live;
    }
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_class_init(mca_coll_irr_class_t *class, mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                             const char *call)
{
    memset(class, 0, sizeof(*class));
    class->module = module;
    class->service = (mca_coll_irr_service_t){
        .which = which, .call = call, .algorithm = mca_coll_irr_algorithm_of(module, which) };
    link_class(class);
}

void mca_coll_irr_class_fini(mca_coll_irr_class_t *class)
{
    unlink_class(class);
    mca_coll_irr_stats_class_end(class);
    mca_coll_irr_service_end(&class->service);
    free(class->service.candidates);
}

void mca_coll_irr_requests_stats(void)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    for (mca_coll_irr_class_t *class = mca_coll_irr_requests.live; class != NULL; class = class->next_live) {
        mca_coll_irr_stats_class_end(class);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_requests_strand(void)
{
    mca_coll_irr_class_t *agreeing = mca_coll_irr_requests.agreeing;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    for (; agreeing != NULL; agreeing = agreeing->next_agreeing) {
        mca_coll_irr_agreement_abandon(&agreeing->agreement);
    }
    for (mca_coll_irr_class_t *class = mca_coll_irr_requests.live; class != NULL; class = class->next_live) {
        mca_coll_irr_service_end(&class->service);
    }
    mca_coll_irr_requests.active = NULL;
    mca_coll_irr_requests.agreeing = NULL;
    if (mca_coll_irr_requests.live != NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

/* ---- turns ---- */

irr_choice_turn_t mca_coll_irr_class_turn(mca_coll_irr_class_t *class, mca_coll_irr_request_t *request)
{
    const irr_choice_turn_t turn = mca_coll_irr_service_turn(class->module, &class->service);

    if (turn.due) {
        class->due = request;
        class->due_over = false;
        class->holds = true;
    }
    return turn;
}

/* ---- lost persistent requests ---- */

void mca_coll_irr_class_lose(mca_coll_irr_class_t *class, int turn)
{
    mca_coll_irr_service_t *service = &class->service;
    const char *reason = "loses a persistent request, which ended in an error";
    irr_comm_t *strategy = service->state == MCA_COLL_IRR_SERVING ? service->irr_comm : service->strategies[turn];

    if (service->state == MCA_COLL_IRR_FAILED) {
        reason = NULL;   /* one message is enough */
    } else if (strategy != NULL) {
        irr_comm_give_up(strategy, IRR_ERR_PEER, reason);
        reason = NULL;
    }
    for (int i = 1; i < IRR_TRIAL_STRATEGIES; i++) {
        if (service->strategies[i] != NULL) {
            irr_comm_give_up(service->strategies[i], IRR_ERR_PEER, reason);
            reason = NULL;
        }
    }
    (void)mca_coll_irr_fail(service, IRR_ERR_PEER);
}

bool mca_coll_irr_class_is_lost(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;

    for (int i = 1; i < IRR_TRIAL_STRATEGIES && service->state == MCA_COLL_IRR_CHOOSING; i++) {
        if (service->strategies[i] != NULL && irr_comm_has_failed(service->strategies[i])) {
            (void)mca_coll_irr_fail(service, IRR_ERR_PEER);
        }
    }
    return service->state == MCA_COLL_IRR_FAILED;
}

/* ---- agreements ---- */

void mca_coll_irr_class_agree(mca_coll_irr_class_t *class)
{
    const mca_coll_irr_aim_t aim = {
        .goal = class->service.state == MCA_COLL_IRR_NEW ? MCA_COLL_IRR_SERVE : MCA_COLL_IRR_CHOOSE,
        .tag = class->tag, .unfit = class->unfit, .plans = class->request != NULL,
        .problem = class->request != NULL ? &class->request->operation.bytes.problem : NULL };

    mca_coll_irr_agreement_start(&class->agreement, class->module, &class->service, &aim);
}
