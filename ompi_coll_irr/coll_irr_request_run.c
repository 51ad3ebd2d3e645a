/*
 * coll_irr_request_run.c - start, progress and completion of operations.  See coll_irr_request.c.
 *
 * An operation is a nonblocking call, or a start of a persistent request.  The exchange of an operation is the transfer
 * of its data, by the engine or by the previous module, which served the collective before coll/irr.  Open MPI's
 * progress advances the exchange and completes the request.  In steady state, start and progress allocate no memory.
 * They never block.
 *
 * The ranks choose the strategy of later operations in agreements.  An operation that starts before the agreement has
 * ended enters the queue of its class, because its strategy is not known yet.
 *
 * If ranks share processors, a wait may depend on a rank that does not run.  A wait therefore yields and tests again
 * before it progresses the rest of MPI.  A program that computes and calls MPI_Test must not pay for these yields.  The
 * time since the previous test tells a wait from such a test.
 */
#include "coll_irr_engine.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

#include <sched.h>

/*
 * Rounds of engine progress in one call of the progress function.  Without this limit, peers that send without pause
 * would starve the rest of MPI.
 */
#define PROGRESS_MAX 32

/* If progress runs again within this time in ns, the caller waits.  MPI polls sockets in 1 to 2 us. */
#define AT_ONCE_NS 10000

/* Number of yields of a wait before it progresses the rest of MPI. */
#define YIELDS 3

/* ---- an exchange ---- */

static bool is_persistent(const mca_coll_irr_request_t *request)
{
    return request->class->request == request;
}

/* Tests of an inner request between two checks whether a rank gave up its persistent request. */
#define TESTS_LOST 64

/* Returns true if some rank gave up the persistent request, so that the start cannot complete.  `inner` is active. */
static bool is_in_vain(const mca_coll_irr_request_t *request)
{
    return is_persistent(request) && ++request->class->tests % TESTS_LOST == 0 &&
           mca_coll_irr_class_is_lost(request->class);
}

/* Returns true if the exchange of an operation has ended, and then sets the error of the request. */
static bool is_over(mca_coll_irr_request_t *request)
{
    int *error = &request->super.super.req_status.MPI_ERROR;
    irr_status_t status;

    if (request->operation.exchange != NULL) {
        status = irr_exchange_test(request->operation.exchange);
        if (status != IRR_IN_PROGRESS) {
            *error = mca_coll_irr_error(status);
        }
        return status != IRR_IN_PROGRESS;
    }
    if (request->inner != NULL && *error == OMPI_SUCCESS) {
        if (!REQUEST_COMPLETE(request->inner) && !is_in_vain(request)) {
            return false;
        }
        *error = REQUEST_COMPLETE(request->inner) ? request->inner->req_status.MPI_ERROR
                                                  : mca_coll_irr_error(IRR_ERR_PEER);
    }
    return true;
}

/* Deactivates the inner request of a persistent request, and frees that of a nonblocking call. */
static void end_inner(mca_coll_irr_request_t *request)
{
    if (request->inner != NULL && request->inner->req_persistent && REQUEST_COMPLETE(request->inner)) {
        request->inner->req_state = OMPI_REQUEST_INACTIVE;
    }
    if (request->inner != NULL && !is_persistent(request)) {
        ompi_request_free(&request->inner);
        request->inner = NULL;
    }
}

/* Releases what the exchange of an operation used.  The caller must not hold the lock. */
static void end_exchange(mca_coll_irr_request_t *request)
{
    mca_coll_irr_operation_t *operation = &request->operation;
    irr_exchange_t *exchange = operation->exchange;
    int *error = &request->super.super.req_status.MPI_ERROR;

    if (exchange != NULL) {
        *error = mca_coll_irr_operation_finish(operation, *error);
        operation->exchange = NULL;
    }
    if (!is_persistent(request)) {
        if (exchange != NULL) {
            irr_exchange_give(exchange);
        }
        mca_coll_irr_operation_free_copies(operation);
    } else if (*error != OMPI_SUCCESS) {
        mca_coll_irr_class_lose(request->class);
    }
    end_inner(request);
}

/* ---- starts ---- */

/* The caller must hold the lock. */
static void activate(mca_coll_irr_request_t *request)
{
    request->started_ns = request->begin_ns > 0 ? irr_clock_ns() - request->begin_ns : 0;
    request->next = mca_coll_irr_requests.active;
    mca_coll_irr_requests.active = request;
    mca_coll_irr_requests.engine_active += request->operation.exchange != NULL;
    mca_coll_irr_requests.left_ns = mca_coll_irr_component.may_sleep ? irr_clock_ns() : 0;
}

typedef enum begun { BY_ENGINE, BY_HOST, WAITS } begun_t;

/* Starts an operation that ends in an error at once. */
static void begin_failed(mca_coll_irr_request_t *request)
{
    request->super.super.req_status.MPI_ERROR = mca_coll_irr_error(IRR_ERR_PEER);
    request->timing = (irr_choice_timing_t){ .timed = false };
    request->begin_ns = 0;
    request->class->active++;
    activate(request);
}

/* If an agreement is due after this operation, later operations enter the queue.  The caller must hold the lock. */
static void decide_timing(mca_coll_irr_request_t *request)
{
    mca_coll_irr_class_t *class = request->class;

    request->timing = mca_coll_irr_service_next(class->module, &class->service);
    if (request->timing.due) {
        class->due = request;
        class->holds = true;
    }
}

/*
 * Starts an operation with the current strategy.  BY_HOST: the caller must call start_host.  WAITS: the operation must
 * enter the queue.  The caller must hold the lock.
 */
static begun_t begin(mca_coll_irr_request_t *request)
{
    mca_coll_irr_class_t *class = request->class;
    irr_comm_t *strategy = mca_coll_irr_service_strategy(&class->service);
    irr_status_t status = IRR_OK;

    if (class->service.state == MCA_COLL_IRR_FAILED ||
        (strategy == NULL && is_persistent(request) && mca_coll_irr_class_is_lost(class))) {
        begin_failed(request);
        return BY_ENGINE;
    }
    if (strategy != NULL && !is_persistent(request)) {
        status = irr_exchange_take(strategy, &request->operation.exchange);
    }
    if (status != IRR_OK && class->active > 0) {
        return WAITS;   /* an active operation will return its exchange */
    }
    decide_timing(request);
    request->strategy = strategy;
    request->begin_ns = request->timing.timed || class->service.record != NULL ? irr_clock_ns() : 0;
    request->seen_ns = 0;
    class->active++;
    if (strategy == NULL) {
        return BY_HOST;
    }
    if (status == IRR_OK) {
        status = mca_coll_irr_operation_start(&request->operation, strategy);
    }
    if (status != IRR_OK) {
        request->super.super.req_status.MPI_ERROR = mca_coll_irr_error(status);
        if (request->operation.exchange != NULL && !is_persistent(request)) {
            irr_exchange_give(request->operation.exchange);
        }
        request->operation.exchange = NULL;
    }
    activate(request);
    return BY_ENGINE;
}

/* Open MPI cannot start the empty request that it creates on a rank without bytes. */
static int start_inner(ompi_request_t *inner)
{
    return inner->req_type == OMPI_REQUEST_NOOP ? OMPI_SUCCESS : inner->req_start(1, &inner);
}

/* The caller must not hold the lock, because Open MPI may call progress.  An error ends the operation. */
static void start_host(mca_coll_irr_request_t *request)
{
    request->super.super.req_status.MPI_ERROR =
        request->inner != NULL ? start_inner(request->inner) : mca_coll_irr_request_host(request);
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    activate(request);
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

static void enqueue(mca_coll_irr_request_t *request)
{
    mca_coll_irr_class_t *class = request->class;

    request->next = NULL;
    *(class->first != NULL ? &class->last->next : &class->first) = request;
    class->last = request;
    class->holds = true;
}

void mca_coll_irr_request_begin(mca_coll_irr_request_t *request)
{
    ompi_request_t *base = &request->super.super;
    begun_t begun;

    base->req_status.MPI_ERROR = OMPI_SUCCESS;
    base->req_complete = REQUEST_PENDING;
    base->req_state = OMPI_REQUEST_ACTIVE;
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    begun = request->class->holds ? WAITS : begin(request);
    if (begun == WAITS) {
        enqueue(request);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    if (begun == BY_HOST) {
        start_host(request);
    }
}

/* Starts as many queued operations as possible. */
static void run_queue(mca_coll_irr_class_t *class)
{
    mca_coll_irr_request_t *request, *next;
    begun_t begun;

    do {
        OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
        request = class->due == NULL ? class->first : NULL;
        next = request != NULL ? request->next : NULL;
        begun = request != NULL ? begin(request) : WAITS;
        if (begun != WAITS) {
            class->first = next;
        }
        if (class->due == NULL && class->first == NULL) {
            class->holds = false;
        }
        OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
        if (begun == BY_HOST) {
            start_host(request);
        }
    } while (begun != WAITS);
}

int mca_coll_irr_request_start(size_t count, ompi_request_t **started)
{
    int result = OMPI_SUCCESS;

    if (mca_coll_irr_component.measures) {
        mca_coll_irr_report_update();
    }
    for (size_t i = 0; i < count && result == OMPI_SUCCESS; i++) {
        mca_coll_irr_request_t *request = (mca_coll_irr_request_t *)started[i];

        if (started[i]->req_state != OMPI_REQUEST_INACTIVE ||
            request->class->service.state == MCA_COLL_IRR_DECLINED) {
            result = MPI_ERR_REQUEST;
        } else {
            request->operation.failed =
                mca_coll_irr_service_strategy(&request->class->service) == NULL
                    ? OMPI_SUCCESS : mca_coll_irr_operation_pack(&request->operation);
            mca_coll_irr_request_begin(request);
        }
    }
    return result;
}

/* ---- progress and completion ---- */

/* Removes the requests whose exchanges have ended from the active list.  The caller must hold the lock. */
static mca_coll_irr_request_t *take_done(void)
{
    mca_coll_irr_request_t *request, *last = NULL, *next, *done = NULL;
    int engine_active = 0;

    for (request = mca_coll_irr_requests.active; request != NULL; request = next) {
        next = request->next;
        if (request->begin_ns > 0 && request->seen_ns == 0) {
            request->seen_ns = irr_clock_ns();
        }
        if (!is_over(request)) {
            engine_active += request->operation.exchange != NULL;
            last = request;
            continue;
        }
        if (last != NULL) {
            last->next = next;
        } else {
            mca_coll_irr_requests.active = next;
        }
        request->next = done;
        done = request;
    }
    mca_coll_irr_requests.engine_active = engine_active;
    return done;
}

static void start_agreement(mca_coll_irr_class_t *class)
{
    const mca_coll_irr_agreement_params_t params = {
        .goal = class->service.state == MCA_COLL_IRR_NEW ? MCA_COLL_IRR_SERVE : MCA_COLL_IRR_CHOOSE,
        .tag = class->tag, .unfit = class->unfit, .plans = class->request != NULL,
        .problem = class->request != NULL ? &class->request->operation.problem : NULL };

    mca_coll_irr_agreement_start(&class->agreement, class->module, &class->service, &params);
}

/* Returns true if the agreement of the class has ended.  The caller must not hold the lock. */
static bool advance(mca_coll_irr_class_t *class)
{
    mca_coll_irr_request_t *request = class->due;
    int *error = &request->super.super.req_status.MPI_ERROR;
    irr_status_t status = mca_coll_irr_agreement_test(&class->agreement);

    if (status == IRR_IN_PROGRESS && is_in_vain(request)) {
        mca_coll_irr_agreement_abandon(&class->agreement);
        class->module->ranks.stranded = true;
        status = IRR_ERR_PEER;
    }
    if (status == IRR_IN_PROGRESS) {
        OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
        class->next_agreeing = mca_coll_irr_requests.agreeing;
        mca_coll_irr_requests.agreeing = class;
        OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
        return false;
    }
    if (*error == OMPI_SUCCESS) {
        *error = mca_coll_irr_error(status);
    }
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    class->due = NULL;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    run_queue(class);
    ompi_request_complete(&request->super.super, true);   /* comes last: it may free the communicator and the class */
    return true;
}

/*
 * Returns the time in ns that an operation costs the program: the duration of the start, and the time since progress
 * first tested the operation.  Between the two the program may compute for any time, or wait for the first messages.
 * This interval therefore counts up to the sum of the other two times.
 */
static uint64_t cost_ns(const mca_coll_irr_request_t *request, uint64_t now_ns)
{
    const uint64_t between_ns = request->seen_ns - request->begin_ns - request->started_ns;
    const uint64_t rest_ns = request->started_ns + (now_ns - request->seen_ns);

    return rest_ns + (between_ns < rest_ns ? between_ns : rest_ns);
}

static void count(mca_coll_irr_request_t *request, uint64_t now_ns)
{
    mca_coll_irr_service_t *service = &request->class->service;

    if (request->begin_ns > 0) {
        const mca_coll_irr_took_t took = { .ns = now_ns - request->begin_ns, .cost_ns = cost_ns(request, now_ns) };

        mca_coll_irr_stats_took(service, request->strategy, &took);
    }
    if (request->timing.timed) {
        irr_choice_end(&service->choice, &request->timing, cost_ns(request, now_ns), &request->load);
    }
}

/*
 * Finishes an operation whose exchange has ended.  Begins the agreement if one is due and no exchange is in progress.
 */
static void finish(mca_coll_irr_request_t *request)
{
    mca_coll_irr_class_t *class = request->class;
    const uint64_t now_ns = request->begin_ns > 0 ? irr_clock_ns() : 0;
    bool completes, agrees, moves;

    end_exchange(request);
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    count(request, now_ns);
    class->active--;
    completes = class->due != request;
    agrees = class->due != NULL && class->active == 0;
    moves = class->due == NULL && class->first != NULL;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    if (moves) {
        run_queue(class);
    }
    if (completes) {
        ompi_request_complete(&request->super.super, true);   /* if `agrees`, `due` keeps the class alive */
    }
    if (agrees) {
        start_agreement(class);
        (void)advance(class);
    }
}

/*
 * Progresses the engine as long as there are events and no request has ended.  Returns the requests that have ended.
 * The caller must hold the lock.
 */
static mca_coll_irr_request_t *progress_engine(void)
{
    mca_coll_irr_request_t *done;
    unsigned events;
    int tests = 0;

    do {
        events = mca_coll_irr_requests.engine_active > 0 ? irr_engine_progress(mca_coll_irr_component.engine) : 0;
        done = take_done();
    } while (done == NULL && events > 0 && ++tests < PROGRESS_MAX);
    return done;
}

/*
 * Yields the processor and tests the active requests.  Releases the lock during a yield.  Returns false if another
 * thread holds the lock then.
 */
static bool yield_and_progress(mca_coll_irr_request_t **done_p)
{
    *done_p = NULL;
    for (int yield = 0; yield < YIELDS && *done_p == NULL; yield++) {
        OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
        sched_yield();
        if (OPAL_THREAD_TRYLOCK(&mca_coll_irr_requests.lock) != 0) {
            return false;
        }
        *done_p = progress_engine();
    }
    return true;
}

/* Returns the number of agreements that have ended. */
static int advance_all(void)
{
    mca_coll_irr_class_t *class, *next;
    int events = 0;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    class = mca_coll_irr_requests.agreeing;
    mca_coll_irr_requests.agreeing = NULL;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    for (; class != NULL; class = next) {
        next = class->next_agreeing;
        events += advance(class);
    }
    return events;
}

/*
 * Returns the number of events.  If there are none, Open MPI yields the processor on a node with more ranks than
 * processors.  In a wait for the engine this function yields itself, and therefore returns at least one event.
 */
int mca_coll_irr_requests_progress(void)
{
    mca_coll_irr_request_t *done, *next;
    bool scarce, waits;
    int events = mca_coll_irr_requests.agreeing != NULL ? advance_all() : 0;

    if (mca_coll_irr_requests.active == NULL || OPAL_THREAD_TRYLOCK(&mca_coll_irr_requests.lock) != 0) {
        return events;
    }
    scarce = mca_coll_irr_component.may_sleep && mca_coll_irr_requests.engine_active > 0;
    waits = scarce && irr_clock_ns() - mca_coll_irr_requests.left_ns <= AT_ONCE_NS;
    events += waits;
    done = progress_engine();
    if (done == NULL && waits && !yield_and_progress(&done)) {
        return events;
    }
    mca_coll_irr_requests.left_ns = scarce ? irr_clock_ns() : 0;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    for (; done != NULL; done = next) {
        next = done->next;
        finish(done);
        events++;
    }
    return events;
}
