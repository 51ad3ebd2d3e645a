/*
 * coll_irr_request_run.c - persistent requests: start, progress, completion, and trials of their own.
 *
 * A start packs what must be packed and posts the planned exchange, or starts the inner request of the previous module;
 * Open MPI's progress moves it and completes the request.  Neither allocates.
 *
 * Where ways are tried, the ranks agree at starts of a request that all know, as they do at calls.  A start must not
 * wait, so the agreement is part of its operation: the request completes when both are over.  It has a tag of its own,
 * because requests are started in different orders.
 *
 * Where ranks share processors, what a wait needs has to be sent by ranks that do not run: so it gives way before
 * it looks, and not only after.  A test in a program that computes must not pay for that, and cannot be told from
 * a wait but by the time since it was here before.
 */
#include "coll_irr_tell.h"

#include "core/clock.h"

#include <sched.h>

/* Most rounds of engine progress at a time: peers that never stop must not keep the rest of MPI waiting. */
#define LOOKS_MAX 32

/* A caller that comes back within this time does nothing but wait. */
#define AT_ONCE_NS 1000

/* Times that a wait gives way before the rest of MPI has its turn. */
#define TURNS 3

/* ---- an exchange ---- */

/* Is the exchange of a start over?  Then how it ended is known. */
static bool is_over(mca_coll_irr_request_t *request)
{
    int *error = &request->super.super.req_status.MPI_ERROR;
    irr_status_t status;

    if (request->way == NULL) {
        ompi_request_t *inner = request->trying->inner;

        if (REQUEST_COMPLETE(inner)) {
            inner->req_state = OMPI_REQUEST_INACTIVE;
            *error = inner->req_status.MPI_ERROR;
            return true;
        }
        return false;
    }
    status = irr_exchange_test(irr_comm_exchange(request->way));
    if (status != IRR_IN_PROGRESS) {
        *error = mca_coll_irr_error(status);
    }
    return status != IRR_IN_PROGRESS;
}

/* A rank that has nothing to exchange may have an inner request that cannot be started, and is always over. */
static int start_inner(ompi_request_t *inner)
{
    return inner->req_type == OMPI_REQUEST_NOOP ? OMPI_SUCCESS : inner->req_start(1, &inner);
}

/* By the way whose turn it is.  The peers wait for our part of it, so it runs even if the datatype engine fails. */
static int begin_exchange(mca_coll_irr_request_t *request)
{
    const mca_coll_irr_service_t *service = &request->service;
    const mca_coll_irr_call_t *call = &request->call;

    request->way = service->state == MCA_COLL_IRR_CHOOSING ? service->ways[irr_choice_way(&service->choice)]
                                                           : service->irr_comm;
    request->packed = OMPI_SUCCESS;
    if (request->way == NULL) {
        return start_inner(request->trying->inner);
    }
    request->packed = mca_coll_irr_call_pack(call);
    return irr_exchange_restart(irr_comm_exchange(request->way), call->input.base, call->output.base) == IRR_OK
               ? OMPI_SUCCESS : MPI_ERR_INTERN;
}

static void end_exchange(mca_coll_irr_request_t *request)
{
    int *error = &request->super.super.req_status.MPI_ERROR;

    if (*error == OMPI_SUCCESS) {
        *error = request->packed;
    }
    if (*error == OMPI_SUCCESS && request->way != NULL) {
        *error = mca_coll_irr_call_unpack(&request->call);
    }
}

/* ---- progress and completion ---- */

/* Takes the requests whose exchanges are over off the list of active ones; the lock is held. */
static mca_coll_irr_request_t *take_done(void)
{
    mca_coll_irr_request_t *request = mca_coll_irr_requests.active, *left = NULL, *done = NULL;

    mca_coll_irr_requests.engine_active = 0;
    while (request != NULL) {
        mca_coll_irr_request_t *next = request->next_active, **list = &left;

        if (request->begin_ns > 0 && request->seen_ns == 0) {
            request->seen_ns = irr_clock_ns();
        }
        if (is_over(request)) {
            list = &done;
        } else {
            mca_coll_irr_requests.engine_active += request->way != NULL;
        }
        request->next_active = *list;
        *list = request;
        request = next;
    }
    mca_coll_irr_requests.active = left;
    return done;
}

/* Its exchange, and its agreement if it had one, are over. */
static void complete(mca_coll_irr_request_t *request)
{
    ompi_request_complete(&request->super.super, true);
}

static void push(mca_coll_irr_request_t *volatile *list, mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&mca_coll_irr_requests.lock);
    request->next_active = *list;
    *list = request;
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
}

/* Goes on with an agreement, which is part of a start; the lock is not held. */
static bool advance(mca_coll_irr_request_t *request)
{
    mca_coll_irr_agreement_t *agreement = &request->trying->agreement;
    int *error = &request->super.super.req_status.MPI_ERROR;
    const irr_status_t status = mca_coll_irr_agreement_test(agreement);

    if (status == IRR_IN_PROGRESS) {
        push(&mca_coll_irr_requests.agreeing, request);
        return false;
    }
    mca_coll_irr_tally_agreed(&request->service, request->begin_ns);
    if (*error == OMPI_SUCCESS) {
        *error = mca_coll_irr_error(status);
    }
    complete(request);
    return true;
}

static void agree(mca_coll_irr_request_t *request)
{
    const mca_coll_irr_purpose_t purpose = { .plans = true, .call = &request->call };

    request->begin_ns = mca_coll_irr_tally_begin(&request->service);
    mca_coll_irr_agreement_start(&request->trying->agreement, request->module, &request->service,
                                 request->trying->tag, &purpose);
    (void)advance(request);
}

/*
 * What a start has cost its caller, and not how long it was open: the start itself, and the time since progress first
 * looked.  Between them a program may compute for as long as it likes, which says nothing of a way; but where it waits
 * at once, that is when the first messages come.  So the time between counts, but for no more than all the rest.
 */
static uint64_t cost_ns(const mca_coll_irr_request_t *request, uint64_t now_ns)
{
    const uint64_t between_ns = request->seen_ns - request->begin_ns - request->started_ns;
    const uint64_t rest_ns = request->started_ns + (now_ns - request->seen_ns);

    return rest_ns + (between_ns < rest_ns ? between_ns : rest_ns);
}

/* The exchange is over. */
static void finish(mca_coll_irr_request_t *request)
{
    mca_coll_irr_service_t *service = &request->service;
    const uint64_t now_ns = request->begin_ns > 0 ? irr_clock_ns() : 0;

    end_exchange(request);
    if (service->row != NULL) {
        service->row->ns += now_ns - request->begin_ns;
        service->row->exchanges++;
    }
    if (service->state == MCA_COLL_IRR_CHOOSING &&
        irr_choice_took(&service->choice, request->begin_ns > 0 ? cost_ns(request, now_ns) : 0,
                        &request->trying->load) &&
        mca_coll_irr_choose_is_due(request->module, service)) {
        agree(request);
    } else {
        complete(request);
    }
}

/* Looks as long as that brings something; the lock is held.  Returns the requests that are over. */
static mca_coll_irr_request_t *look(void)
{
    mca_coll_irr_request_t *done;
    unsigned events;
    int looks = 0;

    do {
        events = mca_coll_irr_requests.engine_active > 0 ? irr_engine_progress(mca_coll_irr_component.engine) : 0;
        done = take_done();
    } while (done == NULL && events > 0 && ++looks < LOOKS_MAX);
    return done;
}

/*
 * The same for a caller that only waits, on a node where others need the processor: first they, then we.  The lock
 * is held, but not while we give way; false if another thread has it then.
 */
static bool give_way_and_look(mca_coll_irr_request_t **done_p)
{
    *done_p = NULL;
    for (int turn = 0; turn < TURNS && *done_p == NULL; turn++) {
        opal_mutex_unlock(&mca_coll_irr_requests.lock);
        sched_yield();
        if (opal_mutex_trylock(&mca_coll_irr_requests.lock) != 0) {
            return false;
        }
        *done_p = look();
    }
    return true;
}

/* Those of all requests whose agreements were under way. */
static int advance_all(void)
{
    mca_coll_irr_request_t *request, *next;
    int events = 0;

    opal_mutex_lock(&mca_coll_irr_requests.lock);
    request = mca_coll_irr_requests.agreeing;
    mca_coll_irr_requests.agreeing = NULL;
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
    for (; request != NULL; request = next) {
        next = request->next_active;
        events += advance(request);
    }
    return events;
}

/*
 * Called by Open MPI; returns the number of events.  If there were none Open MPI yields the processor where it is
 * scarce, which is our own business there while the engine moves something.
 */
int mca_coll_irr_requests_progress(void)
{
    mca_coll_irr_request_t *done, *next;
    bool scarce;
    int events = mca_coll_irr_requests.agreeing != NULL ? advance_all() : 0;

    if (mca_coll_irr_requests.active == NULL || opal_mutex_trylock(&mca_coll_irr_requests.lock) != 0) {
        return events;
    }
    scarce = mca_coll_irr_component.may_sleep && mca_coll_irr_requests.engine_active > 0;
    events += scarce;
    if (!scarce || irr_clock_ns() - mca_coll_irr_requests.left_ns > AT_ONCE_NS) {
        done = look();
    } else if (!give_way_and_look(&done)) {
        return events;
    }
    mca_coll_irr_requests.left_ns = scarce ? irr_clock_ns() : 0;
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
    for (; done != NULL; done = next) {
        next = done->next_active;
        finish(done);
        events++;
    }
    return events;
}

/* ---- starts ---- */

static bool is_timed(const mca_coll_irr_service_t *service)
{
    return service->row != NULL ||
           (service->state == MCA_COLL_IRR_CHOOSING && irr_choice_times(&service->choice));
}

static int start_one(mca_coll_irr_request_t *request)
{
    ompi_request_t *base = &request->super.super;
    int result;

    if (base->req_state != OMPI_REQUEST_INACTIVE || request->service.state == MCA_COLL_IRR_DECLINED) {
        return MPI_ERR_REQUEST;
    }
    request->begin_ns = is_timed(&request->service) ? irr_clock_ns() : 0;
    request->seen_ns = 0;
    result = begin_exchange(request);
    if (result != OMPI_SUCCESS) {
        return result;
    }
    request->started_ns = request->begin_ns > 0 ? irr_clock_ns() - request->begin_ns : 0;
    base->req_status.MPI_ERROR = OMPI_SUCCESS;
    base->req_complete = REQUEST_PENDING;
    base->req_state = OMPI_REQUEST_ACTIVE;
    opal_mutex_lock(&mca_coll_irr_requests.lock);
    request->next_active = mca_coll_irr_requests.active;
    mca_coll_irr_requests.active = request;
    mca_coll_irr_requests.engine_active += request->way != NULL;
    mca_coll_irr_requests.left_ns = mca_coll_irr_component.may_sleep ? irr_clock_ns() : 0;
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
    return OMPI_SUCCESS;
}

int mca_coll_irr_request_start(size_t count, ompi_request_t **started)
{
    int result = OMPI_SUCCESS;

    for (size_t i = 0; i < count && result == OMPI_SUCCESS; i++) {
        result = start_one((mca_coll_irr_request_t *)started[i]);
    }
    return result;
}
