/*
 * coll_irr_nonblocking.c - nonblocking calls: all calls of a collective on a communicator form an operation class
 * (coll_irr_request.h).
 *
 * A nonblocking call must not wait for other ranks, so an agreement is part of its operation.  Open MPI serves the
 * first call.  If an algorithm is named, the ranks agree after this call, and the second call is served.  If the ranks
 * choose, they agree after calls known to all of them.
 *
 * The strategy of a call that starts during an agreement is unknown, and ranks may learn it at different times.  An
 * exchange of the engine can start later, in order.  A call to Open MPI cannot, because it takes a tag, and tags are
 * assigned in call order.  However, a persistent request of Open MPI takes the tag that the nonblocking call would
 * take, exchanges the same messages, and can start at any time.  Such a call therefore creates one.  It is started if
 * Open MPI serves the call, and freed otherwise.  A call that the engine serves without one also takes a tag, so tags
 * stay alike on all ranks.  This is checked as far as possible: both functions must belong to one module, and a call
 * must take one tag.  Otherwise Open MPI serves all nonblocking calls.
 *
 * With MPI_IN_PLACE a rank without bytes completes at once, and Open MPI 4.1 takes no tag for it (5.0 does).  All ranks
 * must take the same number of tags, whether they know the strategy or not, so a request of Open MPI always takes it.
 *
 * A rank without memory still takes part, because other ranks wait for it.  The module contains the memory of its
 * classes.  Without memory for a request, the request is on the stack, and the call returns when the operation has
 * ended.
 *
 * Cost: an untimed call that Open MPI serves needs no request of coll/irr.
 */
#include "coll_irr_dispatch.h"
#include "coll_irr_engine.h"
#include "coll_irr_statistics.h"

static const char *const another = "of no use for nonblocking calls, which another component serves than libnbc";

static const mca_coll_irr_previous_t *previous_of(const mca_coll_irr_class_t *class, mca_coll_irr_form_t form)
{
    return &class->module->previous[class->service.which][form];
}

/* ---- calls to Open MPI ---- */

/* Returns true if a call is in place and has no bytes on this rank. */
static bool is_empty(const mca_coll_irr_call_t *call)
{
    const bool in_place = call->send.buffer == MPI_IN_PLACE;
    size_t bytes = 0;
    int rank;

    for (int k = 0; in_place && k < call->recv.slots && bytes == 0; k++) {
        bytes = mca_coll_irr_side_bytes(&call->recv, k, &rank);
    }
    return in_place && bytes == 0;
}

static int pass_on(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call, ompi_request_t **request_p)
{
    ompi_communicator_t *comm = class->module->comm;
    const int32_t tag = comm->c_nbc_tag;
    const int result = mca_coll_irr_host(class->module, class->service.which, MCA_COLL_IRR_NONBLOCKING, call, NULL,
                                         request_p);

    if (tag - comm->c_nbc_tag != 1 && !is_empty(call)) {
        class->unfit = another;
    }
    return result;
}

static int start_host(mca_coll_irr_request_t *request)
{
    const int result = pass_on(request->class, &request->call, &request->inner);

    if (result != OMPI_SUCCESS) {
        request->inner = NULL;
    }
    return result;
}

/* ---- the class ---- */

static void begin_class(mca_coll_irr_class_t *class)
{
    const mca_coll_irr_previous_t *nonblocking = previous_of(class, MCA_COLL_IRR_NONBLOCKING);
    const mca_coll_irr_previous_t *persistent = previous_of(class, MCA_COLL_IRR_PERSISTENT);
    mca_coll_irr_service_t *service = &class->service;

    mca_coll_irr_team_find(class->module);
    mca_coll_irr_meet_neighbors(class->module, service->which);
    class->tag = MCA_COLL_IRR_TAG_CLASS - (int)service->which;
    if (persistent->function == NULL || persistent->module != nonblocking->module) {
        class->unfit = another;
    }
    mca_coll_irr_begin(class->module, service);    /* or the ranks agree after the first call */
}

static mca_coll_irr_class_t *class_of(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    const char *call = mca_coll_irr_collectives[which].forms[MCA_COLL_IRR_NONBLOCKING].call;

    if (module->nonblocking[which] == NULL) {
        module->nonblocking[which] = &module->class[which];
        mca_coll_irr_class_init(module->nonblocking[which], module, which, call);
        begin_class(module->nonblocking[which]);
    }
    return module->nonblocking[which];
}

void mca_coll_irr_nonblocking_end(mca_coll_irr_module_t *module)
{
    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        if (module->nonblocking[i] != NULL) {
            mca_coll_irr_class_fini(module->nonblocking[i]);
            module->nonblocking[i] = NULL;
        }
    }
}

/* ---- calls ---- */

/* What is known of a call before it starts. */
typedef enum kind {
    PASSES,   /* to Open MPI; its end need not be known */
    HOST,     /* to Open MPI */
    ENGINE,
    DOUBT     /* queued; its strategy is not known yet */
} kind_t;

/* Returns true if the end of a call to Open MPI need not be known.  Counts the call if the ranks choose. */
static bool passes(mca_coll_irr_service_t *service)
{
    return service->record == NULL &&
           (service->state == MCA_COLL_IRR_DECLINED ||
            (service->state == MCA_COLL_IRR_CHOOSING && irr_choice_goes_on(&service->choice)));
}

/* Classifies a call.  Only a call sets `holds`, so if it is false here, it stays false during this call. */
static kind_t look_at(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;
    kind_t kind;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (class->holds && service->state != MCA_COLL_IRR_SERVING) {
        kind = class->unfit != NULL ? PASSES : DOUBT;    /* if unfit, Open MPI serves all calls */
    } else if (class->holds || mca_coll_irr_service_strategy(&class->service) != NULL) {
        kind = ENGINE;
    } else {
        kind = passes(service) ? PASSES : HOST;
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    return kind;
}

/* Takes the tag that Open MPI would take in a call, on all ranks, whether Open MPI serves it or not. */
static int take_tag(mca_coll_irr_request_t *request, kind_t kind)
{
    const mca_coll_irr_class_t *class = request->class;
    int result = OMPI_SUCCESS;

    if (kind == DOUBT || (kind == ENGINE && is_empty(&request->call))) {
        result = mca_coll_irr_host(class->module, class->service.which, MCA_COLL_IRR_PERSISTENT, &request->call,
                                   &ompi_mpi_info_null.info, &request->inner);
        request->ready = result == OMPI_SUCCESS;
    } else if (kind == ENGINE) {
        (void)mca_coll_irr_tag(class->module->comm);
    }
    return result;
}

/* Starts an operation.  After an error of Open MPI, which is returned, the operation is not pending. */
static int start(mca_coll_irr_request_t *request, kind_t kind)
{
    mca_coll_irr_class_t *class = request->class;
    int result;

    result = take_tag(request, kind);
    if (result != OMPI_SUCCESS) {
        return result;
    }
    if (class->service.state != MCA_COLL_IRR_SERVING) {
        request->load = mca_coll_irr_load(&request->call, class->module->ranks.rank);
    }
    mca_coll_irr_stats_start(class, &request->call);
    if (kind != HOST) {
        (void)mca_coll_irr_request_open(request);   /* without memory the exchange fails */
    }
    mca_coll_irr_request_begin(request, start_host);
    return OMPI_SUCCESS;
}

/*
 * Starts an operation on a rank without memory for a request, and waits for it.  Other ranks are in the operation and
 * its agreement, so this rank must take part.  The request is on the stack.
 */
static int start_and_wait(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call, kind_t kind)
{
    mca_coll_irr_request_t request;
    int result;

    mca_coll_irr_request_construct(&request, class, call);
    result = start(&request, kind);
    if (result == OMPI_SUCCESS) {
        ompi_request_wait_completion(&request.super.super);
        result = request.super.super.req_status.MPI_ERROR;
    }
    mca_coll_irr_request_destruct(&request);
    return result;
}

int mca_coll_irr_icall(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                       ompi_request_t **request_p)
{
    mca_coll_irr_class_t *class = class_of(module, which);
    mca_coll_irr_request_t *request;
    kind_t kind;
    int result;

    if (class->service.state == MCA_COLL_IRR_FAILED) {
        return mca_coll_irr_error(IRR_ERR_PEER);
    }
    mca_coll_irr_stats_ask(&class->service);
    kind = look_at(class);
    if (kind == PASSES) {
        return pass_on(class, call, request_p);
    }
    mca_coll_irr_place(module, which, call);
    request = mca_coll_irr_request_take(class, call, false);
    if (request == NULL) {
        *request_p = &ompi_request_empty;
        return start_and_wait(class, call, kind);
    }
    result = start(request, kind);
    if (result != OMPI_SUCCESS) {
        mca_coll_irr_request_give(request);
        return result;
    }
    *request_p = &request->super.super;
    return OMPI_SUCCESS;
}
