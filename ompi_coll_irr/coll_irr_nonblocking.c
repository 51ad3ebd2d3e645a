/*
 * coll_irr_nonblocking.c - nonblocking calls: those of a collective of a communicator are a class
 * (coll_irr_request.h).
 *
 * A call must not wait for others, so what the ranks have to agree on is a part of its operation.  The first call goes
 * to Open MPI; where an algorithm is named the ranks agree after it, and from the second call on it is served.  Where
 * they choose, they agree after calls that all know.
 *
 * A call that starts while an agreement is under way on this rank may go either way, and may find that out later than
 * other ranks do.  What goes by the engine can start later, in order.  What goes by Open MPI cannot: it takes a tag,
 * and tags are given in the order of calls.  But a persistent request of Open MPI's takes the tag that the nonblocking
 * call would have taken, exchanges the same messages, and may be started at any time.  So such a call makes one; it is
 * started if Open MPI turns out to serve the call, and freed if not.  A call that goes by the engine without one takes
 * a tag, too, so tags stay alike on all ranks.  That this holds is checked where it can be: both functions must be of
 * one module, and a call of it must take one tag.  Elsewhere nonblocking calls stay with Open MPI.
 *
 * In place a rank without a byte is at the end at once, and Open MPI 4.1 takes no tag there (5.0 does).  A rank that
 * knows by what the call goes must not take another number of them than one that does not, so there all ask Open MPI.
 *
 * A rank that finds no memory still takes part, because the others wait for it.  Its class lies in the module. Without
 * memory for a request the operation has one on the stack, and the call returns when the operation is over.
 *
 * Cost: a call that goes to Open MPI and is not timed is passed on, and there is no request of ours.
 */
#include "coll_irr_dispatch.h"
#include "coll_irr_engine.h"
#include "coll_irr_service.h"
#include "coll_irr_statistics.h"

static const char *const another = "of no use for nonblocking calls, which another component serves than libnbc";

static const mca_coll_irr_previous_t *previous_of(const mca_coll_irr_class_t *class, mca_coll_irr_form_t form)
{
    return &class->module->previous[class->service.which][form];
}

/* ---- Open MPI's ---- */

/* Is a call in place, and has no bytes on this rank? */
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
    mca_coll_irr_begin(class->module, service);    /* or the ranks ask each other after the first call */
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
    PASSES,   /* to Open MPI, and we need not know when it is over */
    HOST,     /* to Open MPI */
    ENGINE,
    DOUBT     /* it waits in line, and may go either way */
} kind_t;

/* Need nobody know when it is over?  Then an exchange of a choice has begun. */
static bool passes(mca_coll_irr_service_t *service)
{
    return service->record == NULL &&
           (service->state == MCA_COLL_IRR_DECLINED ||
            (service->state == MCA_COLL_IRR_CHOOSING && irr_choice_goes_on(&service->choice)));
}

/* Only calls make a class hold, so where it does not it stays so in a call. */
static kind_t look_at(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;
    kind_t kind;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (class->holds && service->state != MCA_COLL_IRR_SERVING) {
        kind = class->unfit != NULL ? PASSES : DOUBT;    /* who is unfit knows that none is served */
    } else if (class->holds || mca_coll_irr_service_strategy(&class->service) != NULL) {
        kind = ENGINE;
    } else {
        kind = passes(service) ? PASSES : HOST;
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    return kind;
}

/* All ranks take the tag that Open MPI does in a call, whether it is to serve it or not. */
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

/* OMPI_SUCCESS, or the error of Open MPI, and then the operation is not pending. */
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
 * The other ranks are in the operation and in what is agreed on after it, so a rank without memory for a request takes
 * part as well: with a request on the stack, and it returns when the operation is over.
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
